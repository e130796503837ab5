"""Add subscriptions of consumers, their own checks, and acknowledgements of breaking changes."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0010"
branch_labels = None
depends_on = None

REFUSED = "rows of this table are kept as they were written"
POSTGRES_GUARDS = (
    "create trigger consumer_check_kept before update or delete on consumer_check "
    "for each row execute function treaty_refuse()",
    "create trigger consumer_check_kept_whole before truncate on consumer_check "
    "for each statement execute function treaty_refuse()",
)
EXISTS = (
    "exists (select 1 from consumer_check as other where other.id = new.id or (other.identity ="
    " new.identity and other.subscription_id = new.subscription_id and other.number = new.number))"
)
SQLITE_GUARDS = tuple(
    f"create trigger consumer_check_kept_{event} before {event} on consumer_check {when}"
    f"begin select raise(abort, '{REFUSED}'); end"
    for event, when in (("update", ""), ("delete", ""), ("insert", f"when {EXISTS} "))
)


def upgrade() -> None:
    """Create the tables; there are no subscriptions yet."""
    _subscriptions()
    _checks()
    _acknowledgements()
    for statement in POSTGRES_GUARDS if op.get_context().dialect.name == "postgresql" else SQLITE_GUARDS:
        op.execute(statement)


def downgrade() -> None:
    """Drop the tables; subscriptions, consumer checks and acknowledgements are lost."""
    for table in ("acknowledgement", "consumer_check", "subscription"):
        op.drop_table(table)


def _subscriptions() -> None:
    op.create_table(
        "subscription",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("contract_id", sa.String(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("purpose", sa.String(), nullable=False),
        sa.Column("contact", sa.String(), nullable=False),
        sa.Column("pin", sa.String(32), nullable=False),
        sa.Column("pinned_to", sa.String(), nullable=True),
        sa.Column("reads", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(32), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_subscription"),
        _reference("subscription", "contract_id", "contract"),
        _reference("subscription", "user_id", "user"),
    )
    op.create_index("ix_subscription_contract_id", "subscription", ["contract_id"])
    op.create_index("ix_subscription_user_id", "subscription", ["user_id"])


def _checks() -> None:
    op.create_table(
        "consumer_check",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("subscription_id", sa.Uuid(), nullable=False),
        sa.Column("identity", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("object", sa.String(), nullable=False),
        sa.Column("column", sa.String(), nullable=True),
        sa.Column("patch", sa.JSON(), nullable=True),
        sa.Column("source", sa.JSON(), nullable=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by_id", sa.Uuid(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_consumer_check"),
        sa.UniqueConstraint(
            "subscription_id", "identity", "number", name="uq_consumer_check_subscription_id_identity_number"
        ),
        _reference("consumer_check", "subscription_id", "subscription"),
        _reference("consumer_check", "created_by_id", "user"),
    )


def _acknowledgements() -> None:
    op.create_table(
        "acknowledgement",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("version_id", sa.Uuid(), nullable=False),
        sa.Column("subscription_id", sa.Uuid(), nullable=False),
        sa.Column("breaks", sa.JSON(), nullable=False),
        sa.Column("answer", sa.String(32), nullable=False),
        sa.Column("asked", sa.DateTime(timezone=True), nullable=False),
        sa.Column("deadline", sa.DateTime(timezone=True), nullable=True),
        sa.Column("comment", sa.String(), nullable=True),
        sa.Column("answered_by_id", sa.Uuid(), nullable=True),
        sa.Column("answered_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_acknowledgement"),
        sa.UniqueConstraint("version_id", "subscription_id", name="uq_acknowledgement_version_id_subscription_id"),
        _reference("acknowledgement", "version_id", "contract_version"),
        _reference("acknowledgement", "subscription_id", "subscription"),
        _reference("acknowledgement", "answered_by_id", "user"),
    )
    op.create_index("ix_acknowledgement_subscription_id", "acknowledgement", ["subscription_id"])


def _reference(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_{column}"
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, deferrable=True, initially="DEFERRED")
