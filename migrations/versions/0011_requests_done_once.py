"""Requests that are done once, with their answers; the audit of one object is found without reading all of it."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """No request was done under a key yet."""
    op.create_table(
        "done_request",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("content", sa.String(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("headers", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("answer", sa.LargeBinary(), nullable=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_done_request"),
    )
    op.create_index("ix_done_request_created", "done_request", ["created"])
    op.create_index("ix_audit_entry_object_id_position", "audit_entry", ["object_id", "position"])


def downgrade() -> None:
    """Who sends a request again does it again."""
    op.drop_index("ix_audit_entry_object_id_position", "audit_entry")
    op.drop_table("done_request")
