"""Spark's ANSI type coercion for values of different types that are combined in a predicate.

A type is Spark's type string. ANY and VALUE represent unknown types; VALUE is known not to be a condition."""

import re
from collections.abc import Iterable
from typing import Literal

from treaty.contracts.schema import struct_fields

ANY, VALUE, BOOLEAN = "any", "value", "boolean"
INTEGRAL = ("tinyint", "smallint", "int", "bigint")
FLOATING = ("float", "double")
# Digits of the longest decimal.
MAX_DIGITS = 38

Group = Literal["number", "text", "moment", "boolean", "binary", "time", "interval", "array", "struct", "map"]
GROUPS: dict[str, Group] = {
    **dict.fromkeys((*INTEGRAL, *FLOATING, "decimal"), "number"),
    **dict.fromkeys(("string", "char", "varchar"), "text"),
    **dict.fromkeys(("date", "timestamp", "timestamp_ntz"), "moment"),
    "boolean": "boolean", "binary": "binary", "time": "time", "interval": "interval",
    "array": "array", "struct": "struct", "map": "map",
}  # fmt: skip
WORDS: dict[Group, str] = {
    "number": "a number", "text": "a text", "moment": "a date or timestamp", "boolean": "a condition",
    "binary": "bytes", "time": "a time", "interval": "an interval", "array": "an array", "struct": "a struct",
    "map": "a map",
}  # fmt: skip
# Kinds that Spark cannot cast a text to.
UNREADABLE = frozenset[Group]({"interval", "array", "struct", "map"})


class IncomparableTypes(Exception):
    """Values of these types cannot be compared; the text names both kinds."""


def base(type_: str) -> str:
    """Return the first word of a type.

    That is 'decimal' of 'decimal(10,2)', and 'interval' of 'interval day to second'."""
    return type_.split("(", 1)[0].split("<", 1)[0].strip().lower().split(" ", 1)[0]


def group(type_: str) -> Group | None:
    """Return the kind of the type; None if it is unknown."""
    return GROUPS.get(base(type_))


def element(type_: str) -> str:
    """Return the type of an array's elements or of a map's values; ANY for any other type."""
    inner = type_.partition("<")[2].removesuffix(">")
    if group(type_) == "map":
        return _after_key(inner)
    return (inner or ANY) if group(type_) == "array" else ANY


def keys(type_: str) -> str:
    """Return the type of a map's keys; ANY for any other type."""
    inner = type_.partition("<")[2].removesuffix(">")
    return inner[: _key_end(inner)].strip() if group(type_) == "map" else ANY


def _after_key(inner: str) -> str:
    return inner[_key_end(inner) + 1 :].strip() or ANY


def _key_end(inner: str) -> int:
    depth = 0
    for position, character in enumerate(inner):
        depth += (character in "<(") - (character in ">)")
        if character == "," and depth == 0:
            return position
    return len(inner)


def field_type(owner: str, name: str) -> str | None:
    """Return the type of a field: of a struct, of the structs in an array, of a map's values; None if there is none."""
    if group(owner) is None:
        return ANY
    if group(owner) == "map":
        return element(owner)
    structs = element(owner) if group(owner) == "array" else owner
    if group(structs) is None and group(owner) == "array":
        return ANY
    type_ = next((each.type for each in struct_fields(structs) if each.name == name), None)
    return f"array<{type_}>" if type_ and group(owner) == "array" else type_


def decimal_digits(type_: str) -> int:
    """Return the precision of a decimal type; 0 if it is unknown or another type."""
    match = re.fullmatch(r"decimal\((\d+)\s*,.*\)", type_.strip().lower())
    return int(match[1]) if match else 0


def concatenation_type(type_: str) -> str:
    """Return the result type of a concatenation with this type: an array for arrays, otherwise a text."""
    return type_ if group(type_) == "array" else "string" if group(type_) else VALUE


def comparison_type(types: Iterable[str]) -> str:
    """Return the type that values of these types are cast to for a comparison; ANY if none is known.

    Raises IncomparableTypes if Spark would reject the statement."""
    types_with_kind = [each for each in types if group(each)]
    if not types_with_kind:
        return ANY
    groups = list(dict.fromkeys(group(each) for each in types_with_kind))
    other_groups = [each for each in groups if each and each != "text"]
    if len(other_groups) > 1 or (len(groups) > 1 and other_groups[0] in UNREADABLE) or "map" in other_groups:
        raise IncomparableTypes(" with ".join(WORDS[each] for each in groups if each))
    if other_groups == ["array"]:
        _compare_elements(types_with_kind)
    return _widest(types_with_kind, other_groups[0] if other_groups else "text", read="text" in groups)


def _compare_elements(types: list[str]) -> None:
    """Raise IncomparableTypes unless the elements are of one kind: Spark's cast of an array could fail on a row."""
    kinds = list(dict.fromkeys(kind for each in types if (kind := group(element(each)))))
    if len(kinds) > 1:
        raise IncomparableTypes(" with ".join(f"an array of {WORDS[each]}" for each in kinds))


def _widest(types: list[str], what: Group, *, read: bool) -> str:
    names = {base(each) for each in types}
    if what == "number":
        return _number(names, read=read)
    if what == "moment":
        return _moment(names)
    return "string" if what == "text" else next(each for each in types if group(each) == what)


def _number(names: set[str], *, read: bool) -> str:
    if names & {*FLOATING}:
        return "double"
    if "decimal" in names:
        return "double" if read else "decimal"
    # A text combined with integers is cast to the widest integer type.
    return "bigint" if read else max(names & {*INTEGRAL}, key=INTEGRAL.index)


def _moment(names: set[str]) -> str:
    return next(each for each in ("timestamp", "timestamp_ntz", "date") if each in names)


def widens(source: str, target: str) -> bool:
    """Return whether a cast from the source to the target type cannot fail."""
    first, second = base(source), base(target)
    if first == second:
        return source == target or first != "decimal"
    if GROUPS.get(second) == "text":
        return group(source) is not None
    ladder = (*INTEGRAL, *FLOATING)
    return first in ladder and second in ladder and ladder.index(first) < ladder.index(second)
