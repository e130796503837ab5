"""A generation of a partition's states names the files that it lies in."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nobody has looked yet which files the stored states lie in."""
    op.add_column("partition_state", sa.Column("files", sa.JSON(), nullable=True))


def downgrade() -> None:
    """The states themselves name their files."""
    op.drop_column("partition_state", "files")
