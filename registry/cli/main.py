"""Define the `treaty` command and convert every failure to an exit code."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.exceptions import TyperException

from treaty.contracts.errors import ContractError
from treaty.engine.cli import commands as engine_verbs
from treaty.engine.cli.commands import NOT_CHECKED, PASSED, CliError
from treaty.engine.cli.gate import gates
from treaty.engine.cli.patterns import patterns as lake
from treaty.engine.core.errors import EngineError
from treaty.extras import MissingExtra, missing_extra, require
from treaty.registry.cli.commands import (
    access,
    audit,
    catalog,
    catalogs,
    consumers,
    contracts,
    database,
    exchange,
    gate,
    history,
    incidents,
    lineage,
    notifications,
    profile,
    proposals,
    replay,
    states,
    tasks,
    templates,
)
from treaty.registry.cli.commands.learning import keys, patterns
from treaty.registry.core.settings import ConfigError, RegistrySettings, load

INTERRUPTED = 130

app = typer.Typer(
    name="treaty",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Data contracts for Apache Spark: draft, approve, and validate on lineage events."
    " The commands verify, draft, quarantine, explain and gate require treaty\\[spark];"
    " registry commands require treaty\\[registry].",
)
engine_verbs.add_to(app)
gates.command("check")(gate.check)
lake.command("index")(patterns.index)
lake.command("top")(patterns.top)
lake.command("find")(patterns.find)
VERBS = (
    states.metrics,
    history.history,
    history.fits,
    states.states,
    states.erase,
    states.rerun,
    contracts.diff,
    contracts.breaking,
    replay.replay,
    profile.profile,
    catalog.search,
    contracts.checks,
    exchange.export,
    *consumers.COMMANDS,
    *proposals.COMMANDS,
    *incidents.COMMANDS,
    *tasks.COMMANDS,
    database.backup,
    database.restore,
)
for verb in VERBS:
    app.command()(verb)
app.command("import")(exchange.bring)
app.add_typer(access.app)
app.add_typer(audit.app)
app.add_typer(catalogs.app)
app.add_typer(incidents.app)
app.add_typer(keys.app)
app.add_typer(lineage.app)
app.add_typer(access.locations)
app.add_typer(notifications.app)
app.add_typer(templates.app)


@app.command()
def init() -> None:
    """Prepare the database and print the one-time link for the first administrator."""
    from treaty.registry.access.first_admin import initialise
    from treaty.registry.core.errors import RegistryError

    settings = load()
    try:
        with database.database_errors():
            print(initialise(settings))
    except RegistryError as error:
        raise CliError(str(error)) from None


@app.command()
def up() -> None:
    """Start the API, worker and pages on 127.0.0.1 and print their addresses. Press Ctrl-C to stop."""
    require("registry", "spark", "ui")
    from treaty.registry.serve import local_stack as parts

    settings = parts.with_start_folder(load(), Path.cwd())
    link = _setup_link(settings)
    try:
        with parts.run_processes(settings, (parts.api, parts.worker, parts.ui)) as started:
            print(f"pages   {settings.ui_url}\nAPI     {settings.api}/api/v1\nlogs    {started[0].log.parent}")
            print(f"data    {settings.locations or 'no location'}; allow others: treaty locations add LOCATION")
            print(
                f"\nOne-time link for the first administrator: {link}" if link else "",
                "Press Ctrl-C to stop.",
                sep="\n",
                flush=True,
            )
            parts.watch(started)
    except parts.StartFailed as error:
        raise CliError(str(error)) from None
    print("Stopped.")


def _setup_link(settings: RegistrySettings) -> str | None:
    from treaty.registry.access.first_admin import initialise
    from treaty.registry.core.errors import Conflict

    try:
        with database.database_errors():
            return initialise(settings)
    except Conflict:
        return None


@app.command()
def api() -> None:
    """Run only the API."""
    from treaty.registry.serve.local_stack import serve_api

    with database.database_errors():
        serve_api(load())


@app.command()
def worker(
    name: Annotated[str, typer.Option(hidden=True, help="Name of the worker")] = "",
    channel: Annotated[int, typer.Option(hidden=True, help="Pipe of the supervisor")] = -1,
    ending: Annotated[str, typer.Option(hidden=True, help="End of the process before")] = "",
) -> None:
    """Run one worker, which turns lineage events into tasks and tasks into verdicts.

    Spark runs in a child process. A worker process that dies or hangs is replaced."""
    require("registry", "spark")
    if channel < 0:
        # It starts this command again, with the options.
        from treaty.registry.worker import supervisor

        supervisor.main()
    from treaty.registry.core import logs
    from treaty.registry.worker import process

    settings = load()
    logs.configure(settings.log_format)
    with database.database_errors():
        process.run(settings, process.Supervision(name, channel, ending))


@app.command()
def demo(
    data: Annotated[str | None, typer.Option(help="Run the demo on your own table")] = None,
    partition_by: Annotated[str | None, typer.Option(help="Partition column of --data")] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the services running and print their addresses and passwords")
    ] = False,
    folder: Annotated[
        Path | None, typer.Option(help="New folder for tables, database and logs of --keep; by default a temporary one")
    ] = None,
    write: Annotated[Path | None, typer.Option(help="Only write the demo's tables to this folder")] = None,
) -> None:
    """Run the demo: draft and approve contracts, deliver days with incidents, report detections."""
    require("registry", "spark", *(() if write else ("ui",)))
    from treaty.registry.demo import run

    raise typer.Exit(run.demo(data=data, partition_by=partition_by, keep=keep, folder=folder, write=write))


@contextmanager
def _remembered(dataset: str) -> Iterator[Any]:
    """Yield the registered contract and states of a dataset, for the gate."""
    from treaty.registry.sdk.remote_states import registered_contract

    with registered_contract(dataset) as gated:
        yield gated


def main(arguments: list[str] | None = None) -> None:
    """Run a command and exit.

    Exit codes: 0 success, 1 violated, 2 warned, 3 not checked (including usage errors)."""
    sys.exit(_code(arguments))


def _code(arguments: list[str] | None) -> int:
    try:
        code = int(app(args=arguments, standalone_mode=False, obj=_remembered) or PASSED)
        # typer handles Ctrl-C itself and returns this code without a message.
        return _failed("Stopped.", code) if code == INTERRUPTED else code
    except typer.Exit as exited:
        return exited.exit_code
    except (typer.Abort, KeyboardInterrupt):
        return _failed("Stopped.", INTERRUPTED)
    except TyperException as usage:
        # Only usage errors of typer have a formatted message.
        return _failed(f"{getattr(usage, 'format_message', usage.__str__)()} See: treaty --help")
    except ModuleNotFoundError as error:
        missing = missing_extra(error)
        if missing is None:
            raise
        return _failed(str(missing))
    except (CliError, ConfigError, ContractError, EngineError, MissingExtra) as error:
        return _failed(_words(error), getattr(error, "code", NOT_CHECKED))


def _words(error: Exception) -> str:
    faults = getattr(error, "faults", ())
    if not faults:
        return str(error)
    return f"The contract has {len(faults)} fault(s):\n" + "\n".join(f"  {fault}" for fault in faults)


def _failed(message: str, code: int = NOT_CHECKED) -> int:
    print(f"treaty: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    main()
