"""Evaluate as in section 5.1: learn on a tenth of each column, test on its rest and on all other columns."""

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Infer = Callable[[Sequence[str]], Any]
LEARNED = 0.1
LEAST_VALUES = 100
MOST_OF_GROUP = 3


@dataclass(frozen=True)
class Column:
    """A column of a corpus. `group`: source and name, shared by columns of one meaning."""

    name: str
    group: tuple[str, str]
    values: Sequence[str]

    @cached_property
    def unique(self) -> tuple[list[str], Array]:
        """Return the distinct values and their counts."""
        counts: dict[str, int] = {}
        for value in self.values:
            counts[value] = counts.get(value, 0) + 1
        return list(counts), np.fromiter(counts.values(), np.int64, len(counts))

    @property
    def learned(self) -> int:
        """Return the number of values used for learning."""
        return max(1, math.ceil(LEARNED * len(self.values)))

    def shuffled(self, seed: int) -> "Column":
        """Return the column with its rows in random order."""
        order = np.random.default_rng(seed).permutation(len(self.values))
        return Column(self.name, self.group, [self.values[at] for at in order])


@dataclass(frozen=True)
class Outcome:
    """The outcome of one column.

    `promise`: None if nothing was learned. `issue`: a false alarm on its own rest. `alarm_share`: share of the other
    columns that raised an alarm."""

    column: Column
    promise: Any
    issue: bool
    alarm_share: float
    seconds: float


@dataclass(frozen=True)
class Score:
    """Precision and recall over columns, with the half-width of precision's 95 % interval (Wilson's)."""

    columns: int
    precision: float
    recall: float
    within: float


def corpus(path: Path) -> list[Column]:
    """Read the text columns of a Parquet file, at most three per group.

    Nulls and blanks are dropped."""
    from pyarrow import parquet

    table = parquet.read_table(path, columns=["col_id", "repo", "column", "values"])
    group_sizes: dict[tuple[str, str], int] = defaultdict(int)
    columns = []
    for name, repo, column, values in zip(*(table[each].to_pylist() for each in table.column_names), strict=True):
        group = (repo, column.lower())
        group_sizes[group] += 1
        if group_sizes[group] <= MOST_OF_GROUP:
            columns.append(Column(name, group, [each for each in values if each is not None and each.strip()]))
    return [column for column in columns if len(column.values) >= LEAST_VALUES // 5]


def parted(columns: Sequence[Column], most: int, seed: int) -> tuple[list[Column], list[Column]]:
    """Split columns by group into columns to index and at most `most` columns to test."""
    chance = np.random.default_rng(seed)
    groups = sorted({column.group for column in columns})
    second = {groups[at] for at in chance.permutation(len(groups))[: len(groups) // 2]}
    long = [each for each in columns if each.group in second and len(each.values) >= LEAST_VALUES]
    chosen = [long[at] for at in chance.permutation(len(long))[:most]]
    return [each for each in columns if each.group not in second], chosen


def split_columns(columns: Sequence[Column], most: int, source: str, seed: int) -> tuple[list[Column], list[Column]]:
    """Split into columns of other sources to index and columns of this source to test.

    At most `most` columns are tested."""
    long = [each for each in columns if each.group[0] == source and len(each.values) >= LEAST_VALUES]
    chosen = [long[at] for at in np.random.default_rng(seed).permutation(len(long))[:most]]
    return [each for each in columns if each.group[0] != source], chosen


def lengthened(columns: Sequence[Column], to: int = 1000) -> list[list[str]]:
    """Repeat the values of each group up to `to` values.

    So a corpus of short columns can be used to measure long ones."""
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for column in columns:
        groups[column.group] += column.values
    return [(values * math.ceil(to / len(values)))[:to] for values in groups.values()]


def evaluate(columns: Sequence[Column], infer: Infer) -> list[Outcome]:
    """Evaluate a method on each column."""
    return [_outcome(place, columns, infer) for place in range(len(columns))]


def _outcome(place: int, columns: Sequence[Column], infer: Infer) -> Outcome:
    column = columns[place]
    began = process_time()
    promise = infer(column.values[: column.learned])
    seconds = process_time() - began
    if promise is None:
        return Outcome(column, None, issue=False, alarm_share=0.0, seconds=seconds)
    rest = Column(column.name, column.group, column.values[column.learned :])
    if not promise.check_unique(*rest.unique):
        return Outcome(column, promise, issue=True, alarm_share=0.0, seconds=seconds)
    other_columns = [other for at, other in enumerate(columns) if at != place]
    alarm_share = sum(not promise.check_unique(*other.unique) for other in other_columns) / max(1, len(other_columns))
    return Outcome(column, promise, issue=False, alarm_share=alarm_share, seconds=seconds)


def score(outcomes: Sequence[Outcome], *, promised: bool = False) -> Score:
    """Score all columns, or only those with a pattern.

    A column without a pattern never alarms."""
    counted = [each for each in outcomes if each.promise is not None or not promised]
    if not counted:
        return Score(0, float("nan"), float("nan"), float("nan"))
    precision = 1 - sum(each.issue for each in counted) / len(counted)
    recall = sum(each.alarm_share for each in counted) / len(counted)
    return Score(len(counted), precision, recall, _wilson(precision, len(counted)))


def _wilson(share: float, of: int, z: float = 1.96) -> float:
    return z / (1 + z * z / of) * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
