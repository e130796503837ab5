"""Derive checks from column keywords: required, unique, primaryKey, enum, logicalTypeOptions.

Keywords that describe a value without limiting it give no check: the formats password, byte and binary, date
formats, time zones, f64 and i128 (every number fits). Keywords of array elements and map entries give none either."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from treaty.contracts.assertions import Assertion
from treaty.contracts.document.logical_type_options import means_whole
from treaty.contracts.document.model import ContractCheck, DataObject, Property
from treaty.contracts.predicates.parser import quote, quote_path
from treaty.engine.analyzers.named_formats import FORMATS
from treaty.engine.checks.pattern_option import patterns_of

WHOLE = Assertion("mustBe", 1)
# Keywords of the standard for the bounds of a value, with the arguments of the analyzer `in_range`.
BOUNDS = {
    "minimum": ("minimum", "at least"),
    "maximum": ("maximum", "at most"),
    "exclusiveMinimum": ("exclusive_minimum", "more than"),
    "exclusiveMaximum": ("exclusive_maximum", "less than"),
}
SIZES = {
    "minItems": (">=", "at least {} items"),
    "maxItems": ("<=", "at most {} items"),
    "minProperties": (">=", "at least {} entries"),
    "maxProperties": ("<=", "at most {} entries"),
    "dimensions": ("=", "{} dimensions"),
}
WIDEST_FLOAT = 3.4028234663852886e38
NUMBER_FORMATS: Mapping[str, tuple[float | None, float | None]] = {
    **{f"i{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)},
    **{f"u{bits}": (0, 2**bits - 1) for bits in (8, 16, 32, 64)},
    "u128": (0, None),
    "f32": (-WIDEST_FLOAT, WIDEST_FLOAT),
}


@dataclass(frozen=True, kw_only=True)
class DerivedCheck:
    """A derived check before it is attached to its column.

    `keyword`: the column keyword, part of the check's id. `condition`: row filter; None means all rows. `assertion`:
    by default, all rows must comply."""

    keyword: str
    sentence: str
    analyzer: str
    arguments: dict[str, Any]
    condition: str | None = None
    assertion: Assertion = WHOLE
    dimension: str = "conformity"


class ColumnPath(NamedTuple):
    """A column with its path as written in arguments (`path`) and in predicates (`sql`)."""

    path: str
    sql: str
    property: Property


def derived_checks(data_object: DataObject) -> Iterator[ContractCheck]:
    """Yield the checks of all column keywords, then that of the primary key.

    Nested fields are included. A pattern that an equal check states is no second check: exports add it."""
    keys, stated = data_object.primary_key, patterns_of(data_object)
    for path, each in columns_of(data_object.properties):
        place = ColumnPath(path, quote(path) if path == each.name else quote_path(path), each)
        for promise in _promises(place, required=each.required or path in keys):
            if promise.keyword != "pattern" or each.options["pattern"] not in stated.get(path, ()):
                yield _check(each, f"{path}-{promise.keyword}", promise)
    if keys:
        key = next(each for each in data_object.properties if each.name == keys[0])
        sentence = f"primary key {', '.join(keys)} is unique"
        yield _check(
            key,
            "primary-key",
            DerivedCheck(
                keyword="",
                sentence=sentence,
                analyzer="uniqueness",
                arguments={"columns": list(keys)},
                dimension="uniqueness",
            ),
        )


def columns_of(properties: Iterable[Property], parent: str = "") -> Iterator[tuple[str, Property]]:
    """Yield (path, property) of all columns and nested fields, except array elements.

    Paths are written as in arguments."""
    for each in properties:
        part = _part(each.name)
        yield (f"{parent}.{part}" if parent else each.name), each
        yield from columns_of(each.properties, f"{parent}.{part}" if parent else part)


def _part(name: str) -> str:
    return quote(name) if "." in name or "`" in name else name


def _check(of: Property, check_id: str, promise: DerivedCheck) -> ContractCheck:
    return ContractCheck(
        id=check_id, name=promise.sentence, kind="schema", severity="error", analyzer=promise.analyzer,
        arguments=promise.arguments, where=promise.condition, assertion=promise.assertion, dimension=promise.dimension,
        path=of.path, line=of.line,
    )  # fmt: skip


def _promises(place: ColumnPath, *, required: bool) -> Iterator[DerivedCheck]:
    path, each = place.path, place.property
    if required:
        sentence = f"{path} is required"
        yield DerivedCheck(
            keyword="required",
            sentence=sentence,
            analyzer="completeness",
            arguments={"column": path},
            dimension="completeness",
        )
    if each.unique:
        yield _unique([path], f"{path} is unique")
    if each.enum:
        sentence = f"{path} is one of {len(each.enum)} values"
        yield DerivedCheck(
            keyword="enum",
            sentence=sentence,
            analyzer="contained_in",
            arguments={"column": path, "values": list(each.enum)},
        )
    for word, argument in each.options.items():
        if word in OPTIONS:
            yield from OPTIONS[word](place, word, argument)


def _unique(columns: Iterable[str], keyword: str) -> DerivedCheck:
    return DerivedCheck(
        keyword="unique",
        sentence=keyword,
        analyzer="uniqueness",
        arguments={"columns": list(columns)},
        dimension="uniqueness",
    )


def _bounded(place: ColumnPath, word: str, limit: Any) -> Iterator[DerivedCheck]:
    argument, wording = BOUNDS[word]
    yield DerivedCheck(
        keyword=word,
        sentence=f"{place.path} is {wording} {limit}",
        analyzer="in_range",
        arguments={"column": place.path, argument: limit},
    )


def _shortest(place: ColumnPath, word: str, length: int) -> Iterator[DerivedCheck]:
    sentence, assertion = f"{place.path} has at least {length} characters", Assertion("mustBeGreaterOrEqualTo", length)
    yield DerivedCheck(
        keyword=word,
        sentence=sentence,
        analyzer="minimum_length",
        arguments={"column": place.path},
        assertion=assertion,
    )


def _longest(place: ColumnPath, word: str, length: int) -> Iterator[DerivedCheck]:
    sentence, assertion = f"{place.path} has at most {length} characters", Assertion("mustBeLessOrEqualTo", length)
    yield DerivedCheck(
        keyword=word,
        sentence=sentence,
        analyzer="maximum_length",
        arguments={"column": place.path},
        assertion=assertion,
    )


def _patterned(place: ColumnPath, word: str, pattern: str) -> Iterator[DerivedCheck]:
    arguments = {"column": place.path, **search_arguments(pattern)}
    yield DerivedCheck(
        keyword=word, sentence=f"{place.path} matches its pattern", analyzer="pattern_match", arguments=arguments
    )


def search_arguments(pattern: Any) -> dict[str, Any]:
    """Return the arguments for a pattern of the standard, which may match within a text."""
    return {"pattern": pattern} if means_whole(str(pattern)) else {"pattern": pattern, "within": True}


def _formatted(place: ColumnPath, word: str, name: str) -> Iterator[DerivedCheck]:
    """Yield the check of a format: a pattern for texts, a range for numbers, none for other formats."""
    sentence = f"{place.path} has the format {name}"
    if place.property.logical_type == "string" and name in FORMATS:
        yield DerivedCheck(
            keyword=word, sentence=sentence, analyzer="pattern_match", arguments={"column": place.path, "format": name}
        )
    elif place.property.logical_type in {"integer", "number"} and name in NUMBER_FORMATS:
        limits = zip(("minimum", "maximum"), NUMBER_FORMATS[name], strict=True)
        bounds = {argument: limit for argument, limit in limits if limit is not None}
        yield DerivedCheck(
            keyword=word, sentence=sentence, analyzer="in_range", arguments={"column": place.path, **bounds}
        )


def _multiple(place: ColumnPath, word: str, number: float) -> Iterator[DerivedCheck]:
    # A double is rarely an exact multiple of 0.01; the decimal number written for it can be one.
    exact = place.sql if place.property.logical_type == "integer" else f"CAST({place.sql} AS DECIMAL(38, 18))"
    condition = f"{exact} % {Decimal(repr(number)):f} = 0"
    yield _present_check(place, word, f"{place.path} is a multiple of {number}", condition)


def _sized(place: ColumnPath, word: str, number: int) -> Iterator[DerivedCheck]:
    """Yield the size check of an array or map; objects with named fields have no size."""
    if not place.property.properties:
        sign, template = SIZES[word]
        yield _present_check(
            place, word, f"{place.path} has {template.format(number)}", f"size({place.sql}) {sign} {number}"
        )


def _distinct(place: ColumnPath, word: str, required: bool) -> Iterator[DerivedCheck]:  # noqa: FBT001
    if required:
        condition = f"size({place.sql}) = size(array_distinct({place.sql}))"
        yield _present_check(place, word, f"{place.path} has no duplicate items", condition)


def _with_fields(place: ColumnPath, word: str, names: list[str]) -> Iterator[DerivedCheck]:
    parent = _part(place.path) if place.path == place.property.name else place.path
    for name in names:
        arguments, condition = {"column": f"{parent}.{_part(name)}"}, f"{place.sql} IS NOT NULL"
        sentence = f"{place.path} has {name}"
        yield DerivedCheck(
            keyword=f"{word}-{name}",
            sentence=sentence,
            analyzer="completeness",
            arguments=arguments,
            condition=condition,
            dimension="completeness",
        )


def _present_check(place: ColumnPath, word: str, keyword: str, predicate: str) -> DerivedCheck:
    """Build a check that the predicate is true for every non-null value."""
    return DerivedCheck(
        keyword=word,
        sentence=keyword,
        analyzer="compliance",
        arguments={"predicate": predicate},
        condition=f"{place.sql} IS NOT NULL",
    )


OPTIONS: dict[str, Callable[[ColumnPath, str, Any], Iterator[DerivedCheck]]] = {
    **dict.fromkeys(BOUNDS, _bounded),
    **dict.fromkeys(SIZES, _sized),
    "minLength": _shortest,
    "maxLength": _longest,
    "pattern": _patterned,
    "format": _formatted,
    "multipleOf": _multiple,
    "uniqueItems": _distinct,
    "required": _with_fields,
}
