"""How the structure that two documents promise differs: their tables and columns, and what is said of each."""

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
    """The differences of tables and columns. Those of their other words, as descriptions, are of the part `text`."""
    in_order = old.terms.order and new.terms.order
    for found in elements(old, new):
        place = DifferenceLocation(
            section=DifferenceSection.STRUCTURE, path=found.path, object=found.object, column=found.column
        )
        if found.old is None or found.new is None:
            yield _whole(found, place, old, new)
        elif found.column is None:
            yield from _table(found.old, found.new, place, in_order=in_order)
        else:
            yield from column_differences(ColumnPair(found.old, found.new, order), place)
            yield from other_words(place, found.old.raw, found.new.raw, WORDS)


def _whole(found: ElementPair, place: DifferenceLocation, old: Contract, new: Contract) -> Difference:
    """The difference of a table or of a column that is new or gone."""
    what, name = ("column", found.column) if found.column else ("table", found.object)
    was, now = (name if found.old else None), (name if found.new else None)
    said = f"{what} {name} is promised now" if found.new else f"{what} {name} is no longer promised"
    made = place.difference(what, was, now, of_presence(was, now), said)
    # Where no other columns are allowed, the one document forbids what the other one promises.
    if (old if found.new else new).terms.columns == "closed" and _on_top(found):
        return replace(made, direction=Direction.BOTH)
    return replace(made, presence=bool(found.column) and not _asks(found))


def _on_top(found: ElementPair) -> bool:
    return found.path.count(".properties[") == 1 and not found.path.endswith(".items")


def _asks(found: ElementPair) -> bool:
    """Whether more is asked of the column than that it is there: something that null does not keep."""
    node = found.new or found.old
    return found.path.endswith(".items") or node is None or _demands(node.read)


def _demands(column: Property) -> bool:
    return column.required or column.primary_key or any(map(_demands, column.properties))


def _table(
    old: DocumentElement, new: DocumentElement, place: DifferenceLocation, *, in_order: bool
) -> Iterator[Difference]:
    yield from _named(old, new, place)
    yield from _keyed(old.read.primary_key, new.read.primary_key, place)
    was, now = old.read.partition_by or None, new.read.partition_by or None
    if was != now:
        # It parts what is judged one by one: neither way of doing so permits less.
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
        # A key is unique whatever the order of its columns.
        direction = of_presence(frozenset(old) or None, frozenset(new) or None)
        yield place.difference("primary key", old or None, new or None, direction)


def _common(of: DocumentElement, other: DocumentElement) -> tuple[str, ...]:
    """The columns that both have, as this one has them."""
    known = {each.name for each in other.read.properties}
    return tuple(each.name for each in of.read.properties if each.name in known)
