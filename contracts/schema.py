"""Column types: Spark's type strings ('decimal(10,2)', 'struct<a:bigint>') and their ODCS logical types."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

LOGICAL = {
    "tinyint": "integer", "smallint": "integer", "int": "integer", "bigint": "integer",
    "float": "number", "double": "number", "decimal": "number",
    "string": "string", "char": "string", "varchar": "string", "binary": "string",
    "boolean": "boolean", "date": "date",
    "timestamp": "timestamp", "timestamp_ntz": "timestamp", "time": "time",
    "array": "array", "struct": "object", "map": "object", "variant": "object",
}  # fmt: skip


@dataclass(frozen=True)
class Column:
    """A column of a Spark table. `type`: Spark's simple string."""

    name: str
    type: str
    nullable: bool = True

    @property
    def base_type(self) -> str:
        """Return the type without parameters: 'decimal' of 'decimal(10,2)'."""
        return self.type.split("(", 1)[0].split("<", 1)[0].strip().lower()

    @property
    def logical_type(self) -> str:
        """Return the ODCS logical type; 'object' for a type without an ODCS equivalent."""
        return LOGICAL.get(self.base_type, "object")


@dataclass(frozen=True)
class Schema:
    """The columns of a table in order; empty for a table without columns.

    `classified`: paths, from the column down, of the columns and fields that a contract classifies, if the schema was
    bound to one (`treaty.contracts.document.classification.classified_schema`)."""

    columns: tuple[Column, ...]
    classified: frozenset[tuple[str, ...]] = field(default=frozenset(), compare=False, repr=False)

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def get(self, name: str) -> Column | None:
        """Return the column with exactly this name, or None."""
        return self._by_name.get(name)

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        return {column.name: column for column in reversed(self.columns)}

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def find(self, path: str) -> Column | None:
        """Return the column or field at a path, or None.

        A path is a column name as it is, or `a.b` into structs; parts in backticks may contain dots."""
        names = self.names_along(path)
        return _descend(self.get(names[0]), names[1:]) if names else None

    def names_along(self, path: str) -> tuple[str, ...]:
        """Return the names on a path, from the column down to the field; () for an empty path."""
        whole = self.get(path) or self.get(path.strip("`"))
        return (whole.name,) if whole else tuple(_parts(path))


def _parts(path: str) -> list[str]:
    return [(quoted or plain).replace("``", "`") for quoted, plain in re.findall(r"`((?:[^`]|``)+)`|([^.`]+)", path)]


def _descend(column: Column | None, path: Sequence[str]) -> Column | None:
    for name in path:
        fields = struct_fields(column.type) if column else ()
        column = next((field for field in fields if field.name == name), None)
    return column


def struct_fields(spark_type: str) -> tuple[Column, ...]:
    """Return the fields of 'struct<a:bigint,b:string>' as columns; () for any other type."""
    match = re.fullmatch(r"struct<(.*)>", spark_type.strip(), flags=re.DOTALL | re.IGNORECASE)
    if not match:
        return ()
    pairs = (field.partition(":") for field in _split_top(match.group(1)))
    return tuple(Column(name.strip(), kind.strip()) for name, _, kind in pairs if kind)


def _split_top(text: str) -> Iterator[str]:
    depth, start = 0, 0
    for position, character in enumerate(text):
        depth += (character in "<(") - (character in ">)")
        if character == "," and depth == 0:
            yield text[start:position]
            start = position + 1
    yield text[start:]
