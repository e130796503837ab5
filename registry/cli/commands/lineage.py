"""`treaty lineage`: what tells of writes; what came, what was refused and why, and what nobody has a contract about."""

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

Producer = Annotated[str | None, typer.Option(help="only what that user sent")]
Most = Annotated[int, typer.Option("--limit", "-n", min=1, help="how many, the newest")]
Follow = Annotated[bool, typer.Option("--follow", "-f", help="go on with those that come, until Ctrl-C")]
EventId = Annotated[str | None, typer.Argument(metavar="ID", help="show this one, and how its body begins")]
ContractName = Annotated[str, typer.Argument(metavar="CONTRACT", help="a contract's id", show_default=False)]
ObjectName = Annotated[str, typer.Argument(metavar="OBJECT", help="the table in it", show_default=False)]
Namespace = Annotated[str, typer.Argument(metavar="NAMESPACE", help="as lineage says it", show_default=False)]
DatasetName = Annotated[str, typer.Argument(metavar="NAME", help="likewise; * stands for many", show_default=False)]
NewVersion = Annotated[str | None, typer.Option("--version", help="the new version; by default the last part one more")]
Jar = Annotated[Path | None, typer.Option(help="where the listener lies; by default Spark fetches it from Maven")]
NewFile = Annotated[Path | None, typer.Option("-o", "--out", help="write to this new file")]
PAUSE = 1.0
# Events that come at once are listed in the order of their ids, but need not be kept in it.
OVERLAP = timedelta(seconds=30)

app = typer.Typer(
    name="lineage", no_args_is_help=True, help="What lineage producers sent: accepted, waiting, refused, unmatched."
)


