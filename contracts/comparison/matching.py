"""Which element of one document is which of another: by its id, then by its name, then by what it says."""

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from treaty.contracts.document.columns import columns, members, text
from treaty.contracts.document.model import Contract, DataObject, Property
from treaty.contracts.predicates.parser import quote

Element = TypeVar("Element")
Key = Callable[[Element], Hashable | None]


class DocumentElement(NamedTuple):
    """A table or a column as read, and as it stands in the document."""

    read: Any
    raw: Mapping[str, Any]


class ElementPair(NamedTuple):
    """A table (`column` None) or a column of two documents, under its path in the newer one that has it."""

    object: str
    column: str | None
    old: DocumentElement | None
    new: DocumentElement | None

    @property
    def path(self) -> str:
        """Where it stands in the document: the new one, unless it is gone."""
        node = self.new or self.old
        return str(node.read.path) if node else ""


def match_elements(
    old: Sequence[Element], new: Sequence[Element], *keys: Key[Element]
) -> Iterator[tuple[Element | None, Element | None]]:
    """Every element with its counterpart: by the first key under which both are known, in the order of their lists.

    The new ones come in their order, then the old ones that have no counterpart."""
    partners: dict[int, int] = {}
    for key in keys:
        waiting: dict[Hashable, deque[int]] = defaultdict(deque)
        taken = set(partners.values())
        for index in (each for each in range(len(old)) if each not in taken):
            waiting[key(old[index])].append(index)
        for index in (each for each in range(len(new)) if each not in partners):
            found = key(new[index])
            if found is not None and waiting[found]:
                partners[index] = waiting[found].popleft()
    yield from ((old[partners[index]] if index in partners else None, each) for index, each in enumerate(new))
    taken = set(partners.values())
    yield from ((each, None) for index, each in enumerate(old) if index not in taken)


def elements(old: Contract, new: Contract) -> Iterator[ElementPair]:
    """The tables of both documents with their counterparts, each followed by its columns; not those of one that is
    new or gone, nor the fields of such a column."""
    for before, after in match_elements(_tables(old), _tables(new), _id, _name):
        found = ElementPair(_name(after or before) or "", None, before, after)
        yield found
        if before and after:
            yield from _columns(found.object, "", before, after)


def entries(table: DocumentElement) -> dict[str, Mapping[str, Any]]:
    """The quality entries of a table by their paths, as they stand in the document."""
    element = (table.read.path, table.raw)
    holders = [element, *(each for _, each in columns(element))]
    return {path: entry for holder in holders for path, entry in members(holder[1], "quality", holder[0])}


def _tables(contract: Contract) -> list[DocumentElement]:
    raw = (content for _, content in members(contract.document, "schema"))
    return [DocumentElement(*each) for each in zip(contract.objects, raw, strict=True)]


def _fields(node: DocumentElement) -> list[DocumentElement]:
    raw = (content for _, content in members(node.raw, "properties"))
    return [DocumentElement(*each) for each in zip(node.read.properties, raw, strict=True)]


def _columns(table: str, parent: str, old: DocumentElement, new: DocumentElement) -> Iterator[ElementPair]:
    for before, after in match_elements(_fields(old), _fields(new), _id, _name):
        name = _name(after or before) or ""
        shown = f"{parent}.{_part(name)}" if parent else name
        yield from _column(ElementPair(table, shown, before, after), shown if parent else _part(name))


def _column(found: ElementPair, path: str) -> Iterator[ElementPair]:
    """The column, its fields and its elements; `path` is its name as those of its fields begin."""
    yield found
    if found.old and found.new:
        yield from _columns(found.object, path, found.old, found.new)
        before, after = _items(found.old), _items(found.new)
        if before or after:
            yield from _column(ElementPair(found.object, f"{path}[]", before, after), f"{path}[]")


def _items(node: DocumentElement) -> DocumentElement | None:
    column: DataObject | Property = node.read
    return DocumentElement(column.items, node.raw["items"]) if isinstance(column, Property) and column.items else None


def _part(name: str) -> str:
    return quote(name) if "." in name or "`" in name else name


def _id(node: DocumentElement) -> str | None:
    return text(node.raw, "id")


def _name(node: DocumentElement | None) -> str | None:
    return node.read.name if node else None
