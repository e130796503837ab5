"""One dataset by all of its names: those that contracts declare, and those that events tell of.

A contract's own word beats what was learned: a link that would make one dataset of two that different contracts are
about is kept, and not followed. Links that nobody told of for a while are forgotten."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import islice
from typing import Any, TypeVar
from uuid import UUID

from sqlalchemy import ColumnElement, delete, or_, tuple_
from sqlmodel import Session, col, select

from treaty.contracts.document.model import Contract
from treaty.contracts.document.reader import read
from treaty.registry.core.state_machines import IN_FORCE
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.datasets.names import LineageName, normalise, table_name
from treaty.registry.lineage import name_groups as pure
from treaty.registry.lineage.events.links import AliasLink
from treaty.registry.lineage.name_groups import LinkConflict
from treaty.registry.tables import (
    ContractVersionRow,
    DatasetAliasPatternRow,
    DatasetAliasRow,
    DatasetContractRow,
    DatasetRow,
)

Item = TypeVar("Item", bound="LineageName | tuple[Any, ...]")
LASTS = timedelta(days=90)
# A link that is told of again and again is written once in this time.
FRESH = timedelta(days=1)
# Of a name that everything is linked to, no more is followed.
MOST = 1000
REMEMBERED = "treaty.groups"
# What a regular expression is matched with is no longer than this.
LONGEST = 1024


@dataclass(frozen=True)
class AliasGroup:
    """A dataset by all of its names. `canonical` is the one that stands for it: the contract's where one is about it,
    else the smallest; it may become another one as names are learned. `about`: the contracts' objects about it."""

    canonical: LineageName
    names: frozenset[LineageName]
    about: frozenset[ContractObject] = frozenset()


@contextmanager
def remembered(session: Session) -> Iterator[None]:
    """In the block no name is asked for twice in this session, unless something is learned in it meanwhile: what others
    learn is seen from the next block on."""
    session.info[REMEMBERED] = {}
    try:
        yield
    finally:
        del session.info[REMEMBERED]


def groups(session: Session, names: Collection[LineageName]) -> dict[LineageName, AliasGroup]:
    """The dataset of each name. Names of partitions stand for their table. A few queries, however many names."""
    known: dict[LineageName, AliasGroup] = session.info.get(REMEMBERED, {})
    if new := [each for each in names if each not in known]:
        known |= _groups(session, new)
    return {each: known[each] for each in names}


def _groups(session: Session, names: Collection[LineageName]) -> dict[LineageName, AliasGroup]:
    tables = {name: table_name(normalise(name.namespace, name.name)).dataset for name in names}
    seen = _surroundings(session, set(tables.values()))
    found, _ = pure.group_names(seen.links, seen.owners)
    made: dict[int, AliasGroup] = {}
    return {name: _group(found, seen, table, made) for name, table in tables.items()}


def learn(session: Session, links: Iterable[AliasLink]) -> tuple[LinkConflict, ...]:
    """Remembers what events tell of names; those links that are new and not followed, with the reason."""
    told: dict[tuple[LineageName, LineageName], list[datetime]] = {}
    for each in links:
        told.setdefault(each.pair, []).append(each.observed_at)
    known = {_pair(row): row for row in _links(session, told)}
    for pair in sorted(told):
        _keep(session, pair, told[pair], known.get(pair))
    session.flush()
    new = [pair for pair in told if pair not in known]
    return _report(session, new) if new else ()


def declare(session: Session, contract: Contract) -> None:
    """Keeps the patterns of the contract's versions in force, of which this one is."""
    row = ContractVersionRow
    mine = row.contract_id == contract.id, col(row.state).in_(IN_FORCE), row.fingerprint != contract.fingerprint
    versions = [contract, *map(read, session.exec(select(row.body).where(*mine)))]
    session.exec(delete(DatasetAliasPatternRow).where(col(DatasetAliasPatternRow.contract_id) == contract.id))
    patterns = {(each.object, each.namespace, each.name): each.is_regex for each in _patterns_of(versions)}
    session.add_all(
        DatasetAliasPatternRow(contract_id=contract.id, object=of, namespace=space, name=name, is_regex=regex)
        for (of, space, name), regex in sorted(patterns.items())
    )
    session.flush()


