"""Command that replays a version on stored states before it is approved."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from treaty.engine.cli.commands import NOT_CHECKED, PASSED, VIOLATED, WARNED, CliError
from treaty.engine.cli.options import Json
from treaty.registry.cli.commands import service
from treaty.registry.cli.commands.tasks import finished

if TYPE_CHECKING:
    from treaty.registry.client import Client
    from treaty.registry.schemas import ReplayOut


def replay(
    subject: Annotated[str, typer.Argument(help="Proposal id; with --document, a contract id", show_default=False)],
    document: Annotated[
        Path | None, typer.Option("--document", "-d", help="Contract document to replay as the next version")
    ] = None,
    counts: Annotated[
        bool,
        typer.Option(
            "--merge-counts", help="Run the replay on a worker that also merges value counts, and wait for it"
        ),
    ] = False,
    replaced: Annotated[
        bool,
        typer.Option(
            "--include-replaced", help="Run the replay on a worker that also evaluates replaced states, and wait for it"
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Evaluate a version on all stored states and compare it with the version in force.

    No data is read and Spark is not started. Exits with 0 without new alerts, 1 with new alerts, 2 with new warnings
    only, and 3 if there are no stored states."""
    from treaty.registry.cli.output.replays import print_replay

    text = _text(document)
    with service.open_client() as registry:
        if counts or replaced:
            result = _by_worker(registry, subject, text, merge_counts=counts, include_replaced=replaced)
        elif text is None:
            result = registry.replay(_id(subject))
        else:
            result = registry.replay_document(subject, text)
    service.print_result(result, print_replay, as_json=as_json)
    raise typer.Exit(code_of(result))


def code_of(replay: "ReplayOut") -> int:
    """Return the exit code for the replay."""
    if not any(each.partitions for each in replay.objects):
        return NOT_CHECKED
    checks = (check for each in replay.objects for check in each.checks if check.new_alerts.count)
    severities = {check.new.severity for check in checks if check.new}
    return VIOLATED if "error" in severities else WARNED if severities else PASSED


def _text(document: Path | None) -> str | None:
    try:
        return document.read_text(encoding="utf-8") if document else None
    except (OSError, UnicodeDecodeError) as error:
        raise CliError(f"Cannot read {document} as text: {type(error).__name__}") from None


def _id(subject: str) -> UUID:
    try:
        return UUID(subject)
    except ValueError:
        raise CliError(f"{subject} is not a proposal id. To replay a contract document, add --document FILE.") from None


def _by_worker(registry: "Client", subject: str, text: str | None, **ways: bool) -> "ReplayOut":
    from treaty.registry.schemas import ReplayIn, ReplayOut

    subject_fields: dict[str, Any] = (
        {"contract_id": subject, "document": text} if text else {"proposal_id": _id(subject)}
    )
    task = finished(registry, registry.request_replay(ReplayIn.model_validate({**subject_fields, **ways})))
    if task.error or task.result is None:
        raise CliError(f"The replay failed: {task.error or 'it has no result'}")
    return ReplayOut.model_validate(task.result)
