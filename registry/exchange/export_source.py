"""Represent the input of imports and exports."""

from dataclasses import dataclass
from functools import cached_property

from treaty.contracts.document.model import Contract
from treaty.contracts.document.reader import read


@dataclass(frozen=True)
class ImportSource:
    """A text to import.

    `source`: its origin, for messages.
    `name`: name of its table if the text has none."""

    source: str
    name: str
    text: bytes


@dataclass(frozen=True)
class ExportSource:
    """A document to export.

    `status`: status in the registry of a stored version; None means the status in the document.
    `record`: hash of the approval's audit record; None if it is not requested or does not exist."""

    document: bytes
    status: str | None = None
    record: str | None = None

    @cached_property
    def contract(self) -> Contract:
        """Return the parsed contract. Raises ContractError with all its faults."""
        return read(self.document)
