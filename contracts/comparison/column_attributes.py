"""Compare the attributes of a column, and define the direction of a change of each."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from treaty.contracts.assertions import Assertion
from treaty.contracts.comparison.differences import Difference, DifferenceLocation, Order
from treaty.contracts.comparison.directions import Direction, inclusion, of_flags, of_presence, of_sets
from treaty.contracts.comparison.matching import DocumentElement
from treaty.contracts.comparison.threshold_order import ANY, NumericDomain, compare_thresholds, of_values
from treaty.contracts.document.model import ContractCheck

WORDS = frozenset({
    "id", "name", "physicalName", "logicalType", "physicalType", "required", "unique", "primaryKey",
    "primaryKeyPosition", "partitioned", "partitionKeyPosition", "enum", "logicalTypeOptions", "map", "properties",
    "items", "quality",
})  # fmt: skip
BOUNDS = {
    "minimum": "mustBeGreaterOrEqualTo",
    "exclusiveMinimum": "mustBeGreaterThan",
    "maximum": "mustBeLessOrEqualTo",
    "exclusiveMaximum": "mustBeLessThan",
}
# Keys that bound a count: together they bound it from below and from above.
COUNTED = {
    "length": ("minLength", "maxLength"),
    "number of items": ("minItems", "maxItems"),
    "number of entries": ("minProperties", "maxProperties"),
}
COUNT = NumericDomain(least=0, whole=True)
# These define how a value is read, and bound none.
READ = frozenset({"timezone", "defaultTimezone"})


class ColumnPair(NamedTuple):
    """A column in both documents, and the order that interprets attributes unknown here."""

    old: DocumentElement
    new: DocumentElement
    order: Order


@dataclass(frozen=True, kw_only=True)
class ColumnAttribute:
    """An attribute of a column that is compared.

    `words`: reads its value; None means not declared. `direction`: direction of a change. `key`: its key in the
    document. `on`, `off`: sentences for a constraint that was added or removed."""

    label: str
    words: Callable[[DocumentElement], Any]
    direction: Callable[[ColumnPair, Any, Any], Direction]
    key: str
    on: str = ""
    off: str = ""


def column_differences(sides: ColumnPair, place: DifferenceLocation) -> Iterator[Difference]:
    """Yield a difference for each changed attribute of the column; unknown attributes are undetermined."""
    for aspect in (*ASPECTS, *_unknown(sides)):
        old, new = aspect.words(sides.old), aspect.words(sides.new)
        if old != new:
            sentence = (aspect.off if new is None else aspect.on).format(place.subject) if None in (old, new) else ""
            yield place.at(aspect.key).difference(aspect.label, old, new, aspect.direction(sides, old, new), sentence)


def _unknown(sides: ColumnPair) -> Iterator[ColumnAttribute]:
    words = sorted({*_options(sides.old), *_options(sides.new)} - KNOWN_OPTIONS)
    return (
        ColumnAttribute(label=word, words=_option(word), direction=_undetermined, key=f"logicalTypeOptions.{word}")
        for word in words
    )


def _undetermined(_: ColumnPair, __: Any, ___: Any) -> Direction:
    return Direction.UNDETERMINED


def _untested(_: ColumnPair, __: Any, ___: Any) -> Direction:
    return Direction.UNTESTED


def _renamed(sides: ColumnPair, old: Any, new: Any) -> Direction:
    """Return the direction of a new physical name, which defaults to the column's name."""
    names = (old or sides.old.read.name, new or sides.new.read.name)
    return Direction.UNTESTED if names[0] == names[1] else Direction.BOTH


def _stated(_: ColumnPair, old: Any, new: Any) -> Direction:
    return of_presence(old, new)


def _promised(_: ColumnPair, old: Any, new: Any) -> Direction:
    return of_flags(old, new)


def _present(sides: ColumnPair, old: Any, new: Any) -> Direction:
    """Return the direction of `required`; a column of the primary key is never null anyway."""
    in_key = sides.old.read.primary_key and sides.new.read.primary_key
    return Direction.UNTESTED if in_key else of_flags(old, new)


def _allowed(_: ColumnPair, old: Any, new: Any) -> Direction:
    return of_presence(old, new, of_values(old or (), new or ()))


def _demanded(_: ColumnPair, old: Any, new: Any) -> Direction:
    """Return the direction of a list of names that must all be present: more is tighter."""
    return of_sets(new or (), old or ())


def _order_direction(word: str) -> Callable[[ColumnPair, Any, Any], Direction]:
    """Return the direction of an attribute whose values only the supplied order can compare."""

    def direction(sides: ColumnPair, old: Any, new: Any) -> Direction:
        if old is None or new is None:
            return of_presence(old, new)
        return sides.order(_stands_for(word, sides.old, old), _stands_for(word, sides.new, new)).direction

    return direction


