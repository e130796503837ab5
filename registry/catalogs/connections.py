"""Manage connections to catalogs. Only administrators may; every change is audited."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, update
from sqlmodel import Session, col, select

from treaty.contracts.errors import Fault
from treaty.registry.access.authentication import Principal, require_permission
from treaty.registry.audit import audit_log
from treaty.registry.catalogs import catalog_kinds, secrets
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import CatalogState, Permission
from treaty.registry.core.errors import Conflict, InvalidRequest, NotFound
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.lineage import aliases
from treaty.registry.notifications.transport import egress
from treaty.registry.notifications.transport.egress import DestinationNotAllowed
from treaty.registry.tables import CatalogAliasRow, CatalogConnectionRow, CatalogTableRow

MOST = 100
CHANGEABLE = ("address", "secret", "options", "namespaces", "writes", "private")


@dataclass(frozen=True)
class ConnectionListing:
    """A connection with the number of its tables, without those that were dropped."""

    connection: CatalogConnectionRow
    tables: int


def list_connections(session: Session, by: Principal) -> list[ConnectionListing]:
    """Return the connections by name. Requires an administrator."""
    require_permission(by, Permission.USERS)
    rows = session.exec(select(CatalogConnectionRow).order_by(col(CatalogConnectionRow.name))).all()
    table = CatalogTableRow
    present = col(table.superseded_at).is_(None), col(table.dropped_at).is_(None)
    counts = select(table.connection_id, func.count()).where(*present).group_by(col(table.connection_id))
    tables = dict(session.exec(counts).all())
    return [ConnectionListing(each, tables.get(each.id, 0)) for each in rows]


def named(session: Session, name: str, by: Principal, *, lock: bool = False) -> CatalogConnectionRow:
    """Return the connection. Requires an administrator. Raises NotFound."""
    require_permission(by, Permission.USERS)
    query = select(CatalogConnectionRow).where(CatalogConnectionRow.name == name)
    row = session.exec(query.with_for_update() if lock else query).first()
    if row is None:
        raise NotFound
    return row


def listing(session: Session, row: CatalogConnectionRow) -> ConnectionListing:
    """Return the connection with the number of its tables."""
    table = CatalogTableRow
    conditions = table.connection_id == row.id, col(table.superseded_at).is_(None), col(table.dropped_at).is_(None)
    return ConnectionListing(row, session.exec(select(func.count()).select_from(table).where(*conditions)).one())


def add(
    session: Session, row: CatalogConnectionRow, settings: RegistrySettings, *, by: Principal, now: datetime
) -> CatalogConnectionRow:
    """Add a connection; it is read at once. Raises InvalidRequest, and Conflict if the name is taken."""
    require_permission(by, Permission.USERS)
    _complete(row, settings)
    names = session.exec(select(CatalogConnectionRow.name)).all()
    if row.name in names:
        raise Conflict(f"There is already a connection named {row.name}.")
    if len(names) >= MOST:
        raise Conflict(f"The limit of {MOST} connections is reached. Remove a connection first.")
    session.add(row)
    _audit(session, AuditAction.CATALOG_ADDED, row, _details(row), by=by, now=now)
    return row


def change(
    session: Session, name: str, changes: Mapping[str, Any], settings: RegistrySettings, *, by: Principal, now: datetime
) -> CatalogConnectionRow:
    """Change a connection; all its tables are read again, at once. Raises NotFound and InvalidRequest."""
    row = named(session, name, by, lock=True)
    for field in CHANGEABLE:
        setattr(row, field, changes.get(field, getattr(row, field)))
    _complete(row, settings)
    row.revision += 1
    row.state, row.error, row.failures, row.next_read_at = CatalogState.NEW, None, 0, now
    session.exec(update(CatalogTableRow).where(col(CatalogTableRow.connection_id) == row.id).values(token=""))
    _audit(session, AuditAction.CATALOG_CHANGED, row, _details(row), by=by, now=now)
    return row


def remove(session: Session, name: str, *, by: Principal, now: datetime) -> None:
    """Remove a connection with all its facts and links between names. Raises NotFound."""
    row = named(session, name, by, lock=True)
    for table in (CatalogAliasRow, CatalogTableRow):
        session.exec(delete(table).where(col(table.connection_id) == row.id))
    _audit(session, AuditAction.CATALOG_REMOVED, row, {}, by=by, now=now)
    session.delete(row)
    aliases.clear(session)


def _complete(row: CatalogConnectionRow, settings: RegistrySettings) -> None:
    """Add the defaults of options. Raises InvalidRequest with all faults of the connection."""
    kind = catalog_kinds.kind_of(row.kind, settings.plugin_names)
    faults = [Fault(code="TR-CATALOG", where=where, message=message) for where, message in _faults(row)]
    if faults:
        raise InvalidRequest("The connection cannot be used", faults=faults)
    row.options = catalog_kinds.complete_options(kind, row.options)


def _faults(row: CatalogConnectionRow) -> Iterator[tuple[str, str]]:
    for where, url in [("address", row.address), *_urls(row.options)]:
        try:
            egress.refuse_malformed(url)
        except DestinationNotAllowed as error:
            yield where, str(error)
    if "?" in row.address or "#" in row.address:
        yield "address", "an address has no query: use the options of the kind"
    if row.secret is not None and (reason := secrets.fault(row.secret)):
        yield "secret", reason
    if row.writes:
        yield "writes", "this version of Treaty does not write to catalogs: use []"


def _urls(options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield from ((f"options.{name}", value) for name, value in options.items() if "://" in value)


def _details(row: CatalogConnectionRow) -> dict[str, Any]:
    return {"name": row.name, "kind": row.kind, **{field: getattr(row, field) for field in CHANGEABLE}}


def _audit(
    session: Session, action: AuditAction, row: CatalogConnectionRow, details: dict[str, Any], *, by: Principal,
    now: datetime,
) -> None:  # fmt: skip
    details = {"name": row.name, **details}
    audit_log.record(session, action, actor=by.name, object_id=row.id, now=now, details=details)
