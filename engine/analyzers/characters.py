"""Metrics of the characters in texts: character classes and the most frequent mask."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from treaty.contracts.predicates.parser import literal
from treaty.contracts.schema import Schema
from treaty.engine.analyzers.arguments import ColumnName
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.bound import Operands
from treaty.engine.analyzers.exact import ExactMetric, fullest_share
from treaty.engine.components.base import CountComponent, SumComponent
from treaty.engine.components.operands import TEXT, Operand
from treaty.engine.components.text_masks import PatternProfile, mask

SHOWN = 100  # masks in the details; the rest is counted under `other`

# Unicode general categories, except blanks: these are ASCII only.
CLASSES = {
    "letters": r"\p{L}",
    "upper": r"\p{Lu}",
    "digits": r"\p{Nd}",
    "punctuation": r"[\p{P}\p{S}]",
    "blanks": r"[ \t\r\n\f\x0B]",
}


class MeanCharacters(Analyzer):
    """Mean number of characters of a class in the non-null texts; 0 for ''.

    Classes: letters, upper (upper-case letters), digits, punctuation (with signs and symbols) and blanks, of every
    script. The exact sum is divided once. One of the text statistics of Auto-Validate-by-History (KDD 2023, Table
    4); for the length of texts see `mean_length`. No value for an empty table, if all values are null, or if no row
    matches `where`."""

    name = "mean_characters"
    unit = "characters"
    value_template = "texts of {column} have {value} {of} on average"
    column: ColumnName
    of: Literal["letters", "upper", "digits", "punctuation", "blanks"] = Field(description=", ".join(CLASSES))
    total = SumComponent("{found}")
    present = CountComponent("{column}", takes=TEXT)

    def operands(self, schema: Schema) -> Operands:
        named = super().operands(schema)
        return {**named, "found": (_counted(named["column"][0], self.of),)}

    def value(self, state: Any) -> float | None:
        return state.total / state.present if state.present else None

    def counted(self, state: Any) -> int:
        return int(state.present)


class UpperShare(Analyzer):
    """Share of the letters in the non-null texts that are upper-case; 1 if all are.

    Letters of every script, counted over all texts together: a long text weighs more than a short one. Exact. It shows
    changed casing, whatever the lengths of the texts are. Both counts are those of `mean_characters`, so next to it
    this metric adds nothing to a scan. No value for an empty table, if there is no letter, or if no row matches
    `where`."""

    name = "upper_share"
    unit = "share"
    value_template = "{value} of the letters of {column} are upper-case"
    column: ColumnName
    upper = SumComponent("{upper}")
    letters = SumComponent("{letters}")
    present = CountComponent("{column}", takes=TEXT)

    def operands(self, schema: Schema) -> Operands:
        named = super().operands(schema)
        return {**named, **{of: (_counted(named["column"][0], of),) for of in ("upper", "letters")}}

    def value(self, state: Any) -> float | None:
        return state.upper / state.letters if state.letters else None

    def counted(self, state: Any) -> int:
        return int(state.present)


def _counted(text: Operand, of: str) -> Operand:
    """Return the number of characters of a class in a text."""
    return Operand(sql=f"regexp_count({text.sql}, {literal(CLASSES[of])})", type="int")


class PatternShare(Analyzer):
    """Share of the non-null texts that have the most frequent mask; 1 if all have the same.

    A mask is the text with A for upper-case letters, a for lower-case letters, 0 for digits and x for other
    characters beyond ASCII; ASCII punctuation and blanks stay. Only the first 64 characters count: '2026-01-31' has
    the mask '0000-00-00'. Details: the 100 most frequent masks, and the maximum overcount of each (`error`; 0 up to
    1,024 distinct masks). No value for an empty table, if all values are null, or if no row matches `where`."""

    name = "pattern_share"
    unit = "share"
    value_template = "{value} of {counted} values of {column} have the same mask"
    column: ColumnName
    masks = PatternProfile("{column}")

    def value(self, state: Any) -> float | None:
        fullest = PatternProfile.fullest(state.masks)
        return fullest.value if fullest else None

    def bounds(self, state: Any) -> tuple[float, float] | None:
        fullest = PatternProfile.fullest(state.masks)
        return fullest.bounds if fullest else None

    def exact(self, operands: Operands) -> ExactMetric:
        return fullest_share(mask(operands["column"][0].sql))

    def counted(self, state: Any) -> int:
        return PatternProfile.rows(state.masks)

    def details(self, state: Any) -> Mapping[str, Any]:
        counts, error = PatternProfile.values(state.masks)
        shown = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:SHOWN]
        values = [{"value": mask, "count": count} for mask, count in shown]
        return {"values": values, "other": {"values": len(counts) - len(shown)}, "error": error}
