"""Group tables into families: a table and its copies are never on both sides of a comparison.

Tables are of one family if they belong to one contract, describe one dataset, are named alike but for words such as
`dev`, `prod` and numbers, or have nearly the same columns. Families join through common members."""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from uuid import UUID

from treaty.engine.suggestions.keys.name_features import singular, words

# Words of names that distinguish copies of a table.
OF_COPIES = frozenset(
    """
    archive backup bak bkp copy dev development hist int integration new old prd prod production qa raw sandbox
    snapshot stage staging stg temp test tmp uat v
    """.split()  # noqa: SIM905 - a list of words is read as words
)
# Set by hand: copies lose or gain a few columns. Two small tables may be alike for no reason.
ALIKE, LEAST_COLUMNS = 0.8, 5


@dataclass(frozen=True)
class FamilyMember:
    """A table of a contract. `datasets`: ids of its datasets."""

    contract_id: str
    table: str
    columns: tuple[str, ...]
    datasets: frozenset[UUID] = frozenset()


def families(members: Sequence[FamilyMember]) -> list[str]:
    """Return the family of each table, named after its first member."""
    parents = list(range(len(members)))
    first: dict[Hashable, int] = {}
    for at, member in enumerate(members):
        for feature in _features(member):
            _join(parents, first.setdefault(feature, at), at)
    for one, other in _alike_pairs([frozenset(each.casefold() for each in member.columns) for member in members]):
        _join(parents, one, other)
    roots = (members[_root(parents, at)] for at in range(len(members)))
    return [f"{each.contract_id}.{each.table}" for each in roots]


def _features(member: FamilyMember) -> Iterator[Hashable]:
    yield "contract", member.contract_id
    yield "name", name_of_copies(member.table)
    yield from (("dataset", each) for each in member.datasets)


def name_of_copies(table: str) -> tuple[str, ...]:
    """Return the words of a name that its copies share: those of `dev_orders_v2` and `Orders` are the same."""
    every = words(table)
    own = tuple(singular(each) for each in every if each not in OF_COPIES and not each.isdigit())
    return own or every or (table,)


def _alike_pairs(columns: Sequence[frozenset[str]]) -> Iterator[tuple[int, int]]:
    """Yield pairs of tables that share most of their columns.

    Two such tables share one of their rarest columns, so that only tables with a common rare column are compared."""
    common = Counter(name for names in columns for name in names)
    by_name: dict[str, list[int]] = {}
    for at, names in enumerate(columns):
        if len(names) < LEAST_COLUMNS:
            continue
        rarest = sorted(names, key=lambda name: (common[name], name))[: len(names) - ceil(ALIKE * len(names)) + 1]
        for other in dict.fromkeys(place for name in rarest for place in by_name.get(name, ())):
            if len(names & columns[other]) >= ALIKE * len(names | columns[other]):
                yield other, at
        for name in rarest:
            by_name.setdefault(name, []).append(at)


def _root(parents: list[int], at: int) -> int:
    while parents[at] != at:
        parents[at] = parents[parents[at]]
        at = parents[at]
    return at


def _join(parents: list[int], one: int, other: int) -> None:
    low, high = sorted((_root(parents, one), _root(parents, other)))
    parents[high] = low
