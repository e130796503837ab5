"""Record each approval, and protect immutable tables against truncation and replacement."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

REFUSED = "rows of this table are kept as they were written"
REFUSE = f"begin select raise(abort, '{REFUSED}'); end"
TABLES = ("audit_entry", "contract_version", "approval_record")
EXISTS = {
    "audit_entry": "new.position <> (select coalesce(max(position), 0) + 1 from audit_entry)",
    "contract_version": "exists (select 1 from contract_version as other where other.id = new.id"
    " or (other.contract_id = new.contract_id and other.version = new.version))",
    "approval_record": "exists (select 1 from approval_record as other where other.hash = new.hash)",
}
POSTGRES_GUARDS = (
    "create trigger approval_record_kept before update or delete on approval_record "
    "for each row execute function treaty_refuse()",
    *(
        f"create trigger {table}_kept_whole before truncate on {table} "
        "for each statement execute function treaty_refuse()"
        for table in TABLES
    ),
)
SQLITE_GUARDS = (
    f"create trigger approval_record_kept_update before update on approval_record {REFUSE}",
    f"create trigger approval_record_kept_delete before delete on approval_record {REFUSE}",
    *(f"create trigger {table}_kept_insert before insert on {table} when {EXISTS[table]} {REFUSE}" for table in TABLES),
)


def upgrade() -> None:
    """Create the triggers and the table, which is empty for earlier approvals."""
    op.create_table(
        "approval_record",
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("proposal_id", sa.Uuid(), nullable=False),
        sa.Column("contract_id", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("approver_id", sa.Uuid(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("hash", name="pk_approval_record"),
        *(_reference(column, target) for column, target in (("proposal_id", "proposal"), ("approver_id", "user"))),
    )
    op.create_index("ix_approval_record_proposal_id", "approval_record", ["proposal_id"])
    op.create_index("ix_approval_record_contract_id_version", "approval_record", ["contract_id", "version"])
    for statement in POSTGRES_GUARDS if _on_postgres() else SQLITE_GUARDS:
        op.execute(statement)


def downgrade() -> None:
    """Drop the records; the audit log keeps their hashes."""
    op.drop_table("approval_record")
    for table in ("audit_entry", "contract_version"):
        on_postgres = f"drop trigger {table}_kept_whole on {table}"
        op.execute(on_postgres if _on_postgres() else f"drop trigger {table}_kept_insert")


def _on_postgres() -> bool:
    return op.get_context().dialect.name == "postgresql"


def _reference(column: str, target: str) -> sa.ForeignKeyConstraint:
    name = f"fk_approval_record_{column}"
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, deferrable=True, initially="DEFERRED")
