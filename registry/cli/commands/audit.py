"""Commands for the audit log: signed head, verification, export and approval records."""

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
    Path | None, typer.Option("--head", help="Head saved earlier; detects truncated and rewritten logs")
]
Export = Annotated[Path | None, typer.Option("--from", help="Verify this export instead of the database")]
SignatureInvalid = Annotated[
    bool, typer.Option("--allow-unsigned", help="Accept a head without a signature or with an unknown key")
]
ExportFile = Annotated[Path | None, typer.Argument(help="Output file; by default standard output")]
After = Annotated[int, typer.Option(min=0, help="Only export entries after this position")]
ContractName = Annotated[str, typer.Argument(metavar="CONTRACT", help="Contract id", show_default=False)]
VersionNumber = Annotated[
    str | None, typer.Argument(metavar="VERSION", help="Version number; by default the active version")
]

app = typer.Typer(
    name="audit", no_args_is_help=True, help="Export and verify the audit log, and show approval records."
)


@app.command()
def head() -> None:
    """Print the last audit entry, signed with the audit key.

    Store it where users with write access to the database cannot change it."""
    from treaty.engine.core import clock
    from treaty.registry.audit import signed_heads

    settings = load()
    with database.read_session(settings) as session:
        signed = signed_heads.signed_head(session, signed_heads.keys(settings), now=clock.now())
    if signed.signature is None:
        print(f"treaty: The head is not signed: there is no audit key at {settings.audit_key}.", file=sys.stderr)
    print(signed.model_dump_json(indent=2))


@app.command()
def verify(
    head_file: HeadFile = None,
    export: Export = None,
    unsigned: SignatureInvalid = False,
    as_json: Json = False,
) -> None:
    """Verify the whole audit log. Exits with 1 if it was changed.

    Entries that were edited, deleted or moved are detected from the log itself. A truncated or rewritten log is
    detected only with a head that was saved earlier (--head)."""
    from treaty.registry.audit import hash_chain

    settings = load()
    trusted_head = _head(settings, head_file, unsigned=unsigned)
    with _entries(settings, export) as entries:
        result = hash_chain.follow(entries, trusted_head)
    print(json.dumps(_plain(result), indent=2) if as_json else _sentence(result, trusted_head))
    if result.fault:
        raise typer.Exit(VIOLATED)


@app.command()
def export(file: ExportFile = None, after: After = 0) -> None:
    """Export the audit log as JSON lines, one entry per line. The last line is their number.

    Verify the export without the database with `treaty audit verify --from`."""
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
    """Show who approved a version and what they were shown. Exits with 1 if the version and the audit log disagree."""
    from treaty.registry.core.errors import NotFound
    from treaty.registry.review.approval import records

    with database.read_session(load()) as session:
        try:
            approvals = records.of_version(session, contract, version)
        except NotFound:
            raise CliError(f"Contract {contract} has no version {version or 'in force'}.") from None
        contents = [{"hash": each.hash, **each.content, "faults": records.faults(session, each)} for each in approvals]
    print(json.dumps(contents, indent=2, ensure_ascii=False) if as_json else _approvals(contents))
    if any(each["faults"] for each in contents):
        raise typer.Exit(VIOLATED)


def _head(settings: RegistrySettings, file: Path | None, *, unsigned: bool) -> "AuditHead | None":
    """Return the head from the file after checking its signature; None without a file."""
    from treaty.registry.audit import hash_chain, signed_heads
    from treaty.registry.core.errors import InvalidRequest

    if file is None:
        return None
    try:
        saved = signed_heads.read(_content(file))
    except InvalidRequest as error:
        raise CliError(f"{file}: {error}") from None
    is_genuine = hash_chain.genuine(saved, signed_heads.keys(settings))
    if is_genuine is False:
        raise CliError(f"{file} has an invalid signature: it was changed or belongs to another audit log.", VIOLATED)
    if is_genuine is None and not unsigned:
        raise CliError(f"{file} cannot be trusted: {_untrusted(saved, settings)}. Use --allow-unsigned to accept it.")
    return saved


def _untrusted(head: "AuditHead", settings: RegistrySettings) -> str:
    return f"its key {head.key} is not in {settings.audit_key}" if head.signature else "it is not signed"


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
        raise CliError(f"Cannot read {export}: {error.strerror}") from None


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise CliError(f"Cannot read {file}: {error.strerror}") from None


def _written(lines: Iterable[bytes], out: Any) -> None:
    out.writelines(lines)
    out.flush()


def _plain(check: "ChainCheck") -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(check)


def _sentence(check: "ChainCheck", head: "AuditHead | None") -> str:
    if check.fault:
        return f"Entry {check.broken_at} {check.fault}; entries verified before it: {check.entries:,}"
    head_note = f", including the head of {head.time:%Y-%m-%d %H:%M} at position {head.position:,}" if head else ""
    return f"{check.entries:,} entries verified{head_note}"


def _approvals(approvals: Sequence[dict[str, Any]]) -> str:
    if not approvals:
        return "No record: the version was approved before approvals were recorded."
    return "\n\n".join(map(_approval, approvals))


def _approval(approval: dict[str, Any]) -> str:
    decisions = {
        decision: sum(each["decision"] == decision for each in approval["suggestions"]) for decision in DECISIONS
    }
    evidence = [f"{number} suggestions {decision}" for decision, number in decisions.items() if number]
    evidence.extend(f"a {each}" for each in ("comparison", "replay") if approval[each])
    return "\n".join((
        f"{approval['contract']} {approval['version']}, proposed by {approval['author']}",
        f"approved by {approval['approver']} at {approval['time']}, based on {', '.join(evidence) or 'the document'}",
        f"document {approval['document_sha256']}",
        f"record   {approval['hash']}",
        *(f"WRONG: {each}" for each in approval["faults"]),
        *(() if approval["faults"] else ("The version and the audit log match this record.",)),
    ))  # fmt: skip


DECISIONS = ("accepted", "rejected")
