"""Metrics of the characters in texts: how many there are of a class, and how alike the texts look."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from treaty.contracts.predicates.parser import literal
from treaty.contracts.schema import Schema
from treaty.engine.analyzers.arguments import ColumnName
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.bound import Operands
from treaty.engine.components.base import CountComponent, SumComponent
from treaty.engine.components.operands import TEXT, Operand
from treaty.engine.components.text_masks import PatternProfile

SHOWN = 100  # masks; the others are told together

# Characters of Unicode's general categories; blanks are those of ASCII.
CLASSES = {
    "letters": r"\p{L}",
    "upper": r"\p{Lu}",
    "digits": r"\p{Nd}",
    "punctuation": r"[\p{P}\p{S}]",
    "blanks": r"[ \t\r\n\f\x0B]",
}


class MeanCharacters(Analyzer):
    """Mean number of characters of a class in the non-null texts: the exact sum divided once; 0 for ''.

    letters (upper: those of upper case), digits, punctuation (signs and symbols too), blanks; of whatever script. The
    text statistics of Auto-Validate by-History (KDD 2023, Table 4); the length of the texts is `mean_length`. No value
    for an empty table, for nothing but nulls, for a filter that admits no row."""

    name = "mean_characters"
    unit = "characters"
    value_template = "texts of {column} have {value} {of} on average"
    column: ColumnName
    of: Literal["letters", "upper", "digits", "punctuation", "blanks"] = Field(description=", ".join(CLASSES))
    total = SumComponent("{found}")
    present = CountComponent("{column}", takes=TEXT)

    def operands(self, schema: Schema) -> Operands:
        named = super().operands(schema)
        return {**named, "found": (Operand(sql=_counted(named["column"][0].sql, CLASSES[self.of]), type="int"),)}

    def value(self, state: Any) -> float | None:
        return state.total / state.present if state.present else None

    def counted(self, state: Any) -> int:
        return int(state.present)


def _counted(text: str, pattern: str) -> str:
    return f"regexp_count({text}, {literal(pattern)})"


class PatternShare(Analyzer):
    """Share of the non-null texts that have the most frequent mask: 1 means that all look alike.

    A mask has A for upper-case letters, a for lower-case ones, 0 for digits, x for what else is beyond ASCII, and the
    punctuation and blanks of the first 64 characters: '2026-01-31' is '0000-00-00'. Distribution: the 100 most frequent
    masks, and by how much a count may be too high (`error`; 0 up to 1,024 distinct masks). No value for an empty
    table, for nothing but nulls, for a filter that admits no row."""

    name = "pattern_share"
    unit = "share"
    value_template = "{value} of {counted} values of {column} look alike"
    column: ColumnName
    masks = PatternProfile("{column}")

    def value(self, state: Any) -> float | None:
        fullest = PatternProfile.fullest(state.masks)
        return fullest.value if fullest else None

    def counted(self, state: Any) -> int:
        return PatternProfile.rows(state.masks)

    def details(self, state: Any) -> Mapping[str, Any]:
        counts, error = PatternProfile.values(state.masks)
        shown = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:SHOWN]
        values = [{"value": mask, "count": count} for mask, count in shown]
        return {"values": values, "other": {"values": len(counts) - len(shown)}, "error": error}
