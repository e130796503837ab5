"""Accept the formats of dates and timestamps: literal, and of fields that no locale and no time zone changes."""

import re
from typing import TYPE_CHECKING

from treaty.contracts.predicates.fragments import SqlFragment

if TYPE_CHECKING:
    from treaty.contracts.predicates.rewriter import PredicateRewriter

MAX_FORMAT = 40
# Fields that can be parsed and written, and those that can only be written.
_FIELDS = "yyyy uuuu yy MM M MMM dd d HH H hh h a mm m ss s S SS SSS SSSS SSSSS SSSSSS"
PARSED = frozenset(_FIELDS.split())
WRITTEN = PARSED | {"MMMM", "E", "EEEE", "D", "DDD", "Q"}
_TOKENS = re.compile(r"(?P<field>([A-Za-z])\2*)|'[A-Za-z ]{1,10}'|[-/.:, _]")


def parsed_format(writer: "PredicateRewriter", piece: SqlFragment) -> bool:
    """Return whether texts can be read in this format; otherwise add a fault."""
    return _accepted(writer, piece, PARSED, "yyyy-MM-dd HH:mm:ss")


def written_format(writer: "PredicateRewriter", piece: SqlFragment) -> bool:
    """Return whether values can be written in this format; otherwise add a fault."""
    return _accepted(writer, piece, WRITTEN, "yyyy-MM")


def _accepted(writer: "PredicateRewriter", piece: SqlFragment, fields: frozenset[str], example: str) -> bool:
    fault = _fault(piece.text, fields)
    if fault:
        writer.refuse("format", fault, f"write a literal such as '{example}'")
    return not fault


def _fault(text: str | None, fields: frozenset[str]) -> str:
    if text is None or not 0 < len(text) <= MAX_FORMAT:
        return f"has a date format that is not a literal of 1 to {MAX_FORMAT} characters"
    tokens = list(_TOKENS.finditer(text))
    if sum(len(each.group()) for each in tokens) < len(text):
        return "has a date format with a character that needs quotes"
    names = [each["field"] for each in tokens if each["field"]]
    unknown = [name for name in names if name not in fields]
    if unknown:
        return f"has a date format with an unsupported field: {unknown[0][:10]}"
    return "" if names and len(names) == len(set(names)) else "has a date format with no field, or with a field twice"
