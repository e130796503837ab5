"""Resolve column references in a predicate, with their types."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treaty.contracts.errors import suggest_nearest
from treaty.contracts.predicates import grammar
from treaty.contracts.predicates.fragments import SqlFragment, leaf
from treaty.contracts.predicates.types import ANY, element, group
from treaty.contracts.quoting import quote
from treaty.contracts.schema import Schema

if TYPE_CHECKING:
    from treaty.contracts.predicates.rewriter import PredicateRewriter


@dataclass(frozen=True)
class ColumnScope:
    """The columns that a predicate may read: any, those of a list, or those of a schema with their types.

    `noun`: name of such a column in faults."""

    columns: Collection[str] | None = None
    schema: Schema | None = None
    noun: str = "column"

    def type_of(self, path: str) -> str | None:
        """Return the type of the column at the path; ANY if unknown, None if there is no such column."""
        if self.schema is None:
            return ANY if _is_known(path, self.columns) else None
        resolved = self.schema.find(path)
        return resolved.type if resolved else self._within(path.rpartition(".")[0])

    def _within(self, parent: str) -> str | None:
        """Return the value type if the parent is a map, whose fields differ by row."""
        container = self.schema.find(parent) if self.schema and parent else None
        return element(container.type) if container and group(container.type) == "map" else None

    @property
    def column_names(self) -> Collection[str]:
        """Return the known column names; empty if any name is allowed."""
        return self.schema.names if self.schema else self.columns or ()


def column(writer: "PredicateRewriter", node: Any) -> SqlFragment:
    """Return the fragment of a column or of a nested field."""
    parts = _parts(writer, node)
    if parts is None:
        return writer.refuse("construct", "reads a field of something that is not a column", "name a column")
    path = ".".join(quote(part) if "." in part or "`" in part else part for part in parts)
    reference = parts[0] if len(parts) == 1 and parts[0] in writer.names.column_names else path
    type_ = writer.names.type_of(reference)
    if type_ is None:
        remedy = suggest_nearest(reference, writer.names.column_names) or "name a column of the table"
        return writer.refuse("column", f"reads '{reference}', which is not a {writer.names.noun}", remedy)
    writer.used.append(reference)
    return leaf(".".join(map(quote, parts)), type_)


def _parts(writer: "PredicateRewriter", node: Any) -> list[str] | None:
    if type(node).__name__ == "Dot":
        before, last = _parts(writer, writer.bare(node.this)), node.expression
        return [*before, last.this] if before and type(last).__name__ == "Identifier" else None
    identifiers = node.parts if type(node).__name__ == "Column" else ()
    names = [each.this for each in identifiers if type(each).__name__ == "Identifier" and each.this]
    return names if names and len(names) == len(identifiers) else None


def _is_known(path: str, columns: Collection[str] | None) -> bool:
    if columns is None:
        return path.lower().partition(".")[0] not in grammar.AMBIENT
    if path in columns:
        return True
    # A struct without declared fields may have any field.
    parent = path.rpartition(".")[0]
    return bool(parent) and _is_known(parent, columns) and not any(each.startswith(f"{parent}.") for each in columns)
