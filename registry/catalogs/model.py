"""Define what catalogs state about a table, in one form for all kinds of catalogs.

The facts are evidence: they are stored as read, and converted to JSON and back without loss."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from treaty.contracts.fingerprint import fingerprint
from treaty.registry.datasets.names import LineageName

Identifier = tuple[str, ...]
# Properties that Treaty writes into catalogs.
OWN_PREFIX = "treaty."
SPELLED = re.compile(r"(`)((?:[^`]|``)*)`|([^.`]+)", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class ColumnFacts:
    """A column. `type`: a Spark type, or that of the catalog if Spark has none. `tags`: value by name; None for none.

    `fields`: those of a struct, or of the structs in an array or map."""

    name: str
    type: str
    comment: str = ""
    required: bool = False
    tags: Mapping[str, str | None] = field(default_factory=dict)
    fields: "tuple[ColumnFacts, ...]" = ()


@dataclass(frozen=True)
class PartitionColumn:
    """A column by which a table is partitioned. `transform`: `identity` for its own values."""

    column: str
    transform: str = "identity"


@dataclass(frozen=True, kw_only=True)
class ForeignKeyFacts:
    """A foreign key: these columns refer to the columns of another table."""

    columns: tuple[str, ...]
    table: Identifier
    referenced: tuple[str, ...]


@dataclass(frozen=True)
class GlossaryTermFacts:
    """A term of a business glossary. `link`: its page; None if the catalog has none."""

    name: str
    link: str | None = None


@dataclass(frozen=True, kw_only=True)
class TableFacts:
    """Facts that a catalog states about one table.

    `identifier`: the parts of its name in the catalog. `names`: all its spellings in lineage, the main one first.
    `properties`: those that Treaty wrote. `token`: changes with the table; '' if the catalog has no such token.
    `omitted`: what was left out because it exceeds a limit."""

    identifier: Identifier
    location: str | None = None
    names: tuple[LineageName, ...] = ()
    columns: tuple[ColumnFacts, ...] = ()
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKeyFacts, ...] = ()
    partition_columns: tuple[PartitionColumn, ...] = ()
    owners: tuple[str, ...] = ()
    tags: Mapping[str, str | None] = field(default_factory=dict)
    domain: str | None = None
    glossary_terms: tuple[GlossaryTermFacts, ...] = ()
    description: str = ""
    link: str | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    token: str = ""
    omitted: tuple[str, ...] = ()


@dataclass(frozen=True)
class ListedTable:
    """A table in a listing. `token`: its version token; None if the listing has none, so the table must be loaded."""

    identifier: Identifier
    token: str | None = None


@dataclass(frozen=True)
class TableListing:
    """Tables of a catalog. `complete`: false if there may be more, so that a missing table is not a dropped one.

    `problems`: parts that could not be listed, with the reason; then it is not complete."""

    tables: tuple[ListedTable, ...]
    complete: bool = True
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Unchanged:
    """State of a table whose version token has not changed."""


@dataclass(frozen=True)
class Dropped:
    """State of a table that the catalog does not have any more."""


LoadedTable = TableFacts | Unchanged | Dropped


def to_json(facts: TableFacts) -> dict[str, Any]:
    """Return the facts as plain data, without those that are empty."""
    content: dict[str, Any] = _adapter().dump_python(facts, mode="json", exclude_defaults=True)
    return content


def from_json(content: Mapping[str, Any]) -> TableFacts:
    """Return the facts of plain data. Raises ValueError if it has another form."""
    return _adapter().validate_python(content)


def facts_fingerprint(facts: TableFacts) -> str:
    """Return the identity of the facts without their version token."""
    return fingerprint({name: value for name, value in to_json(facts).items() if name != "token"})


def spell(identifier: Sequence[str]) -> str:
    """Return the dotted name; parts with dots or backticks are quoted, so that no two names are spelled alike."""
    return ".".join(f"`{each.replace('`', '``')}`" if _is_odd(each) else each for each in identifier)


def parse_spelled(name: str) -> Identifier:
    """Return the identifier that is spelled so."""
    parts = SPELLED.findall(name)
    return tuple(quoted.replace("``", "`") if mark else plain for mark, quoted, plain in parts)


def _is_odd(part: str) -> bool:
    return not part or "." in part or "`" in part


@cache
def _adapter() -> TypeAdapter[TableFacts]:
    return TypeAdapter(TableFacts)