def forget(session: Session, *, now: datetime) -> int:
    """Forgets links that nobody told of for 90 days; how many these were."""
    return int(session.exec(delete(DatasetAliasRow).where(col(DatasetAliasRow.last_seen_at) < now - LASTS)).rowcount)


@dataclass(frozen=True)
class _Surroundings:
    """What is known around some names: the links between them, whose they are, and by owner the name that stands."""

    links: Sequence[AliasLink]
    owners: Mapping[LineageName, pure.Owners]
    canonical: Mapping[tuple[str, str], tuple[bool, UUID, LineageName]]


def _surroundings(session: Session, names: set[LineageName]) -> _Surroundings:
    patterns = session.exec(select(DatasetAliasPatternRow)).all()
    seen, frontier = set(names), set(names)
    links: dict[tuple[LineageName, LineageName], AliasLink] = {}
    owners: dict[LineageName, set[tuple[str, str]]] = {}
    kept: dict[tuple[str, str], tuple[bool, UUID, LineageName]] = {}
    while frontier:
        near = {_pair(row): _link(row) for row in _around(session, frontier)}
        links |= near
        whose = list(_declaring(session, frontier, patterns))
        for name, about in whose:
            owners.setdefault(name, set()).add(about)
        others = list(_declared(session, {about for _, about in whose} - kept.keys()))
        for about, place in others:
            owners.setdefault(place[2], set()).add(about)
            kept[about] = min(place, kept.get(about, place))
        reached = {name for pair in near for name in pair} | {place[2] for _, place in others}
        frontier = reached - seen if len(seen) <= MOST else set()
        seen |= frontier
    within = [each for each in links.values() if each.one in seen and each.other in seen]
    return _Surroundings(within, {name: frozenset(whose) for name, whose in owners.items()}, kept)


def _around(session: Session, names: Iterable[LineageName]) -> Iterator[DatasetAliasRow]:
    for some in _batches(names):
        near = or_(_in(DatasetAliasRow.one_namespace, DatasetAliasRow.one_name, some),
                   _in(DatasetAliasRow.other_namespace, DatasetAliasRow.other_name, some))  # fmt: skip
        yield from session.exec(select(DatasetAliasRow).where(near))


def _declaring(
    session: Session, names: Iterable[LineageName], patterns: Sequence[DatasetAliasPatternRow]
) -> Iterator[tuple[LineageName, tuple[str, str]]]:
    """Whose the names are, by their datasets and by patterns."""
    link = DatasetContractRow
    query = select(DatasetRow.namespace, DatasetRow.name, link.contract_id, link.object)
    joined = query.join(link, col(link.dataset_id) == col(DatasetRow.id))
    for some in _batches(names):
        for namespace, name, *about in session.exec(joined.where(_in(DatasetRow.namespace, DatasetRow.name, some))):
            yield LineageName(namespace, name), (about[0], about[1])
        for each in some:
            yield from ((each, (row.contract_id, row.object)) for row in patterns if matches(row, each))


def _declared(
    session: Session, about: Iterable[tuple[str, str]]
) -> Iterator[tuple[tuple[str, str], tuple[bool, UUID, LineageName]]]:
    """The names that contracts declare of these objects, by the order in which their memory is chosen."""
    link = DatasetContractRow
    query = select(link.contract_id, link.object, DatasetRow).join(
        DatasetRow, col(DatasetRow.id) == col(link.dataset_id)
    )
    for some in _batches(about):
        mine = tuple_(col(link.contract_id), col(link.object)).in_(some)
        for contract_id, name, dataset in session.exec(query.where(mine)):
            place = dataset.location is None, dataset.id, LineageName(dataset.namespace, dataset.name)
            yield (contract_id, name), place


def is_pattern(session: Session, about: ContractObject, name: LineageName) -> bool:
    """Whether the name means the object by a pattern of its contract."""
    mine = DatasetAliasPatternRow.contract_id == about.contract_id, DatasetAliasPatternRow.object == about.object
    return any(matches(each, name) for each in session.exec(select(DatasetAliasPatternRow).where(*mine)))


