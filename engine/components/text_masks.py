"""Masks of texts: what a text looks like, without what it says."""

from treaty.engine.components.base import Retention
from treaty.engine.components.estimate import Estimate
from treaty.engine.components.operands import Operand
from treaty.engine.components.sketches import PARAMETER, HeavyHitters

LONGEST = 64


def mask(text: str) -> str:
    r"""SQL of the mask of a text: A for upper-case letters, a for lower-case ones, 0 for digits, of whatever script.

    What else is beyond ASCII (letters without case, signs) is x; the punctuation, blanks and control characters of
    ASCII stay: nothing else of the text does. Of the first 64 characters; null for null, '' for ''."""
    cut = f"left({text}, {LONGEST})"
    masked = f"mask({cut}, 'A', 'a', '0', NULL)"
    # Most texts are ASCII, which their bytes tell: in these no expression need be looked for.
    return (
        f"CASE WHEN octet_length({text}) = char_length({text}) THEN {masked} "
        f"ELSE regexp_replace({masked}, '[^\\\\x00-\\\\x7F]', 'x') END"
    )


class PatternProfile(HeavyHitters):
    """The frequent masks of a text column with their counts; complete while the column has few distinct masks.

    Holds no letter and no digit of the texts, so it may be kept of classified columns too. After the patterns of
    Auto-Validate by-History (KDD 2023, appendix C), which have one symbol for upper and lower case, and another for all
    punctuation."""

    kind = "pattern_profile"
    retention = Retention.NOTHING

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        return (f"approx_top_k_accumulate({mask(operands[0].sql)}, {PARAMETER.heavy_items})",)

    @classmethod
    def fullest(cls, state: bytes | None) -> Estimate | None:
        """The share of the values that have the most frequent mask; None for no values."""
        counts, error = cls.values(state)
        rows = cls.rows(state)
        most = max(counts.values(), default=error)
        return Estimate(most / rows, max(0, most - error) / rows, most / rows) if rows else None
