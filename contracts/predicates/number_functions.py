"""Rewrite functions and operators of whole numbers so that no row can fail the job."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from treaty.contracts.predicates import grammar
from treaty.contracts.predicates.arguments import as_argument, refused_type, whole_literal
from treaty.contracts.predicates.arithmetic import negated
from treaty.contracts.predicates.casts import common_type_pieces, implicit_cast, read_as
from treaty.contracts.predicates.fragments import SqlFragment, chosen, strict
from treaty.contracts.predicates.types import BOOLEAN, INTEGRAL, MAX_DIGITS, VALUE, base, decimal_digits, group

if TYPE_CHECKING:
    from treaty.contracts.predicates.rewriter import PredicateRewriter

Production = Callable[["PredicateRewriter", list[SqlFragment]], SqlFragment]
BITS = dict(zip(INTEGRAL, (8, 16, 32, 64), strict=True))


def _without_zero(writer: "PredicateRewriter", parts: list[SqlFragment]) -> tuple[list[SqlFragment], str]:
    """Return the operands, the divisor first, as numbers of one type."""
    numbers = [as_argument(writer, each, "number") for each in parts]
    (left, right), common = common_type_pieces(writer, numbers)
    return [right, left], common


def _pmod(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    numbers, common = _without_zero(writer, parts)
    sql = f"pmod({numbers[1].sql}, nullif({numbers[0].sql}, 0))"
    return strict(sql, numbers, common if group(common) else VALUE, fails=True)


def _div(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    """Return the whole quotient; a divisor of zero, and the least number by -1, are errors."""
    whole = [_long(writer, each) for each in parts]
    by_minus_one = strict(f"{whole[1].operand} = -1", [whole[1]], BOOLEAN, closed=False)
    sql = f"({whole[0].operand} div nullif({whole[1].sql}, 0))"
    return chosen([(by_minus_one, negated(writer, whole[0]))], strict(sql, whole[::-1], "bigint", fails=True), "bigint")


def _long(writer: "PredicateRewriter", piece: SqlFragment) -> SqlFragment:
    number = as_argument(writer, implicit_cast(piece, "bigint"), "whole")
    return number if base(number.type) == "bigint" else read_as(number, "bigint")


def division(writer: "PredicateRewriter", node: Any) -> SqlFragment:
    """Return the fragment of the operator `div`."""
    return _div(writer, [writer.piece(node.this), writer.piece(node.expression)])


def bitwise(writer: "PredicateRewriter", node: Any) -> SqlFragment:
    """Return the fragment of an operator on the bits of two whole numbers."""
    parts = [as_argument(writer, writer.piece(each), "whole") for each in (node.this, node.expression)]
    (left, right), common = common_type_pieces(writer, parts)
    sql = f"{left.operand} {grammar.BITWISE[type(node).__name__]} {right.operand}"
    return strict(sql, [left, right], common if group(common) else VALUE, closed=False)


def complement(writer: "PredicateRewriter", node: Any) -> SqlFragment:
    """Return the fragment of `~x`."""
    whole = as_argument(writer, writer.piece(node.this), "whole")
    return strict(f"~{whole.operand}", [whole], whole.type, closed=False)


def shift(name: str) -> Production:
    """Return the production of a shift of bits."""

    def production(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
        whole, bits = as_argument(writer, parts[0], "whole"), as_argument(writer, parts[1], "int")
        type_ = "bigint" if base(whole.type) == "bigint" else "int" if group(whole.type) else VALUE
        return strict(f"{name}({whole.sql}, {bits.sql})", [whole, bits], type_)

    return production


def shift_operator(writer: "PredicateRewriter", node: Any) -> SqlFragment:
    """Return the fragment of `x << n` and of `x >> n`."""
    parts = [writer.piece(node.this), writer.piece(node.expression)]
    return shift(grammar.SHIFTS[type(node).__name__])(writer, parts)


def _getbit(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    whole, at = as_argument(writer, parts[0], "whole"), whole_literal(parts[1])
    bits = BITS.get(base(whole.type), BITS[INTEGRAL[0]])
    if at is None or not 0 <= at < bits:
        return writer.refuse("argument", "reads a bit at an unknown position", f"write a literal from 0 to {bits - 1}")
    return strict(f"getbit({whole.sql}, {at})", [whole], "tinyint")


def rounding(name: str, *, plain: str) -> Production:
    """Return the production of a function that rounds. `plain`: its result type without a scale; '' for that of x."""

    def production(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
        number = as_argument(writer, parts[0], "number")
        if len(parts) == 1:
            return strict(f"{name}({number.sql})", [number], _plain_type(number, plain))
        scale = as_argument(writer, parts[1], "scale")
        if name not in {"round", "bround"} or (scale.sql.startswith("-") and group(number.type)):
            return _exact(writer, name, number, scale)
        if scale.sql.startswith("-"):
            return refused_type(writer, "a number of an unknown type")
        return strict(f"{name}({number.sql}, {scale.sql})", [number], number.type)

    return production


def _plain_type(number: SqlFragment, plain: str) -> str:
    whole = "decimal" if base(number.type) == "decimal" else "bigint" if group(number.type) else VALUE
    return whole if plain else number.type


def _exact(writer: "PredicateRewriter", name: str, number: SqlFragment, scale: SqlFragment) -> SqlFragment:
    """Return a number rounded to a scale at which it could overflow: whole numbers as decimals first."""
    if base(number.type) in INTEGRAL:
        sql = f"{name}(TRY_CAST({number.sql} AS DECIMAL(20, 0)), {scale.sql})"
        to_type = number.type if name in {"round", "bround"} else ""
        return strict(f"TRY_CAST({sql} AS {to_type.upper()})" if to_type else sql, [number], to_type or "decimal",
                      fails=bool(to_type))  # fmt: skip
    if base(number.type) in {"float", "double"} and name in {"round", "bround"}:
        return strict(f"{name}({number.sql}, {scale.sql})", [number], number.type)
    if decimal_digits(number.type) in range(1, MAX_DIGITS):
        return strict(f"{name}({number.sql}, {scale.sql})", [number], "decimal")
    message = "rounds a number that could overflow to a scale"
    return writer.refuse("scale", message, "cast it to DECIMAL(20, 4), or multiply before and divide after")


def _positive(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    return as_argument(writer, parts[0], "number")


NUMBER_FUNCTIONS: dict[str, Production] = {
    "pmod": _pmod, "div": _div, "getbit": _getbit, "positive": _positive,
    "negative": lambda writer, parts: negated(writer, as_argument(writer, parts[0], "number")),
    **{name: shift(name) for name in ("shiftleft", "shiftright", "shiftrightunsigned")},
    **{name: rounding(name, plain="whole") for name in ("floor", "ceil", "ceiling")},
    **{name: rounding(name, plain="") for name in ("round", "bround")},
    **{name: lambda *_, sql=f"{name}()": SqlFragment(sql=sql, type="double") for name in ("pi", "e")},
}  # fmt: skip
