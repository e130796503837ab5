"""Rewrite LIKE and regular expressions with literal patterns, applied to values of bounded length."""

import re
from typing import TYPE_CHECKING, Any

from treaty.contracts.limits.regex_cost import MAX_SUBJECT
from treaty.contracts.limits.safe_regex import UnsafeRegex, inspect_regex
from treaty.contracts.predicates import grammar
from treaty.contracts.predicates.fragments import NOTHING, SqlFragment, connected, strict
from treaty.contracts.predicates.types import BOOLEAN, group
from treaty.contracts.quoting import literal

if TYPE_CHECKING:
    from treaty.contracts.predicates.rewriter import PredicateRewriter

MAX_LIKE = 512
# Each '%' that something follows is tried at every character of the text.
MAX_WILDCARDS = 2
# LIKE ANY and LIKE ALL, and the connector of their comparisons.
QUANTIFIERS = {"Any": " OR ", "All": " AND "}


def like(writer: "PredicateRewriter", node: Any) -> SqlFragment:
    """Return the fragment of LIKE or ILIKE, also of ANY or ALL of several patterns."""
    word, negated = grammar.LIKES[type(node).__name__], bool(node.args.get("negate"))
    connector = QUANTIFIERS.get(type(node.expression).__name__)
    if connector is None:
        return _like(writer, node.this, word, writer.text(node.expression), negated=negated)
    patterns = writer.bare(node.expression.this)
    patterns = patterns.expressions if type(patterns).__name__ == "Tuple" else [patterns]
    parts = [_like(writer, node.this, word, writer.text(each), negated=negated) for each in patterns]
    return connected(connector.join(each.operand for each in parts), parts)


def escaped_like(writer: "PredicateRewriter", node: Any) -> SqlFragment:
    """Return the fragment of LIKE with another escape character, written with a backslash."""
    likes, mark = node.this, writer.text(node.expression)
    pattern = writer.text(likes.expression) if type(likes).__name__ in grammar.LIKES else None
    if pattern is None or mark is None or len(mark) != 1 or mark in "%_":
        return writer.refuse("like", "has LIKE with an unknown escape", "write a literal pattern, and ESCAPE '!'")
    word, negated = grammar.LIKES[type(likes).__name__], bool(likes.args.get("negate"))
    return _like(writer, likes.this, word, _with_backslashes(pattern, mark), negated=negated)


def _with_backslashes(pattern: str, mark: str) -> str:
    """Return the pattern with backslashes as escapes; an escape of nothing ends in one, which LIKE refuses."""
    pairs = re.findall(f"({re.escape(mark)}?)(.?)", pattern, flags=re.DOTALL)
    return "".join(
        "\\" + character
        if (escape and character != mark) or character == "\\"
        else escape * (not character) + character
        for escape, character in pairs
    )


def like_function(writer: "PredicateRewriter", name: str, nodes: list[Any]) -> SqlFragment:
    """Return the fragment of `like(x, 'a%')`."""
    return _like(writer, nodes[0], name.upper(), writer.text(nodes[1]), negated=False)


def _like(writer: "PredicateRewriter", subject: Any, word: str, pattern: str | None, *, negated: bool) -> SqlFragment:
    """Return the fragment of one comparison.

    With '%' in its middle, it applies only to values up to the length limit, as a regular expression does."""
    if pattern is None or len(pattern) > MAX_LIKE or pattern.rstrip("%").count("%") > MAX_WILDCARDS:
        message = f"has LIKE without a literal pattern of at most {MAX_WILDCARDS} '%' before its end"
        return writer.refuse("like", message, "use startswith, endswith or contains")
    if _ends_in_escape(pattern):
        return writer.refuse("like", "has LIKE with a backslash that escapes nothing", "double it")
    value = _subject(writer, subject)
    sql = f"{value.operand} {word} {literal(pattern)}"
    long = "%" in pattern.strip("%")
    fragment = capped(value, sql, BOOLEAN) if long else strict(sql, [value], BOOLEAN, closed=False)
    return strict(f"NOT {fragment.operand}", [fragment], BOOLEAN, closed=False) if negated else fragment


def _ends_in_escape(pattern: str) -> bool:
    r"""Return whether the pattern has a backslash that escapes none of `\`, `%` and `_`."""
    rest = pattern.replace("\\\\", "").replace("\\%", "").replace("\\_", "")
    return "\\" in rest


def regex(writer: "PredicateRewriter", subject: Any, pattern: Any) -> SqlFragment:
    """Return the fragment of RLIKE; values longer than MAX_SUBJECT are errors and yield null."""
    constant = writer.piece(pattern)
    if not safe_pattern(writer, constant):
        return NOTHING
    value = _subject(writer, subject)
    return capped(value, f"{value.operand} RLIKE {constant.sql}", BOOLEAN)


def safe_pattern(writer: "PredicateRewriter", piece: SqlFragment) -> bool:
    """Return whether the fragment is a literal of a safe regular expression; otherwise add a fault."""
    try:
        if piece.text is None:
            raise UnsafeRegex("is not a string literal")
        inspect_regex(piece.text)
    except UnsafeRegex as error:
        writer.refuse("regex", f"has a regular expression that {error}", "see the allowed subset")
        return False
    return True


def regexp_like(writer: "PredicateRewriter", node: Any) -> SqlFragment:
    """Return the fragment of the operator RLIKE."""
    return regex(writer, node.this, node.expression)


def _subject(writer: "PredicateRewriter", node: Any) -> SqlFragment:
    piece = writer.piece(node)
    if group(piece.type) in {"array", "struct", "map", "interval"}:
        return writer.refuse("type", "matches a value that is not text", "use a text column")
    return piece


def capped(subject: SqlFragment, sql: str, type_: str) -> SqlFragment:
    """Return a fragment that is evaluated for values up to MAX_SUBJECT characters; a longer one is an error."""
    return strict(f"CASE WHEN length({subject.sql}) <= {MAX_SUBJECT} THEN {sql} END", [subject], type_, fails=True)
