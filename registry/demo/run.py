"""Run `treaty demo`: the main job from an empty folder to a report of detected incidents."""

import logging
import secrets
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from treaty.engine.cli.commands import CliError
from treaty.engine.core import private_files
from treaty.engine.core.results import Verdict
from treaty.registry.core.settings import RegistrySettings, load
from treaty.registry.demo import parquet_folders, shop_data
from treaty.registry.demo.deliveries import DemoLake, own_lake, shop_lake
from treaty.registry.demo.incidents import DemoIncident
from treaty.registry.demo.out_of_order import LateDelivery
from treaty.registry.demo.producer import DemoProducer, spark
from treaty.registry.demo.scenario import DeliveryResult, DemoLoop, DemoTimeout, enlist, names_of
from treaty.registry.serve import local_stack

MARKS = {
    Verdict.PASSED: "[green]✓ passed[/]",
    Verdict.WARNED: "[yellow]! warned[/]",
    Verdict.FAILED: "[red]✗ failed[/]",
    Verdict.NOT_EVALUATED: "[magenta]? not evaluated[/]",
    Verdict.UNCERTAIN: "[yellow]~ uncertain[/]",
}


@dataclass(frozen=True)
class DemoReport:
    """Results of the demo."""

    results: tuple[DeliveryResult, ...]
    incidents: tuple[DemoIncident, ...]
    late_deliveries: tuple[LateDelivery, ...] = ()

    def of(self, incident: DemoIncident) -> DeliveryResult | None:
        """Return the result of the delivery that the incident affected."""
        return next((each for each in self.results if incident in each.delivery.incidents), None)

    def out_of(self, turn: LateDelivery) -> DeliveryResult | None:
        """Return the result of a late or repeated delivery."""
        return next((each for each in self.results if each.delivery.late_delivery == turn), None)

    @property
    def missed(self) -> tuple[DemoIncident, ...]:
        """Return the incidents that no check detected."""
        return tuple(each for each in self.incidents if not ((result := self.of(each)) and result.alarmed))

    @property
    def false_alarms(self) -> tuple[DeliveryResult, ...]:
        """Return alarms on deliveries without a documented incident."""
        return tuple(each for each in self.results if each.alarmed and not each.delivery.incidents)


def demo(
    *, data: str | None, partition_by: str | None, keep: bool, folder: Path | None = None, write: Path | None
) -> int:
    """Run the main job and return the exit code: 0, or 1 if a documented incident was missed."""
    if data and not partition_by:
        raise CliError("--data requires --partition-by COLUMN: the demo delivers the partitions one by one.")
    if partition_by and not data:
        raise CliError("--partition-by requires --data PATH. Omit both to use the web shop.")
    if folder and not keep:
        raise CliError("--folder requires --keep: otherwise the demo removes its files when it ends.")
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 150)
    try:
        with _home(folder, keep=keep) as home:
            _log_to(home / "logs" / "demo.log")
            if write:
                return _write(write, console)
            return _main_job(_settings(home, keep=keep), console, data=data, column=partition_by, keep=keep)
    except (local_stack.StartFailed, DemoTimeout) as error:
        raise CliError(str(error)) from None


@contextmanager
def _home(folder: Path | None, *, keep: bool) -> Iterator[Path]:
    if folder is not None:
        yield _new_folder(folder)
    elif keep:
        yield Path(tempfile.mkdtemp(prefix="treaty-demo-"))
    else:
        with tempfile.TemporaryDirectory(prefix="treaty-demo-") as home:
            yield Path(home)


def _new_folder(folder: Path) -> Path:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=private_files.FOLDER)
    except OSError as error:
        raise CliError(f"{folder} cannot be created: {error.strerror}. Name a new folder.") from None
    return folder.absolute()


def _log_to(log: Path) -> None:
    """Log to a file, because py4j logs a traceback for a call interrupted by Ctrl-C."""
    private_files.open_log(log).close()
    logging.basicConfig(filename=log)


def _settings(home: Path, *, keep: bool) -> RegistrySettings:
    """Return the settings of a separate registry.

    It uses the configured ports only if it is kept running."""
    ports = {} if keep else {"api_port": local_stack.free_port(), "ui_port": local_stack.free_port()}
    own = load().model_dump(include={"spark_memory", "spark_remote", "api_port", "ui_port"})
    return RegistrySettings(home=home, locations=str(_lake(home)), **{**own, **ports})


def _lake(home: Path) -> Path:
    return (home / "lake").absolute()


def _write(root: Path, console: Console) -> int:
    lake = shop_lake()
    all_deliveries = (*lake.history, *(each for day in lake.deliveries for each in day))
    parquet_folders.write(
        root,
        lake.column,
        (each for each in all_deliveries if not (each.late_delivery and each.late_delivery.is_repeat)),
        shop_data.TABLES,
    )
    for table in lake.tables:
        console.print(f"Wrote {root / table}")
    return 0


