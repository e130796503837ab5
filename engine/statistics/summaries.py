"""Summarize a column of one partition; every statistic is computed from this summary.

Summaries come from values in memory or from states and have the same form: numbers are a step function with moments;
texts are counts of values, of masks and of mask shapes, with the characters counted. So each statistic is declared
once."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy
from numpy.typing import NDArray

from treaty.engine.components.moments import Three
from treaty.engine.statistics.code_points import TerminatedCodePoints
from treaty.engine.statistics.column_values import ColumnValues
from treaty.engine.statistics.hashed_counts import HashedCounts, hash_counts
from treaty.engine.statistics.step_functions import CurvePair, StepFunction

Array = NDArray[Any]


@dataclass(frozen=True, eq=False, kw_only=True)
class NumberSummary:
    """The numbers of a partition.

    `rows`: all rows. `moments`: of the present numbers. `curve`: None without numbers. `distinct`: number of distinct
    values; None if unknown. `guessed`: standard error of `distinct` from a sketch; 0 if exact."""

    rows: int
    moments: Three
    curve: StepFunction | None
    distinct: float | None
    guessed: float = 0.0

    is_text = False

    @property
    def present(self) -> int:
        """Return the number of rows with a value."""
        return self.moments[0]

    @cached_property
    def deviation(self) -> float:
        """Return the population standard deviation; 0 without numbers, NaN if one is infinite."""
        return float(numpy.sqrt(self.moments[2] / self.present)) if self.present else 0.0

    def curves(self, other: "NumberSummary") -> CurvePair | None:
        """Pair this partition's numbers with the other's; None if one has none."""
        return CurvePair(self.curve, other.curve) if self.curve and other.curve else None


@dataclass(frozen=True, eq=False, kw_only=True)
class TextSummary:
    """The texts of a partition. None means that no state provides a field.

    `rows`: all rows. `present`: rows with a value. `distinct`: number of distinct texts. `length`: characters of all
    texts; `shortest`, `longest`: of one text. `padded`: texts that begin or end with a blank. `characters`: number
    per class of `CLASSES`. `values`, `masks`, `shapes`: counts by hash. `guessed`: standard error of `distinct` from
    a sketch."""

    rows: int
    present: int
    distinct: float | None
    length: float | None = None
    shortest: float | None = None
    longest: float | None = None
    padded: float | None = None
    characters: Mapping[str, float] | None = None
    values: HashedCounts | None = None
    masks: HashedCounts | None = None
    shapes: HashedCounts | None = None
    guessed: float = 0.0

    is_text = True


Summary = NumberSummary | TextSummary


def summary(values: ColumnValues) -> Summary:
    """Summarize values in memory, exactly."""
    return _of_texts(values.values) if values.is_text else _of_numbers(values.values)


def _of_numbers(values: Array) -> NumberSummary:
    ordered = numpy.sort(values)  # NaN is sorted last.
    present = int(numpy.searchsorted(ordered, numpy.nan)) if len(ordered) else 0
    ordered = ordered[:present]
    if not present:
        return NumberSummary(rows=len(values), moments=(0, 0.0, 0.0), curve=None, distinct=0)
    last = numpy.flatnonzero(numpy.append(ordered[1:] != ordered[:-1], True))
    at = ordered[last]
    curve = StepFunction(
        at=at,
        cumulative=(last + 1) / present,
        error=0.0,
        of_bin=0.0,
        smallest=float(at[0]),
        largest=float(at[-1]),
        rows=present,
    )
    with numpy.errstate(over="ignore", invalid="ignore"):
        mean = float(ordered.mean()) if len(at) > 1 else float(at[0])
        squares = float(numpy.square(ordered - mean).sum())
    return NumberSummary(rows=len(values), moments=(present, mean, squares), curve=curve, distinct=len(at))


def _of_texts(values: Array) -> TextSummary:
    counts = Counter(values.tolist())
    counts.pop(None, 0)
    present = sum(counts.values())
    texts = TerminatedCodePoints.of(list(counts))
    often = numpy.fromiter(counts.values(), dtype=numpy.int64, count=len(counts))
    if not present:
        return TextSummary(rows=len(values), present=0, distinct=0, **tallies(texts, often))
    return TextSummary(
        rows=len(values), present=present, distinct=len(counts),
        length=float(texts.lengths @ often), shortest=float(texts.lengths.min()), longest=float(texts.lengths.max()),
        padded=float(texts.padded @ often), characters=texts.counted(often), **tallies(texts, often),
    )  # fmt: skip


def tallies(texts: TerminatedCodePoints, often: Array) -> dict[str, Any]:
    """Return the counts of texts, their masks and the shapes of these. `often`: occurrences of each text."""
    derived = {"masks": texts.masks, "shapes": texts.masks.shapes}
    return {"values": hash_counts(texts, often), **{name: hash_counts(each, often) for name, each in derived.items()}}
