"""Define the command `gate`: publish a candidate if the table with it passes the contract."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from treaty.engine.cli.commands import (
    NOT_CHECKED,
    CliError,
    exit_code,
    in_spark,
    load_plugins,
    print_report,
    request_of,
    sources_of,
)
from treaty.engine.cli.options import (
    CandidateData,
    FailOn,
    FailOnOption,
    Format,
    GateContract,
    GateDataset,
    Keep,
    KeyFile,
    Memory,
    ObjectName,
    OtherDatasetsOption,
    Output,
    Partition,
    PartitionBy,
    Plugins,
    Recover,
    Remote,
    Report,
    ReportForm,
    StateUrl,
    TableFolder,
)
from treaty.engine.protocol.requests import StageRequest, TableSource


def gate(
    context: typer.Context, table: TableFolder, contract: GateContract = None, dataset: GateDataset = None,
    candidate: CandidateData = None, partition: Partition = None, state_url: StateUrl = None,
    recover: Recover = False, keep: Keep = False, fail_on: FailOnOption = FailOn.ERROR,
    partition_by: PartitionBy = None, object_name: ObjectName = None, format: Format = None,
    report: ReportForm = Report.TEXT, output: Output = None, other_datasets: OtherDatasetsOption = None,
    plugins: Plugins = "",
    remote: Remote = None, memory: Memory = "2g", key_file: KeyFile = None,
) -> None:  # fmt: skip
    """Publish a candidate if the table with it passes the contract; without a candidate, print the table's status.

    Exit codes: 0 passed and published; otherwise the table is unchanged: 1 violated, 2 warned with --fail-on
    warning, 3 not checked. After an interrupted publication the command exits with 3 until you run it with
    --recover, which needs no contract and completes or rolls back the publication."""
    overrides = (contract, state_url, partition_by, object_name, other_datasets)
    with _cli_errors(), _registered(context.obj, table, dataset, overrides) if dataset else nullcontext() as registered:
        if recover:
            store = registered.store if registered else _folder(state_url)
            _recover(table, store, remote, memory)
            return
        load_plugins(plugins)
        gated = registered or _local_contract(table, *overrides)
        if candidate is None:
            raise typer.Exit(_answered(table, gated, remote, memory, fail_on))
        with in_spark(remote, memory) as spark:
            table_gate = _gate(spark, table, gated, fail_on=fail_on, keep=keep)
            table_gate = replace(table_gate, key=_key(gated.key_context or table_gate.table, key_file))
            run = _published(table_gate, TableSource(candidate, format), _values(partition), report, output)
        if gated.limits:
            _print_line(gated.limits, report)
        raise typer.Exit(exit_code(table_gate.verdict(run), fail_on))


class GateCommands(TyperGroup):
    """Commands of the gate; arguments without a command name belong to `publish`."""

    publish = "publish"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, with `publish` as the default command."""
        has_command = bool(args) and args[0] in self.commands
        return super().parse_args(ctx, args if has_command else [self.publish, *args])


ABOUT = "Publish data to a table through a gate, or check whether a table may be read."
gates = typer.Typer(cls=GateCommands, add_completion=False, help=ABOUT)
gates.command(GateCommands.publish)(gate)


@contextmanager
def _cli_errors() -> Iterator[None]:
    """Turn errors of the disk and of stored states into messages."""
    from treaty.engine.core.errors import StateError

    try:
        yield
    except StateError as error:
        raise CliError(str(error)) from None
    except OSError as error:
        raise CliError(f"{error.filename or 'a file'}: {error.strerror}. Check the path and its permissions.") from None


@contextmanager
def _tables(table: str, remote: str | None, memory: str) -> Iterator[Any]:
    """Yield access to the table through Spark; None for a plain folder, which needs no Spark."""
    from treaty.engine.gate.publication import is_plain

    if is_plain(table):
        yield None
        return
    with in_spark(remote, memory) as spark:
        yield spark


@contextmanager
def _registered(remembered: Any, table: str, dataset: str, named: tuple[Any, ...]) -> Iterator[Any]:
    """Yield the registry's contract and states of the dataset.

    Raises CliError if its table is another one, or if an option repeats what the registry defines."""
    if any(named):
        raise CliError(
            "--dataset replaces --contract, --state-url, --partition-by, --object and --other: remove these options"
        )
    with remembered(dataset) as gated:
        if gated.location is None or not _is_same(gated.location, table):
            location = gated.location or "an unknown location"
            raise CliError(f"the registry has {dataset} at {location}: use that table, or the dataset of {table}")
        yield gated


def _is_same(location: str, table: str) -> bool:
    from treaty.engine.gate.parquet_folders import local_folder

    return location == table or local_folder(location) == local_folder(table)


