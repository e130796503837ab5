"""Rewrite access to array elements and map values in a predicate.

Arrays are read by `get`, which checks bounds. `element_at` itself, called with the least integer, reads foreign memory
and crashes the process."""

from typing import TYPE_CHECKING, Any

from treaty.contracts.errors import suggest_nearest
from treaty.contracts.predicates.casts import read_as
from treaty.contracts.predicates.fragments import SqlFragment, loose
from treaty.contracts.predicates.types import ANY, base, element, field_type, group
from treaty.contracts.quoting import quote
from treaty.contracts.schema import struct_fields

if TYPE_CHECKING:
    from treaty.contracts.predicates.rewriter import PredicateRewriter


def bracket(writer: "PredicateRewriter", node: Any) -> SqlFragment:
    """Return the fragment of `tags[0]`: a missing index is an error, a missing map key is null."""
    if len(node.expressions) != 1:
        return writer.refuse("construct", "must have exactly one index in brackets", "write tags[0]")
    items, key = writer.piece(node.this), writer.piece(node.expressions[0])
    if _is_map(items, key):
        return _value(items, key)
    at = _index(key)
    return _element(writer, items, at, at.sql, f"{at.operand} < 0 OR {at.operand} >= size({items.sql})")


def field(writer: "PredicateRewriter", node: Any) -> SqlFragment:
    """Return the fragment of `items[0].qty`: null if the struct or its field is; of a map, the value of a key."""
    name = node.expression
    if type(name).__name__ != "Identifier":
        return writer.refuse("construct", "reads a field of something that is not a column", "name a column")
    owner = writer.piece(node.this)
    type_ = field_type(owner.type, name.name)
    if type_ is None:
        message = f"reads the field '{name.name}', which is not a field of this value"
        return writer.refuse("column", message, suggest_nearest(name.name, _field_names(owner.type)) or "name a field")
    return loose(f"{owner.operand}.{quote(name.name)}", [owner], type_)


def _field_names(owner: str) -> list[str]:
    structs = element(owner) if group(owner) == "array" else owner
    return [each.name for each in struct_fields(structs)]


def element_at(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    """Return the fragment of `element_at(tags, 1)`.

    Indexes count from 1 or, if negative, from the end. A missing index is an error, as with brackets."""
    items, key = parts
    if _is_map(items, key):
        return _value(items, key)
    at, size = _index(key), f"size({items.sql})"
    return _counted(writer, items, at, f"{at.operand} = 0 OR {at.operand} > {size} OR {at.operand} < -{size}")


def try_element_at(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    """Return the fragment of try_element_at: null beyond the bounds; index 0 stays an error."""
    items, key = parts
    if _is_map(items, key):
        return _value(items, key)
    at = _index(key)
    return _counted(writer, items, at, f"{at.operand} = 0")


def get(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    """Return the fragment of `get(tags, 0)`: null beyond the bounds."""
    items, key = parts
    at = _index(key)
    return _element(writer, items, at, at.sql, "")


def _index(key: SqlFragment) -> SqlFragment:
    return key if base(key.type) in {"tinyint", "smallint", "int"} else read_as(key, "int")


def _is_map(items: SqlFragment, key: SqlFragment) -> bool:
    return group(items.type) == "map" or (group(items.type) is None and group(key.type) == "text")


def _value(items: SqlFragment, key: SqlFragment) -> SqlFragment:
    return loose(f"try_element_at({items.sql}, {key.sql})", [items, key], element(items.type))


def _counted(writer: "PredicateRewriter", items: SqlFragment, at: SqlFragment, outside: str) -> SqlFragment:
    offset = f"CASE WHEN {at.operand} < 0 THEN try_add(size({items.sql}), {at.sql}) ELSE try_subtract({at.sql}, 1) END"
    return _element(writer, items, at, offset, outside)


def _element(
    writer: "PredicateRewriter", items: SqlFragment, at: SqlFragment, offset: str, outside: str
) -> SqlFragment:
    if group(items.type) not in {None, "array"}:
        return writer.refuse(
            "type",
            "takes an element of a value that is neither an array nor a map",
            "name a column that is an array or a map",
        )
    fragment = loose(f"get({items.sql}, {offset})", [items, at], element(items.type) or ANY)
    if not outside:
        return fragment
    there = f"{items.operand} IS NOT NULL AND {at.operand} IS NOT NULL"
    return SqlFragment(
        sql=fragment.sql,
        type=fragment.type,
        roots=fragment.roots,
        definite_errors=(*fragment.definite_errors, f"({there} AND ({outside}))"),
    )
