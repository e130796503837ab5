"""The text that an import reads, and the subject that an export writes."""

from dataclasses import dataclass
from functools import cached_property

from treaty.contracts.document.model import Contract
from treaty.contracts.document.reader import read


@dataclass(frozen=True)
class ImportSource:
    """A text, where it comes from, and what its table is called where the text does not say."""

    source: str
    name: str
    text: bytes


@dataclass(frozen=True)
class ExportSource:
    """A document; of a version that is kept, the status that it has in the registry (None: what the document says), and
    the hash of the record of its approval (None: none is asked for, or there is none)."""

    document: bytes
    status: str | None = None
    record: str | None = None

    @cached_property
    def contract(self) -> Contract:
        """The contract in the document. Raises ContractError with all its faults."""
        return read(self.document)
