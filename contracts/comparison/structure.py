"""Compare the structure of two documents: tables, columns and their attributes."""

from collections.abc import Iterator
from dataclasses import replace

from treaty.contracts.comparison.column_attributes import WORDS, ColumnPair, column_differences
from treaty.contracts.comparison.differences import (
    Difference,
    DifferenceLocation,
    DifferenceSection,
    Order,
    other_words,
)
from treaty.contracts.comparison.directions import Direction, of_presence
from treaty.contracts.comparison.matching import DocumentElement, ElementPair, elements
from treaty.contracts.document.model import Contract, Property

TABLE_WORDS = frozenset({"id", "name", "physicalName", "properties", "quality"})


def structure(old: Contract, new: Contract, order: Order) -> Iterator[Difference]:
    """Yield the differences of tables and columns.

    Differences in keys that do not affect validation, such as descriptions, belong to the section `text`."""
    in_order = old.terms.order and new.terms.order
    for pair in elements(old, new):
        place = DifferenceLocation(
            section=DifferenceSection.STRUCTURE, path=pair.path, object=pair.object, column=pair.column
        )
        if pair.old is None or pair.new is None:
            yield _whole(pair, place, old, new)
        elif pair.column is None:
            yield from _table(pair.old, pair.new, place, in_order=in_order)
        else:
            yield from column_differences(ColumnPair(pair.old, pair.new, order), place)
            yield from other_words(place, pair.old.raw, pair.new.raw, WORDS)


def _whole(pair: ElementPair, place: DifferenceLocation, old: Contract, new: Contract) -> Difference:
    """Return the difference of an added or removed table or column."""
    label, name = ("column", pair.column) if pair.column else ("table", pair.object)
    was, now = (name if pair.old else None), (name if pair.new else None)
    sentence = f"{label} {name} was added" if pair.new else f"{label} {name} was removed"
    difference = place.difference(label, was, now, of_presence(was, now), sentence)
    # If no other columns are allowed, one document forbids what the other requires.
    if (old if pair.new else new).terms.columns == "closed" and _on_top(pair):
        return replace(difference, direction=Direction.BOTH)
    return replace(difference, presence=bool(pair.column) and not _asks(pair))


def _on_top(pair: ElementPair) -> bool:
    return pair.path.count(".properties[") == 1 and not pair.path.endswith(".items")


def _asks(pair: ElementPair) -> bool:
    """Return whether nulls would violate a requirement of the column."""
    node = pair.new or pair.old
    return pair.path.endswith(".items") or node is None or _demands(node.read)


def _demands(column: Property) -> bool:
    return column.required or column.primary_key or any(map(_demands, column.properties))


def _table(
    old: DocumentElement, new: DocumentElement, place: DifferenceLocation, *, in_order: bool
) -> Iterator[Difference]:
    yield from _named(old, new, place)
    yield from _keyed(old.read.primary_key, new.read.primary_key, place)
    was, now = old.read.partition_by or None, new.read.partition_by or None
    if was != now:
        # Partition columns divide the data into validation units: neither division permits less data.
        yield place.difference("partition columns", was, now, Direction.UNDETERMINED)
    was, now = _common(old, new), _common(new, old)
    if in_order and was != now:
        yield place.at("properties").difference("order of columns", was, now, Direction.BOTH)
    yield from other_words(place, old.raw, new.raw, TABLE_WORDS)


def _named(old: DocumentElement, new: DocumentElement, place: DifferenceLocation) -> Iterator[Difference]:
    if old.read.name != new.read.name:
        yield place.at("name").difference("name", old.read.name, new.read.name, Direction.BOTH)
    was, now = old.read.physical_name, new.read.physical_name
    if was != now:
        same = (was or old.read.name) == (now or new.read.name)
        direction = Direction.UNTESTED if same else Direction.BOTH
        yield place.at("physicalName").difference("physical name", was, now, direction)


def _keyed(old: tuple[str, ...], new: tuple[str, ...], place: DifferenceLocation) -> Iterator[Difference]:
    if old != new:
        # The order of columns does not matter for the uniqueness of a key.
        direction = of_presence(frozenset(old) or None, frozenset(new) or None)
        yield place.difference("primary key", old or None, new or None, direction)


def _common(of: DocumentElement, other: DocumentElement) -> tuple[str, ...]:
    """Return the columns that both tables have, in the order of the first."""
    other_names = {each.name for each in other.read.properties}
    return tuple(each.name for each in of.read.properties if each.name in other_names)
