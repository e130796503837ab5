"""Rewrite casts in a predicate: explicit ones, and those that Spark makes implicitly."""

import re
from dataclasses import replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from treaty.contracts.predicates import grammar
from treaty.contracts.predicates.fragments import SqlFragment, loose, strict
from treaty.contracts.predicates.types import (
    FLOATING,
    INTEGRAL,
    MAX_DIGITS,
    IncomparableTypes,
    base,
    comparison_type,
    group,
    widens,
)

if TYPE_CHECKING:
    from treaty.contracts.predicates.rewriter import PredicateRewriter

# The number of digits that an integer may have so that it certainly fits.
DIGITS = dict(zip(INTEGRAL, (2, 4, 9, 18), strict=True))
LARGEST = "1.7976931348623157E308D"
MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?)?")


def read_as(piece: SqlFragment, target: str, *, attempt: bool = False) -> SqlFragment:
    """Return the fragment cast to another type. `attempt`: a failed cast is null and no error (TRY_CAST)."""
    sql, type_ = f"TRY_CAST({piece.sql} AS {target.upper()})", target.lower()
    if attempt:
        return loose(sql, [piece], type_)
    if base(type_) == "decimal" and base(piece.type) in FLOATING:
        return _finite(sql, piece, type_)
    certain = widens(piece.type, type_) or (piece.text is not None and _reads(piece.text, type_))
    return strict(sql, [piece], type_, fails=not certain)


def _finite(sql: str, piece: SqlFragment, type_: str) -> SqlFragment:
    """Return a cast to decimal: null for NaN and infinities, an error for other numbers that do not fit."""
    result = loose(sql, [piece], type_)
    error = f"coalesce(abs({piece.sql}) <= {LARGEST}, FALSE) AND {sql} IS NULL"
    return replace(result, definite_errors=(*result.definite_errors, f"({error})"))


def implicit_cast(piece: SqlFragment, target: str) -> SqlFragment:
    """Return the fragment as Spark casts it if `target` is needed: texts to any type, dates to timestamps."""
    kinds = (group(piece.type), group(target))
    dated = kinds == ("moment", "moment") and base(piece.type) == "date" != base(target)
    read = kinds[0] == "text" and kinds[1] not in {None, "text", "binary"}
    return read_as(piece, target) if dated or read else piece


def common_type_pieces(writer: "PredicateRewriter", pieces: list[SqlFragment]) -> tuple[list[SqlFragment], str]:
    """Return the fragments as Spark casts them for a comparison, and their common type."""
    try:
        common = comparison_type(each.type for each in pieces)
    except IncomparableTypes as error:
        writer.refuse("type", f"compares {error}", "compare values of one type, or cast one of them")
        return pieces, "any"
    return [implicit_cast(each, common) for each in pieces], common


def _reads(text: str, target: str) -> bool:
    if target in DIGITS:
        return bool(re.fullmatch(rf"-?\d{{1,{DIGITS[target]}}}", text))
    if target in FLOATING:
        return bool(re.fullmatch(r"-?\d{1,15}(\.\d{1,15})?", text))
    if target == "boolean":
        return text in {"true", "false"}
    if base(target) == "decimal":
        return _fits(text, target)
    return bool(MOMENT.fullmatch(text)) and (len(text) == 10 or target != "date") and _is_moment(text)


def _fits(text: str, target: str) -> bool:
    match, sizes = re.fullmatch(r"-?(\d+)(?:\.(\d+))?", text), re.findall(r"\d+", target)
    if not match or len(sizes) != 2:
        return False
    scale = int(sizes[1])
    return len(match[1]) <= int(sizes[0]) - scale and len(match[2] or "") <= scale


def _is_moment(text: str) -> bool:
    try:
        return bool(datetime.fromisoformat(text))
    except ValueError:
        return False


def cast(writer: "PredicateRewriter", node: Any) -> SqlFragment:
    """Return the fragment of CAST, TRY_CAST, `::` or a typed literal."""
    kind = node.args["to"]
    name = grammar.TYPES.get(kind.this.name)
    if name is None or any(kind.args.get(part) for part in kind.args if part not in {"this", "expressions"}):
        return writer.refuse("type", f"casts to a type that {writer.kind.plural} may not use", "cast to a plain type")
    return reading(writer, node.this, f"{name}{_parameters(writer, kind)}", attempt=bool(node.args.get("safe")))


def reading(writer: "PredicateRewriter", node: Any, target: str, *, attempt: bool) -> SqlFragment:
    """Return the fragment of a node that is cast."""
    piece = writer.piece(node)
    if target == "DATE" and piece.text is not None and not _is_date(piece.text):
        writer.refuse("date", "has an invalid date", "write DATE '2026-01-31'")
    if target != "STRING" and group(piece.type) in {"array", "struct", "map"}:
        return writer.refuse("type", "casts an array, struct or map", "cast one of its values")
    return read_as(piece, target, attempt=attempt)


def _is_date(text: str) -> bool:
    try:
        return bool(date.fromisoformat(text))
    except ValueError:
        return False


def _parameters(writer: "PredicateRewriter", kind: Any) -> str:
    numbers = [each.this.this if type(each).__name__ == "DataTypeParam" else "" for each in kind.expressions]
    if not numbers:
        return ""
    if kind.this.name != "DECIMAL" or len(numbers) > 2 or not all(re.fullmatch(r"\d{1,2}", str(n)) for n in numbers):
        writer.refuse("type", "casts to a type with unknown parameters", "write DECIMAL(10, 2)")
    elif not int([*numbers, 0][1]) <= int(numbers[0]) in range(1, MAX_DIGITS + 1):
        remedy = f"write DECIMAL(10, 2), with at most {MAX_DIGITS} digits and no more of them after the point"
        writer.refuse("type", "casts to a decimal that Spark does not have", remedy)
    return f"({', '.join(map(str, numbers))})"
