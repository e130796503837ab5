"""Analyze the patterns of a lake's columns.

Lists the common domains of the lake and, for one pattern, the columns with it and its neighbors (the paper's
pattern analysis, section 5.3, and its dual problem, auto-tagging).

A principal who may see only some columns gets the patterns of these columns and their neighbors of the same
structure, with the number of columns in the whole lake, and nothing else."""

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
# Usual meanings of patterns, whatever their columns contain.
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
# Visible columns by table; None means all columns of all tables.
VisibleColumns = Mapping[str, Collection[str]] | None


@dataclass(frozen=True)
class Carrier:
    """A column with a pattern.

    `impurity`: share of its values that do not match. `domain`: meaning of nearly all its values; None means
    unknown."""

    table: str
    column: str
    impurity: float
    domain: str | None


@dataclass(frozen=True, kw_only=True)
class CommonPattern:
    """A pattern with its statistics over the lake.

    `columns`: number of columns with it. `fpr`: their mean impurity. `alarms`: estimated share of false alarms if it
    is learned. `name`: usual meaning of such values; None means unknown."""

    text: str
    columns: int
    fpr: float
    alarms: float
    name: str | None


@dataclass(frozen=True)
class PatternCarriers:
    """A pattern with its columns, purest first, and its nearest narrower and wider patterns.

    `domain`: the pattern's statistics; None if it has too few columns to be in the index."""

    domain: CommonPattern | None
    carriers: tuple[Carrier, ...]
    narrower: tuple[CommonPattern, ...]
    wider: tuple[CommonPattern, ...]


def common_domains(lake: PatternLake, limit: int, visible_columns: VisibleColumns = None) -> list[CommonPattern]:
    """Return the common domains: patterns of many columns whose values nearly all match.

    Of patterns with the same structure, number of columns and impurity, only the narrowest is returned.
    `visible_columns`: visible columns. Raises UnreadableIndex."""
    sums = lake.index().sums
    visible_keys = {
        each
        for record in _visible_tables(lake, visible_columns)
        for patterns in record["columns"].values()
        for each in patterns
    }
    pure = np.flatnonzero(sums.fpr <= MOST_IMPURE).tolist()
    likely = [_common(sums, at) for at in pure if key(int(sums.ids[at])) in visible_keys]
    likely.sort(key=lambda each: (-each.columns, each.fpr, width(each.text), each.text))
    first: dict[Any, CommonPattern] = {}
    for each in likely:
        first.setdefault((each.columns, each.fpr, structure(each.text)), each)
    return _named(lake, visible_columns, islice(first.values(), limit))


def pattern_carriers(lake: PatternLake, pattern: str, visible_columns: VisibleColumns = None) -> PatternCarriers:
    """Return the columns with this pattern and its neighbors in the lake.

    A column has the pattern if at most one in ten of its values violates it. `visible_columns`: visible columns; the
    result is empty if none of them has the pattern. Raises PatternError and UnreadableIndex."""
    text = parse(pattern).text
    records = list(_visible_tables(lake, visible_columns))
    carriers = sorted(_carriers(records, text), key=lambda each: (each.impurity, each.table, each.column))
    if not carriers:
        return PatternCarriers(None, (), (), ())
    sums = lake.index().sums
    texts = {str(each): at for at, each in enumerate(sums.texts)}
    narrower, wider = (
        tuple(_common(sums, texts[each]) for each in near) for near in neighbours(text, list(texts), SHOWN)
    )
    domain = _named(lake, visible_columns, [_common(sums, texts[text])]) if text in texts else [None]
    return PatternCarriers(domain[0], tuple(carriers), narrower, wider)


def _visible_tables(lake: PatternLake, visible_columns: VisibleColumns) -> Iterator[Mapping[str, Any]]:
    """Yield the records of tables, restricted to the visible columns."""
    for record in lake.table_records():
        if visible_columns is None:
            yield record
        elif visible := visible_columns.get(record["table"]):
            yield {**record, "columns": {name: each for name, each in record["columns"].items() if name in visible}}


def _carriers(records: Iterable[Mapping[str, Any]], text: str) -> Iterator[Carrier]:
    pattern_key = key(identity(text))
    for record in records:
        for column, patterns in record["columns"].items():
            if (impurity := patterns.get(pattern_key)) is not None:
                yield Carrier(record["table"], column, impurity, record.get("domains", {}).get(column))


def _common(sums: PatternSums, at: int) -> CommonPattern:
    text = str(sums.texts[at])
    return CommonPattern(
        text=text,
        columns=int(sums.columns[at]),
        fpr=float(sums.fpr[at]),
        alarms=float(sums.alarms[at]),
        name=NAMED.get(text),
    )


def _named(
    lake: PatternLake, visible_columns: VisibleColumns, common_patterns: Iterable[CommonPattern]
) -> list[CommonPattern]:
    """Return the patterns with names.

    A pattern without a usual meaning gets the domain of more than half of its columns, if there is one."""
    patterns_found = list(common_patterns)
    means = {key(identity(each.text)): Counter[str | None]() for each in patterns_found if each.name is None}
    for record in _visible_tables(lake, visible_columns) if means else ():
        for column, patterns in record["columns"].items():
            for each in means.keys() & patterns.keys():
                means[each][record.get("domains", {}).get(column)] += 1
    return [
        CommonPattern(**{**vars(each), "name": each.name or _most(means[key(identity(each.text))])})
        for each in patterns_found
    ]


def _most(counts: Mapping[str | None, int]) -> str | None:
    domain = max(counts, key=lambda each: counts[each], default=None)
    return domain if domain and 2 * counts[domain] > sum(counts.values()) else None
