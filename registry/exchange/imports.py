"""What documents are made of: each form is one function, under its name in FORMS.

Whatever is imported is read again as a contract, with the meaning of its checks; all faults of all texts are said at
once, and where there is one, no document is handed out. What names may be, the registry says when it is proposed."""

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
    """A form of import: the documents that a text stands for, and how its files end."""

    read: Callable[[ImportSource], Iterable[bytes]]
    suffixes: frozenset[str]


def _itself(given: ImportSource) -> Iterator[bytes]:
    """A document of the standard stands for itself, byte for byte."""
    yield given.text


FORMS: Mapping[str, ImportFormat] = {
    "odcs": ImportFormat(_itself, YAML),
    "dbt": ImportFormat(dbt_import.documents, YAML),
    "spark": ImportFormat(spark_import.documents, SPARK),
}


@dataclass(frozen=True)
class ImportedDocument:
    """A document that was made, and where it came from."""

    source: str
    contract_id: str
    version: str
    document: bytes


class ImportFailed(Exception):
    """Nothing was imported: the faults of each text that has some, by its source."""

    def __init__(self, faults: Mapping[str, Sequence[Fault]]) -> None:
        self.faults = dict(faults)
        lines = (f"{source}: {fault}" for source, found in self.faults.items() for fault in found)
        super().__init__("nothing was imported:\n" + "\n".join(f"  {each}" for each in lines))


def import_documents(form: ImportFormat, texts: Iterable[ImportSource]) -> tuple[ImportedDocument, ...]:
    """The documents that the texts stand for, in their order. Raises NotImported with all faults of all of them."""
    made: list[ImportedDocument] = []
    faults: dict[str, Sequence[Fault]] = {}
    for given in texts:
        try:
            made += [_inspected(given, each) for each in form.read(given)]
        except ContractError as error:
            faults[given.source] = error.faults
    for source, fault in _doubles(made):
        faults[source] = (*faults.get(source, ()), fault)
    if faults:
        raise ImportFailed(faults)
    return tuple(made)


def texts(path: Path, form: ImportFormat, *, name: str | None = None) -> Iterator[ImportSource]:
    """What there is to import at the path: the file, or all files of a folder whose names end as such do.

    `name` instead of the files' own. Raises OSError where one cannot be read, NotImported for a folder without any."""
    if not path.is_dir():
        yield ImportSource(str(path), name or path.name.split(".")[0], path.read_bytes())
        return
    found = sorted(each for each in path.rglob("*") if each.suffix.lower() in form.suffixes and each.is_file())
    if not found or len(found) > MOST_FILES:
        told = f"holds {len(found)} files that end in {', '.join(sorted(form.suffixes))}"
        raise ImportFailed(
            {
                str(path): [
                    Fault(code="import-files", where=ROOT, message=told, remedy=f"name a folder of 1 to {MOST_FILES}")
                ]
            }
        )
    yield from (ImportSource(str(each.relative_to(path)), each.name.split(".")[0], each.read_bytes()) for each in found)


def _inspected(given: ImportSource, document: bytes) -> ImportedDocument:
    contract = read(document)
    faults = [fault for each in contract.objects for fault in _meaning(each)]
    if faults:
        raise ContractError(faults)
    return ImportedDocument(given.source, contract.id, contract.version, document)


def _meaning(described: DataObject) -> Sequence[Fault]:
    """What is wrong with the checks whatever the table may be; () for nothing."""
    try:
        bind(described, Schema(()))
    except ContractError as error:
        return error.faults
    return ()


def _doubles(made: Sequence[ImportedDocument]) -> Iterator[tuple[str, Fault]]:
    """The same version of the same contract twice: which of them is meant, nobody can say."""
    first: dict[tuple[str, str], ImportedDocument] = {}
    for each in made:
        known = first.setdefault((each.contract_id, each.version), each)
        if known is not each:
            message = f"is version {each.version} of {each.contract_id}, as is that of {known.source}"
            yield each.source, Fault(code="import-twice", where="id", message=message, remedy="keep one of the two")
