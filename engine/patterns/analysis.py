"""What the columns of a lake carry: its common domains, and for one pattern the columns that have it and the patterns
beside it (the paper's pattern analysis, section 5.3, and its dual problem, auto-tagging).

Whoever may see some tables alone is told of what columns of these carry, and of nothing else; that is of patterns and
of those of the same structure beside them, with how many columns of the whole lake have them."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from treaty.engine.patterns.lake_index import MOST_IMPURE, PatternLake, key
from treaty.engine.patterns.lake_sums import PatternSums
from treaty.engine.patterns.language.parser import parse
from treaty.engine.patterns.language.pattern_ids import identity
from treaty.engine.patterns.neighbours import neighbours, structure, width

SHOWN = 3
_HEXES = "-".join(f"<hex>{{{length}}}" for length in (8, 4, 4, 4, 12))
# What patterns of these texts usually mean, whatever their columns hold.
NAMED = {
    _HEXES: "uuid",
    "<digit>{4}-<digit>{2}-<digit>{2}": "date (ISO 8601)",
    "<digit>{2}:<digit>{2}:<digit>{2}": "time of day",
    "<digit>{2}:<digit>{2}": "time of day",
    "<digit>+/<digit>+/<digit>{4}": "date",
    "<digit>{2}/<digit>{2}/<digit>{4}": "date",
    "<digit>+.<digit>+.<digit>+.<digit>+": "IPv4 address",
    "<num>": "number",
    "<digit>+": "whole number",
}
# By table the columns that may be told of; None: all of all.
VisibleColumns = Mapping[str, Collection[str]] | None


@dataclass(frozen=True)
class Carrier:
    """A column that carries a pattern: in its table, with the share of its values that do not match, and what nearly
    all its values mean, None for nothing known."""

    table: str
    column: str
    impurity: float
    domain: str | None


@dataclass(frozen=True, kw_only=True)
class CommonPattern:
    """A pattern of so many columns, with their mean impurity, the estimated share of false alarms where it is learned,
    and what such values usually mean."""

    text: str
    columns: int
    fpr: float
    alarms: float
    name: str | None


@dataclass(frozen=True)
class PatternCarriers:
    """A pattern with the columns that carry it, purest first, and the nearest of the patterns that are narrower and
    wider. `domain` None: the index keeps no pattern of so few columns."""

    domain: CommonPattern | None
    carriers: tuple[Carrier, ...]
    narrower: tuple[CommonPattern, ...]
    wider: tuple[CommonPattern, ...]


def common_domains(lake: PatternLake, limit: int, seen: VisibleColumns = None) -> list[CommonPattern]:
    """The common domains: patterns of many columns that hardly any value of these breaks. Of patterns of one structure
    that as many columns have as purely, the narrowest. Raises UnreadableIndex."""
    sums = lake.index().sums
    carried = {
        each for said in _visible_tables(lake, seen) for patterns in said["columns"].values() for each in patterns
    }
    pure = np.flatnonzero(sums.fpr <= MOST_IMPURE).tolist()
    likely = [_common(sums, at) for at in pure if key(int(sums.ids[at])) in carried]
    likely.sort(key=lambda each: (-each.columns, each.fpr, width(each.text), each.text))
    first: dict[Any, CommonPattern] = {}
    for each in likely:
        first.setdefault((each.columns, each.fpr, structure(each.text)), each)
    return _named(lake, seen, islice(first.values(), limit))


def pattern_carriers(lake: PatternLake, pattern: str, seen: VisibleColumns = None) -> PatternCarriers:
    """The columns in which at most one in ten values does not have this pattern, and what the lake knows beside it;
    nothing where none has it. Raises PatternError and UnreadableIndex."""
    text = parse(pattern).text
    told = list(_visible_tables(lake, seen))
    found = sorted(_carriers(told, text), key=lambda each: (each.impurity, each.table, each.column))
    if not found:
        return PatternCarriers(None, (), (), ())
    sums = lake.index().sums
    texts = {str(each): at for at, each in enumerate(sums.texts)}
    narrower, wider = (
        tuple(_common(sums, texts[each]) for each in near) for near in neighbours(text, list(texts), SHOWN)
    )
    mine = _named(lake, seen, [_common(sums, texts[text])]) if text in texts else [None]
    return PatternCarriers(mine[0], tuple(found), narrower, wider)


def _visible_tables(lake: PatternLake, seen: VisibleColumns) -> Iterator[Mapping[str, Any]]:
    """What is said of tables, of the columns that may be told of."""
    for said in lake.table_records():
        if seen is None:
            yield said
        elif visible := seen.get(said["table"]):
            yield {**said, "columns": {name: each for name, each in said["columns"].items() if name in visible}}


def _carriers(told: Iterable[Mapping[str, Any]], text: str) -> Iterator[Carrier]:
    wanted = key(identity(text))
    for said in told:
        for column, patterns in said["columns"].items():
            if (impurity := patterns.get(wanted)) is not None:
                yield Carrier(said["table"], column, impurity, said.get("domains", {}).get(column))


def _common(sums: PatternSums, at: int) -> CommonPattern:
    text = str(sums.texts[at])
    return CommonPattern(
        text=text,
        columns=int(sums.columns[at]),
        fpr=float(sums.fpr[at]),
        alarms=float(sums.alarms[at]),
        name=NAMED.get(text),
    )


def _named(lake: PatternLake, seen: VisibleColumns, found: Iterable[CommonPattern]) -> list[CommonPattern]:
    """With a name where a pattern has none, but most of its columns mean the same."""
    listed = list(found)
    means = {key(identity(each.text)): Counter[str | None]() for each in listed if each.name is None}
    for said in _visible_tables(lake, seen) if means else ():
        for column, patterns in said["columns"].items():
            for each in means.keys() & patterns.keys():
                means[each][said.get("domains", {}).get(column)] += 1
    return [
        CommonPattern(**{**vars(each), "name": each.name or _most(means[key(identity(each.text))])}) for each in listed
    ]


def _most(counts: Mapping[str | None, int]) -> str | None:
    domain = max(counts, key=lambda each: counts[each], default=None)
    return domain if domain and 2 * counts[domain] > sum(counts.values()) else None
