"""Import documents: each format is one function, by name in FORMS.

Each imported document is parsed as a contract and its checks are bound. All faults of all texts are raised at once,
and no document is returned if there is one. Names are validated later, when the document is proposed."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from treaty.contracts.document.model import DataObject
from treaty.contracts.document.reader import read
from treaty.contracts.errors import ROOT, ContractError, Fault
from treaty.contracts.schema import Schema
from treaty.engine.checks.binding import bind
from treaty.registry.exchange import dbt_import, spark_import
from treaty.registry.exchange.export_source import ImportSource

YAML = frozenset({".yaml", ".yml", ".json"})
SPARK = frozenset({".json", ".ddl", ".sql", ".txt"})
MOST_FILES = 5000


@dataclass(frozen=True)
class ImportFormat:
    """An import format: its reader and the suffixes of its files."""

    read: Callable[[ImportSource], Iterable[bytes]]
    suffixes: frozenset[str]


def _itself(source: ImportSource) -> Iterator[bytes]:
    """Yield an ODCS document unchanged."""
    yield source.text


FORMS: Mapping[str, ImportFormat] = {
    "odcs": ImportFormat(_itself, YAML),
    "dbt": ImportFormat(dbt_import.documents, YAML),
    "spark": ImportFormat(spark_import.documents, SPARK),
}


@dataclass(frozen=True)
class ImportedDocument:
    """A document created by an import, and its origin."""

    source: str
    contract_id: str
    version: str
    document: bytes


class ImportFailed(Exception):
    """Nothing was imported; `faults` are those of each text, by source."""

    def __init__(self, faults: Mapping[str, Sequence[Fault]]) -> None:
        self.faults = dict(faults)
        lines = (f"{source}: {fault}" for source, source_faults in self.faults.items() for fault in source_faults)
        super().__init__("Nothing was imported:\n" + "\n".join(f"  {each}" for each in lines))


def import_documents(form: ImportFormat, texts: Iterable[ImportSource]) -> tuple[ImportedDocument, ...]:
    """Import the texts in order. Raises ImportFailed with all faults of all texts."""
    imported: list[ImportedDocument] = []
    faults: dict[str, Sequence[Fault]] = {}
    for text in texts:
        try:
            imported += [_inspected(text, each) for each in form.read(text)]
        except ContractError as error:
            faults[text.source] = error.faults
    for source, fault in _doubles(imported):
        faults[source] = (*faults.get(source, ()), fault)
    if faults:
        raise ImportFailed(faults)
    return tuple(imported)


def texts(path: Path, form: ImportFormat, *, name: str | None = None) -> Iterator[ImportSource]:
    """Yield the texts at the path: one file, or all files of a folder with a matching suffix.

    `name`: table name of a single file; None means the file's name. Raises OSError if a file cannot be read, and
    ImportFailed if a folder is named, or has no matching file or more than MOST_FILES."""
    if not path.is_dir():
        yield ImportSource(str(path), name or path.name.split(".")[0], path.read_bytes())
        return
    if name is not None:
        message = "is a folder, and --name names one table"
        raise _folder_fault(path, "import-name", message, "import one file, or omit --name")
    paths = sorted(each for each in path.rglob("*") if each.suffix.lower() in form.suffixes and each.is_file())
    if not paths or len(paths) > MOST_FILES:
        message = f"contains {len(paths):,} files with the suffix {', '.join(sorted(form.suffixes))}"
        raise _folder_fault(path, "import-files", message, f"use a folder with 1 to {MOST_FILES:,} of them")
    yield from (ImportSource(str(each.relative_to(path)), each.name.split(".")[0], each.read_bytes()) for each in paths)


def _folder_fault(path: Path, code: str, message: str, remedy: str) -> ImportFailed:
    return ImportFailed({str(path): [Fault(code=code, where=ROOT, message=message, remedy=remedy)]})


def _inspected(source: ImportSource, document: bytes) -> ImportedDocument:
    contract = read(document)
    faults = [fault for each in contract.objects for fault in _meaning(each)]
    if faults:
        raise ContractError(faults)
    return ImportedDocument(source.source, contract.id, contract.version, document)


def _meaning(described: DataObject) -> Sequence[Fault]:
    """Return the faults of the checks that are independent of the table."""
    try:
        bind(described, Schema(()))
    except ContractError as error:
        return error.faults
    return ()


def _doubles(documents: Sequence[ImportedDocument]) -> Iterator[tuple[str, Fault]]:
    """Yield a fault for each document that repeats a contract id and version."""
    first: dict[tuple[str, str], ImportedDocument] = {}
    for each in documents:
        earlier = first.setdefault((each.contract_id, each.version), each)
        if earlier is not each:
            message = f"is version {each.version} of {each.contract_id}, like the document in {earlier.source}"
            yield each.source, Fault(code="import-twice", where="id", message=message, remedy="keep one of the two")