def _local_contract(
    table: str, contract: Path | None, state_url: str | None, partition_by: list[str] | None, name: str | None,
    other_datasets: list[str] | None,
) -> Any:  # fmt: skip
    """Build the gated contract from a contract file and a state folder."""
    from treaty.contracts.document.reader import read
    from treaty.engine.gate.gated_contract import GatedContract

    if contract is None:
        raise CliError("specify the contract of the table: --contract FILE, or --dataset DATASET of the registry")
    request = request_of(table, contract, partition_by, name, "parquet")
    columns, store = request.source.partition_by, _folder(state_url)
    return GatedContract(
        contract=read(request.contract),
        object=request.object,
        partition_by=columns,
        store=store,
        datasets=sources_of(other_datasets),
    )


def _folder(state_url: str | None) -> Any:
    """Return the state folder at that URL; None for the default one next to the table."""
    from treaty.engine.gate.gate import StateFolder

    return StateFolder(state_url) if state_url else None


def _recover(table: str, store: Any, remote: str | None, memory: str) -> None:
    from treaty.engine.core.disk import Disk
    from treaty.engine.gate.publication import recover_table
    from treaty.engine.gate.table_kinds import site_of

    with _tables(table, remote, memory) as tables:
        direction = recover_table(site_of(table, tables), store, tables, Disk())
    messages = {
        "forward": "the interrupted publication was completed",
        "back": "the interrupted publication was rolled back: the table is unchanged",
    }
    print(messages.get(direction, "nothing to recover"))


def _answered(table: str, gated: Any, remote: str | None, memory: str, fail_on: FailOn) -> int:
    from treaty.engine.core.results import Verdict
    from treaty.engine.gate.publication import answer_for_table
    from treaty.engine.gate.table_kinds import site_of

    expected = (gated.contract.fingerprint, gated.object)
    with _tables(table, remote, memory) as tables:
        answer = answer_for_table(site_of(table, tables), gated.partition_by, gated.store, tables, expected)
    print(answer)
    return exit_code(answer, fail_on) if answer in set(Verdict) else NOT_CHECKED


def _gate(spark: Any, table: str, gated: Any, *, fail_on: FailOn, keep: bool) -> Any:
    from treaty.engine.core.results import Verdict
    from treaty.engine.gate.gate import ADMITTED, TableGate
    from treaty.engine.gate.publication import store_of
    from treaty.engine.gate.table_kinds import site_of

    site, partition_columns = site_of(table, spark), gated.partition_by

    def stage(rows: TableSource, folder: str, partition: Any) -> None:
        spark.stage(
            StageRequest(
                candidate=rows,
                folder=folder,
                partition_by=partition_columns,
                partition=partition,
                like=site.like(partition_columns),
            )
        )

    admitted = ADMITTED if fail_on is FailOn.ERROR else frozenset({Verdict.PASSED})
    return TableGate(
        table=site.location, contract=gated.contract, object=gated.object, partition_by=partition_columns,
        store=gated.store or store_of(site.location), measure=spark.measure, exact=spark.exact_values, stage=stage,
        admitted=admitted, keep=keep, datasets=gated.datasets, kind=site.kind, name=site.name, tables=spark,
        excluded_partitions=gated.excluded_partitions,
    )  # fmt: skip


def _key(table: str, key_file: Path | None) -> Any:
    from treaty.engine.gate.gate import key_of

    return key_of(table, str(key_file) if key_file else None)


def _published(
    gate: Any, rows: TableSource, partition: dict[str, str | None], report: Report, output: Path | None
) -> Any:
    from treaty.engine.gate.gate import CandidateRejected, open_gate

    try:
        with open_gate(gate) as candidate:
            candidate.write(rows, partition)
    except CandidateRejected as rejected:
        print_report(rejected.run, report, output)
        _print_line(
            f"not published{f'; the rejected candidate is in {rejected.folder}' if rejected.folder else ''}", report
        )
        return rejected.run
    print_report(candidate.run, report, output)
    _print_line(f"published to {gate.name or gate.table}", report)
    return candidate.run


def _print_line(words: str, report: Report) -> None:
    """Print a line after a text report; other report formats stay free of extra lines."""
    if report is Report.TEXT:
        print(words)


def _values(partition: list[str] | None) -> dict[str, str | None]:
    pairs = [each.partition("=") for each in partition or ()]
    for column, equals, value in pairs:
        if not column or not equals:
            raise CliError(
                f"--partition {column}{equals}{value} is not a column and a value: use --partition day=2026-01-01"
            )
    return {column: value or None for column, _, value in pairs}
