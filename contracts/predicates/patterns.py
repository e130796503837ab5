"""Rewrite LIKE and regular expressions with literal patterns, applied to values of bounded length."""

from typing import TYPE_CHECKING, Any

from treaty.contracts.predicates import grammar
from treaty.contracts.predicates.fragments import SqlFragment, strict
from treaty.contracts.predicates.types import BOOLEAN, group
from treaty.contracts.quoting import literal
from treaty.contracts.safe_regex import MAX_SUBJECT, UnsafeRegex, inspect_regex

if TYPE_CHECKING:
    from treaty.contracts.predicates.rewriter import PredicateRewriter

MAX_LIKE = 512
MAX_WILDCARDS = 3


def like(writer: "PredicateRewriter", node: Any) -> SqlFragment:
    """Return the fragment of LIKE or ILIKE.

    With '%' in its middle, it applies only to values up to the length limit, as a regular expression does."""
    pattern = writer.text(node.expression)
    if pattern is None or len(pattern) > MAX_LIKE or pattern.count("%") > MAX_WILDCARDS:
        message = f"has LIKE without a literal pattern of at most {MAX_WILDCARDS} '%'"
        return writer.refuse("like", message, "use startswith, endswith or contains")
    if _ends_in_escape(pattern):
        return writer.refuse("like", "has LIKE with a backslash that escapes nothing", "double it")
    subject = _subject(writer, node.this)
    sql = f"{subject.operand} {grammar.LIKES[type(node).__name__]} {literal(pattern)}"
    fragment = _matched(subject, sql, capped="%" in pattern.strip("%"))
    if not node.args.get("negate"):
        return fragment
    return strict(f"NOT {fragment.operand}", [fragment], BOOLEAN, closed=False)


def _ends_in_escape(pattern: str) -> bool:
    r"""Return whether the pattern has a backslash that escapes none of `\`, `%` and `_`."""
    rest = pattern.replace("\\\\", "").replace("\\%", "").replace("\\_", "")
    return "\\" in rest


def regex(writer: "PredicateRewriter", subject: Any, pattern: Any) -> SqlFragment:
    """Return the fragment of RLIKE; values longer than MAX_SUBJECT are errors and yield null."""
    text = writer.text(pattern)
    try:
        if text is None:
            raise UnsafeRegex("is not a string literal")
        inspect_regex(text)
    except UnsafeRegex as error:
        return writer.refuse("regex", f"has a regular expression that {error}", "see the allowed subset")
    value = _subject(writer, subject)
    return _matched(value, f"{value.operand} RLIKE {literal(text)}", capped=True)


def regexp_like(writer: "PredicateRewriter", node: Any) -> SqlFragment:
    """Return the fragment of the operator RLIKE."""
    return regex(writer, node.this, node.expression)


def _subject(writer: "PredicateRewriter", node: Any) -> SqlFragment:
    piece = writer.piece(node)
    if group(piece.type) in {"array", "struct", "map", "interval"}:
        return writer.refuse("type", "matches a value that is not text", "use a text column")
    return piece


def _matched(subject: SqlFragment, sql: str, *, capped: bool) -> SqlFragment:
    if not capped:
        return strict(sql, [subject], BOOLEAN, closed=False)
    bounded = f"CASE WHEN length({subject.sql}) <= {MAX_SUBJECT} THEN {sql} END"
    return strict(bounded, [subject], BOOLEAN, fails=True)
