"""Match the elements of two documents: by id, then by name, then by content."""

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from treaty.contracts.document.columns import columns, members, text
from treaty.contracts.document.model import Contract, DataObject, Property
from treaty.contracts.predicates.parser import quote

Element = TypeVar("Element")
Key = Callable[[Element], Hashable | None]


class DocumentElement(NamedTuple):
    """A table or a column, parsed (`read`) and as written in the document (`raw`)."""

    read: Any
    raw: Mapping[str, Any]


class ElementPair(NamedTuple):
    """A table or column of two documents.

    `column`: column path; None for a table. `old`, `new`: None if that document does not have the element."""

    object: str
    column: str | None
    old: DocumentElement | None
    new: DocumentElement | None

    @property
    def path(self) -> str:
        """Return the path in the new document, or in the old one for removed elements."""
        node = self.new or self.old
        return str(node.read.path) if node else ""


def match_elements(
    old: Sequence[Element], new: Sequence[Element], *keys: Key[Element]
) -> Iterator[tuple[Element | None, Element | None]]:
    """Yield each element with its counterpart, matched by the first key under which both agree.

    New elements come first, in their order; then the old ones without a counterpart, paired with None."""
    partners: dict[int, int] = {}
    for key in keys:
        waiting: dict[Hashable, deque[int]] = defaultdict(deque)
        matched = set(partners.values())
        for index in (each for each in range(len(old)) if each not in matched):
            waiting[key(old[index])].append(index)
        for index in (each for each in range(len(new)) if each not in partners):
            identity = key(new[index])
            if identity is not None and waiting[identity]:
                partners[index] = waiting[identity].popleft()
    yield from ((old[partners[index]] if index in partners else None, each) for index, each in enumerate(new))
    matched = set(partners.values())
    yield from ((each, None) for index, each in enumerate(old) if index not in matched)


def elements(old: Contract, new: Contract) -> Iterator[ElementPair]:
    """Yield the tables of both documents in pairs, each followed by pairs of its columns.

    Columns of added or removed tables, and fields of such columns, are not included."""
    for before, after in match_elements(_tables(old), _tables(new), _id, _name):
        pair = ElementPair(_name(after or before) or "", None, before, after)
        yield pair
        if before and after:
            yield from _columns(pair.object, "", before, after)


def entries(table: DocumentElement) -> dict[str, Mapping[str, Any]]:
    """Return the quality entries of a table by path, as written in the document."""
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


def _column(pair: ElementPair, path: str) -> Iterator[ElementPair]:
    """Yield the column, its fields and its elements; `path` is the prefix of its fields."""
    yield pair
    if pair.old and pair.new:
        yield from _columns(pair.object, path, pair.old, pair.new)
        before, after = _items(pair.old), _items(pair.new)
        if before or after:
            yield from _column(ElementPair(pair.object, f"{path}[]", before, after), f"{path}[]")


def _items(node: DocumentElement) -> DocumentElement | None:
    column: DataObject | Property = node.read
    return DocumentElement(column.items, node.raw["items"]) if isinstance(column, Property) and column.items else None


def _part(name: str) -> str:
    return quote(name) if "." in name or "`" in name else name


def _id(node: DocumentElement) -> str | None:
    return text(node.raw, "id")


def _name(node: DocumentElement | None) -> str | None:
    return node.read.name if node else None
