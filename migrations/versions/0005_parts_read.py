"""Store what a running task has read, so that another worker can continue from there."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "part_read",
        sa.Column("task_id", sa.Uuid(), nullable=False),
        sa.Column("partition", sa.String(), nullable=False),
        sa.Column("fingerprint", sa.String(), nullable=False),
        sa.Column("states", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["task_id"], ["task.id"], name="fk_part_read_task_id", deferrable=True, initially="DEFERRED"
        ),
        sa.PrimaryKeyConstraint("task_id", "partition", name="pk_part_read"),
    )


def downgrade() -> None:
    """Drop the table; tasks read its content again."""
    op.drop_table("part_read")
