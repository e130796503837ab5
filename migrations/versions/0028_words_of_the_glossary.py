"""Replace stored words: the gate allows, states are erased, notifications have details.

Audit entries, approval records and revisions of proposals are sealed and keep their bytes. A version whose document
used a replaced word gets a new document and fingerprint; its approval record still describes the old document."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import sqlalchemy as sa
from alembic import op

from treaty.contracts.document.yaml_syntax import parse
from treaty.contracts.fingerprint import fingerprint

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

SCOPES = {"memory:erase": "states:erase"}
NOTICE_KEYS = {"found": "details"}
FACET_KEYS = {"marker": "dataset_fingerprint"}
MEASUREMENT_KEYS = {"judged": "rows"}
# Values of terms of a contract document, by term.
TERMS = {"on_unknown": ("pass", "allow"), "on_upstream_failed": ("tell", "allow")}

PLAIN = sa.JSON(none_as_null=True)
TOKEN = sa.table("api_token", sa.column("id"), sa.column("scopes", PLAIN))
MESSAGE = sa.table("outbox_message", sa.column("id"), sa.column("payload", PLAIN))
VERSION = sa.table("contract_version", sa.column("id"), sa.column("body", sa.LargeBinary), sa.column("fingerprint"))
PROPOSAL = sa.table("proposal", sa.column("id"), sa.column("base", sa.LargeBinary))
TEMPLATE = sa.table("template", sa.column("name"), sa.column("document"))
RUN = sa.table("run", sa.column("fingerprint"))
MEASUREMENT = sa.table("measurement", sa.column("run_id"), sa.column("position"), sa.column("details", PLAIN))
Columns = Mapping[str, Any]
IMMUTABLE = (
    'id, contract_id, version, body, fingerprint, "group", proposal_id, approved_by_id, approved_at, '
    "effective_from, effective_until"
)
REFUSED = "rows of this table are kept as they were written"


def upgrade() -> None:
    """Store the new words in tokens, waiting messages and contract documents."""
    _replace(SCOPES, NOTICE_KEYS, FACET_KEYS, TERMS)
    _rename_details(MEASUREMENT_KEYS)


def downgrade() -> None:
    """Restore the old words."""
    terms = {term: (new, old) for term, (old, new) in TERMS.items()}
    _replace(_turned(SCOPES), _turned(NOTICE_KEYS), _turned(FACET_KEYS), terms)
    _rename_details(_turned(MEASUREMENT_KEYS))


def _turned(words: Mapping[str, str]) -> dict[str, str]:
    return {new: old for old, new in words.items()}


def _replace(
    scopes: Mapping[str, str], notice: Mapping[str, str], facet: Mapping[str, str], terms: Mapping[str, tuple[str, str]]
) -> None:
    _change(TOKEN, lambda row: {"scopes": [scopes.get(each, each) for each in row.scopes]})
    _change(MESSAGE, lambda row: {"payload": _message(row.payload, notice, facet)})
    _change(PROPOSAL, lambda row: {"base": _document(row.base, terms)})
    _change(TEMPLATE, lambda row: {"document": _document(row.document.encode(), terms).decode()})
    _guard_versions(active=False)
    _change(VERSION, lambda row: _version(row, terms))
    _guard_versions(active=True)


def _rename_details(names: Mapping[str, str]) -> None:
    """Rename the number of evaluated rows in measured classifications, which list `values` and `other`."""
    bind, details = op.get_bind(), MEASUREMENT.c.details
    for row in bind.execute(sa.select(MEASUREMENT).where(sa.cast(details, sa.String).like('%"other"%'))).all():
        if {"values", "other", *names} == set(row.details):
            key = MEASUREMENT.c.run_id == row.run_id, MEASUREMENT.c.position == row.position
            changed = sa.update(MEASUREMENT).where(*key)
            bind.execute(changed.values(details=_renamed(row.details, names)))


def _change(table: sa.TableClause, values: Callable[[Any], Columns]) -> None:
    """Update the rows whose values differ; the first column of the table is its key."""
    bind, key = op.get_bind(), next(iter(table.c))
    for row in bind.execute(sa.select(table)).all():
        changes = {name: value for name, value in values(row).items() if getattr(row, name) != value}
        if changes:
            bind.execute(sa.update(table).where(key == row[0]).values(**changes))


def _message(payload: Any, notice: Mapping[str, str], facet: Mapping[str, str]) -> Any:
    """Rename the keys of a notification, or of the facet of a lineage event."""
    if "notice" in payload:
        return {**payload, "notice": _renamed(payload["notice"], notice)}
    facets = payload.get("run", {}).get("facets", {})
    if "treaty_contract" not in facets:
        return payload
    facets = {**facets, "treaty_contract": _renamed(facets["treaty_contract"], facet)}
    return {**payload, "run": {**payload["run"], "facets": facets}}


def _renamed(fields: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {names.get(name, name): value for name, value in fields.items()}


def _version(row: Any, terms: Mapping[str, tuple[str, str]]) -> Columns:
    """Return document and fingerprint with the new words; runs of the version follow its fingerprint."""
    body = _document(row.body, terms)
    if body == row.body:
        return {}
    content = fingerprint(parse(body).data)
    op.get_bind().execute(sa.update(RUN).where(RUN.c.fingerprint == row.fingerprint).values(fingerprint=content))
    return {"body": body, "fingerprint": content}


def _document(body: bytes, terms: Mapping[str, tuple[str, str]]) -> bytes:
    for term, (before, after) in terms.items():
        value = rf"""(\b{term}["']?\s*:\s*["']?){before}\b"""
        body = re.sub(value.encode(), rb"\g<1>" + after.encode(), bytes(body))
    return body


def _guard_versions(*, active: bool) -> None:
    """Switch the trigger that keeps approved documents unchanged."""
    if op.get_context().dialect.name == "postgresql":
        op.execute("set constraints all immediate")
        op.execute(f"alter table contract_version {'enable' if active else 'disable'} trigger contract_version_kept")
    elif active:
        op.execute(
            f"create trigger contract_version_kept_update before update of {IMMUTABLE} on contract_version"
            f" begin select raise(abort, '{REFUSED}'); end"
        )
    else:
        op.execute("drop trigger contract_version_kept_update")
