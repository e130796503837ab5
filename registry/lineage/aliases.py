"""Group the names of each dataset: those declared by contracts, learned from lineage events, or stated by catalogs.

A contract's declaration takes precedence over links: a link that would merge datasets of different contracts is stored
but not followed. Links that no event has reported for 90 days are deleted; those of a catalog, with its connection."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import islice, product
from typing import Any, TypeVar
from uuid import UUID

from sqlalchemy import ColumnElement, delete, or_, tuple_
from sqlmodel import Session, col, select

from treaty.contracts.document.model import Contract
from treaty.contracts.document.reader import read
from treaty.contracts.limits.linear_match import matcher
from treaty.registry.core.state_machines import IN_FORCE
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.datasets.names import LineageName, normalise, table_name
from treaty.registry.lineage import name_groups as pure
from treaty.registry.lineage.events.links import AliasLink
from treaty.registry.lineage.name_groups import LinkConflict
from treaty.registry.tables import (
    CatalogAliasRow,
    ContractVersionRow,
    DatasetAliasPatternRow,
    DatasetAliasRow,
    DatasetContractRow,
    DatasetRow,
)

Item = TypeVar("Item", bound="LineageName | tuple[Any, ...]")
LASTS = timedelta(days=90)
# Limits writes: the time of a link that events keep reporting is updated at most once in this interval.
FRESH = timedelta(days=1)
# Stops the search around a name that is linked to very many others.
MOST = 1000
REMEMBERED = "treaty.groups"
LINKS: tuple[Any, ...] = (DatasetAliasRow, CatalogAliasRow)
# Longer names are not matched against patterns.
LONGEST = 1024


@dataclass(frozen=True)
class AliasGroup:
    """A dataset with all of its names.

    `canonical`: the name that represents the dataset. It is the name declared by a contract if a contract covers the
    dataset, else the smallest name; it may change when new links are learned. `about`: contract objects on this
    dataset."""

    canonical: LineageName
    names: frozenset[LineageName]
    about: frozenset[ContractObject] = frozenset()


@contextmanager
def remembered(session: Session) -> Iterator[None]:
    """Cache alias groups in this session for the duration of the block.

    Storing a link in the block clears the cache. Links stored by other sessions take effect in the next block."""
    session.info[REMEMBERED] = {}
    try:
        yield
    finally:
        del session.info[REMEMBERED]


def groups(session: Session, names: Collection[LineageName]) -> dict[LineageName, AliasGroup]:
    """Return the alias group of each name. Names are looked up in batches.

    Partition names resolve to their table."""
    cached: dict[LineageName, AliasGroup] = session.info.get(REMEMBERED, {})
    if missing := [each for each in names if each not in cached]:
        cached |= _groups(session, missing)
    return {each: cached[each] for each in names}


def _groups(session: Session, names: Collection[LineageName]) -> dict[LineageName, AliasGroup]:
    tables = {name: table_name(normalise(name.namespace, name.name)).dataset for name in names}
    surroundings = _surroundings(session, set(tables.values()))
    name_groups, _ = pure.group_names(surroundings.links, surroundings.owners)
    cache: dict[int, AliasGroup] = {}
    return {name: _group(name_groups, surroundings, table, cache) for name, table in tables.items()}


def learn(session: Session, links: Iterable[AliasLink]) -> tuple[LinkConflict, ...]:
    """Store alias links and return those that are new and refused, with the reason."""
    times: dict[tuple[LineageName, LineageName], list[datetime]] = {}
    for each in links:
        times.setdefault(each.pair, []).append(each.observed_at)
    rows = {_pair(row): row for row in _links(session, times)}
    for pair in sorted(times):
        _keep(session, pair, times[pair], rows.get(pair))
    session.flush()
    new = [pair for pair in times if pair not in rows]
    return _report(session, new) if new else ()


def declare(session: Session, contract: Contract) -> None:
    """Store the alias patterns of the contract's versions in force, including this one."""
    row = ContractVersionRow
    conditions = row.contract_id == contract.id, col(row.state).in_(IN_FORCE), row.fingerprint != contract.fingerprint
    versions = [contract, *map(read, session.exec(select(row.body).where(*conditions)))]
    session.exec(delete(DatasetAliasPatternRow).where(col(DatasetAliasPatternRow.contract_id) == contract.id))
    patterns = {(each.object, each.namespace, each.name): each.is_regex for each in _patterns_of(versions)}
    session.add_all(
        DatasetAliasPatternRow(contract_id=contract.id, object=object_name, namespace=space, name=name, is_regex=regex)
        for (object_name, space, name), regex in sorted(patterns.items())
    )
    session.flush()


