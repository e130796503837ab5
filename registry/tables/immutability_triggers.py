"""Define database triggers that make audit entries, approved versions and comments immutable."""

from sqlalchemy import DDL, event
from sqlalchemy.schema import ExecutableDDLElement

from treaty.registry.tables.base import BaseRow

REFUSED = "rows of this table are kept as they were written"
IMMUTABLE = (
    'id, contract_id, version, body, fingerprint, "group", proposal_id, approved_by_id, approved_at, '
    "effective_from, effective_until"
)
APPROVED = "id, proposal_id, approver_id, version, fingerprint, revision, approved_at"
FUNCTION = f"""
create or replace function treaty_refuse() returns trigger language plpgsql as $$
begin
  raise exception '{REFUSED}';
end
$$
"""
GUARDED_TABLES = {
    "audit_entry": "update",
    "contract_version": f"update of {IMMUTABLE}",
    "approval_record": "update",
    "consumer_check": "update",
    "proposal_revision": "update",
    "proposal_approval": f"update of {APPROVED}",
    "proposal_comment": "update",
    "fit": "update",
    "point_feedback": "update",
}
OTHER = "exists (select 1 from {table} as other where other.{key} = new.{key})"
# SQLite's `insert or replace` deletes rows without firing triggers, so conflicts are rejected before the insert.
INSERT_CONFLICTS = {
    "audit_entry": "new.position <> (select coalesce(max(position), 0) + 1 from audit_entry)",
    "contract_version": "exists (select 1 from contract_version as other where other.id = new.id"
    " or (other.contract_id = new.contract_id and other.version = new.version))",
    "approval_record": OTHER.format(table="approval_record", key="hash"),
    "consumer_check": "exists (select 1 from consumer_check as other where other.id = new.id or (other.identity ="
    " new.identity and other.subscription_id = new.subscription_id and other.number = new.number))",
    "proposal_revision": "exists (select 1 from proposal_revision as other where other.proposal_id = new.proposal_id"
    " and other.revision = new.revision)",
    "proposal_approval": OTHER.format(table="proposal_approval", key="id"),
    "proposal_comment": OTHER.format(table="proposal_comment", key="id"),
    "fit": OTHER.format(table="fit", key="id"),
    "point_feedback": OTHER.format(table="point_feedback", key="id"),
}


def guard() -> None:
    """Create the triggers together with their tables."""
    for table, change in GUARDED_TABLES.items():
        for dialect, statements in _statements(table, change).items():
            for statement in statements:
                _after_create(table, statement, dialect)


def _statements(table: str, change: str) -> dict[str, tuple[str, ...]]:
    refuse = f"begin select raise(abort, '{REFUSED}'); end"
    return {
        "postgresql": (
            FUNCTION,
            f"create trigger {table}_kept before {change} or delete on {table} "
            "for each row execute function treaty_refuse()",
            f"create trigger {table}_kept_whole before truncate on {table} "
            "for each statement execute function treaty_refuse()",
        ),
        "sqlite": (
            *(
                f"create trigger {table}_kept_{event.split()[0]} before {event} on {table} {refuse}"
                for event in (change, "delete")
            ),
            f"create trigger {table}_kept_insert before insert on {table} when {INSERT_CONFLICTS[table]} {refuse}",
        ),
    }


def _after_create(table: str, statement: str, dialect: str) -> None:
    trigger: ExecutableDDLElement = DDL(statement)  # type: ignore[no-untyped-call]
    event.listen(BaseRow.metadata.tables[table], "after_create", trigger.execute_if(dialect=dialect))
