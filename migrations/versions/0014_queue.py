"""Add subject and producer of tasks, the run of events, and appointments of deadlines."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0012"
branch_labels = None
depends_on = None

CLOCK = "SELECT id FROM run WHERE cause <> 'data'"
LAST = "SELECT max(created) FROM partition_state WHERE partition_state.dataset_id = dataset.id"
LINE = "ix_task_state_producer_priority_turn"


def upgrade() -> None:
    """Add the columns and the table. Waiting tasks share one line and exclude no others."""
    op.add_column("task", sa.Column("subject", sa.String(), nullable=True))
    op.add_column("task", sa.Column("producer", sa.String(), nullable=False, server_default=""))
    op.add_column("task", sa.Column("turn", sa.BigInteger(), nullable=False, server_default="0"))
    op.create_index("ix_task_subject", "task", ["subject"])
    op.create_index(LINE, "task", ["state", "producer", "priority", "turn"])
    op.add_column("inbox_event", sa.Column("lineage_run_id", sa.Uuid(), nullable=True))
    op.create_index("ix_inbox_event_lineage_run_id", "inbox_event", ["lineage_run_id"])
    op.add_column("run", sa.Column("cause", sa.String(length=32), nullable=False, server_default="data"))
    op.add_column("dataset", sa.Column("arrived", sa.DateTime(timezone=True), nullable=True))
    op.execute(f"UPDATE dataset SET arrived = ({LAST})")
    op.create_table(
        "appointment",
        sa.Column("version_id", sa.Uuid(), nullable=False),
        sa.Column("object", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("due", sa.DateTime(timezone=True), nullable=True),
        sa.Column("missed", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["version_id"],
            ["contract_version.id"],
            name="fk_appointment_version_id",
            deferrable=True,
            initially="DEFERRED",
        ),
        sa.PrimaryKeyConstraint("version_id", "object", "name", name="pk_appointment"),
    )
    op.create_index("ix_appointment_due", "appointment", ["due"])


def downgrade() -> None:
    """Drop the columns, the appointments and all runs that validated no data."""
    op.drop_table("appointment")
    op.drop_column("dataset", "arrived")
    op.execute(f"DELETE FROM result WHERE run_id IN ({CLOCK})")
    op.execute("DELETE FROM run WHERE cause <> 'data'")
    op.drop_column("run", "cause")
    op.drop_index("ix_inbox_event_lineage_run_id", "inbox_event")
    op.drop_column("inbox_event", "lineage_run_id")
    op.drop_index(LINE, "task")
    op.drop_index("ix_task_subject", "task")
    for name in ("turn", "producer", "subject"):
        op.drop_column("task", name)
