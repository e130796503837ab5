"""Commands that export contracts to formats of other tools and import them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from treaty.engine.cli.commands import CliError
from treaty.registry.cli.commands.service import open_client

if TYPE_CHECKING:
    from treaty.registry.exchange.imports import ImportedDocument

FormatT = TypeVar("FormatT")
Contract = Annotated[
    str,
    typer.Argument(
        metavar="CONTRACT",
        help="File, CONTRACT or CONTRACT@VERSION (by default the version in force)",
        show_default=False,
    ),
]
To = Annotated[str, typer.Option("--to", help="Format: odcs, dbt, dqx, gx, soda, html or markdown")]
Record = Annotated[bool, typer.Option("--record", help="Include the hash of the approval record (odcs only)")]
File = Annotated[Path | None, typer.Option("-o", "--out", help="Output file")]
Source = Annotated[Path, typer.Argument(metavar="PATH", help="File, or folder of files", show_default=False)]
From = Annotated[str, typer.Option("--from", help="Format: odcs, dbt (schema.yml) or spark (DDL or schema JSON)")]
Folder = Annotated[Path | None, typer.Option("-o", "--out", help="Folder for one file per contract")]
Propose = Annotated[bool, typer.Option("--propose", help="Propose each contract in the registry")]
TableName = Annotated[
    str | None, typer.Option("--name", help="Table name if a single file has none; by default the file name")
]


def export(contract: Contract, to: To = "odcs", record: Record = False, out: File = None) -> None:
    """Export a contract to another format.

    The `odcs` format is the stored document with its registry status. Exits with 3 if the contract cannot be read."""
    from treaty.registry.exchange.exports import FORMS

    _format_by_name(FORMS, to, "--to")
    body = _exported(contract, to, record=record)
    if out:
        _write(out, body)
    else:
        print(body.decode(), end="")


def _exported(contract: str, to: str, *, record: bool) -> bytes:
    from treaty.registry.exchange.export_source import ExportSource
    from treaty.registry.exchange.exports import FORMS

    path = Path(contract)
    if path.exists():
        if record:
            raise CliError("--record requires a contract of the registry: a file has no approval record.")
        return FORMS[to].write(ExportSource(_read(path)))
    if path.suffix in {".yaml", ".yml"}:
        raise CliError(f"File not found: {contract}")
    name, _, version = contract.partition("@")
    with open_client() as client:
        return client.export(name, version or None, format=to, record=record)


def bring(
    path: Source, form: From = "odcs", name: TableName = None, propose: Propose = False, out: Folder = None
) -> None:
    """Import contracts from files of other tools.

    All faults of all files are reported together, and then nothing is imported. Exits with 3 if a file has faults."""
    from treaty.registry.exchange.imports import FORMS, ImportFailed, import_documents, texts

    import_format = _format_by_name(FORMS, form, "--from")
    try:
        imported = import_documents(import_format, texts(path, import_format, name=name))
    except ImportFailed as error:
        raise CliError(str(error)) from None
    except OSError as error:
        raise CliError(f"Cannot read {error.filename or path}: {error.strerror}") from None
    if out:
        _write_all(out, imported)
    if propose:
        _propose(imported)
    if not out and not propose:
        print("---\n".join(each.document.decode() for each in imported), end="")


def _propose(documents: "Sequence[ImportedDocument]") -> None:
    with open_client() as client:
        for each in documents:
            proposal = client.propose(each.document.decode())
            print(f"{each.contract_id} {each.version}: proposal {proposal.id}", flush=True)


def _write_all(folder: Path, documents: "Sequence[ImportedDocument]") -> None:
    """Write one file per document; existing files are never replaced."""
    from treaty.registry.exchange.export_source import ExportSource
    from treaty.registry.exchange.exports import FORMS

    files = {folder / FORMS["odcs"].file_name(ExportSource(each.document)): each.document for each in documents}
    existing = sorted(str(each) for each in files if each.exists())
    if existing or len(files) < len(documents):
        reason = f"already exists: {', '.join(existing)}" if existing else "two contracts have the same file name"
        raise CliError(f"Nothing was written: {reason}.")
    folder.mkdir(parents=True, exist_ok=True)
    for path, document in files.items():
        _write(path, document)
        print(path)


def _format_by_name(forms: Mapping[str, FormatT], name: str, option: str) -> FormatT:
    from treaty.contracts.errors import suggest_nearest

    if name not in forms:
        raise CliError(
            f"{option} {name} is not a format: {suggest_nearest(name, forms) or 'use one of ' + ', '.join(forms)}"
        )
    return forms[name]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CliError(f"Cannot read {path}: {error.strerror}") from None


def _write(path: Path, body: bytes) -> None:
    try:
        path.write_bytes(body)
    except OSError as error:
        raise CliError(f"Cannot write {path}: {error.strerror}. Check the path.") from None
