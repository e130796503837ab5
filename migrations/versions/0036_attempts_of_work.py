"""Store the worker of each attempt, and the attempts that ended the worker process."""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)
COUNTED = ("task", "outbox_message")


def upgrade() -> None:
    """Add the columns and the table. Earlier attempts ended no process that is known."""
    op.add_column("lineage_event", sa.Column("worker", sa.String(), nullable=True))
    op.add_column("lineage_event", sa.Column("lease_expires_at", TIME, nullable=True))
    op.add_column("outbox_message", sa.Column("worker", sa.String(), nullable=True))
    for name in COUNTED:
        op.add_column(name, sa.Column("crashes", sa.Integer(), nullable=False, server_default="0"))
    op.create_table(
        "periodic_job",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("worker", sa.String(), nullable=True),
        sa.Column("lease_expires_at", TIME, nullable=True),
        sa.Column("paused_until", TIME, nullable=True),
        sa.Column("error", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("name", name="pk_periodic_job"),
    )


def downgrade() -> None:
    """Drop the columns and the table; events that a worker has are processed by any worker."""
    op.drop_table("periodic_job")
    for name in COUNTED:
        op.drop_column(name, "crashes")
    op.drop_column("outbox_message", "worker")
    op.drop_column("lineage_event", "lease_expires_at")
    op.drop_column("lineage_event", "worker")
