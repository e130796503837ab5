"""Columns in a predicate: which may be read, and of which type they are."""

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
    """The columns that a predicate may read: any, those of a list, or those of a schema with their types."""

    columns: Collection[str] | None = None
    schema: Schema | None = None

    def type_of(self, path: str) -> str | None:
        """The type of the column at the path; ANY where it is not known, None for no column."""
        if self.schema is None:
            return ANY if _is_known(path, self.columns) else None
        found = self.schema.find(path)
        return found.type if found else self._within(path.rpartition(".")[0])

    def _within(self, parent: str) -> str | None:
        """A map has the fields that its rows have."""
        found = self.schema.find(parent) if self.schema and parent else None
        return element(found.type) if found and group(found.type) == "map" else None

    @property
    def column_names(self) -> Collection[str]:
        """The names that are known; none where any is admitted."""
        return self.schema.names if self.schema else self.columns or ()


def column(writer: "PredicateRewriter", node: Any) -> SqlFragment:
    """A column, or a field of one."""
    parts = _parts(writer, node)
    if parts is None:
        return writer.refuse("construct", "reads a part of something that is not a column", "name a column")
    path = ".".join(quote(part) if "." in part or "`" in part else part for part in parts)
    found = parts[0] if len(parts) == 1 and parts[0] in writer.names.column_names else path
    type_ = writer.names.type_of(found)
    if type_ is None:
        remedy = suggest_nearest(found, writer.names.column_names) or "name a column of the table"
        return writer.refuse("column", f"reads '{found}', which is not a column", remedy)
    writer.used.append(found)
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
    # A struct whose fields nobody has named may have any.
    parent = path.rpartition(".")[0]
    return bool(parent) and _is_known(parent, columns) and not any(each.startswith(f"{parent}.") for each in columns)
