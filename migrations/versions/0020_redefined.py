"""Datasets say as of when their columns were told last."""

import sqlalchemy as sa
from alembic import op

from treaty.registry.tables.base import UtcTime

revision = "0020"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """What was told before is forgotten: the next that tells of columns is heard."""
    op.add_column("dataset", sa.Column("redefined", UtcTime(), nullable=True))


def downgrade() -> None:
    """Whatever is told last is heard."""
    op.drop_column("dataset", "redefined")