@app.command()
def settings(jar: Jar = None, out: NewFile = None) -> None:
    """Write what a Spark job is to be set to, so that it tells of what it writes, as the token TREATY_TOKEN.

    For spark-submit --properties-file, or at the end of a spark-defaults.conf. The token stands in it: keep it to
    yourself. A file is made for you alone to read."""
    from treaty.registry.sdk import openlineage_listener

    known = load()
    if not known.token:
        raise CliError("there is no token for the job: set TREATY_TOKEN to one that may send lineage (lineage:write)")
    text = openlineage_listener.properties(
        openlineage_listener.settings(known.api, known.token, str(jar.resolve()) if jar else None)
    )
    if out is None:
        print(text, end="")
        return
    try:
        with os.fdopen(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise CliError(f"{out} cannot be written: {error.strerror}. Check the path.") from None


@app.command()
def tail(limit: Most = 20, follow: Follow = False, producer: Producer = None, as_json: Json = False) -> None:
    """Show the events that came last, oldest first, and those that come."""
    from treaty.registry.cli.output import lineage

    shown = (lambda event: event.model_dump_json()) if as_json else lineage.line
    with service.open_client() as registry:
        found = registry.events(producer=producer, limit=limit)
        for event in reversed(found):
            print(shown(event), flush=True)
        if follow:
            since = lambda start: registry.events(producer=producer, since=start, limit=None)  # noqa: E731
            for event in followed(found, since, lambda: time.sleep(PAUSE)):
                print(shown(event), flush=True)


@app.command()
def status(as_json: Json = False) -> None:
    """Show how many events wait and how long, and those that could not be folded."""
    from treaty.registry.core.enums import LineageEventState

    with service.open_client() as registry:
        counts, parked = registry.event_counts(), registry.events(state=LineageEventState.PARKED, limit=20)

    def show(_: object, console: "Console") -> None:
        from treaty.registry.cli.output.lineage import print_event_status

        print_event_status(counts, parked, console)

    service.print_result(counts, show, as_json=as_json)


@app.command()
def rejected(event: EventId = None, producer: Producer = None, limit: Most = 20, as_json: Json = False) -> None:
    """Show what was refused and why: producers seldom log the answer."""
    from treaty.registry import schemas
    from treaty.registry.cli.output import lineage

    with service.open_client() as registry:
        if event is not None:
            service.print_result(registry.rejected_event(read_id(event)), lineage.print_refusal, as_json=as_json)
            return
        found = registry.rejected_events(producer=producer, limit=limit)
    page = schemas.Page[schemas.RejectedEventOut](items=tuple(found))
    service.print_result(page, lineage.print_refused, as_json=as_json)


@app.command()
def retry(event: Annotated[str, typer.Argument(metavar="ID", help="the event's id", show_default=False)]) -> None:
    """Have an event tried again that could not be folded."""
    with service.open_client() as registry:
        registry.retry_event(read_id(event))
    print("it is tried again")


@app.command()
def unmatched(limit: Most = 20, as_json: Json = False) -> None:
    """Show datasets that runs write and no contract is about, and how to make a contract or an alias of each."""
    from treaty.registry import schemas
    from treaty.registry.cli.output import lineage

    with service.open_client() as registry:
        found = registry.unmatched_datasets(limit=limit)
    page = schemas.Page[schemas.UnmatchedDatasetOut](items=tuple(found))
    service.print_result(page, lineage.print_unmatched, as_json=as_json)


@app.command()
def alias(
    contract: ContractName, object_name: ObjectName, namespace: Namespace, name: DatasetName,
    version: NewVersion = None, as_json: Json = False,
) -> None:  # fmt: skip
    """Propose that lineage knows an object of a contract by one more name, as a version of the contract."""
    from treaty.registry.cli.output.proposals import print_proposal

    with service.open_client() as registry:
        text = named(registry, AliasTarget(contract, object_name), (namespace, name), version)
        made = registry.propose(text, title=f"{object_name} is {namespace} {name}, too")
    service.print_result(made, print_proposal, as_json=as_json)


class AliasTarget(NamedTuple):
    """An object of a contract."""

    contract: str
    object: str


def named(registry: "Client", about: AliasTarget, name: tuple[str, str], version: str | None) -> str:
    """The contract's document in force, in which the object goes by that name, too, as that version or the one after.

    Raises Stop where there is no such object, or no telling which number comes after."""
    from treaty.contracts.document.writer import write
    from treaty.contracts.document.yaml_syntax import parse
    from treaty.contracts.editing.aliases import next_version_number, with_alias

    datasets = registry.contract(about.contract).datasets
    known = [(each.namespace, each.name) for each in datasets if each.object == about.object]
    document = parse(registry.document(about.contract)).data
    number = version or next_version_number(str(document.get("version", "")))
    if not known:
        objects = ", ".join(sorted({each.object or "" for each in datasets}))
        raise CliError(f"{about.contract} has no object {about.object}; it has {objects or 'none in force'}")
    if number is None:
        raise CliError("the version in force has no number that another comes after: name one with --version")
    return write({**with_alias(document, about.object, name, known=known), "version": number}).decode()


def followed(
    shown: Sequence["LineageEventOut"],
    since: Callable[[datetime | None], Sequence["LineageEventOut"]],
    pause: Callable[[], None],
) -> Iterator["LineageEventOut"]:
    """The events that come after those that were shown, each once, oldest first; never ends by itself."""
    seen = {each.id: each.received_at for each in shown}
    while True:
        pause()
        newest = max(seen.values(), default=None)
        fresh = [each for each in reversed(since(newest and newest - OVERLAP)) if each.id not in seen]
        yield from fresh
        seen |= {each.id: each.received_at for each in fresh}
        newest = max(seen.values(), default=None)
        seen = {key: at for key, at in seen.items() if newest is not None and at >= newest - OVERLAP}


def read_id(text: str) -> UUID:
    """The id in the text. Raises Stop where it is none."""
    try:
        return UUID(text)
    except ValueError:
        raise CliError(f"{text} is no id: take one from the list") from None