def forget(session: Session, *, now: datetime) -> int:
    """Delete links that no event has reported for 90 days and return their number."""
    return int(session.exec(delete(DatasetAliasRow).where(col(DatasetAliasRow.last_seen_at) < now - LASTS)).rowcount)


@dataclass(frozen=True)
class _Surroundings:
    """Links and owners around a set of names; `canonical`: by owner, the sort key and name that represents it."""

    links: Sequence[AliasLink]
    owners: Mapping[LineageName, pure.Owners]
    canonical: Mapping[tuple[str, str], tuple[bool, UUID, LineageName]]


def _surroundings(session: Session, names: set[LineageName]) -> _Surroundings:
    patterns = session.exec(select(DatasetAliasPatternRow)).all()
    visited, frontier = set(names), set(names)
    links: dict[tuple[LineageName, LineageName], AliasLink] = {}
    owners: dict[LineageName, set[tuple[str, str]]] = {}
    canonical: dict[tuple[str, str], tuple[bool, UUID, LineageName]] = {}
    while frontier:
        adjacent = _earliest(_link(row) for row in _around(session, frontier))
        links |= adjacent
        ownership = list(_declaring(session, frontier, patterns))
        for name, about in ownership:
            owners.setdefault(name, set()).add(about)
        declared = list(_declared(session, {about for _, about in ownership} - canonical.keys()))
        for about, place in declared:
            owners.setdefault(place[2], set()).add(about)
            canonical[about] = min(place, canonical.get(about, place))
        reached = {name for pair in adjacent for name in pair} | {place[2] for _, place in declared}
        frontier = reached - visited if len(visited) <= MOST else set()
        visited |= frontier
    within = [each for each in links.values() if each.one in visited and each.other in visited]
    return _Surroundings(within, {name: frozenset(ownership) for name, ownership in owners.items()}, canonical)


def _around(session: Session, names: Iterable[LineageName]) -> Iterator[DatasetAliasRow | CatalogAliasRow]:
    for batch, table in product(_batches(names), LINKS):
        condition = or_(_in(table.one_namespace, table.one_name, batch),
                   _in(table.other_namespace, table.other_name, batch))  # fmt: skip
        yield from session.exec(select(table).where(condition))


def _earliest(links: Iterable[AliasLink]) -> dict[tuple[LineageName, LineageName], AliasLink]:
    """Return the link of each pair that an event or a catalog stated first."""
    return {each.pair: each for each in sorted(links, key=lambda each: each.observed_at, reverse=True)}


def _declaring(
    session: Session, names: Iterable[LineageName], patterns: Sequence[DatasetAliasPatternRow]
) -> Iterator[tuple[LineageName, tuple[str, str]]]:
    """Yield each name with the contract objects that own it, by dataset or by pattern."""
    link = DatasetContractRow
    query = select(DatasetRow.namespace, DatasetRow.name, link.contract_id, link.object)
    linked = query.join(link, col(link.dataset_id) == col(DatasetRow.id))
    for batch in _batches(names):
        for namespace, name, *about in session.exec(linked.where(_in(DatasetRow.namespace, DatasetRow.name, batch))):
            yield LineageName(namespace, name), (about[0], about[1])
        for each in batch:
            yield from ((each, (row.contract_id, row.object)) for row in patterns if matches(row, each))


def _declared(
    session: Session, about: Iterable[tuple[str, str]]
) -> Iterator[tuple[tuple[str, str], tuple[bool, UUID, LineageName]]]:
    """Yield the names that contracts declare for these objects, each with its sort key."""
    link = DatasetContractRow
    query = select(link.contract_id, link.object, DatasetRow).join(
        DatasetRow, col(DatasetRow.id) == col(link.dataset_id)
    )
    for batch in _batches(about):
        mine = tuple_(col(link.contract_id), col(link.object)).in_(batch)
        for contract_id, name, dataset in session.exec(query.where(mine)):
            place = dataset.location is None, dataset.id, LineageName(dataset.namespace, dataset.name)
            yield (contract_id, name), place


def is_pattern(session: Session, about: ContractObject, name: LineageName) -> bool:
    """Return whether the name refers to the object through a pattern of its contract."""
    conditions = DatasetAliasPatternRow.contract_id == about.contract_id, DatasetAliasPatternRow.object == about.object
    return any(matches(each, name) for each in session.exec(select(DatasetAliasPatternRow).where(*conditions)))


