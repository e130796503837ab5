"""Suggest learned patterns (`treaty.engine.patterns`) from a column's older texts and the lake.

No state contains the texts, so a sample of them is passed in. One more scan then counts the conforming texts of each
partition."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from treaty.contracts.assertions import Assertion
from treaty.contracts.schema import Schema
from treaty.engine.analyzers.bound import BoundAnalyzer
from treaty.engine.analyzers.conformity_test import ConformityCounts
from treaty.engine.analyzers.pattern_conformity import PatternConformity
from treaty.engine.core.learning_options import PATTERNS, PatternOptions
from treaty.engine.core.results import Value
from treaty.engine.patterns.contract_checks import checks
from treaty.engine.patterns.evidence import evidence
from treaty.engine.patterns.index import PatternIndex
from treaty.engine.patterns.inference import LearnedPattern, infer
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile
from treaty.engine.states.bag import StateBag
from treaty.engine.suggestions.candidates import SuggestionCandidate, SuggestionMetric
from treaty.engine.suggestions.column_samples import ColumnSample
from treaty.engine.suggestions.selection.holdout_test import HoldoutCandidate

NAMES = {"warning": "pattern_drift", "error": "pattern"}
WORDS = {
    "warning": "the share of {column} values that do not match {pattern} does not rise significantly",
    "error": "{column} matches its learned pattern {pattern}",
}


@dataclass(frozen=True, eq=False, kw_only=True)
class PatternCheck:
    """A learned pattern of a column as a check.

    `entry`: its entry in the contract. `measured`: its bound analyzer. `explain`: returns the evidence, which costs
    as much as learning. `passes`: share of other columns that it would accept."""

    column: ColumnProfile
    learned: LearnedPattern
    entry: Mapping[str, Any]
    measured: BoundAnalyzer
    passes: float
    explain: Callable[[], Mapping[str, Any]]

    @property
    def assertion(self) -> Assertion:
        """Return the condition on the metric."""
        return Assertion("mustBeGreaterThan", self.entry["implementation"]["mustBeGreaterThan"])

    def is_violated(self, bag: StateBag) -> bool:
        """Return whether a partition with its counts violates the check; False without values."""
        value = self.measured.value(bag.values)
        return value is not None and not self.assertion.holds(value)

    @property
    def analyzer(self) -> PatternConformity:
        """Return the analyzer of the check."""
        return self.measured.analyzer  # type: ignore[return-value]


def pattern_checks(
    columns: Sequence[ColumnProfile],
    texts: Mapping[str, Sequence[str | None]],
    index: PatternIndex,
    schema: Schema,
    options: PatternOptions = PATTERNS,
) -> list[PatternCheck]:
    """Return the pattern checks of columns with texts, in column order.

    Classified columns and columns without a suitable pattern have none."""
    pairs = ((each, texts[each.column.name]) for each in columns if each.column.name in texts and not each.classified)
    return [
        pattern_check for column, values in pairs for pattern_check in _promised(column, values, index, schema, options)
    ]


def _promised(
    column: ColumnProfile, values: Sequence[str | None], index: PatternIndex, schema: Schema, options: PatternOptions
) -> Iterator[PatternCheck]:
    result = infer(values, index, options=options)
    if result.learned is None:
        return
    for entry in checks(column.column.name, result.learned):
        yield PatternCheck(
            column=column,
            learned=result.learned,
            entry=entry,
            measured=_analyzer(entry["implementation"]).bind(schema),
            passes=result.passes or 0.0,
            explain=partial(evidence, values, result, index, secret=False),
        )


def _analyzer(implementation: Mapping[str, Any]) -> PatternConformity:
    fields = {name: value for name, value in implementation.items() if name in PatternConformity.model_fields}
    return PatternConformity(**fields)


def unbroken_suggestions(checks: Sequence[PatternCheck], whole: HistorySlice) -> list[HoldoutCandidate]:
    """Return the checks that no partition violates, as suggestions. `whole`: has their counts."""
    candidates = ((each, _candidate(each)) for each in checks)
    return [
        HoldoutCandidate(replace(one, details={"pattern": each.explain()}), each.column, 0.0, whole)
        for each, one in candidates
        if one.holds(whole)
    ]


def _candidate(each: PatternCheck) -> SuggestionCandidate:
    severity, name = each.entry["severity"], each.column.column.name
    return SuggestionCandidate(
        kind=NAMES[severity],
        sentence=WORDS[severity].format(column=name, pattern=each.learned.pattern.text),
        expression=each.analyzer.pattern,
        patch={"quality": {**each.entry, "implementation": {**each.entry["implementation"], "scope": "delta"}}},
        measure=SuggestionMetric(
            lambda part: part.read((name, NAMES[severity]), lambda bag: each.measured.value(bag.values)),
            _of_sample(each),
        ),
        assertion=each.assertion,
        severity=severity,
        limits=(each.assertion.limit, None),
    )


def _of_sample(each: PatternCheck) -> Any:
    """Return a function that computes the analyzer's probability for a sample scaled to a partition."""

    def measured(sample: ColumnSample) -> Value:
        counts = each.learned.count(sample.present.tolist())
        present = round(counts.of * sample.times)
        return each.analyzer.chance(ConformityCounts(round(counts.bad * sample.times), present)) if present else None

    return measured
