"""Recorded answers of catalogs by path, and reading a kind of catalog with them, without a network."""

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st
from support.iceberg_rest import drive

from treaty.registry.catalogs.catalog_kinds import complete_options
from treaty.registry.catalogs.kinds.protocol import CatalogAccess, CatalogKind, CatalogReader
from treaty.registry.catalogs.model import Identifier, LoadedTable, TableFacts, TableListing
from treaty.registry.catalogs.requests import CatalogAnswer, CatalogRequest

MANY = 1_000_000
ADDRESS = "http://catalog.example"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@dataclass
class Recorded:
    """A catalog that answers with these contents, by path or by path and query; 404 for all others.

    A content may be a status, or a function of the request. `requests`: all that it received."""

    contents: dict[str, Any]
    requests: list[CatalogRequest] = field(default_factory=list)

    def __call__(self, request: CatalogRequest) -> CatalogAnswer:
        self.requests.append(request)
        content = self.contents.get(request.target, self.contents.get(request.path, 404))
        content = content(request) if callable(content) else content
        if isinstance(content, int) and not isinstance(content, bool):
            return CatalogAnswer(content)
        return CatalogAnswer(200, deepcopy(content))


@dataclass(frozen=True, kw_only=True)
class SourceCase:
    """A kind with recorded answers. `facts`: what they state, in the order of the listing, without tokens.

    `changes`: the place of an answer and another value, with which the table `changed` has another token.
    `dropped`: what is answered if that table is gone. `denied`: a path that is denied, and the tables that are
    listed then; '' if all is denied by it. `calm`: requests of a second read, which finds nothing changed."""

    kind: CatalogKind
    contents: Mapping[str, Any]
    facts: tuple[TableFacts, ...]
    changed: Identifier
    changes: Mapping[str, tuple[tuple[Any, ...], Any]]
    dropped: Mapping[str, Any]
    denied: tuple[str, tuple[Identifier, ...]]
    calm: int
    secret: str = ""
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def access(self) -> CatalogAccess:
        """Access with the options of the case."""
        options = complete_options(self.kind, self.options)
        return CatalogAccess(address=ADDRESS, options=options, secret=self.secret)


def opened(case: SourceCase, catalog: Callable[[CatalogRequest], CatalogAnswer]) -> CatalogReader:
    """The reader of the catalog."""
    reader: CatalogReader = drive(case.kind.open(case.access), catalog)
    return reader


def listed(reader: CatalogReader, catalog: Callable[[CatalogRequest], CatalogAnswer], most: int = MANY) -> TableListing:
    """The tables of the catalog."""
    listing: TableListing = drive(reader.listing(most), catalog)
    return listing


def loaded(reader: CatalogReader, catalog: Recorded, identifier: Identifier, token: str = "") -> LoadedTable:
    """The facts of a table."""
    facts: LoadedTable = drive(reader.load(identifier, token), catalog)
    return facts


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of each value within a content."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from places(each, (*path, key))


def replaced(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    """The content with another value in that place."""
    if not path:
        return other
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], other)
    return copy
