"""`treaty audit`: the head, the export, and whether all is as it was written; the records of approvals."""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treaty.engine.cli.commands import VIOLATED, CliError
from treaty.engine.cli.options import Json
from treaty.registry.cli.commands import database
from treaty.registry.core.settings import RegistrySettings, load

if TYPE_CHECKING:
    from treaty.registry.audit.hash_chain import AuditHead, ChainCheck, Entry

HeadFile = Annotated[
    Path | None, typer.Option("--head", help="a head that was taken earlier: nothing up to it may be gone or rewritten")
]
Export = Annotated[
    Path | None, typer.Option("--from", help="verify this export instead of the database; it may lie anywhere")
]
SignatureInvalid = Annotated[
    bool, typer.Option("--allow-unsigned", help="take the head's word where it is not signed, or its key is not here")
]
ExportFile = Annotated[Path | None, typer.Argument(help="write to this file; by default they are printed")]
After = Annotated[int, typer.Option(min=0, help="only entries behind this position")]
ContractName = Annotated[str, typer.Argument(metavar="CONTRACT", help="a contract's id", show_default=False)]
VersionNumber = Annotated[str | None, typer.Argument(metavar="VERSION", help="the active one by default")]

app = typer.Typer(
    name="audit", no_args_is_help=True, help="Prove what was changed and approved, by the database or an export of it."
)


@app.command()
def head() -> None:
    """Print the audit's last entry, signed with the audit's key: keep it where nobody who writes the database can."""
    from treaty.engine.core import clock
    from treaty.registry.audit import signed_heads

    settings = load()
    with database.read_session(settings) as session:
        taken = signed_heads.signed_head(session, signed_heads.keys(settings), now=clock.now())
    if taken.signature is None:
        print(f"treaty: not signed: there is no audit key at {settings.audit_key}", file=sys.stderr)
    print(taken.model_dump_json(indent=2))


@app.command()
def verify(
    head_file: HeadFile = None,
    export: Export = None,
    unsigned: SignatureInvalid = False,
    as_json: Json = False,
) -> None:
    """Read the whole audit and say whether it is as it was written; exit code 1 where it is not.

    Entries that were edited, deleted or moved are found by the audit alone, those cut off at its end, and an audit
    written anew, by a head taken before."""
    from treaty.registry.audit import hash_chain

    settings = load()
    taken = _head(settings, head_file, unsigned=unsigned)
    with _entries(settings, export) as entries:
        found = hash_chain.follow(entries, taken)
    print(json.dumps(_plain(found), indent=2) if as_json else _sentence(found, taken))
    if found.fault:
        raise typer.Exit(VIOLATED)


@app.command()
def export(file: ExportFile = None, after: After = 0) -> None:
    """Write the audit as lines of JSON, an entry to a line; `verify --from` reads it without the database."""
    from treaty.registry.audit import audit_log, hash_chain

    with database.read_session(load()) as session:
        lines = hash_chain.lines(audit_log.stream(session, after=after))
        if file is None:
            _written(lines, sys.stdout.buffer)
            return
        with file.open("wb") as out:
            _written(lines, out)


@app.command()
def record(contract: ContractName, version: VersionNumber = None, as_json: Json = False) -> None:
    """Show who approved a version, shown what, and whether version and audit agree; exit code 1 where they do not."""
    from treaty.registry.core.errors import NotFound
    from treaty.registry.review.approval import records

    with database.read_session(load()) as session:
        try:
            kept = records.of_version(session, contract, version)
        except NotFound:
            raise CliError(f"there is no version {version or 'in force'} of {contract}") from None
        told = [{"hash": each.hash, **each.content, "faults": records.faults(session, each)} for each in kept]
    print(json.dumps(told, indent=2, ensure_ascii=False) if as_json else _approvals(told))
    if any(each["faults"] for each in told):
        raise typer.Exit(VIOLATED)


def _head(settings: RegistrySettings, file: Path | None, *, unsigned: bool) -> "AuditHead | None":
    """The head in the file, if it is genuine; None where no file is given."""
    from treaty.registry.audit import hash_chain, signed_heads
    from treaty.registry.core.errors import InvalidRequest

    if file is None:
        return None
    try:
        taken = signed_heads.read(_content(file))
    except InvalidRequest as error:
        raise CliError(f"{file}: {error}") from None
    genuine = hash_chain.genuine(taken, signed_heads.keys(settings))
    if genuine is False:
        raise CliError(f"{file} was not signed by the audit's key: it was changed, or another audit's", VIOLATED)
    if genuine is None and not unsigned:
        raise CliError(f"{file} cannot be trusted: {_untrusted(taken, settings)}; --allow-unsigned takes its word")
    return taken


def _untrusted(taken: "AuditHead", settings: RegistrySettings) -> str:
    return f"the key {taken.key} is not {settings.audit_key}" if taken.signature else "it is not signed"


@contextmanager
def _entries(settings: RegistrySettings, export: Path | None) -> "Iterator[Iterable[Entry]]":
    from treaty.registry.audit import audit_log, hash_chain

    if export is None:
        with database.read_session(settings) as session:
            yield audit_log.stream(session)
        return
    try:
        with export.open("rb") as lines:
            yield hash_chain.read(lines)
    except OSError as error:
        raise CliError(f"{export} cannot be read: {error.strerror}") from None


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise CliError(f"{file} cannot be read: {error.strerror}") from None


def _written(lines: Iterable[bytes], out: Any) -> None:
    out.writelines(lines)
    out.flush()


def _plain(found: "ChainCheck") -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(found)


def _sentence(found: "ChainCheck", taken: "AuditHead | None") -> str:
    if found.fault:
        return f"entry {found.broken_at} {found.fault}; the {found.entries:,} before it are as they were written"
    beside = f"; the head of {taken.time:%Y-%m-%d %H:%M} at {taken.position:,} is among them" if taken else ""
    return f"{found.entries:,} entries are as they were written{beside}"


def _approvals(told: Sequence[dict[str, Any]]) -> str:
    if not told:
        return "it was approved before approvals had records"
    return "\n\n".join(map(_approval, told))


def _approval(told: dict[str, Any]) -> str:
    counted = {decision: sum(each["decision"] == decision for each in told["suggestions"]) for decision in DECISIONS}
    shown = [f"{number} suggestions {decision}" for decision, number in counted.items() if number]
    shown.extend(f"a {each}" for each in ("comparison", "replay") if told[each])
    return "\n".join((
        f"{told['contract']} {told['version']}, proposed by {told['author']}",
        f"approved by {told['approver']} at {told['time']}, shown {', '.join(shown) or 'the document'}",
        f"document {told['document_sha256']}",
        f"record   {told['hash']}",
        *(f"WRONG: {each}" for each in told["faults"]),
        *(() if told["faults"] else ("version and audit agree with it",)),
    ))  # fmt: skip


DECISIONS = ("accepted", "rejected")
