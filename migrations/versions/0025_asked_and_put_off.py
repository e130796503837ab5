"""Add change requests, assignment and snooze of proposals, and notification settings of subscriptions."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables and columns; existing subscriptions receive all notifications."""
    op.create_table(
        "change_request",
        sa.Column("comment_id", sa.Uuid(), nullable=False),
        sa.Column("proposal_id", sa.Uuid(), nullable=False),
        sa.Column("author_id", sa.Uuid(), nullable=False),
        sa.Column("ended", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("comment_id", name="pk_change_request"),
        _reference("change_request", "comment_id", "comment.id"),
        _reference("change_request", "proposal_id", "proposal.id"),
        _reference("change_request", "author_id", "user.id"),
    )
    op.create_index("ix_change_request_proposal_id", "change_request", ["proposal_id"])
    op.create_table(
        "postponement",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("proposal_id", sa.Uuid(), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "proposal_id", name="pk_postponement"),
        _reference("postponement", "user_id", "user.id"),
        _reference("postponement", "proposal_id", "proposal.id"),
    )
    op.add_column("proposal", sa.Column("assignee_id", sa.Uuid(), nullable=True))
    op.create_index("ix_proposal_assignee_id", "proposal", ["assignee_id"])
    op.add_column("subscription", sa.Column("kinds", sa.JSON(none_as_null=True), nullable=False, server_default="[]"))
    op.add_column("subscription", sa.Column("channel_id", sa.Uuid(), nullable=True))


def downgrade() -> None:
    """Drop the tables and columns.

    Change requests stay in the discussion as comments; their proposals return to review."""
    op.execute("UPDATE proposal SET state = 'in_review' WHERE state = 'changes_requested'")
    for column in ("channel_id", "kinds"):
        op.drop_column("subscription", column)
    op.drop_index("ix_proposal_assignee_id", "proposal")
    op.drop_column("proposal", "assignee_id")
    op.drop_table("postponement")
    op.drop_table("change_request")


def _reference(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_{column}"
    return sa.ForeignKeyConstraint([column], [target], name=name, deferrable=True, initially="DEFERRED")
