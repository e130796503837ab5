"""Record when the columns of a dataset were last declared."""

import sqlalchemy as sa
from alembic import op

from treaty.registry.tables.base import UtcTime

revision = "0020"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column. It is empty, so that the next declaration of columns applies."""
    op.add_column("dataset", sa.Column("redefined", UtcTime(), nullable=True))


def downgrade() -> None:
    """Drop the column; the latest declaration received applies."""
    op.drop_column("dataset", "redefined")
