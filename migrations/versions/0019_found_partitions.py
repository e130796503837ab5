"""Record how runs detected their partitions, and which table version was read."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0015"
branch_labels = None
depends_on = None

COLUMNS = (("run", "found_by"), ("run", "read_version"), ("dataset", "read_at"))


def upgrade() -> None:
    """Add the columns, empty for earlier runs."""
    for table, name in COLUMNS:
        op.add_column(table, sa.Column(name, sa.String(), nullable=True))


def downgrade() -> None:
    """Drop the columns; changes are detected by files only."""
    for table, name in reversed(COLUMNS):
        op.drop_column(table, name)
