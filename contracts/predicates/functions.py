"""Rewrite function calls in a predicate so that no row can fail the job.

Arguments are cast as Spark casts them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from treaty.contracts.errors import suggest_nearest
from treaty.contracts.predicates import grammar
from treaty.contracts.predicates.arguments import as_argument
from treaty.contracts.predicates.arithmetic import absolute, combined, try_function
from treaty.contracts.predicates.array_functions import ARRAY_FUNCTIONS
from treaty.contracts.predicates.casts import common_type_pieces, reading
from treaty.contracts.predicates.date_functions import DATE_FUNCTIONS, FORMATTED_FUNCTIONS, with_unit
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
from treaty.contracts.predicates.grammar import Function
from treaty.contracts.predicates.lambdas import of_elements
from treaty.contracts.predicates.number_functions import NUMBER_FUNCTIONS
from treaty.contracts.predicates.patterns import like_function, regex
from treaty.contracts.predicates.text_functions import TEXT_FUNCTIONS
from treaty.contracts.predicates.types import BOOLEAN, concatenation_type, element, group, keys

if TYPE_CHECKING:
    from treaty.contracts.predicates.rewriter import PredicateRewriter


def function(writer: "PredicateRewriter", node: Any) -> SqlFragment:
    """Return the fragment of a function call."""
    return called(writer, str(node.this).lower(), node.expressions)


def called(writer: "PredicateRewriter", name: str, arguments: list[Any]) -> SqlFragment:
    """Return the fragment of a call of the named function."""
    if name in grammar.REGEX_FUNCTIONS and len(arguments) == 2:
        return regex(writer, *arguments)
    if name in grammar.CASTING_FUNCTIONS and len(arguments) == 1:
        target, is_try = grammar.CASTING_FUNCTIONS[name]
        return reading(writer, arguments[0], target, attempt=is_try)
    if name in FORMATTED_FUNCTIONS and len(arguments) == 2:
        return FORMATTED_FUNCTIONS[name](writer, [writer.piece(each) for each in arguments])
    if name in grammar.WRITTEN_OTHERWISE:
        return _otherwise(writer, name, arguments)
    return _call(writer, name, arguments) if name in grammar.FUNCTIONS else _unknown(writer, name)


def _call(writer: "PredicateRewriter", name: str, arguments: list[Any]) -> SqlFragment:
    signature = grammar.FUNCTIONS[name]
    if not signature.least <= len(arguments) <= signature.most:
        return _miscounted(writer, name, signature.least, signature.most)
    return _declared(writer, name, signature, arguments)


def _unknown(writer: "PredicateRewriter", name: str) -> SqlFragment:
    one, two = grammar.REGEX_FUNCTIONS, (*grammar.CASTING_FUNCTIONS, *FORMATTED_FUNCTIONS)
    if name in one or name in two:
        return _miscounted(writer, name, *((2, 2) if name in one else (1, 1 + (name in FORMATTED_FUNCTIONS))))
    names = (*grammar.FUNCTIONS, *grammar.WRITTEN_OTHERWISE, *two)
    remedy = (
        grammar.INSTEAD.get(name)
        or suggest_nearest(name, names)
        or "see the reference of predicates for the allowed functions"
    )
    return writer.refuse("function", f"calls '{name}', which {writer.kind.plural} may not call", remedy)


def _otherwise(writer: "PredicateRewriter", name: str, arguments: list[Any]) -> SqlFragment:
    least, most = grammar.WRITTEN_OTHERWISE[name]
    if not least <= len(arguments) <= most:
        return _miscounted(writer, name, least, most)
    if name in OF_NODES:
        return OF_NODES[name](writer, name, arguments)
    return OTHERWISE[name](writer, [writer.piece(each) for each in arguments])


def _miscounted(writer: "PredicateRewriter", name: str, least: int, most: int) -> SqlFragment:
    numbers = str(least) if least == most else f"{least} to {most}"
    message = f"calls '{name}' with the wrong number of arguments"
    return writer.refuse("arguments", message, f"pass {numbers}")


def _declared(writer: "PredicateRewriter", name: str, declared: Function, arguments: list[Any]) -> SqlFragment:
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
    "keys": lambda argument: f"array<{keys(argument)}>" if group(argument) else "array",
    "values": lambda argument: f"array<{element(argument)}>" if group(argument) else "array",
    "joined": concatenation_type,
}
# Functions of which an argument is no value: a unit, a lambda, a pattern.
OF_NODES: dict[str, Callable[["PredicateRewriter", str, list[Any]], SqlFragment]] = {
    **dict.fromkeys(("datediff", "date_diff", "timestampdiff", "date_add", "dateadd", "timestampadd"), with_unit),
    **dict.fromkeys(("exists", "forall", "filter", "transform", "map_filter"), of_elements),
    **dict.fromkeys(("like", "ilike"), like_function),
}


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


def null_safe(writer: "PredicateRewriter", first: SqlFragment, second: SqlFragment) -> SqlFragment:
    """Return the comparison of two values in which nulls are equal."""
    (left, right), _ = common_type_pieces(writer, [first, second])
    return eager(f"{left.operand} <=> {right.operand}", [left, right], BOOLEAN, closed=False)


def _decode(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    """Return the value beside the first text equal to the subject, else the last value; nulls are equal."""
    subject, pairs = parts[0], parts[1:]
    default = pairs[-1] if len(pairs) % 2 else NOTHING
    (*values, last), common = common_type_pieces(writer, [*pairs[1::2], default])
    tests = [null_safe(writer, subject, each) for each in pairs[: len(values) * 2 : 2]]
    return chosen(list(zip(tests, values, strict=True)), last, common)


OTHERWISE: dict[str, Callable[["PredicateRewriter", list[SqlFragment]], SqlFragment]] = {
    "if": _if, "nvl2": _nvl2, "coalesce": _coalesce, "nvl": _coalesce, "ifnull": _coalesce, "nullif": _nullif,
    "zeroifnull": _zeroifnull, "nullifzero": _nullifzero, "mod": _mod, "nanvl": _nanvl,
    "equal_null": lambda writer, parts: null_safe(writer, *parts), "decode": _decode,
    "abs": lambda writer, parts: absolute(writer, as_argument(writer, parts[0], "number")),
    **{function: try_function(name) for name, function in grammar.ARITHMETIC.items()},
    "element_at": element_at, "try_element_at": try_element_at, "get": get,
    **TEXT_FUNCTIONS, **NUMBER_FUNCTIONS, **DATE_FUNCTIONS, **ARRAY_FUNCTIONS,
}  # fmt: skip
