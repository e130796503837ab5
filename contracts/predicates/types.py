"""What Spark makes of values of different types that meet in a predicate, under ANSI: who is read as what.

A type is Spark's own text. ANY and VALUE stand for what is not known: VALUE at least is no condition."""

from collections.abc import Iterable
from typing import Literal

ANY, VALUE, BOOLEAN = "any", "value", "boolean"
INTEGRAL = ("tinyint", "smallint", "int", "bigint")
FLOATING = ("float", "double")

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
# As what Spark cannot read a text.
UNREADABLE = frozenset[Group]({"interval", "array", "struct", "map"})


class IncomparableTypes(Exception):
    """Values of these types never meet; the text names both kinds."""


def base(type_: str) -> str:
    """The first word of a type: 'decimal' of 'decimal(10,2)', 'interval' of 'interval day to second'."""
    return type_.split("(", 1)[0].split("<", 1)[0].strip().lower().split(" ", 1)[0]


def group(type_: str) -> Group | None:
    """What kind of thing the type is; None where that is not known."""
    return GROUPS.get(base(type_))


def element(type_: str) -> str:
    """The type of an array's elements or of a map's values; ANY for any other type."""
    inner = type_.partition("<")[2].removesuffix(">")
    if group(type_) == "map":
        return _after_key(inner)
    return inner if group(type_) == "array" else ANY


def _after_key(inner: str) -> str:
    depth = 0
    for position, character in enumerate(inner):
        depth += (character in "<(") - (character in ">)")
        if character == "," and depth == 0:
            return inner[position + 1 :].strip()
    return ANY


def concatenation_type(type_: str) -> str:
    """The type of what is joined to a value of this type: arrays make an array, all else a text."""
    return type_ if group(type_) == "array" else "string" if group(type_) else VALUE


def comparison_type(types: Iterable[str]) -> str:
    """The type that values of these types take where they are compared; ANY where none is known.

    Raises Unlike where Spark would refuse the statement."""
    known = [each for each in types if group(each)]
    if not known:
        return ANY
    groups = list(dict.fromkeys(group(each) for each in known))
    others = [each for each in groups if each and each != "text"]
    if len(others) > 1 or (len(groups) > 1 and others[0] in UNREADABLE) or "map" in others:
        raise IncomparableTypes(" with ".join(WORDS[each] for each in groups if each))
    return _widest(known, others[0] if others else "text", read="text" in groups)


def _widest(known: list[str], what: Group, *, read: bool) -> str:
    names = {base(each) for each in known}
    if what == "number":
        return _number(names, read=read)
    if what == "moment":
        return _moment(names)
    return "string" if what == "text" else next(each for each in known if group(each) == what)


def _number(names: set[str], *, read: bool) -> str:
    if names & {*FLOATING}:
        return "double"
    if "decimal" in names:
        return "double" if read else "decimal"
    # A text that meets whole numbers is read as the widest of them.
    return "bigint" if read else max(names & {*INTEGRAL}, key=INTEGRAL.index)


def _moment(names: set[str]) -> str:
    return next(each for each in ("timestamp", "timestamp_ntz", "date") if each in names)


def widens(source: str, target: str) -> bool:
    """Whether every value of the type is one of the other, so that a cast cannot fail."""
    first, second = base(source), base(target)
    if first == second:
        return source == target or first != "decimal"
    if GROUPS.get(second) == "text":
        return group(source) is not None
    ladder = (*INTEGRAL, *FLOATING)
    return first in ladder and second in ladder and ladder.index(first) < ladder.index(second)
