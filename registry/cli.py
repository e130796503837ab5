"""The `treaty` command: the engine's verbs and the registry's, and how every failure ends."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer
from typer.exceptions import TyperException

from contracts.errors import ContractError
from engine import cli as engine_verbs
from engine.cli import NOT_CHECKED, PASSED, VIOLATED, Stop
from engine.options import Json
from engine.requests import EngineError
from registry.config import ConfigError, Settings, load

if TYPE_CHECKING:
    from registry.client import Client

INTERRUPTED = 130
UNAUTHENTICATED = 401
DatasetName = Annotated[
    str,
    typer.Argument(metavar="DATASET", help="a contract's id, contract.object, or a dataset's name", show_default=False),
]
Where = Annotated[str | None, typer.Option(help="only partitions for which this is true: \"day >= '2026-01-01'\"")]
Metric = Annotated[list[str] | None, typer.Option(help="completeness:column=status; repeat for more")]
Namespace = Annotated[str | None, typer.Option(help="that of the dataset's name, where several have it")]

app = typer.Typer(
    name="treaty",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Data contracts for Apache Spark: draft, approve, validate on lineage events.",
)
engine_verbs.add_to(app)


@app.command()
def init() -> None:
    """Prepare the database and print the one-time link that makes the first administrator."""
    from registry.errors import RegistryError
    from registry.setup import initialise

    settings = load()
    try:
        print(initialise(settings))
    except RegistryError as error:
        raise Stop(str(error)) from None


@app.command()
def up() -> None:
    """Start API, worker and pages on 127.0.0.1 and print their addresses; Ctrl-C stops them."""
    from registry import up as parts

    settings = load()
    link = _setup_link(settings)
    try:
        with parts.running(settings, (parts.api, parts.worker, parts.ui)) as started:
            print(f"pages   {settings.ui_url}\nAPI     {settings.api}/api/v1\nlogs    {started[0].log.parent}")
            print(
                f"\nFirst administrator, one time: {link}" if link else "",
                "Ctrl-C stops everything.",
                sep="\n",
                flush=True,
            )
            parts.watch(started)
    except parts.NotStarted as error:
        raise Stop(str(error)) from None
    print("stopped")


def _setup_link(settings: Settings) -> str | None:
    from registry.errors import Conflict
    from registry.setup import initialise

    try:
        return initialise(settings)
    except Conflict:
        return None


@app.command()
def api() -> None:
    """Run the API alone."""
    from registry.up import serve_api

    serve_api(load())


@app.command()
def worker() -> None:
    """Run one worker: lineage events to tasks, tasks to verdicts, with Spark in a child process."""
    import logging

    from registry.worker import run

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    run(load())


@app.command()
def demo(
    data: Annotated[str | None, typer.Option(help="run the loop on your own table instead")] = None,
    partition_by: Annotated[str | None, typer.Option(help="the partition column of --data")] = None,
    keep: Annotated[bool, typer.Option("--keep", help="leave everything up, with addresses and sign-in")] = False,
    write: Annotated[Path | None, typer.Option(help="only write the demo's tables to this folder")] = None,
) -> None:
    """Run the main job: draft contracts, have them approved, deliver days with incidents, see what is caught."""
    from registry.demo import run

    raise typer.Exit(run.demo(data=data, partition_by=partition_by, keep=keep, write=write))


@app.command()
def metrics(
    dataset: DatasetName, where: Where = None, metric: Metric = None, namespace: Namespace = None, as_json: Json = False
) -> None:
    """Tell metrics of chosen partitions from stored states alone: no data is read, no Spark is started."""
    from registry.printing import print_metrics

    with _service() as service:
        found = service.metrics(dataset, where=where, metrics=metric or (), namespace=namespace)
    _tell(found, print_metrics, as_json=as_json)


@app.command()
def states(
    dataset: DatasetName, where: Where = None, metric: Metric = None, namespace: Namespace = None, as_json: Json = False
) -> None:
    """Show what is stored of each partition, and what a question about them would merge and lacks."""
    from registry.printing import print_states

    with _service() as service:
        found = service.states(dataset, where=where, metrics=metric or (), namespace=namespace)
    _tell(found, print_states, as_json=as_json)


@app.command()
def erase(
    dataset: DatasetName,
    partition: Annotated[
        list[str] | None, typer.Option(help="only this partition, as `treaty states` names it; repeat for more")
    ] = None,
    namespace: Namespace = None,
    yes: Annotated[bool, typer.Option("--yes", help="do not ask")] = False,
    as_json: Json = False,
) -> None:
    """Erase states, samples and values that are remembered of a dataset; runs keep their verdicts and numbers."""
    from registry.printing import print_erased

    what = f"{len(partition)} partition(s) of {dataset}" if partition else f"all of {dataset}"
    if not yes:
        typer.confirm(f"Erase what is remembered of {what}? It cannot be brought back.", abort=True)
    with _service() as service:
        found = service.erase(dataset, partitions=partition or (), namespace=namespace)
    _tell(found, print_erased, as_json=as_json)


@app.command()
def rerun(
    run: Annotated[UUID, typer.Argument(help="the run's id, as its page and the API have it")], as_json: Json = False
) -> None:
    """Do a run again from the states that it judged: 0 where it comes out the same, 1 where it does not."""
    from registry.printing import print_rerun

    with _service() as service:
        found = service.rerun(run)
    _tell(found, print_rerun, as_json=as_json)
    raise typer.Exit(VIOLATED if found.differences else PASSED)


@contextmanager
def _remembered(dataset: str) -> Iterator[Any]:
    """What the registry keeps of a dataset, for the gate."""
    from registry.remembered import remembered

    with remembered(dataset) as kept:
        yield kept


@contextmanager
def _service() -> "Iterator[Client]":
    """The API as the settings say, acting by their token; its refusals end the command."""
    from registry.client import Client, ClientError

    settings = load()
    try:
        with Client(settings.api, settings.token or None) as client:
            yield client
    except ClientError as error:
        faults = "".join(f"\n  {each.message}" + (f" ({each.remedy})" if each.remedy else "") for each in error.faults)
        told = "sign in with an API token: set TREATY_TOKEN" if error.status == UNAUTHENTICATED else error.message
        raise Stop(f"{told}{faults}") from None


def _tell(found: Any, show: Callable[[Any, Any], None], *, as_json: bool) -> None:
    from rich.console import Console

    if as_json:
        print(found.model_dump_json(indent=2))
    else:
        show(found, Console(highlight=False, width=None if sys.stdout.isatty() else 160))


def main(arguments: list[str] | None = None) -> None:
    """Runs a command and exits: 0 done, 1 violated, 2 warned, 3 could not check (wrong usage too), 4 not recorded."""
    sys.exit(_code(arguments))


def _code(arguments: list[str] | None) -> int:
    try:
        code = int(app(args=arguments, standalone_mode=False, obj=_remembered) or PASSED)
        # Ctrl-C is no exception here: typer makes it this code, without a word.
        return _failed("stopped", code) if code == INTERRUPTED else code
    except typer.Exit as done:
        return done.exit_code
    except (typer.Abort, KeyboardInterrupt):
        return _failed("stopped", INTERRUPTED)
    except TyperException as usage:
        # Of what typer raises, only wrong usage has words of its own to show.
        return _failed(f"{getattr(usage, 'format_message', usage.__str__)()} See: treaty --help")
    except (Stop, ConfigError, ContractError, EngineError) as error:
        return _failed(_words(error), getattr(error, "code", NOT_CHECKED))


def _words(error: Exception) -> str:
    faults = getattr(error, "faults", ())
    if not faults:
        return str(error)
    return f"the contract has {len(faults)} fault(s):\n" + "\n".join(f"  {fault}" for fault in faults)


def _failed(message: str, code: int = NOT_CHECKED) -> int:
    print(f"treaty: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    main()
