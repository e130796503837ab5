"""Add indexes for frequent counts: runs by verdict, repeated events, rejected events."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0014"
branch_labels = None
depends_on = None

REPEATED = sa.text("duplicates > 0")
INDEXES = {
    "ix_run_verdict": ("run", ["verdict"]),
    "ix_inbox_event_duplicates": ("inbox_event", ["duplicates"]),
    "ix_rejected_event_status": ("rejected_event", ["status"]),
}
PARTIAL = {"ix_inbox_event_duplicates": {"sqlite_where": REPEATED, "postgresql_where": REPEATED}}


def upgrade() -> None:
    """Create the indexes; stored rows are unchanged."""
    for name, (table, columns) in INDEXES.items():
        op.create_index(name, table, columns, **PARTIAL.get(name, {}))


def downgrade() -> None:
    """Drop the indexes; stored rows are unchanged."""
    for name, (table, _) in INDEXES.items():
        op.drop_index(name, table)
