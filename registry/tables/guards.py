"""Triggers that keep the audit append-only, approved versions immutable and what people said and approved as it was,
whoever writes to the database."""

from sqlalchemy import DDL, event
from sqlalchemy.schema import ExecutableDDLElement

from registry.tables.base import Table

REFUSED = "rows of this table are kept as they were written"
IMMUTABLE = (
    'id, contract_id, version, body, fingerprint, "group", proposal_id, approved_by_id, approved_at, '
    "effective_from, effective_until"
)
APPROVED = "id, proposal_id, approver_id, version, fingerprint, revision, time"
FUNCTION = f"""
create or replace function treaty_refuse() returns trigger language plpgsql as $$
begin
  raise exception '{REFUSED}';
end
$$
"""
KEPT = {
    "audit_entry": "update",
    "contract_version": f"update of {IMMUTABLE}",
    "proposal_change": "update",
    "approval": f"update of {APPROVED}",
    "comment": "update",
}


def guard() -> None:
    """Has the triggers created together with their tables."""
    for table, change in KEPT.items():
        for dialect, statements in _statements(table, change).items():
            for statement in statements:
                _after_create(table, statement, dialect)


def _statements(table: str, change: str) -> dict[str, tuple[str, ...]]:
    each = f"create trigger {table}_kept before {change} or delete on {table} for each row execute function"
    return {
        "postgresql": (FUNCTION, f"{each} treaty_refuse()"),
        "sqlite": tuple(
            f"create trigger {table}_kept_{event.split()[0]} before {event} on {table} "
            f"begin select raise(abort, '{REFUSED}'); end"
            for event in (change, "delete")
        ),
    }


def _after_create(table: str, statement: str, dialect: str) -> None:
    trigger: ExecutableDDLElement = DDL(statement)  # type: ignore[no-untyped-call]
    event.listen(Table.metadata.tables[table], "after_create", trigger.execute_if(dialect=dialect))