def _stands_for(word: str, node: DocumentElement, value: Any) -> ContractCheck:
    """Return the attribute as a check of kind `schema`, as the order expects."""
    arguments = {word: value, "logicalType": node.read.logical_type}
    return ContractCheck(
        id="",
        name="",
        kind="schema",
        severity="error",
        analyzer=word,
        arguments=arguments,
        assertion=Assertion("mustBe", 1),
        column=node.read.name,
    )


def _options(node: DocumentElement) -> Mapping[str, Any]:
    options: Mapping[str, Any] = node.read.options
    return options


def _option(word: str) -> Callable[[DocumentElement], Any]:
    return lambda node: _options(node).get(word)


def _bounds(words: Mapping[str, str]) -> Callable[[DocumentElement], Any]:
    """Return a function that formats the declared limits; None if there are none."""

    def bounds_text(node: DocumentElement) -> str | None:
        return ", ".join(each.sentence().removeprefix("be ") for each in _limits(words, node)) or None

    return bounds_text


def _limits(words: Mapping[str, str], node: DocumentElement) -> list[Assertion]:
    options = _options(node)
    return [Assertion(operator, options[word]) for word, operator in words.items() if options.get(word) is not None]


def _range(sides: ColumnPair, _: Any, __: Any) -> Direction:
    whole = all(each.read.logical_type == "integer" for each in (sides.old, sides.new))
    return compare_thresholds(
        _limits(BOUNDS, sides.old), _limits(BOUNDS, sides.new), NumericDomain(whole=True) if whole else ANY
    )


def _numbered(words: tuple[str, str]) -> Mapping[str, str]:
    return dict(zip(words, ("mustBeGreaterOrEqualTo", "mustBeLessOrEqualTo"), strict=True))


def _counted(words: Mapping[str, str]) -> Callable[[ColumnPair, Any, Any], Direction]:
    return lambda sides, _, __: compare_thresholds(_limits(words, sides.old), _limits(words, sides.new), COUNT)


def _multiple(_: ColumnPair, old: Any, new: Any) -> Direction:
    """Return the direction of `multipleOf`: each multiple of 6 is a multiple of 3."""
    if old is None or new is None or not old or not new:
        return of_presence(old, new, Direction.UNDETERMINED)
    before, after = Decimal(repr(old)), Decimal(repr(new))
    return inclusion(new_within_old=after % before == 0, old_within_new=before % after == 0)


def _flag(name: str) -> Callable[[DocumentElement], Any]:
    return lambda node: getattr(node.read, name) or None


def _raw(key: str) -> Callable[[DocumentElement], Any]:
    return lambda node: node.raw.get(key)


def _of_option(word: str, direction: Callable[[ColumnPair, Any, Any], Direction]) -> ColumnAttribute:
    return ColumnAttribute(label=word, words=_option(word), direction=direction, key=f"logicalTypeOptions.{word}")


def _counting(what: str) -> ColumnAttribute:
    words = _numbered(COUNTED[what])
    return ColumnAttribute(label=what, words=_bounds(words), direction=_counted(words), key="logicalTypeOptions")


ASPECTS = (
    ColumnAttribute(label="name", words=lambda node: node.read.name, direction=lambda *_: Direction.BOTH, key="name"),
    ColumnAttribute(label="physical name", words=_raw("physicalName"), direction=_renamed, key="physicalName"),
    ColumnAttribute(label="logical type", words=_raw("logicalType"), direction=_stated, key="logicalType"),
    ColumnAttribute(
        label="physical type",
        words=_raw("physicalType"),
        direction=_order_direction("physicalType"),
        key="physicalType",
    ),
    ColumnAttribute(label="map types", words=_raw("map"), direction=_stated, key="map"),
    ColumnAttribute(
        label="required",
        words=_flag("required"),
        direction=_present,
        key="required",
        on="{} is now required",
        off="{} is now nullable",
    ),
    ColumnAttribute(
        label="unique",
        words=_flag("unique"),
        direction=_promised,
        key="unique",
        on="{} must now be unique",
        off="{} no longer has to be unique",
    ),
    ColumnAttribute(label="allowed values", words=lambda node: node.read.enum or None, direction=_allowed, key="enum"),
    ColumnAttribute(label="range", words=_bounds(BOUNDS), direction=_range, key="logicalTypeOptions"),
    *map(_counting, COUNTED),
    _of_option("pattern", _order_direction("pattern")),
    _of_option("format", _order_direction("format")),
    _of_option("multipleOf", _multiple),
    _of_option("uniqueItems", _promised),
    _of_option("required", _demanded),
    _of_option("dimensions", _stated),
    _of_option("elementType", _stated),
    *(_of_option(word, _untested) for word in sorted(READ)),
)
KNOWN_OPTIONS = frozenset({
    *BOUNDS, *(word for words in COUNTED.values() for word in words), "pattern", "format", "multipleOf", "uniqueItems",
    "required", "dimensions", "elementType", *READ,
})  # fmt: skip
