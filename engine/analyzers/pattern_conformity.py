"""Metric that tests whether more texts violate a learned pattern than when it was learned."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from treaty.engine.analyzers.arguments import ColumnName, Pattern
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.bound import Operands
from treaty.engine.analyzers.conformity_test import ConformityComparison, ConformityCounts, compare
from treaty.engine.analyzers.text import like
from treaty.engine.components.base import CountComponent, CountIfComponent
from treaty.engine.components.operands import TEXT


class PatternConformity(Analyzer):
    """Probability of so many non-matching texts if nothing has changed since the pattern was learned.

    One-sided p-value of Fisher's exact test, given that `learned_bad` of `learned_from` values did not match when
    the pattern was learned (Auto-Validate, SIGMOD 2021, section 4). 1 if the share of non-matching texts has grown
    by at most `floor`. A check without `floor` suits a warning on any significant growth, a check with it an error
    if many values are bad. Recommended assertion: `mustBeGreaterThan: 0.01`. Nulls are excluded; a text of more than
    1,024 characters does not match. No value if no text is left to evaluate."""

    name = "pattern_conformity"
    unit = "chance"
    value_template = "the probability of this many non-matching values of {column} is {value}, of {counted} values"
    column: ColumnName
    pattern: Pattern
    learned_from: int = Field(ge=1, description="number of values that the pattern was learned from")
    learned_bad: int = Field(default=0, ge=0, description="number of these values that did not match")
    floor: float = Field(
        default=0.0, ge=0, lt=1, description="largest acceptable growth of the share of non-matching values"
    )
    present = CountComponent("{column}", takes=TEXT)
    matching = CountIfComponent("{matching}")

    def operands(self, schema: Any) -> Operands:
        named = super().operands(schema)
        return {**named, "matching": (like(named["column"][0], self.pattern, None),)}

    def compared(self, counts: ConformityCounts) -> ConformityComparison:
        """Compare the observed counts with the learned counts."""
        return compare(ConformityCounts(self.learned_bad, self.learned_from), counts, floor=self.floor)

    def chance(self, counts: ConformityCounts) -> float:
        """Return the metric for these counts; 1 for no values."""
        comparison = self.compared(counts)
        return comparison.fisher if comparison.newer.share - comparison.trained.share > self.floor else 1.0

    def value(self, state: Any) -> float | None:
        return self.chance(_conformity_counts(state)) if state.present else None

    def counted(self, state: Any) -> int:
        return int(state.present)

    def details(self, state: Any) -> Mapping[str, Any] | None:
        comparison = self.compared(_conformity_counts(state))
        return {
            "bad": comparison.newer.bad,
            "learned": {"bad": comparison.trained.bad, "of": comparison.trained.of},
            "fisher": comparison.fisher,
            "chi_squared": comparison.chi_squared,
            "detectable_share": comparison.detectable,
            "reason": comparison.reason,
        }


def _conformity_counts(state: Any) -> ConformityCounts:
    return ConformityCounts(int(state.present - state.matching), int(state.present))
