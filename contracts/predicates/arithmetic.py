"""Rewrite arithmetic in a predicate: numbers, dates and intervals."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from treaty.contracts.predicates import grammar
from treaty.contracts.predicates.casts import common_type_pieces, implicit_cast
from treaty.contracts.predicates.fragments import SqlFragment, chosen, loose, strict
from treaty.contracts.predicates.types import FLOATING, INTEGRAL, VALUE, WORDS, base, group

if TYPE_CHECKING:
    from treaty.contracts.predicates.rewriter import PredicateRewriter

DIVISIONS = frozenset({"Div", "Mod"})
# Operator and the kinds of its operands: the kind of the result. Numbers with numbers are handled separately.
MIXED = {
    ("Add", "moment", "interval"): "moment", ("Add", "interval", "moment"): "moment",
    ("Add", "moment", "number"): "date", ("Add", "number", "moment"): "date",
    ("Add", "interval", "interval"): "interval", ("Sub", "interval", "interval"): "interval",
    ("Sub", "moment", "interval"): "moment", ("Sub", "moment", "number"): "date",
    ("Sub", "moment", "moment"): "interval",
    ("Mul", "interval", "number"): "interval", ("Mul", "number", "interval"): "interval",
    ("Div", "interval", "number"): "interval",
}  # fmt: skip


def arithmetic(writer: "PredicateRewriter", node: Any) -> SqlFragment:
    """Return the fragment of a binary operator."""
    return combined(writer, type(node).__name__, writer.piece(node.this), writer.piece(node.expression))


def try_function(name: str) -> Callable[["PredicateRewriter", list[SqlFragment]], SqlFragment]:
    """Return the production of a function such as try_add, where null is no error."""

    def production(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
        result = combined(writer, name, *parts)
        return loose(result.sql, _in_order(name, _read(writer, name, *parts)), result.type)

    return production


def combined(writer: "PredicateRewriter", name: str, left: SqlFragment, right: SqlFragment) -> SqlFragment:
    """Return the fragment of two operands under the named operator."""
    parts = _read(writer, name, left, right)
    kinds = [group(each.type) for each in parts]
    sql = f"{grammar.ARITHMETIC[name]}({parts[0].sql}, {parts[1].sql})"
    if None in kinds:
        return strict(sql, _in_order(name, parts), VALUE, fails=True)
    if kinds == ["number", "number"]:
        return _numbers(writer, name, sql, parts)
    result = MIXED.get((name, str(kinds[0]), str(kinds[1])))
    if result is None or (result == "date" and not _is_days(parts)) or len(set(_months(parts))) > 1:
        return _refused(writer, parts)
    return strict(sql, parts, _mixed(parts, result), fails=True)


def _refused(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    words = " and ".join(WORDS[kind] for each in parts if (kind := group(each.type)))
    return writer.refuse("type", f"uses arithmetic on {words}", "cast them to compatible types")


def _read(writer: "PredicateRewriter", name: str, left: SqlFragment, right: SqlFragment) -> list[SqlFragment]:
    """Return the operands as Spark casts them.

    A text is cast to a number next to a number, and to a timestamp next to an interval."""
    kinds = {group(left.type), group(right.type)}
    if "text" not in kinds or None in kinds:
        return [left, right]
    if kinds == {"text", "interval"}:
        return [
            implicit_cast(each, "timestamp" if group(each.type) == "text" else "interval") for each in (left, right)
        ]
    if kinds == {"text", "number"} or (kinds == {"text", "moment"} and name == "Sub"):
        return common_type_pieces(writer, [left, right])[0]
    return [left, right]


def _is_days(parts: list[SqlFragment]) -> bool:
    names = {base(each.type) for each in parts}
    return "date" in names and bool(names & {*INTEGRAL})


def _months(parts: list[SqlFragment]) -> list[bool]:
    """Return for each interval whether it counts months rather than days."""
    return ["month" in each.type or "year" in each.type for each in parts if group(each.type) == "interval"]


def _mixed(parts: list[SqlFragment], group_name: str) -> str:
    if group_name == "interval":
        return next((each.type for each in parts if group(each.type) == "interval"), "interval day")
    if group_name == "date":
        return group_name
    moment = next(base(each.type) for each in parts if group(each.type) == "moment")
    hours = any(each.type == "interval hour" for each in parts)
    return "timestamp" if moment == "date" and hours else moment


def _numbers(writer: "PredicateRewriter", name: str, sql: str, parts: list[SqlFragment]) -> SqlFragment:
    _, common = common_type_pieces(writer, parts)
    if name == "Div":
        common = "decimal" if common == "decimal" else "double"
    return strict(sql, _in_order(name, parts), common, fails=name in DIVISIONS or common not in FLOATING)


def _in_order(name: str, parts: list[SqlFragment]) -> list[SqlFragment]:
    """Return the operands in Spark's order of evaluation: in a division the divisor first."""
    return parts[::-1] if name in DIVISIONS else parts


def minus(writer: "PredicateRewriter", node: Any) -> SqlFragment:
    """Return the negation of a constant, or of a number as a subtraction from zero."""
    inner = writer.bare(node.this)
    if type(inner).__name__ == "Literal" and not inner.is_string:
        constant = writer.piece(inner)
        return SqlFragment(sql=f"-{constant.sql}", type=constant.type, closed=False)
    return negated(writer, implicit_cast(writer.piece(inner), "double"))


def negated(writer: "PredicateRewriter", piece: SqlFragment) -> SqlFragment:
    """Return the negated number; the least number of a type has no opposite and is an error."""
    if group(piece.type) not in {None, "number"}:
        return writer.refuse("type", f"uses arithmetic on {WORDS[group(piece.type) or 'text']}", "negate a number")
    small = base(piece.type) in INTEGRAL[:2]
    zero = f"TRY_CAST(0 AS {piece.type.upper()})" if small else "0"
    result_type = piece.type if group(piece.type) else VALUE
    return strict(f"try_subtract({zero}, {piece.sql})", [piece], result_type, fails=base(piece.type) not in FLOATING)


def absolute(writer: "PredicateRewriter", piece: SqlFragment) -> SqlFragment:
    """Return the absolute value; Spark's own fails for the least number of a type and the longest decimals."""
    piece = implicit_cast(piece, "double")
    if base(piece.type) in FLOATING:
        return strict(f"abs({piece.sql})", [piece], piece.type)
    opposite = negated(writer, piece)
    below = strict(f"{piece.operand} < 0", [piece], "boolean", closed=False)
    return chosen([(below, opposite)], piece, opposite.type)
