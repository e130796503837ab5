"""A generation of states names the files that it lies in, and the days that were merged into it."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nobody has looked yet which files the stored states lie in."""
    op.add_column("partition_state", sa.Column("files", sa.JSON(), nullable=True))
    op.add_column("partition_state", sa.Column("members", sa.JSON(), nullable=True))


def downgrade() -> None:
    """The states themselves name their files. Of merged days nothing is known then: they are read again."""
    op.execute("DELETE FROM partition_state WHERE members IS NOT NULL")
    op.drop_column("partition_state", "members")
    op.drop_column("partition_state", "files")
