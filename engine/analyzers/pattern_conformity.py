"""Whether more texts break a learned pattern than when it was learned: two counts, judged by Fisher's exact test."""

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
    """The chance that so many texts do not match a learned pattern, if nothing has changed since it was learned.

    Fisher's exact test, one-sided: of `learned_from` values, `learned_bad` did not match (Auto-Validate, SIGMOD 2021,
    section 4). 1 where the share of those that do not match has grown by no more than `floor`: a check without it warns
    of any significant growth, one with it fails where many values are bad. Promise `mustBeGreaterThan: 0.01`. Nulls
    are left out; a text of more than 1,024 characters does not match. No value where nothing is left to judge."""

    name = "pattern_conformity"
    unit = "chance"
    value_template = "so many values of {column} that do not match have a chance of {value}, of {counted} values"
    column: ColumnName
    pattern: Pattern
    learned_from: int = Field(ge=1, description="how many values the pattern was learned from")
    learned_bad: int = Field(default=0, ge=0, description="how many of these did not match")
    floor: float = Field(default=0.0, ge=0, lt=1, description="the growth of the bad share up to which all is well")
    present = CountComponent("{column}", takes=TEXT)
    kept = CountIfComponent("{kept}")

    def operands(self, schema: Any) -> Operands:
        named = super().operands(schema)
        return {**named, "kept": (like(named["column"][0], self.pattern, None),)}

    def compared(self, judged: ConformityCounts) -> ConformityComparison:
        """The counts that were learned from beside those that were found."""
        return compare(ConformityCounts(self.learned_bad, self.learned_from), judged, floor=self.floor)

    def chance(self, judged: ConformityCounts) -> float:
        """The metric where so many values do not match; 1 of none."""
        found = self.compared(judged)
        return found.fisher if found.newer.share - found.trained.share > self.floor else 1.0

    def value(self, state: Any) -> float | None:
        return self.chance(_conformity_counts(state)) if state.present else None

    def counted(self, state: Any) -> int:
        return int(state.present)

    def details(self, state: Any) -> Mapping[str, Any] | None:
        found = self.compared(_conformity_counts(state))
        return {
            "bad": found.newer.bad,
            "learned": {"bad": found.trained.bad, "of": found.trained.of},
            "fisher": found.fisher,
            "chi_squared": found.chi_squared,
            "detectable_share": found.detectable,
            "reason": found.reason,
        }


def _conformity_counts(state: Any) -> ConformityCounts:
    return ConformityCounts(int(state.present - state.kept), int(state.present))
