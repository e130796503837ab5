"""Store the facts of tables, with the time since which a catalog states them. The caller commits."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Any
from uuid import UUID

from sqlalchemy import tuple_, update
from sqlmodel import Session, col, select

from treaty.registry.catalogs import catalog_links
from treaty.registry.catalogs.bounds import bounded
from treaty.registry.catalogs.lineage_names import lineage_names
from treaty.registry.catalogs.model import (
    LoadedTable,
    TableFacts,
    Unchanged,
    facts_fingerprint,
    from_json,
    parse_spelled,
    spell,
    to_json,
)
from treaty.registry.catalogs.read_plan import StoredTable
from treaty.registry.core.ids import Ids
from treaty.registry.core.pagination import PageRequest, RowPage, SortOrder
from treaty.registry.datasets.names import LineageName
from treaty.registry.tables import CatalogConnectionRow, CatalogTableRow

Row = CatalogTableRow
BY_NAME = SortOrder((col(Row.identifier),))
# Bounds the size of a statement.
BATCH = 400


@dataclass(frozen=True)
class FactChanges:
    """Number of tables whose facts were stored, confirmed, or marked as dropped."""

    changed: int = 0
    confirmed: int = 0
    dropped: int = 0

    def __add__(self, other: "FactChanges") -> "FactChanges":
        return FactChanges(self.changed + other.changed, self.confirmed + other.confirmed, self.dropped + other.dropped)


@dataclass(frozen=True, kw_only=True)
class CatalogStatement:
    """Facts that a catalog states about a dataset, with their connection."""

    connection: str
    kind: str
    facts: TableFacts
    read_at: datetime
    confirmed_at: datetime
    dropped_at: datetime | None


def stored_tables(session: Session, connection_id: UUID) -> dict[str, StoredTable]:
    """Return the newest facts of the connection by spelled name, without their content."""
    columns = select(Row.identifier, Row.token, Row.dropped_at)
    rows = session.exec(columns.where(Row.connection_id == connection_id, col(Row.superseded_at).is_(None)))
    return {identifier: StoredTable(token, dropped is not None) for identifier, token, dropped in rows}


def store(
    session: Session, source: CatalogConnectionRow, loaded: Mapping[str, LoadedTable], *, now: datetime, ids: Ids
) -> FactChanges:
    """Store loaded tables by spelled name. New facts supersede those stored before, which remain as history."""
    facts = {name: _named(each, source, name) for name, each in loaded.items() if isinstance(each, TableFacts)}
    rows = _newest(session, source.id, facts)
    stored = [_store(session, source, rows.get(name), each, now=now, ids=ids) for name, each in sorted(facts.items())]
    catalog_links.link(session, source.id, {name: each.names for name, each in facts.items()}, now=now, ids=ids)
    changes = sum(stored, FactChanges())
    unchanged = [name for name, each in loaded.items() if isinstance(each, Unchanged)]
    dropped = [name for name, each in loaded.items() if not isinstance(each, TableFacts | Unchanged)]
    changes += FactChanges(confirmed=confirm(session, source.id, unchanged, now=now))
    changes += FactChanges(dropped=drop(session, source.id, dropped, now=now))
    session.flush()
    return changes


def confirm(session: Session, connection_id: UUID, names: Collection[str], *, now: datetime) -> int:
    """Store that the catalog still states the facts of these tables; return their number."""
    for batch in _batches(names):
        session.exec(update(Row).where(*_of(connection_id, batch)).values(confirmed_at=now))
    return len(names)


def drop(session: Session, connection_id: UUID, names: Collection[str], *, now: datetime) -> int:
    """Mark these tables as dropped, delete their links, and return their number."""
    count = 0
    for batch in _batches(names):
        present = col(Row.dropped_at).is_(None)
        count += session.exec(update(Row).where(*_of(connection_id, batch), present).values(dropped_at=now)).rowcount
        catalog_links.unlink(session, connection_id, batch)
    return count


def list_tables(session: Session, connection_id: UUID, request: PageRequest) -> RowPage[CatalogTableRow]:
    """Return the newest facts of a page of tables, by name."""
    query = select(Row).where(Row.connection_id == connection_id, col(Row.superseded_at).is_(None))
    return BY_NAME.cut(session.exec(BY_NAME.of(query, request)).all(), request)


def statements(session: Session, names: Collection[LineageName]) -> list[CatalogStatement]:
    """Return what catalogs state about a dataset under any of its names, by connection."""
    connection = CatalogConnectionRow
    query = select(Row, connection).join(connection, col(connection.id) == col(Row.connection_id))
    query = query.where(col(Row.superseded_at).is_(None)).order_by(connection.name, Row.identifier)
    is_named = tuple_(col(Row.namespace), col(Row.name)).in_([(each.namespace, each.name) for each in names])
    return [_statement(*pair) for pair in session.exec(query.where(is_named)).all()]


def _statement(row: CatalogTableRow, connection: CatalogConnectionRow) -> CatalogStatement:
    times = row.model_dump(include={"read_at", "confirmed_at", "dropped_at"})
    return CatalogStatement(connection=connection.name, kind=connection.kind, facts=from_json(row.facts), **times)


def _newest(session: Session, connection_id: UUID, names: Collection[str]) -> dict[str, CatalogTableRow]:
    batches = _batches(names)
    rows = (row for batch in batches for row in session.exec(select(Row).where(*_of(connection_id, batch))).all())
    return {row.identifier: row for row in rows}


def _store(
    session: Session, source: CatalogConnectionRow, row: CatalogTableRow | None, facts: TableFacts, *, now: datetime,
    ids: Ids,
) -> FactChanges:  # fmt: skip
    """Store the facts of a table, unless they are those stored."""
    fingerprint = facts_fingerprint(facts)
    if row and row.fingerprint == fingerprint and row.dropped_at is None:
        row.confirmed_at, row.token = now, facts.token
        return FactChanges(confirmed=1)
    if row:
        row.superseded_at = now
        session.flush()
    main = _main_name(facts, source)
    session.add(
        CatalogTableRow(
            id=ids(), connection_id=source.id, identifier=spell(facts.identifier),
            namespace=main.namespace, name=main.name, token=facts.token, fingerprint=fingerprint,
            facts=to_json(facts), read_at=now, confirmed_at=now,
        )
    )  # fmt: skip
    return FactChanges(changed=1)


def _named(facts: TableFacts, source: CatalogConnectionRow, name: str) -> TableFacts:
    """Return the bounded facts with the loaded identifier and its names in lineage."""
    within, identifier = bounded(facts), parse_spelled(name)
    identified = replace(within, identifier=identifier)
    return replace(identified, names=lineage_names(identified, source.namespaces, source.address))


def _main_name(facts: TableFacts, source: CatalogConnectionRow) -> LineageName:
    """Return the main name; if all are too long for lineage, one that no event has."""
    return facts.names[0] if facts.names else LineageName(source.address, spell(facts.identifier))


def _of(connection_id: UUID, names: Sequence[str]) -> tuple[Any, ...]:
    newest = col(Row.superseded_at).is_(None)
    return col(Row.connection_id) == connection_id, newest, col(Row.identifier).in_(names)


def _batches(names: Collection[str]) -> Iterator[list[str]]:
    ordered = iter(sorted(names))
    return iter(lambda: list(islice(ordered, BATCH)), [])
