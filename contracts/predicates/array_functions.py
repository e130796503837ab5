"""Rewrite functions of arrays and maps: operands of one kind, as Spark casts no text within an array."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from treaty.contracts.predicates.arguments import TEXTS, as_argument, refused_type
from treaty.contracts.predicates.casts import common_type_pieces
from treaty.contracts.predicates.fragments import NOTHING, SqlFragment, concatenation, eager, loose, strict
from treaty.contracts.predicates.types import BOOLEAN, WORDS, element, group, keys

if TYPE_CHECKING:
    from treaty.contracts.predicates.rewriter import PredicateRewriter

Production = Callable[["PredicateRewriter", list[SqlFragment]], SqlFragment]
# The result types of functions of an array and a value, and of two arrays; '' for the type of the first array.
WITH_VALUE = {"array_position": "bigint", "array_remove": "", "array_append": "", "array_prepend": ""}
WITH_ARRAY = {"arrays_overlap": BOOLEAN, "array_except": "", "array_intersect": "", "array_union": ""}


def _mixed(writer: "PredicateRewriter", *types: str) -> bool:
    """Return whether the values are of several kinds; then add a fault."""
    kinds = {kind for each in types if (kind := group(each))}
    if len(kinds) > 1:
        words = " with ".join(sorted(WORDS[each] for each in kinds))
        writer.refuse("type", f"compares {words}", "cast one of them")
    return len(kinds) > 1


def _array(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    values, common = common_type_pieces(writer, parts)
    sql = f"array({', '.join(each.sql for each in values)})"
    return eager(sql, values, f"array<{common}>" if group(common) else "array")


def _size(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    """Return the number of elements: of null, `size` itself is null or -1, depending on the session."""
    items = as_argument(writer, parts[0], "items")
    counted = {"array": f"array_size({items.sql})", "map": f"array_size(map_keys({items.sql}))"}
    return strict(counted.get(group(items.type) or "", f"size({items.sql})"), [items], "int")


def _array_contains(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    items = as_argument(writer, parts[0], "array")
    if _mixed(writer, element(parts[0].type), parts[1].type):
        return NOTHING
    return loose(f"array_contains({items.sql}, {parts[1].sql})", [items, parts[1]], BOOLEAN)


def with_value(name: str) -> Production:
    """Return the production of a function of an array and a value of its elements."""

    def production(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
        items = as_argument(writer, parts[0], "array")
        if _mixed(writer, element(items.type), parts[1].type):
            return NOTHING
        combine = eager if name in {"array_append", "array_prepend"} else concatenation
        return combine(f"{name}({items.sql}, {parts[1].sql})", [items, parts[1]], WITH_VALUE[name] or items.type)

    return production


def with_array(name: str) -> Production:
    """Return the production of a function of two arrays of plain values: those of others take quadratic time."""

    def production(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
        items = [as_argument(writer, each, "array") for each in parts]
        kinds = [element(each.type) for each in items]
        if any(group(each) not in {None, *TEXTS} for each in kinds):
            return refused_type(writer, "an array of arrays or structs")
        if _mixed(writer, *kinds):
            return NOTHING
        return loose(f"{name}({items[0].sql}, {items[1].sql})", items, WITH_ARRAY[name] or items[0].type)

    return production


def _sorted(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    items = as_argument(writer, parts[0], "array")
    if parts[1:] and parts[1].sql not in {"TRUE", "FALSE"}:
        return writer.refuse("argument", "sorts in an order that is not a literal", "write true or false")
    if "map<" in items.type:
        return refused_type(writer, "an array of maps")
    return strict(f"sort_array({', '.join(each.sql for each in (items, *parts[1:]))})", [items], items.type)


def _array_sort(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    items = as_argument(writer, parts[0], "array")
    if "map<" in items.type:
        return refused_type(writer, "an array of maps")
    return strict(f"array_sort({items.sql})", [items], items.type)


def _map_contains_key(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    pairs = as_argument(writer, parts[0], "map")
    if _mixed(writer, keys(pairs.type), parts[1].type):
        return NOTHING
    return strict(f"map_contains_key({pairs.sql}, {parts[1].sql})", [pairs, parts[1]], BOOLEAN)


ARRAY_FUNCTIONS: dict[str, Production] = {
    "array": _array, "size": _size, "cardinality": _size,
    "array_contains": _array_contains, "sort_array": _sorted, "array_sort": _array_sort,
    "map_contains_key": _map_contains_key,
    **{name: with_value(name) for name in WITH_VALUE}, **{name: with_array(name) for name in WITH_ARRAY},
}  # fmt: skip
