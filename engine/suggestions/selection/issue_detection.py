"""Estimate which of the ten common data issues a check would catch.

Issues are injected into a sample of the column."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isnan
from typing import Any

from treaty.engine.components.operands import TEMPORAL, TEXT
from treaty.engine.core.results import Value
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile
from treaty.engine.profile.text_types import NUMBERS
from treaty.engine.programs.injected_issues import Array, Variation, variations
from treaty.engine.statistics.column_values import ColumnValues, column, objects, text
from treaty.engine.suggestions.candidates import SuggestionCandidate
from treaty.engine.suggestions.column_samples import MOST, ColumnSample
from treaty.engine.suggestions.parsed_texts import numbers_of

SEED = 1
# Share assumed for checks that were not tried on a sample.
UNKNOWN = 0.5


@dataclass(frozen=True, eq=False)
class IssueSample:
    """A sample of a column, and its variations with every applicable issue."""

    sample: ColumnSample
    issues: Sequence[Variation]

    @cached_property
    def samples(self) -> Sequence[ColumnSample]:
        """Return the sample with each of the issues."""
        return [ColumnSample(each.values, self.sample.times) for each in self.issues]

    @cached_property
    def types(self) -> frozenset[int]:
        """Return the numbers of the issue types."""
        return frozenset(each.issue.number for each in self.issues)


@dataclass(frozen=True)
class DetectedIssues:
    """The positions of the issues that a check catches.

    `weight`: of each issue, equal in total for every type. `names`: of the caught issues."""

    positions: frozenset[int] = frozenset()
    weight: Mapping[int, float] = field(default_factory=dict)
    names: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """Return the probability of catching an issue, with all types equally likely."""
        return self.of(self.positions)

    def of(self, issues: Iterable[int]) -> float:
        """Return the probability that an issue is one of these."""
        return sum(self.weight[at] for at in issues)


def trials(part: HistorySlice, given_samples: Mapping[str, Sequence[Any]]) -> Mapping[str, IssueSample]:
    """Return an issue sample for each column with values: given ones, or values generated from the newest states."""
    samples = {each.column.name: _values(each, part, given_samples) for each in part.history.columns}
    available = {name: values for name, values in samples.items() if values is not None}
    rows = part.rows[-1] if len(part) else 0
    columns = {each.column.name: each for each in part.history.columns}
    return {
        name: _trial(columns[name], ColumnValues(values, _neighbour(name, available)), rows)
        for name, values in available.items()
    }


def _values(each: ColumnProfile, part: HistorySlice, samples: Mapping[str, Sequence[Any]]) -> Array | None:
    """Return sample values of the column's type; None if there are none."""
    items = samples.get(each.column.name) or _from_states(each, part)
    own = column(items[:MOST]) if items else None
    fits = own is not None and own.present.any() and own.is_text == (each.column.base_type in TEXT)
    return own.values if own and fits else None


def _trial(each: ColumnProfile, own: ColumnValues, rows: int) -> IssueSample:
    from numpy.random import default_rng

    issues = (*variations(own, default_rng(SEED)), *_of_parsed_numbers(each, own))
    return IssueSample(ColumnSample(own.values, rows / len(own.values)), issues)


def _of_parsed_numbers(each: ColumnProfile, own: ColumnValues) -> Iterator[Variation]:
    """Yield the issues that only numbers have, of texts that parse as numbers."""
    from numpy.random import default_rng

    if not own.is_text or each.read_as is None or each.read_as.kind not in NUMBERS or each.read_as.padded:
        return
    numbers = ColumnValues(numbers_of(own.values.tolist()))
    for varied in variations(numbers, default_rng(SEED)):
        if not varied.issue.of_texts:
            changes = zip(own.values.tolist(), numbers.values.tolist(), varied.values.tolist(), strict=True)
            values = objects(old if isnan(now) or now == before else text(now) for old, before, now in changes)
            yield replace(varied, values=values)


def _neighbour(name: str, columns: Mapping[str, Array]) -> Array | None:
    """Return the next column, cyclically, with values of the same type."""
    names = list(columns)
    at = names.index(name)
    following = (*names[at + 1 :], *names[:at])
    return next((columns[other] for other in following if columns[other].dtype == columns[name].dtype), None)


def _from_states(each: ColumnProfile, part: HistorySlice) -> Sequence[Any] | None:
    """Generate values like those of the newest partition: quantiles of numbers, or all texts if few."""
    if not len(part) or not part.rows[-1]:
        return None
    newest = part.part(len(part) - 1)
    rows, present = min(MOST, newest.rows[0]), newest.series(each, "completeness")
    filled = round(rows * float(present[0])) if present else 0
    numbers, texts = _numbers(each, newest, filled), _texts(newest.values(each)[0], filled)
    is_text = each.column.base_type in TEXT
    values = (texts or _written(each, newest, numbers)) if is_text else (numbers or texts)
    return [*values, *[None] * (rows - filled)] if values else None


def _numbers(each: ColumnProfile, newest: HistorySlice, count: int) -> list[float]:
    ((_, bag),) = newest.history.partitions[newest.start : newest.end]
    ranks = each.ranks(bag) if count else None
    if ranks is None or each.column.base_type in TEMPORAL:
        return []
    return ranks.quantiles((at + 0.5) / count for at in range(count))


def _written(each: ColumnProfile, newest: HistorySlice, numbers: Sequence[float]) -> list[str]:
    """Return numbers as the column's texts write them: with as many decimals as most; none for other texts."""
    masks = newest.all_looks(each)[0]
    if each.read_as is None or each.read_as.kind not in NUMBERS or not masks:
        return []
    decimals = len(max(masks, key=masks.__getitem__).partition(".")[2])
    return [f"{number:.{decimals}f}" for number in numbers]


def _texts(counted: tuple[Mapping[str, int], int], count: int) -> list[str]:
    """Return texts in proportion to their counts; none unless all are known."""
    counts, error = counted
    total = sum(counts.values())
    if error or not total:
        return []
    repeated = [value for value, times in sorted(counts.items()) for _ in range(times)]
    return [repeated[int((at + 0.5) * total / count)] for at in range(count)]


def caught(candidate: SuggestionCandidate, trial: IssueSample | None) -> DetectedIssues | None:
    """Return the issues that the check catches; None if it cannot be tried or fails on the sample itself."""
    measured = candidate.measure.of_sample
    if trial is None or measured is None or not trial.issues or _breaks(candidate, measured(trial.sample)):
        return None
    detected = frozenset(at for at, each in enumerate(trial.samples) if _breaks(candidate, measured(each)))
    names = dict.fromkeys(trial.issues[at].issue.name for at in sorted(detected))
    return DetectedIssues(detected, _weights(trial), tuple(names))


def _breaks(candidate: SuggestionCandidate, value: Value) -> bool:
    return value is not None and not candidate.assertion.holds(value)


def _weights(trial: IssueSample) -> Mapping[int, float]:
    numbers = [each.issue.number for each in trial.issues]
    return {at: 1 / len(trial.types) / numbers.count(number) for at, number in enumerate(numbers)}
