"""Add the life cycle of versions, and tables of approvals, changes and comments.

A version is approved, in force from a set time, deprecated and retired."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0008"
branch_labels = None
depends_on = None

REFUSED = "rows of this table are kept as they were written"
BEFORE = "id, contract_id, version, body, fingerprint, proposal_id, approved_by_id, approved_at"
SINCE = f'{BEFORE}, "group", effective_from, effective_until'
PROTECTED = {
    "proposal_change": "update",
    "approval": "update of id, proposal_id, approver_id, version, fingerprint, revision, time",
    "comment": "update",
}
EXISTS = {
    "proposal_change": "other.proposal_id = new.proposal_id and other.revision = new.revision",
    "approval": "other.id = new.id",
    "comment": "other.id = new.id",
}
MOMENTS = ("effective_from", "effective_until", "activated_at", "ended_at")
WINDOW = MOMENTS[:2]


def upgrade() -> None:
    """Add the columns and tables. Approved versions count as in force since their approval.

    The end of earlier versions was not recorded."""
    _unguard("contract_version")
    op.add_column("contract_version", sa.Column("group", sa.String(), nullable=False, server_default="main"))
    for name in MOMENTS:
        op.add_column("contract_version", _moment(name))
    for name in ("successor", "reason"):
        op.add_column("contract_version", sa.Column(name, sa.String(), nullable=True))
    for name in WINDOW:
        op.add_column("proposal", _moment(name))
    op.add_column("suggestion", sa.Column("edited", sa.JSON(), nullable=True))
    op.add_column("suggestion", sa.Column("news", sa.String(), nullable=True))
    op.create_index("ix_contract_version_state", "contract_version", ["state"])
    op.execute("update contract_version set activated_at = approved_at")
    _guard("contract_version", f"update of {SINCE}")
    _people_said()
    for table, change in PROTECTED.items():
        _guard(table, change)
        _guard_whole(table)


def downgrade() -> None:
    """Drop the columns and tables; approvals, changes and comments are lost.

    Versions that are approved but not in force, or retired, become superseded; deprecated ones become active."""
    for table in PROTECTED:
        op.drop_table(table)
    _unguard("contract_version")
    op.execute("update contract_version set state = 'active' where state = 'deprecated'")
    op.execute("update contract_version set state = 'superseded' where state in ('approved', 'retired')")
    op.drop_index("ix_contract_version_state", "contract_version")
    for name in ("news", "edited"):
        op.drop_column("suggestion", name)
    for name in WINDOW:
        op.drop_column("proposal", name)
    for name in ("reason", "successor", *MOMENTS, "group"):
        op.drop_column("contract_version", name)
    _guard("contract_version", f"update of {BEFORE}")


def _people_said() -> None:
    """Create the tables of actions on a proposal; each row refers to the proposal and the user."""
    op.create_table(
        "proposal_change",
        sa.Column("proposal_id", sa.Uuid(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("author_id", sa.Uuid(), nullable=False),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("wrote", sa.Boolean(), nullable=False),
        _moment("time", nullable=False),
        sa.PrimaryKeyConstraint("proposal_id", "revision", name="pk_proposal_change"),
        *_references("proposal_change", "author_id"),
    )
    op.create_table(
        "approval",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("proposal_id", sa.Uuid(), nullable=False),
        sa.Column("approver_id", sa.Uuid(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("fingerprint", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        _moment("time", nullable=False),
        _moment("void_since"),
        sa.PrimaryKeyConstraint("id", name="pk_approval"),
        *_references("approval", "approver_id"),
    )
    op.create_table(
        "comment",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("proposal_id", sa.Uuid(), nullable=False),
        sa.Column("author_id", sa.Uuid(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        _moment("time", nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_comment"),
        *_references("comment", "author_id"),
    )
    for table, column in (("approval", "proposal_id"), ("approval", "approver_id"), ("comment", "proposal_id")):
        op.create_index(f"ix_{table}_{column}", table, [column])


def _references(table: str, who: str) -> list[sa.ForeignKeyConstraint]:
    targets = {"proposal_id": "proposal.id", who: "user.id"}
    return [
        sa.ForeignKeyConstraint([column], [target], name=f"fk_{table}_{column}", deferrable=True, initially="DEFERRED")
        for column, target in targets.items()
    ]


def _moment(name: str, *, nullable: bool = True) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def _on_postgres() -> bool:
    return op.get_context().dialect.name == "postgresql"


def _guard(table: str, change: str) -> None:
    if _on_postgres():
        each = f"create trigger {table}_kept before {change} or delete on {table} for each row"
        op.execute(f"{each} execute function treaty_refuse()")
        return
    for event in (change, "delete"):
        named = f"create trigger {table}_kept_{event.split()[0]} before {event} on {table}"
        op.execute(f"{named} begin select raise(abort, '{REFUSED}'); end")


def _guard_whole(table: str) -> None:
    if _on_postgres():
        each = f"create trigger {table}_kept_whole before truncate on {table} for each statement"
        op.execute(f"{each} execute function treaty_refuse()")
        return
    duplicate = f"exists (select 1 from {table} as other where {EXISTS[table]})"
    named = f"create trigger {table}_kept_insert before insert on {table} when {duplicate}"
    op.execute(f"{named} begin select raise(abort, '{REFUSED}'); end")


def _unguard(table: str) -> None:
    if _on_postgres():
        op.execute(f"drop trigger {table}_kept on {table}")
        return
    for event in ("update", "delete"):
        op.execute(f"drop trigger {table}_kept_{event}")
