"""Represent columns of numbers: typed ones, and texts that always parse as numbers.

Texts of digits that identify something are codes, not numbers."""

from collections.abc import Collection
from dataclasses import dataclass

from treaty.engine.components.operands import INTEGRAL, NUMERIC, TEXT
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile
from treaty.engine.profile.text_types import NUMBERS
from treaty.engine.suggestions.parsed_texts import parsed_type


@dataclass(frozen=True)
class NumberColumn:
    """A column whose values are numbers. `kind`: integer, decimal, or fractional for any number."""

    column: ColumnProfile
    kind: str

    @property
    def name(self) -> str:
        """Return the column's name."""
        return self.column.column.name

    @property
    def is_text(self) -> bool:
        """Return whether the numbers are parsed from texts."""
        return self.column.column.base_type in TEXT

    @property
    def is_whole(self) -> bool:
        """Return whether all numbers are whole by their type."""
        return self.kind == "integer"

    @property
    def subject(self) -> str:
        """Return the subject of a sentence about the numbers: 'price, read as a decimal,'."""
        return f"{self.name}, read as {READ_AS[self.kind]}," if self.is_text else self.name

    @property
    def details(self) -> dict[str, str]:
        """Return the evidence that texts are numbers: the type that all of them parse as."""
        return {"read_as": self.kind} if self.is_text else {}


READ_AS = {"integer": "an integer", "decimal": "a decimal", "fractional": "a number"}


def number_column(column: ColumnProfile, part: HistorySlice) -> NumberColumn | None:
    """Return the column as numbers; None for other types, texts that do not parse, and codes."""
    if column.column.base_type in NUMERIC:
        return NumberColumn(column, "integer" if column.column.base_type in INTEGRAL else "fractional")
    kind = parsed_type(column, part)
    return NumberColumn(column, kind) if kind in NUMBERS and not _is_code(column, part, kind) else None


def _is_code(column: ColumnProfile, part: HistorySlice, kind: str) -> bool:
    """Return whether texts that parse as numbers identify something: a leading zero, or a code's form."""
    if column.read_as and column.read_as.padded:
        return True
    return kind == "integer" and _has_form_of_codes(part.all_looks(column)[0])


def _has_form_of_codes(masks: Collection[str]) -> bool:
    """Return whether whole numbers have a form that amounts do not have.

    A plus sign, as phone numbers, or several digits and always as many, as years and postal codes."""
    of_one_length = len(masks) == 1 and all(len(mask) > 1 and not mask.strip("0") for mask in masks)
    return of_one_length or any(mask.startswith("+") for mask in masks)
