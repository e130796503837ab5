"""Patterns of text: an author's regular expression, or a named format."""

from contracts.predicates import literal
from contracts.regexes import MAX_SUBJECT
from engine.analyzers.quoting import Operand


def matching(operand: Operand, pattern: str) -> Operand:
    r"""True for texts that match as a whole, '' included; null for null, and for texts longer than MAX_SUBJECT.

    Between \A and \z, for `$` would let a final line break pass; (?d) so that only \n ends a line, as in Python."""
    whole = rf"(?d)\A(?:{pattern})\z"
    return within_reach(operand, f"{operand.sql} RLIKE {literal(whole)}")


def within_reach(operand: Operand, condition: str) -> Operand:
    """The condition where the text is short enough to be looked at; longer ones count as not evaluated."""
    # Most texts are known to be short by their bytes, which need not be counted.
    short = f"(octet_length({operand.sql}) <= {MAX_SUBJECT} OR char_length({operand.sql}) <= {MAX_SUBJECT})"
    return Operand(f"CASE WHEN {short} THEN {condition} END", "boolean", f"NOT coalesce({short}, true)")
