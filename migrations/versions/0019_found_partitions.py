"""Runs say by what their partitions were found, and which version of the table was read; datasets, which theirs is."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0015"
branch_labels = None
depends_on = None

COLUMNS = (("run", "found_by"), ("run", "read_version"), ("dataset", "read_at"))


def upgrade() -> None:
    """Of what was read before, nobody knows."""
    for table, name in COLUMNS:
        op.add_column(table, sa.Column(name, sa.String(), nullable=True))


def downgrade() -> None:
    """What changed since is told by files alone."""
    for table, name in reversed(COLUMNS):
        op.drop_column(table, name)
