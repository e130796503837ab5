"""Record the files of each generation of states, and the days merged into it."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns. The files of stored states are not known yet."""
    op.add_column("partition_state", sa.Column("files", sa.JSON(), nullable=True))
    op.add_column("partition_state", sa.Column("members", sa.JSON(), nullable=True))


def downgrade() -> None:
    """Drop the columns and the merged states.

    The states themselves contain the names of their files. Merged days are read again."""
    op.execute("DELETE FROM partition_state WHERE members IS NOT NULL")
    op.drop_column("partition_state", "members")
    op.drop_column("partition_state", "files")
