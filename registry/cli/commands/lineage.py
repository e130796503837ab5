"""Commands for lineage: events, rejections, unmatched datasets, aliases and listener settings."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple
from uuid import UUID

import typer

from treaty.engine.cli.commands import CliError
from treaty.engine.cli.options import Json
from treaty.registry.cli.commands import service
from treaty.registry.core.settings import load

if TYPE_CHECKING:
    from rich.console import Console

    from treaty.registry.client import Client
    from treaty.registry.schemas import LineageEventOut

Producer = Annotated[str | None, typer.Option(help="Filter by the user that sent the event")]
Most = Annotated[int, typer.Option("--limit", "-n", min=1, help="Maximum number of items, newest first")]
Follow = Annotated[bool, typer.Option("--follow", "-f", help="Follow new events until Ctrl-C")]
EventId = Annotated[str | None, typer.Argument(metavar="ID", help="Show this event with the beginning of its body")]
ContractName = Annotated[str, typer.Argument(metavar="CONTRACT", help="Contract id", show_default=False)]
ObjectName = Annotated[str, typer.Argument(metavar="OBJECT", help="Object (table) of the contract", show_default=False)]
Namespace = Annotated[str, typer.Argument(metavar="NAMESPACE", help="Lineage namespace", show_default=False)]
DatasetName = Annotated[
    str, typer.Argument(metavar="NAME", help="Lineage name; * matches any text", show_default=False)
]
NewVersion = Annotated[
    str | None, typer.Option("--version", help="New version number; by default the last part is incremented")
]
Jar = Annotated[Path | None, typer.Option(help="Path of the listener jar; by default Spark downloads it from Maven")]
NewFile = Annotated[Path | None, typer.Option("-o", "--out", help="New output file")]
PAUSE = 1.0
# Concurrent events may be stored in another order than that of their ids.
OVERLAP = timedelta(seconds=30)

app = typer.Typer(
    name="lineage", no_args_is_help=True, help="Inspect lineage events: accepted, pending, rejected and unmatched."
)


@app.command()
def settings(jar: Jar = None, out: NewFile = None) -> None:
    """Write the Spark properties that send lineage events with the token in TREATY_TOKEN.

    Use them with spark-submit --properties-file, or append them to spark-defaults.conf. They contain the token: keep
    them private. A new file is readable only by you."""
    from treaty.registry.sdk import openlineage_listener

    configured = load()
    if not configured.token:
        raise CliError("Set TREATY_TOKEN to a token for the job with the scope lineage:write.")
    text = openlineage_listener.properties(
        openlineage_listener.settings(configured.api, configured.token, str(jar.resolve()) if jar else None)
    )
    if out is None:
        print(text, end="")
        return
    try:
        with os.fdopen(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise CliError(f"Cannot write {out}: {error.strerror}. Check the path.") from None


@app.command()
def tail(limit: Most = 20, follow: Follow = False, producer: Producer = None, as_json: Json = False) -> None:
    """Show the latest events, oldest first, and follow new ones with --follow."""
    from treaty.registry.cli.output import lineage

    format_event = (lambda event: event.model_dump_json()) if as_json else lineage.line
    with service.open_client() as registry:
        recent = registry.events(producer=producer, limit=limit)
        for event in reversed(recent):
            print(format_event(event), flush=True)
        if follow:
            since = lambda start: registry.events(producer=producer, since=start, limit=None)  # noqa: E731
            for event in followed(recent, since, lambda: time.sleep(PAUSE)):
                print(format_event(event), flush=True)


@app.command()
def status(as_json: Json = False) -> None:
    """Show the number of pending events, their delay, and parked events."""
    from treaty.registry.core.enums import LineageEventState

    with service.open_client() as registry:
        counts, parked = registry.event_counts(), registry.events(state=LineageEventState.PARKED, limit=20)

    def show(_: object, console: "Console") -> None:
        from treaty.registry.cli.output.lineage import print_event_status

        print_event_status(counts, parked, console)

    service.print_result(counts, show, as_json=as_json)


@app.command()
def rejected(event: EventId = None, producer: Producer = None, limit: Most = 20, as_json: Json = False) -> None:
    """List rejected events with the reason. Producers seldom log it."""
    from treaty.registry import schemas
    from treaty.registry.cli.output import lineage

    with service.open_client() as registry:
        if event is not None:
            service.print_result(registry.rejected_event(read_id(event)), lineage.print_refusal, as_json=as_json)
            return
        items = registry.rejected_events(producer=producer, limit=limit)
    page = schemas.Page[schemas.RejectedEventOut](items=tuple(items))
    service.print_result(page, lineage.print_refused, as_json=as_json)


@app.command()
def retry(event: Annotated[str, typer.Argument(metavar="ID", help="Event id", show_default=False)]) -> None:
    """Retry a parked event."""
    with service.open_client() as registry:
        registry.retry_event(read_id(event))
    print("The event will be retried.")


@app.command()
def unmatched(limit: Most = 20, as_json: Json = False) -> None:
    """List datasets that jobs write but no contract describes.

    Each is shown with the commands that create a contract or an alias for it."""
    from treaty.registry import schemas
    from treaty.registry.cli.output import lineage

    with service.open_client() as registry:
        items = registry.unmatched_datasets(limit=limit)
    page = schemas.Page[schemas.UnmatchedDatasetOut](items=tuple(items))
    service.print_result(page, lineage.print_unmatched, as_json=as_json)


@app.command()
def alias(
    contract: ContractName, object_name: ObjectName, namespace: Namespace, name: DatasetName,
    version: NewVersion = None, as_json: Json = False,
) -> None:  # fmt: skip
    """Propose a new contract version in which an object has one more lineage name."""
    from treaty.registry.cli.output.proposals import print_proposal

    with service.open_client() as registry:
        text = named(registry, AliasTarget(contract, object_name), (namespace, name), version)
        proposal = registry.propose(text, title=f"Add alias {namespace} {name} to {object_name}")
    service.print_result(proposal, print_proposal, as_json=as_json)


class AliasTarget(NamedTuple):
    """The contract object that gets an alias."""

    contract: str
    object: str


def named(registry: "Client", about: AliasTarget, name: tuple[str, str], version: str | None) -> str:
    """Return the document in force with the alias added and the version number raised.

    `version`: None means the next number. Raises CliError if the object does not exist or the next number is
    unclear."""
    from treaty.contracts.document.writer import write
    from treaty.contracts.document.yaml_syntax import parse
    from treaty.contracts.editing.aliases import next_version_number, with_alias

    datasets = registry.contract(about.contract).datasets
    aliases = [(each.namespace, each.name) for each in datasets if each.object == about.object]
    document = parse(registry.document(about.contract)).data
    number = version or next_version_number(str(document.get("version", "")))
    if not aliases:
        objects = ", ".join(sorted({each.object or "" for each in datasets}))
        raise CliError(f"{about.contract} has no object {about.object}. Its objects: {objects or 'none in force'}")
    if number is None:
        raise CliError("The next version number is unclear. Set it with --version.")
    return write({**with_alias(document, about.object, name, existing=aliases), "version": number}).decode()


def followed(
    shown: Sequence["LineageEventOut"],
    since: Callable[[datetime | None], Sequence["LineageEventOut"]],
    pause: Callable[[], None],
) -> Iterator["LineageEventOut"]:
    """Yield events newer than those shown, oldest first, without duplicates and without end."""
    received = {each.id: each.received_at for each in shown}
    while True:
        pause()
        newest = max(received.values(), default=None)
        fresh = [each for each in reversed(since(newest and newest - OVERLAP)) if each.id not in received]
        yield from fresh
        received |= {each.id: each.received_at for each in fresh}
        newest = max(received.values(), default=None)
        received = {key: at for key, at in received.items() if newest is not None and at >= newest - OVERLAP}


def read_id(text: str) -> UUID:
    """Parse an id. Raises CliError if it is invalid."""
    try:
        return UUID(text)
    except ValueError:
        raise CliError(f"{text} is not a valid id. Copy it from the list.") from None
