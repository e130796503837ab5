"""Rewrite function calls in a predicate so that no row can fail the job.

Arguments are cast as Spark casts them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from treaty.contracts.errors import suggest_nearest
from treaty.contracts.predicates import grammar
from treaty.contracts.predicates.arithmetic import absolute, combined, try_function
from treaty.contracts.predicates.casts import common_type_pieces, implicit_cast, read_as, reading
from treaty.contracts.predicates.element_access import element_at, get, try_element_at
from treaty.contracts.predicates.fragments import (
    NOTHING,
    SqlFragment,
    chosen,
    concatenation,
    eager,
    first,
    loose,
    strict,
)
from treaty.contracts.predicates.grammar import Function, Takes
from treaty.contracts.predicates.patterns import regex
from treaty.contracts.predicates.types import (
    ANY,
    BOOLEAN,
    VALUE,
    WORDS,
    Group,
    base,
    concatenation_type,
    element,
    group,
)

if TYPE_CHECKING:
    from treaty.contracts.predicates.rewriter import PredicateRewriter

MAX_SCALE = 18
TEXTS = frozenset[Group]({"text", "number", "moment", "boolean", "binary", "time"})
# For each kind of argument: the kinds of values that it accepts, and the type that they are cast to.
ADMITS: dict[Takes, tuple[frozenset[Group], str]] = {
    "text": (TEXTS, ANY),
    "texts": (TEXTS | {"array"}, ANY),
    "number": (frozenset({"number", "text"}), "double"),
    "int": (frozenset({"number", "text"}), "int"),
    "scale": (frozenset({"number"}), "int"),
    "date": (frozenset({"moment", "text"}), "date"),
    "moment": (frozenset({"moment", "text"}), "timestamp"),
    "timestamp": (frozenset({"moment", "text", "time"}), "timestamp"),
    "array": (frozenset({"array"}), ANY),
    "items": (frozenset({"array", "map"}), ANY),
    "any": (frozenset(WORDS), ANY),
}
# Near the first and last representable timestamp Spark's functions overflow.
FIRST, LAST = "TIMESTAMP_NTZ '-290000-01-01 00:00:00'", "TIMESTAMP_NTZ '+290000-01-01 00:00:00'"


def function(writer: "PredicateRewriter", node: Any) -> SqlFragment:
    """Return the fragment of a function call."""
    name, arguments = str(node.this).lower(), node.expressions
    if name in grammar.REGEX_FUNCTIONS and len(arguments) == 2:
        return regex(writer, *arguments)
    if name in grammar.CASTING_FUNCTIONS and len(arguments) == 1:
        target, is_try = grammar.CASTING_FUNCTIONS[name]
        return reading(writer, arguments[0], target, attempt=is_try)
    if name in OTHERWISE:
        return _otherwise(writer, name, arguments)
    if name not in grammar.FUNCTIONS:
        names = (*grammar.FUNCTIONS, *OTHERWISE)
        remedy = suggest_nearest(name, names) or "see the list of allowed functions"
        return writer.refuse("function", f"calls '{name}', which {writer.kind.plural} may not call", remedy)
    signature = grammar.FUNCTIONS[name]
    if not signature.least <= len(arguments) <= signature.most:
        return _miscounted(writer, name)
    return _call(writer, name, signature, arguments)


def _otherwise(writer: "PredicateRewriter", name: str, arguments: list[Any]) -> SqlFragment:
    least, most = grammar.WRITTEN_OTHERWISE[name]
    if not least <= len(arguments) <= most:
        return _miscounted(writer, name)
    return OTHERWISE[name](writer, [writer.piece(each) for each in arguments])


def _miscounted(writer: "PredicateRewriter", name: str) -> SqlFragment:
    return writer.refuse("arguments", f"calls '{name}' with the wrong number of arguments")


def _call(writer: "PredicateRewriter", name: str, declared: Function, arguments: list[Any]) -> SqlFragment:
    takes = (*declared.takes, *([declared.takes[-1]] * len(arguments)))
    parts = [as_argument(writer, writer.piece(each), kind) for each, kind in zip(arguments, takes, strict=False)]
    yields = YIELDS[declared.yields](parts[0].type) if declared.yields in YIELDS else declared.yields
    if yields == "common":
        parts, yields = common_type_pieces(writer, parts)
    sql = f"{name}({', '.join(each.sql for each in parts)})"
    return WITH_NULL[declared.null](sql, parts, yields)


WITH_NULL: dict[grammar.Null, Callable[[str, list[SqlFragment], str], SqlFragment]] = {
    "strict": strict, "loose": loose, "eager": eager, "together": concatenation,
}  # fmt: skip


# How the type of a call follows from the type of its first argument.
YIELDS: dict[str, Callable[[str], str]] = {
    "first": lambda argument: argument,
    "element": element,
    "whole": lambda argument: "decimal" if base(argument) == "decimal" else "bigint" if group(argument) else VALUE,
    "joined": concatenation_type,
}


def as_argument(writer: "PredicateRewriter", piece: SqlFragment, kind: Takes) -> SqlFragment:
    """Return the fragment as an argument of this kind."""
    admitted, target = ADMITS[kind]
    actual = group(piece.type)
    if actual is not None and actual not in admitted:
        return writer.refuse(
            "type",
            f"passes {WORDS[actual]} to a function that does not accept it",
            "cast it to a type that the function accepts",
        )
    if kind == "int":
        return _whole(piece)
    if kind == "scale" and not (piece.sql.isdigit() and int(piece.sql) <= MAX_SCALE):
        return writer.refuse(
            "scale", f"rounds to a scale that is not a literal from 0 to {MAX_SCALE}", "write round(x, 2)"
        )
    return piece if actual in {"number", "time"} else implicit_cast(piece, target)


def _whole(piece: SqlFragment) -> SqlFragment:
    """Return a count of characters or days as int; a number beyond int is an error."""
    return piece if base(piece.type) in {"tinyint", "smallint", "int"} else read_as(piece, "int")


def _if(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    values, common = common_type_pieces(writer, parts[1:])
    return chosen([(writer.condition(parts[0]), values[0])], values[1], common)


def _nvl2(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    values, common = common_type_pieces(writer, parts[1:])
    return chosen([(eager(f"{parts[0].operand} IS NOT NULL", parts[:1], BOOLEAN), values[0])], values[1], common)


def _coalesce(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    values, common = common_type_pieces(writer, parts)
    return first(values, f"coalesce({', '.join(each.sql for each in values)})", common)


def _nullif(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    values, _ = common_type_pieces(writer, parts)
    same = strict(f"{values[0].operand} = {values[1].operand}", values, BOOLEAN, closed=False)
    return chosen([(same, NOTHING)], parts[0], parts[0].type)


def _zeroifnull(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    return _coalesce(writer, [*parts, SqlFragment(sql="0", type="int")])


def _nullifzero(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    return _nullif(writer, [*parts, SqlFragment(sql="0", type="int")])


def _nanvl(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    """Return the second value if the first is NaN, else the first."""
    number, other = (as_argument(writer, each, "number") for each in parts)
    return chosen([(eager(f"isnan({number.sql})", [number], BOOLEAN), other)], number, "double")


def _mod(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    return combined(writer, "Mod", *parts)


def _array_contains(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    """Return array_contains for operands of one kind: Spark casts no text to an element type."""
    kinds = {kind for each in (element(parts[0].type), parts[1].type) if (kind := group(each))}
    if len(kinds) > 1:
        return writer.refuse(
            "type", f"compares {' with '.join(sorted(WORDS[each] for each in kinds))}", "cast one of them"
        )
    items = as_argument(writer, parts[0], "array")
    return loose(f"array_contains({items.sql}, {parts[1].sql})", [items, parts[1]], BOOLEAN)


def _date_trunc(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    unit, moment = parts[0], as_argument(writer, parts[1], "moment")
    if unit.text is None or unit.text.upper() not in grammar.TRUNCATED_TO:
        return writer.refuse("unit", "truncates to an unknown unit", "write date_trunc('day', x)")
    # try_add covers the whole expression, so that an overflow inside it yields null as well.
    sql = f"try_add(date_trunc({unit.sql}, {moment.sql}), INTERVAL '0' SECOND)"
    return strict(sql, [moment], "timestamp", fails=True)


def _add_months(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    day, months = as_argument(writer, parts[0], "date"), as_argument(writer, parts[1], "int")
    return strict(f"try_add(add_months({day.sql}, {months.sql}), 0)", [day, months], "date", fails=True)


def _months_between(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    moments = [as_argument(writer, each, "moment") for each in parts]
    within = " AND ".join(f"{each.operand} BETWEEN {FIRST} AND {LAST}" for each in moments)
    between = f"months_between({', '.join(each.sql for each in moments)})"
    return strict(f"CASE WHEN {within} THEN {between} END", moments, "double", fails=True)


OTHERWISE: dict[str, Callable[["PredicateRewriter", list[SqlFragment]], SqlFragment]] = {
    "if": _if, "nvl2": _nvl2, "coalesce": _coalesce, "nvl": _coalesce, "ifnull": _coalesce, "nullif": _nullif,
    "zeroifnull": _zeroifnull, "nullifzero": _nullifzero, "mod": _mod, "nanvl": _nanvl,
    "array_contains": _array_contains, "date_trunc": _date_trunc,
    "add_months": _add_months, "months_between": _months_between,
    "abs": lambda writer, parts: absolute(writer, as_argument(writer, parts[0], "number")),
    **{function: try_function(name) for name, function in grammar.ARITHMETIC.items()},
    "element_at": element_at, "try_element_at": try_element_at, "get": get,
}  # fmt: skip
