"""Masks of texts: their shape without their content."""

from typing import Any

from treaty.engine.components.base import Retention
from treaty.engine.components.estimate import Estimate
from treaty.engine.components.operands import Operand
from treaty.engine.components.sketches import HeavyHitters

LONGEST = 64


def mask(text: str) -> str:
    """Return SQL of the mask of a text: A for upper-case letters, a for lower-case letters, 0 for digits, of every
    script.

    Other characters beyond ASCII (letters without case, signs) become x; ASCII punctuation, blanks and control
    characters stay unchanged. Only the first 64 characters count; null for null, '' for ''."""
    cut = f"left({text}, {LONGEST})"
    masked = f"mask({cut}, 'A', 'a', '0', NULL)"
    # A text with as many bytes as characters is ASCII, as most are, and needs no regular expression.
    return (
        f"CASE WHEN octet_length({text}) = char_length({text}) THEN {masked} "
        f"ELSE regexp_replace({masked}, '[^\\\\x00-\\\\x7F]', 'x') END"
    )


class PatternProfile(HeavyHitters):
    """The frequent masks of a text column with their counts; complete while it has few distinct masks.

    Contains no letter and no digit of the texts, so it may be stored for classified columns, too. After the patterns
    of Auto-Validate-by-History (KDD 2023, appendix C), which have one symbol for upper and lower case, and another
    for all punctuation."""

    kind = "pattern_profile"
    retention = Retention.NOTHING

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        return self.counted(mask(operands[0].sql), operands[0].sql)

    @classmethod
    def fullest(cls, state: Any) -> Estimate | None:
        """Return the share of the values with the most frequent mask; None for no values."""
        counts, error = cls.values(state)
        rows = cls.rows(state)
        most = max(counts.values(), default=error)
        return Estimate(most / rows, max(0, most - error) / rows, most / rows) if rows else None
