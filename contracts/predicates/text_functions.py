"""Rewrite functions of texts that could grow, or that apply a pattern or a format.

`writer.grow` bounds by how much a predicate can lengthen a text: nested replacements multiply."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from treaty.contracts.limits.regex_cost import MAX_SUBJECT
from treaty.contracts.predicates.arguments import MAX_COUNT, as_argument, refused_type, whole_literal
from treaty.contracts.predicates.fragments import NOTHING, SqlFragment, loose, strict
from treaty.contracts.predicates.patterns import capped, safe_pattern
from treaty.contracts.predicates.types import group

if TYPE_CHECKING:
    from treaty.contracts.predicates.rewriter import PredicateRewriter

Production = Callable[["PredicateRewriter", list[SqlFragment]], SqlFragment]
DIGESTS = frozenset({0, 224, 256, 384, 512})
MAX_REPEATS = 100
_DIGITS = r"(9{1,30}|0{1,30}|[09]{1,3}(,[09]{3}){1,9})"
NUMBER_FORMAT = re.compile(rf"(S|MI)?\$?{_DIGITS}(\.[09]{{1,8}})?(S|MI)?")
# A reference to a group of the pattern, a plain character, or an escaped one.
_REPLACEMENT = re.compile(r"\$(\d)|[^$\\]|\\[$\\]", re.DOTALL)
POSITIONS = {"BOTH": "BOTH ", "LEADING": "LEADING ", "TRAILING": "TRAILING "}
TRIMS = {"trim": "BOTH", "btrim": "BOTH", "ltrim": "LEADING", "rtrim": "TRAILING"}


def trimmed(writer: "PredicateRewriter", position: str, subject: SqlFragment, characters: SqlFragment) -> SqlFragment:
    """Return a text without the given characters at its ends."""
    text, constant = as_argument(writer, subject, "text"), as_argument(writer, characters, "constant")
    return strict(f"trim({POSITIONS[position]}{constant.sql} FROM {text.sql})", [text], "string")


def trim(writer: "PredicateRewriter", node: Any) -> SqlFragment:
    """Return the fragment of `trim(x)`, of `trim('0', x)` and of `trim(LEADING '0' FROM x)`."""
    position, subject = str(node.args.get("position") or "BOTH"), writer.piece(node.this)
    if position not in POSITIONS:
        return writer.refuse("construct", "trims an unknown end", "write trim(LEADING '0' FROM x)")
    characters = node.args.get("expression")
    if characters:
        return trimmed(writer, position, subject, writer.piece(characters))
    text = as_argument(writer, subject, "text")
    sql = f"trim({position} FROM {text.sql})" if node.args.get("position") else f"trim({text.sql})"
    return strict(sql, [text], "string")


def trim_function(name: str) -> Production:
    """Return the production of `ltrim` and its like: in `btrim` the characters follow the text."""

    def production(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
        if len(parts) == 1:
            text = as_argument(writer, parts[0], "text")
            return strict(f"{name}({text.sql})", [text], "string")
        subject, characters = parts if name == "btrim" else parts[::-1]
        return trimmed(writer, TRIMS[name], subject, characters)

    return production


def _replace(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    text, *constants = (as_argument(writer, each, "constant" if at else "text") for at, each in enumerate(parts))
    old, new = constants[0].text or "", (constants[1].text or "") if constants[1:] else ""
    writer.grow(-(-len(new) // max(len(old), 1)))
    return strict(f"replace({', '.join(each.sql for each in (text, *constants))})", [text], "string")


def _repeat(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    text, times = as_argument(writer, parts[0], "text"), whole_literal(parts[1])
    if times is None or not 0 <= times <= MAX_REPEATS:
        return writer.refuse("argument", "repeats a text too often", f"write a literal from 0 to {MAX_REPEATS}")
    writer.grow(times)
    return strict(f"repeat({text.sql}, {times})", [text], "string")


def _space(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    return SqlFragment(sql=f"space({as_argument(writer, parts[0], 'size').sql})", type="string")


def _levenshtein(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    texts = [as_argument(writer, each, "text") for each in parts]
    short = " AND ".join(f"length({each.sql}) <= {MAX_SUBJECT}" for each in texts)
    sql = f"CASE WHEN {short} THEN levenshtein({', '.join(each.sql for each in texts)}) END"
    return strict(sql, texts, "int", fails=True)


def _hex(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    number = group(parts[0].type) == "number"
    value = as_argument(writer, parts[0], "whole" if number else "bytes")
    writer.grow(2)
    return strict(f"hex({value.sql})", [value], "string")


def _sha2(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    text, bits = as_argument(writer, parts[0], "bytes"), whole_literal(parts[1])
    if bits not in DIGESTS:
        return writer.refuse("argument", "has a digest of an unknown length", "write sha2(x, 256)")
    return strict(f"sha2({text.sql}, {bits})", [text], "string")


def number_in_format(*, attempt: bool) -> Production:
    """Return the production of to_number. `attempt`: an unreadable text is null and no error."""

    def production(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
        if group(parts[0].type) not in {None, "text"}:
            return refused_type(writer, "a value that is not text")
        if parts[1].text is None or not NUMBER_FORMAT.fullmatch(parts[1].text):
            return writer.refuse("format", "has an unknown format of numbers", "write a literal such as '9,999.99'")
        sql = f"try_to_number({parts[0].sql}, {parts[1].sql})"
        return loose(sql, parts[:1], "decimal") if attempt else strict(sql, parts[:1], "decimal", fails=True)

    return production


def _groups(pattern: SqlFragment) -> int:
    return re.compile(pattern.text or "").groups


def regex_function(name: str, yields: str) -> Production:
    """Return the production of a function that applies a pattern to a text."""

    def production(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
        subject = as_argument(writer, parts[0], "text")
        if not safe_pattern(writer, parts[1]):
            return NOTHING
        return capped(subject, f"{name}({', '.join(each.sql for each in (subject, *parts[1:]))})", yields)

    return production


def _regexp_substr(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    """Return the first match: null without one, and an error only if the text is too long."""
    subject = as_argument(writer, parts[0], "text")
    matched = regex_function("regexp_substr", "string")(writer, [subject, parts[1]])
    result = loose(matched.sql, [subject], "string")
    long = f"coalesce(length({subject.sql}) > {MAX_SUBJECT}, FALSE)"
    return replace(result, definite_errors=(*result.definite_errors, long))


def extraction(name: str, yields: str) -> Production:
    """Return the production of regexp_extract: the group must exist, or the first row would end the scan."""
    apply = regex_function(name, yields)

    def production(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
        at = whole_literal(parts[2]) if parts[2:] else 1
        if safe_pattern(writer, parts[1]) and (at is None or not 0 <= at <= _groups(parts[1])):
            remedy = "put the part to extract in parentheses, or write 0 for the whole match"
            return writer.refuse("regex", "extracts a group that its regular expression does not have", remedy)
        return apply(writer, parts)

    return production


def _regexp_replace(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    new = as_argument(writer, parts[2], "constant").text or ""
    references = list(_REPLACEMENT.finditer(new))
    if sum(len(each.group()) for each in references) < len(new):
        return writer.refuse("argument", "replaces with a lone '$' or backslash", "write '$1' or '\\\\\\\\$'")
    if not safe_pattern(writer, parts[1]):
        return NOTHING
    if any(int(each[1]) > _groups(parts[1]) for each in references if each[1]):
        return writer.refuse("regex", "replaces with a group that its regular expression does not have", "write '$0'")
    writer.grow(len(references) + 1)
    return regex_function("regexp_replace", "string")(writer, parts)


def _split(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    limit = whole_literal(parts[2]) if parts[2:] else -1
    if limit is None or abs(limit) > MAX_COUNT:
        return writer.refuse("argument", "splits with a limit that is not a small literal", "write split(x, ',', 2)")
    return regex_function("split", "array<string>")(writer, parts)


TEXT_FUNCTIONS: dict[str, Production] = {
    **{name: trim_function(name) for name in ("ltrim", "rtrim", "btrim")},
    "replace": _replace, "repeat": _repeat, "space": _space, "levenshtein": _levenshtein, "hex": _hex, "sha2": _sha2,
    "to_number": number_in_format(attempt=False), "try_to_number": number_in_format(attempt=True),
    "regexp_extract": extraction("regexp_extract", "string"),
    "regexp_extract_all": extraction("regexp_extract_all", "array<string>"),
    "regexp_count": regex_function("regexp_count", "int"), "regexp_instr": regex_function("regexp_instr", "int"),
    "regexp_substr": _regexp_substr,
    "regexp_replace": _regexp_replace, "split": _split,
}  # fmt: skip
