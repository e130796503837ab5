"""Column types: Spark's own text ('decimal(10,2)', 'struct<a:bigint>') and the ODCS logical type it stands for."""

from collections.abc import Iterator
from dataclasses import dataclass

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
    """A column as Spark sees it: `type` is Spark's simple string."""

    name: str
    type: str
    nullable: bool = True

    @property
    def base_type(self) -> str:
        """The type's first word: 'decimal' of 'decimal(10,2)'."""
        return self.type.split("(", 1)[0].split("<", 1)[0].strip().lower()

    @property
    def logical_type(self) -> str:
        """The ODCS logical type; 'object' for a type that ODCS has no word for."""
        return LOGICAL.get(self.base_type, "object")


@dataclass(frozen=True)
class Schema:
    """The columns of a table in order. Empty for a table without columns."""

    columns: tuple[Column, ...]

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def get(self, name: str) -> Column | None:
        """The column of exactly that name, or None."""
        return next((column for column in self.columns if column.name == name), None)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)
