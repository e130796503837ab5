"""Read a contract document from bytes or a file."""

from os import PathLike, fspath
from pathlib import Path

from treaty.contracts.document.model import Contract
from treaty.contracts.document.reader import read
from treaty.contracts.errors import ContractError, Fault


def read_contract(source: bytes | str | PathLike[str]) -> Contract:
    """Read a contract from the bytes of its document or from a file.

    `source`: bytes are the document itself, anything else is a path. Raises ContractError if the file cannot be
    read, and for all faults of the document."""
    return read(source if isinstance(source, bytes) else _content(fspath(source)))


def _content(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        message, remedy = f"the file cannot be read: {error.strerror}", "check the path and its permissions"
        raise ContractError([Fault(code="TR-FILE", where=path, message=message, remedy=remedy)]) from None
