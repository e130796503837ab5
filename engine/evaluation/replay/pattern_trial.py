"""Try two patterns on stored values, to assess an edit of a pattern.

This is for patterns whose matches no state counts yet. Only values that are stored in clear text can be tried: a
check of the contract must count how often each value of the column occurs, and the contract must not classify the
column. The results contain no values."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from treaty.contracts.limits.linear_match import matcher
from treaty.contracts.limits.regex_cost import MAX_SUBJECT
from treaty.engine.analyzers.base import Analyzer, NotApplicableToTable
from treaty.engine.analyzers.distinct import CountDistinct
from treaty.engine.checks.bound_check import BoundCheck
from treaty.engine.components.frequencies import FrequencyTable
from treaty.engine.states.bag import StateBag

# Values tried per partition, most frequent first.
MOST = 100_000
UNASKED = "the values of its column are stored: both patterns can be tried on them on request"
Matches = Callable[[str], bool]


@dataclass(frozen=True, kw_only=True)
class RegexTrialResult:
    """Result of trying two patterns on stored values.

    - `partitions`: number of partitions tried.
    - `rows`: rows whose values were tried, of `present` rows with a value.
    - `differing`: partitions with a value that only one pattern accepts.
    - `refused`: rows that only the pattern in force accepts; `accepted`: rows that only the proposed one accepts."""

    partitions: int
    rows: int
    present: int
    differing: tuple[str, ...] = ()
    refused: int = 0
    accepted: int = 0

    @property
    def covered(self) -> float:
        """Return the share of rows with a value whose values were tried; 1 without such rows."""
        return self.rows / self.present if self.present else 1.0


@dataclass(kw_only=True)
class RegexTrial:
    """A trial of two patterns, partition by partition; repeated values are matched once."""

    old: Matches
    new: Matches
    partitions: int = 0
    rows: int = 0
    present: int = 0
    refused: int = 0
    accepted: int = 0
    differing: list[str] = field(default_factory=list)
    cache: dict[str, tuple[bool, bool]] = field(default_factory=dict)

    def take(self, name: str, bag: StateBag, key: str) -> None:
        """Try both patterns on the values that the state of that key counts; no effect without that state."""
        state = bag.entries.get(key)
        if state is None:
            return
        self.partitions += 1
        if state.value is not None:
            self._try(name, state.value)

    def _try(self, name: str, counts: FrequencyTable) -> None:
        before = self.refused + self.accepted
        self.present += counts.rows
        for value, rows in _values(counts):
            old, new = self._matched(value)
            self.rows += rows
            self.refused += rows * (old and not new)
            self.accepted += rows * (new and not old)
        if self.refused + self.accepted > before:
            self.differing.append(name)

    def _matched(self, value: str) -> tuple[bool, bool]:
        if value not in self.cache and len(self.cache) < MOST:
            self.cache[value] = self.old(value), self.new(value)
        return self.cache.get(value) or (self.old(value), self.new(value))

    def result(self) -> RegexTrialResult:
        """Return the result so far."""
        return RegexTrialResult(
            partitions=self.partitions,
            rows=self.rows,
            present=self.present,
            differing=tuple(self.differing),
            refused=self.refused,
            accepted=self.accepted,
        )


def trial(old: BoundCheck, new: BoundCheck) -> RegexTrial | None:
    """Create the trial of an edit; None unless only the pattern changed."""
    before, after = _matcher(old.analyzer), _matcher(new.analyzer)
    if before is None or after is None or old.analyzer is None or new.analyzer is None:
        return None
    if _without_pattern(old.analyzer) != _without_pattern(new.analyzer):
        return None
    return RegexTrial(old=before, new=after) if old.analyzer != new.analyzer else None


def _without_pattern(analyzer: Analyzer) -> object:
    return analyzer.name, {**analyzer.arguments(), "pattern": None, "within": None}


def _matcher(analyzer: Analyzer | None) -> Matches | None:
    """Return a function that matches the analyzer's pattern as Spark does; None without a pattern."""
    pattern = getattr(analyzer, "pattern", None)
    if pattern is None:
        return None
    return matcher(pattern, within=getattr(analyzer, "within", False))


def counted(check: BoundCheck) -> str | None:
    """Return the key of the state that counts the column's values; None if the column is classified."""
    if check.bound is None or check.analyzer is None:
        return None
    metric = CountDistinct(columns=check.analyzer.columns_read, where=check.analyzer.where)
    operands = (each for group in check.bound.operands.values() for each in group)
    if any(each.classified or each.is_hashed for each in operands):
        return None
    try:
        return metric.bind(check.bound.schema).parts["frequencies"].key
    except NotApplicableToTable:
        return None


def _values(counts: FrequencyTable) -> Iterator[tuple[str, int]]:
    """Yield values with their rows, most frequent first, without values too long to match."""
    table = counts.table.sort_by([("n", "descending")]).slice(0, MOST)
    for value, rows in zip(table["k0"].to_pylist(), table["n"].to_pylist(), strict=True):
        if value is not None and len(value) <= MAX_SUBJECT:
            yield value, rows
