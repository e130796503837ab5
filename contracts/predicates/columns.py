"""Resolve column references in a predicate, with their types."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treaty.contracts.errors import suggest_nearest
from treaty.contracts.predicates import grammar
from treaty.contracts.predicates.element_access import field
from treaty.contracts.predicates.fragments import SqlFragment, leaf
from treaty.contracts.predicates.types import ANY, field_type, group
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
        return resolved.type if resolved else self._within(path)

    def _within(self, path: str) -> str | None:
        """Return the type of a field within an array of structs or a map."""
        names = self.schema.names_along(path) if self.schema else ()
        whole = self.schema.get(names[0]) if self.schema and names else None
        type_ = whole.type if whole else None
        for name in names[1:]:
            type_ = field_type(type_, name) if type_ and group(type_) else None
        return type_

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
    if writer.variables and group(type_) in {"array", "map"}:
        remedy = "compare whole arrays: arrays_overlap, array_except"
        return writer.refuse("lambda", f"reads the collection '{reference}' for each element of another", remedy)
    writer.used.append(reference)
    return leaf(".".join(map(quote, parts)), type_)


def dotted(writer: "PredicateRewriter", node: Any) -> SqlFragment:
    """Return the fragment of a nested field: of a column, or of another value such as `items[0].qty`."""
    return column(writer, node) if _parts(writer, node) else field(writer, node)


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
