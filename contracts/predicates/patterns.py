"""LIKE and regular expressions in a predicate: patterns that are written out, on values of a length that has an end."""

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
    """LIKE and ILIKE. One with '%' in its middle looks at longer values only up to the cap, as a regex does."""
    pattern = writer.text(node.expression)
    if pattern is None or len(pattern) > MAX_LIKE or pattern.count("%") > MAX_WILDCARDS:
        message = f"has LIKE before something else than a text of at most {MAX_WILDCARDS} '%'"
        return writer.refuse("like", message, "use startswith, endswith or contains")
    if _ends_in_escape(pattern):
        return writer.refuse("like", "has LIKE with a backslash before nothing", "write it twice")
    subject = _subject(writer, node.this)
    sql = f"{subject.operand} {grammar.LIKES[type(node).__name__]} {literal(pattern)}"
    found = _matched(subject, sql, capped="%" in pattern.strip("%"))
    if not node.args.get("negate"):
        return found
    return strict(f"NOT {found.operand}", [found], BOOLEAN, closed=False)


def _ends_in_escape(pattern: str) -> bool:
    """Whether a backslash stands before something other than what LIKE gives a meaning."""
    rest = pattern.replace("\\\\", "").replace("\\%", "").replace("\\_", "")
    return "\\" in rest


def regex(writer: "PredicateRewriter", subject: Any, pattern: Any) -> SqlFragment:
    """RLIKE: null, and an error, for a value longer than MAX_SUBJECT, on which matching is not begun."""
    text = writer.text(pattern)
    try:
        if text is None:
            raise UnsafeRegex("is not written out as a text")
        inspect_regex(text)
    except UnsafeRegex as error:
        return writer.refuse("regex", f"has a regular expression that {error}", "see the subset that is admitted")
    value = _subject(writer, subject)
    return _matched(value, f"{value.operand} RLIKE {literal(text)}", capped=True)


def regexp_like(writer: "PredicateRewriter", node: Any) -> SqlFragment:
    """The operator RLIKE."""
    return regex(writer, node.this, node.expression)


def _subject(writer: "PredicateRewriter", node: Any) -> SqlFragment:
    piece = writer.piece(node)
    if group(piece.type) in {"array", "struct", "map", "interval"}:
        return writer.refuse("type", "matches what is no text with a pattern", "name a text")
    return piece


def _matched(subject: SqlFragment, sql: str, *, capped: bool) -> SqlFragment:
    if not capped:
        return strict(sql, [subject], BOOLEAN, closed=False)
    bounded = f"CASE WHEN length({subject.sql}) <= {MAX_SUBJECT} THEN {sql} END"
    return strict(bounded, [subject], BOOLEAN, fails=True)