def matches(pattern: DatasetAliasPatternRow, name: LineageName) -> bool:
    """Whether the pattern stands for that name, too."""
    if pattern.namespace != name.namespace or len(name.name) > LONGEST:
        return False
    return _compiled(pattern.name, regex=pattern.is_regex).fullmatch(name.name) is not None


@lru_cache(maxsize=4096)
def _compiled(pattern: str, *, regex: bool) -> re.Pattern[str]:
    if regex:
        return re.compile(pattern)
    first, *rest = map(re.escape, pattern.split("*"))
    # Atomic: of what `*` may stand for only the shortest is tried, which is enough where it may stand for the same.
    return re.compile(first + "".join(f"(?>[^/]*?{part})" for part in rest[:-1]) + (f"[^/]*{rest[-1]}" if rest else ""))


def _group(found: pure.NameGroups, seen: _Surroundings, name: LineageName, made: dict[int, AliasGroup]) -> AliasGroup:
    members = found.group(name)
    if id(members) not in made:
        owned = found.owned(name)
        places = [seen.canonical[each] for each in owned if each in seen.canonical]
        stands = min(places)[2] if places else min(members)
        made[id(members)] = AliasGroup(stands, frozenset(members), frozenset(ContractObject(*each) for each in owned))
    return made[id(members)]


def _report(session: Session, new: Sequence[tuple[LineageName, LineageName]]) -> tuple[LinkConflict, ...]:
    """Says with new links that are not followed why."""
    seen = _surroundings(session, {name for pair in new for name in pair})
    _, refused = pure.group_names(seen.links, seen.owners)
    mine = {each.link.pair: each for each in refused if each.link.pair in set(new)}
    for row in _links(session, mine):
        row.conflict = str(mine[_pair(row)])
    session.flush()
    return tuple(mine[pair] for pair in sorted(mine))


def _keep(
    session: Session, pair: tuple[LineageName, LineageName], times: Sequence[datetime], row: DatasetAliasRow | None
) -> None:
    if row is None:
        _forget(session)
        one, other = pair
        session.add(
            DatasetAliasRow(
                one_namespace=one.namespace, one_name=one.name,
                other_namespace=other.namespace, other_name=other.name,
                first_seen_at=min(times), last_seen_at=max(times),
            )
        )  # fmt: skip
    elif min(times) < row.first_seen_at or max(times) > row.last_seen_at + FRESH:
        _forget(session)
        row.first_seen_at, row.last_seen_at = min(row.first_seen_at, *times), max(row.last_seen_at, *times)


def _forget(session: Session) -> None:
    session.info.get(REMEMBERED, {}).clear()


def _links(session: Session, pairs: Iterable[tuple[LineageName, LineageName]]) -> Iterator[DatasetAliasRow]:
    four = tuple_(
        col(DatasetAliasRow.one_namespace),
        col(DatasetAliasRow.one_name),
        col(DatasetAliasRow.other_namespace),
        col(DatasetAliasRow.other_name),
    )
    for some in _batches(pairs):
        wanted = [(one.namespace, one.name, other.namespace, other.name) for one, other in some]
        yield from session.exec(select(DatasetAliasRow).where(four.in_(wanted)))


def _in(namespace: str, name: str, names: Iterable[LineageName]) -> ColumnElement[bool]:
    return tuple_(col(namespace), col(name)).in_([(each.namespace, each.name) for each in names])


def _batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    """The items in their order, so many at once as one statement can name."""
    ordered = iter(sorted(items))
    return iter(lambda: list(islice(ordered, 400)), [])


def _pair(row: DatasetAliasRow) -> tuple[LineageName, LineageName]:
    return LineageName(row.one_namespace, row.one_name), LineageName(row.other_namespace, row.other_name)


def _link(row: DatasetAliasRow) -> AliasLink:
    return AliasLink(*_pair(row), row.first_seen_at)


def _patterns_of(versions: Iterable[Contract]) -> Iterator[DatasetAliasPatternRow]:
    for each in (alias for version in versions for alias in version.terms.aliases if alias.is_pattern):
        known = normalise(each.namespace, "/x")
        name = each.name if each.regex else normalise(each.namespace, each.name).name
        yield DatasetAliasPatternRow(
            contract_id="", object=each.object, namespace=known.namespace, name=name, is_regex=each.regex
        )