def matches(pattern: DatasetAliasPatternRow, name: LineageName) -> bool:
    """Return whether the pattern matches the name. Names of more than 1,024 characters never match."""
    if pattern.namespace != name.namespace or len(name.name) > LONGEST:
        return False
    if pattern.is_regex:
        return matcher(pattern.name)(name.name)
    return _compiled(pattern.name).fullmatch(name.name) is not None


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    first, *rest = map(re.escape, pattern.split("*"))
    # Atomic groups prevent catastrophic backtracking: the shortest match of each `*` is sufficient because every `*`
    # accepts the same characters.
    return re.compile(first + "".join(f"(?>[^/]*?{part})" for part in rest[:-1]) + (f"[^/]*{rest[-1]}" if rest else ""))


def _group(
    groups: pure.NameGroups, surroundings: _Surroundings, name: LineageName, groups_by_id: dict[int, AliasGroup]
) -> AliasGroup:
    members = groups.group(name)
    if id(members) not in groups_by_id:
        owned = groups.owned(name)
        places = [surroundings.canonical[each] for each in owned if each in surroundings.canonical]
        canonical = min(places)[2] if places else min(members)
        groups_by_id[id(members)] = AliasGroup(
            canonical, frozenset(members), frozenset(ContractObject(*each) for each in owned)
        )
    return groups_by_id[id(members)]


def conflicts(
    session: Session, pairs: Collection[tuple[LineageName, LineageName]]
) -> dict[tuple[LineageName, LineageName], LinkConflict]:
    """Return the conflict of each stored link between these pairs that is refused."""
    surroundings = _surroundings(session, {name for pair in pairs for name in pair})
    _, refused = pure.group_names(surroundings.links, surroundings.owners)
    return {each.link.pair: each for each in refused if each.link.pair in set(pairs)}


def clear(session: Session) -> None:
    """Clear the cached groups of the session, because links have changed."""
    session.info.get(REMEMBERED, {}).clear()


def _report(session: Session, new: Sequence[tuple[LineageName, LineageName]]) -> tuple[LinkConflict, ...]:
    """Store the conflict of each new link that is refused, and return these conflicts."""
    refused = conflicts(session, new)
    for row in _links(session, refused):
        row.conflict = str(refused[_pair(row)])
    session.flush()
    return tuple(refused[pair] for pair in sorted(refused))


def _keep(
    session: Session, pair: tuple[LineageName, LineageName], times: Sequence[datetime], row: DatasetAliasRow | None
) -> None:
    if row is None:
        clear(session)
        one, other = pair
        session.add(
            DatasetAliasRow(
                one_namespace=one.namespace, one_name=one.name,
                other_namespace=other.namespace, other_name=other.name,
                first_seen_at=min(times), last_seen_at=max(times),
            )
        )  # fmt: skip
    elif min(times) < row.first_seen_at or max(times) > row.last_seen_at + FRESH:
        clear(session)
        row.first_seen_at, row.last_seen_at = min(row.first_seen_at, *times), max(row.last_seen_at, *times)


def _links(session: Session, pairs: Iterable[tuple[LineageName, LineageName]]) -> Iterator[DatasetAliasRow]:
    key = tuple_(
        col(DatasetAliasRow.one_namespace),
        col(DatasetAliasRow.one_name),
        col(DatasetAliasRow.other_namespace),
        col(DatasetAliasRow.other_name),
    )
    for batch in _batches(pairs):
        keys = [(one.namespace, one.name, other.namespace, other.name) for one, other in batch]
        yield from session.exec(select(DatasetAliasRow).where(key.in_(keys)))


def _in(namespace: str, name: str, names: Iterable[LineageName]) -> ColumnElement[bool]:
    return tuple_(col(namespace), col(name)).in_([(each.namespace, each.name) for each in names])


def _batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Return the sorted items in batches of at most 400. Bounds the size of a statement."""
    ordered = iter(sorted(items))
    return iter(lambda: list(islice(ordered, 400)), [])


def _pair(row: DatasetAliasRow | CatalogAliasRow) -> tuple[LineageName, LineageName]:
    return LineageName(row.one_namespace, row.one_name), LineageName(row.other_namespace, row.other_name)


def _link(row: DatasetAliasRow | CatalogAliasRow) -> AliasLink:
    return AliasLink(*_pair(row), row.first_seen_at)


def _patterns_of(versions: Iterable[Contract]) -> Iterator[DatasetAliasPatternRow]:
    for each in (alias for version in versions for alias in version.terms.aliases if alias.is_pattern):
        normalised = normalise(each.namespace, "/x")
        name = each.name if each.regex else normalise(each.namespace, each.name).name
        yield DatasetAliasPatternRow(
            contract_id="", object=each.object, namespace=normalised.namespace, name=name, is_regex=each.regex
        )
