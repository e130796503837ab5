"""Suggestions of learned patterns (`treaty.engine.patterns`): what older texts of a column, and the lake, say of it.

Unlike what other suggestions rest on, no state of a partition holds the texts: a sample of them is handed in. How many
texts of each partition keep the pattern is then counted by one more scan."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from treaty.contracts.assertions import Assertion
from treaty.contracts.schema import Schema
from treaty.engine.analyzers.bound import BoundAnalyzer
from treaty.engine.analyzers.conformity_test import ConformityCounts
from treaty.engine.analyzers.pattern_conformity import PatternConformity
from treaty.engine.core.results import Value
from treaty.engine.patterns.contract_checks import checks
from treaty.engine.patterns.evidence import evidence
from treaty.engine.patterns.index import PatternIndex
from treaty.engine.patterns.inference import LearnedPattern, infer
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile
from treaty.engine.suggestions.candidates import SuggestionCandidate, SuggestionMetric
from treaty.engine.suggestions.column_samples import ColumnSample
from treaty.engine.suggestions.selection.holdout_test import HoldoutCandidate

NAMES = {"warning": "pattern_drift", "error": "pattern"}
WORDS = {
    "warning": "no significantly larger share of {column} than before breaks {pattern}",
    "error": "{column} looks as it did: {pattern}",
}


@dataclass(frozen=True, eq=False, kw_only=True)
class PatternCheck:
    """A check of a learned pattern on a column: its entry in the contract, what measures it, what is known of it."""

    column: ColumnProfile
    learned: LearnedPattern
    entry: Mapping[str, Any]
    measured: BoundAnalyzer
    details: Mapping[str, Any]

    @property
    def analyzer(self) -> PatternConformity:
        """What the check asks for."""
        return self.measured.analyzer  # type: ignore[return-value]


def pattern_checks(
    columns: Sequence[ColumnProfile], texts: Mapping[str, Sequence[str | None]], index: PatternIndex, schema: Schema
) -> list[PatternCheck]:
    """What the columns may be promised of which there are texts, in the order of the columns; of a classified column,
    and of one that no pattern tells anything of, nothing."""
    given = ((each, texts[each.column.name]) for each in columns if each.column.name in texts and not each.classified)
    return [made for column, values in given for made in _promised(column, values, index, schema)]


def _promised(
    column: ColumnProfile, values: Sequence[str | None], index: PatternIndex, schema: Schema
) -> Iterator[PatternCheck]:
    result = infer(values, index)
    if result.learned is None:
        return
    details = evidence(values, result, index, secret=False)
    for entry in checks(column.column.name, result.learned):
        yield PatternCheck(
            column=column,
            learned=result.learned,
            entry=entry,
            measured=_analyzer(entry["implementation"]).bind(schema),
            details=details,
        )


def _analyzer(implementation: Mapping[str, Any]) -> PatternConformity:
    given = {name: value for name, value in implementation.items() if name in PatternConformity.model_fields}
    return PatternConformity(**given)


def unbroken_suggestions(found: Sequence[PatternCheck], whole: HistorySlice) -> list[HoldoutCandidate]:
    """Those that no partition breaks, as suggestions that are ranked beside all others; `whole` has their counts."""
    candidates = ((each, _candidate(each)) for each in found)
    return [HoldoutCandidate(one, each.column, 0.0, whole) for each, one in candidates if one.holds(whole)]


def _candidate(each: PatternCheck) -> SuggestionCandidate:
    severity, name = each.entry["severity"], each.column.column.name
    limit = each.entry["implementation"]["mustBeGreaterThan"]
    return SuggestionCandidate(
        kind=NAMES[severity],
        sentence=WORDS[severity].format(column=name, pattern=each.learned.pattern.text),
        expression=each.analyzer.pattern,
        patch={"quality": {**each.entry, "implementation": {**each.entry["implementation"], "scope": "delta"}}},
        measure=SuggestionMetric(
            lambda part: part.read((name, NAMES[severity]), lambda bag: each.measured.value(bag.values)),
            _of_sample(each),
        ),
        assertion=Assertion("mustBeGreaterThan", limit),
        severity=severity,
        limits=(limit, None),
        details={"pattern": each.details},
    )


def _of_sample(each: PatternCheck) -> Any:
    """The chance that the analyzer would tell of a partition of such texts."""

    def measured(sample: ColumnSample) -> Value:
        found = each.learned.count(sample.present.tolist())
        present = round(found.of * sample.times)
        return each.analyzer.chance(ConformityCounts(round(found.bad * sample.times), present)) if present else None

    return measured