def _main_job(settings: RegistrySettings, console: Console, *, data: str | None, column: str | None, keep: bool) -> int:
    from treaty.registry.access.first_admin import initialise

    parts = (local_stack.api, local_stack.worker, local_stack.ui) if keep else (local_stack.api, local_stack.worker)
    console.print(f"[bold]1  Start[/]  Spark, API, worker{' and pages' if keep else ''} in {settings.home}")
    with spark(settings.home / "logs" / "producer.log") as session, ExitStack() as stack:
        lake = own_lake(session, data, column) if data and column else shop_lake()
        link = initialise(settings)
        started = stack.enter_context(local_stack.run_processes(settings, parts))
        loop, producer = prepare(settings, link, lake, session, console)
        report = run_loop(loop, producer, console)
        print_report(report, console)
        if keep:
            _keep(settings, loop, producer, console)
            local_stack.watch(started)
    return 1 if report.missed else 0


def prepare(
    settings: RegistrySettings, link: str, lake: DemoLake, session: object, console: Console
) -> tuple[DemoLoop, DemoProducer]:
    """Sign up the users through the one-time link, and create the loop and its producer."""
    people = enlist(settings.api, link, lambda: secrets.token_urlsafe(12))
    producer = DemoProducer(
        session=session, root=_lake(settings.home), column=lake.column, url=settings.api, token=people.token
    )
    return DemoLoop(lake=lake, people=people, report=lambda line: console.print(escape(line))), producer


def run_loop(loop: DemoLoop, producer: DemoProducer, console: Console) -> DemoReport:
    """Run the loop, printing each step: draft, approve, deliver."""
    console.print(f"[bold]2  History[/]  {len(loop.lake.history)} partitions of {', '.join(loop.lake.tables)}")
    loop.land_history(producer)
    console.print("[bold]3  Draft and approve[/]")
    loop.approve_all()
    console.print("[bold]4  Deliver[/]  one Spark write per partition, with OpenLineage events over HTTP")
    for result in loop.deliver_all(producer):
        console.print(_line(result))
    return DemoReport(tuple(loop.results), loop.lake.incidents, loop.lake.late_deliveries)


def _line(result: DeliveryResult) -> str:
    turn = f" ({result.delivery.late_delivery.name})" if result.delivery.late_delivery else ""
    name = f"{result.delivery.table} {result.delivery.partition}{turn}"
    words = f"  {names_of(result.broken)}" if result.broken else ""
    return f"  {MARKS[result.run.verdict]}  {escape(name)}  {result.seconds:.1f} s{escape(words)}"


def print_report(report: DemoReport, console: Console) -> None:
    """Print the incidents, then late deliveries, false alarms and times."""
    console.print("[bold]5  Detected incidents[/]")
    if report.incidents:
        console.print(_table(report))
    for turn in report.late_deliveries:
        console.print(_out_of_turn(turn, report.out_of(turn)))
    clean = [each for each in report.results if not each.delivery.incidents]
    alarms = "alarms" if not report.incidents else "false alarms"
    console.print(f"{alarms}: {len(report.false_alarms)} of {len(clean)} deliveries without a documented incident")
    times = sorted(each.seconds for each in report.results)
    if times:
        console.print(f"from event to verdict: median {median(times):.1f} s, maximum {times[-1]:.1f} s")


def _out_of_turn(turn: LateDelivery, result: DeliveryResult | None) -> str:
    outcome = f"{result.delivery.partition}, {MARKS[result.run.verdict]}" if result else "no verdict"
    return f"{turn.name}: {turn.table} {outcome} ({escape(turn.description)})"


def _table(report: DemoReport) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("incident", "table", "day", "what happened", "detected by", "seconds"):
        table.add_column(heading, overflow="fold")
    for incident in report.incidents:
        result = report.of(incident)
        detected_by = escape(names_of(result.broken)) if result and result.alarmed else "[bold red]missed[/]"
        seconds = f"{result.seconds:.1f}" if result else "-"
        day = result.delivery.partition if result else str(incident.day)
        table.add_row(incident.name, incident.table, day, incident.description, detected_by, seconds)
    return table


def _keep(settings: RegistrySettings, loop: DemoLoop, producer: DemoProducer, console: Console) -> None:
    """Create a draft to review, and print the addresses and passwords."""
    proposal = loop.finished_draft(loop.request_draft(producer, loop.lake.tables[0]))
    loop.people.producer.submit(proposal)
    console.print(f"\npages   {settings.ui_url}\nAPI     {settings.api}/api/v1\nfolder  {settings.home}\n")
    _print_sign_in(("owner", "producer", "admin"), loop.people.passwords, console)
    console.print("A new draft is ready for the owner's review. Press Ctrl-C to stop.")


def _print_sign_in(names: Sequence[str], passwords: dict[str, str], console: Console) -> None:
    for name in names:
        console.print(f"sign in as {name:9s} {escape(passwords[name])}")
