"""Add the outbox of messages, and the channels of users and teams."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables; there are no messages and no channels yet."""
    op.create_table(
        "outbox_message",
        sa.Column("id", sa.Uuid(), nullable=False),
        *(sa.Column(name, sa.String(), nullable=False) for name in ("kind", "destination", "key")),
        sa.Column("payload", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("state", sa.String(length=32), nullable=False),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in ("attempts", "fence")),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("available_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("error", sa.String(), nullable=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_outbox_message"),
        sa.UniqueConstraint("key", name="uq_outbox_message_key"),
    )
    op.create_index("ix_outbox_message_state_destination_id", "outbox_message", ["state", "destination", "id"])
    op.create_index("ix_outbox_message_state_available_at", "outbox_message", ["state", "available_at"])
    _channels()


def downgrade() -> None:
    """Drop the tables; undelivered messages are lost."""
    op.drop_table("channel")
    op.drop_table("outbox_message")


def _channels() -> None:
    op.create_table(
        "channel",
        sa.Column("id", sa.Uuid(), nullable=False),
        *(sa.Column(f"{name}_id", sa.Uuid(), nullable=True) for name in ("user", "team")),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("target", sa.String(), nullable=False),
        *(sa.Column(name, sa.String(), nullable=True) for name in ("secret", "contract_id")),
        sa.Column("kinds", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        *(_reference(name) for name in ("user", "team", "contract")),
        sa.PrimaryKeyConstraint("id", name="pk_channel"),
    )
    for name in ("user", "team"):
        op.create_index(f"ix_channel_{name}_id", "channel", [f"{name}_id"])


def _reference(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [f"{table}_id"], [f"{table}.id"], name=f"fk_channel_{table}_id", deferrable=True, initially="DEFERRED"
    )
