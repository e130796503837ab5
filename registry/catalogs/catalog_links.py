"""Join the names of a table that a catalog states.

A path, a table and an event become one dataset. The links lie apart from those of lineage events: each names its
connection and table, and is deleted with them."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete
from sqlmodel import Session, col, select

from treaty.registry.catalogs.lineage_names import Pair, pairs
from treaty.registry.core.ids import Ids
from treaty.registry.datasets.names import LineageName
from treaty.registry.lineage import aliases
from treaty.registry.tables import CatalogAliasRow

Link = CatalogAliasRow


def link(
    session: Session, connection_id: UUID, names: Mapping[str, Sequence[LineageName]], *, now: datetime, ids: Ids
) -> None:
    """Replace the links of these tables by those between their names; links that stay keep their time.

    A link that would merge datasets of different contracts is stored with its conflict, and not followed."""
    rows = _links(session, connection_id, names)
    stated = {(table, pair) for table, each in names.items() for pair in pairs(each)}
    for key in rows.keys() - stated:
        session.delete(rows[key])
    new = {key: _row(connection_id, *key, now=now, link_id=ids()) for key in sorted(stated - rows.keys())}
    session.add_all(new.values())
    session.flush()
    aliases.clear(session)
    _store_conflicts(session, new)


def unlink(session: Session, connection_id: UUID, tables: Iterable[str]) -> None:
    """Delete the links of these tables."""
    session.exec(delete(Link).where(col(Link.connection_id) == connection_id, col(Link.identifier).in_(list(tables))))
    aliases.clear(session)


def conflicts(session: Session, connection_id: UUID, tables: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return, by table, the reasons why links that it states are not followed."""
    reasons: dict[str, tuple[str, ...]] = {}
    for (table, _), row in sorted(_links(session, connection_id, tables).items()):
        reasons[table] = (*reasons.get(table, ()), *filter(None, (row.conflict,)))
    return reasons


def _store_conflicts(session: Session, new: Mapping[tuple[str, Pair], CatalogAliasRow]) -> None:
    refused = aliases.conflicts(session, {pair for _, pair in new}) if new else {}
    for (_, pair), row in new.items():
        row.conflict = str(refused[pair]) if pair in refused else None


def _links(session: Session, connection_id: UUID, tables: Iterable[str]) -> dict[tuple[str, Pair], CatalogAliasRow]:
    query = select(Link).where(Link.connection_id == connection_id, col(Link.identifier).in_(list(tables)))
    return {(row.identifier, _pair(row)): row for row in session.exec(query).all()}


def _pair(row: CatalogAliasRow) -> Pair:
    return LineageName(row.one_namespace, row.one_name), LineageName(row.other_namespace, row.other_name)


def _row(connection_id: UUID, table: str, pair: Pair, *, now: datetime, link_id: UUID) -> CatalogAliasRow:
    one, other = pair
    return CatalogAliasRow(
        id=link_id, connection_id=connection_id, identifier=table,
        one_namespace=one.namespace, one_name=one.name, other_namespace=other.namespace, other_name=other.name,
        first_seen_at=now,
    )  # fmt: skip
