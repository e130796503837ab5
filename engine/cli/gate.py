"""The verb `gate`: a candidate becomes part of a table once the contract is kept with it in place."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from treaty.engine.cli.commands import (
    NOT_CHECKED,
    PASSED,
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
    recover: Recover = False, keep: Keep = False, fail_on: FailOn = FailOn.ERROR,
    partition_by: PartitionBy = None, object_name: ObjectName = None, format: Format = None,
    report: ReportForm = Report.TEXT, output: Output = None, others: OtherDatasetsOption = None, plugins: Plugins = "",
    remote: Remote = None, memory: Memory = "2g", key_file: KeyFile = None,
) -> None:  # fmt: skip
    """Publish a candidate to a table once the contract is kept with it in place; without one, say how the table stands.

    Exit code 0 passed and published; else nothing has changed: 1 violated, 2 warned with --fail-on warning, 3 could not
    check. A publication that was cut off gives 3 until --recover, which needs no contract, has ended or undone it."""
    named = (contract, state_url, partition_by, object_name, others)
    with _cli_errors(), _registered(context.obj, table, dataset, named) if dataset else nullcontext() as registered:
        if recover:
            store = registered.store if registered else _folder(state_url)
            _recover(table, store, remote, memory)
            return
        load_plugins(plugins)
        kept = registered or _local_contract(table, *named)
        if candidate is None:
            raise typer.Exit(_answered(table, kept, remote, memory))
        with in_spark(remote, memory) as spark:
            opened = _gate(spark, table, kept, fail_on=fail_on, keep=keep)
            opened = replace(opened, key=_key(kept.key_context or opened.table, key_file))
            run = _published(opened, TableSource(candidate, format), _values(partition), report, output)
        if kept.limits:
            _print_line(kept.limits, report)
        raise typer.Exit(exit_code(run.verdict, fail_on))


class GateCommands(TyperGroup):
    """The commands of the gate: without the name of one, the words are those of `publish`."""

    publish = "publish"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The arguments, with the command that they are of."""
        named = bool(args) and args[0] in self.commands
        return super().parse_args(ctx, args if named else [self.publish, *args])


ABOUT = "Publish to a table through a gate, or ask whether data may be read."
gates = typer.Typer(cls=GateCommands, add_completion=False, help=ABOUT)
gates.command(GateCommands.publish)(gate)


@contextmanager
def _cli_errors() -> Iterator[None]:
    """What the disk or stored states refuse, as a message."""
    from treaty.engine.core.errors import StateError

    try:
        yield
    except StateError as error:
        raise CliError(str(error)) from None
    except OSError as error:
        raise CliError(f"{error.filename or 'a file'}: {error.strerror}. Check the path and its permissions.") from None


@contextmanager
def _tables(table: str, remote: str | None, memory: str) -> Iterator[Any]:
    """What looks at the table; None for a plain folder, which needs no Spark."""
    from treaty.engine.gate.publication import is_plain

    if is_plain(table):
        yield None
        return
    with in_spark(remote, memory) as spark:
        yield spark


@contextmanager
def _registered(remembered: Any, table: str, dataset: str, named: tuple[Any, ...]) -> Iterator[Any]:
    """What the registry keeps of the dataset, by the entry that it gave the command. Raises Stop for another table, and
    where something is named that the registry says."""
    if any(named):
        raise CliError(
            "--dataset says what --contract, --state-url, --partition-by, --object and --other say: leave them out"
        )
    with remembered(dataset) as kept:
        if kept.location is None or not _is_same(kept.location, table):
            lies = kept.location or "a place that it does not know"
            raise CliError(f"the registry has {dataset} at {lies}: name that table, or the dataset that {table} is")
        yield kept


def _is_same(location: str, table: str) -> bool:
    from treaty.engine.gate.parquet_folders import local_folder

    return location == table or local_folder(location) == local_folder(table)


def _local_contract(
    table: str, contract: Path | None, state_url: str | None, partition_by: list[str] | None, name: str | None,
    others: list[str] | None,
) -> Any:  # fmt: skip
    """The contract of a file, and the states in a folder."""
    from treaty.contracts.document.reader import read
    from treaty.engine.gate.gated_contract import GatedContract

    if contract is None:
        raise CliError("name the contract that the table keeps: --contract FILE, or --dataset DATASET of the registry")
    asked = request_of(table, contract, partition_by, name, "parquet")
    by, store = asked.source.partition_by, _folder(state_url)
    return GatedContract(
        contract=read(asked.contract), object=asked.object, partition_by=by, store=store, datasets=sources_of(others)
    )


def _folder(state_url: str | None) -> Any:
    """The folder of states that is named; None for the one beside the table."""
    from treaty.engine.gate.gate import StateFolder

    return StateFolder(state_url) if state_url else None


def _recover(table: str, store: Any, remote: str | None, memory: str) -> None:
    from treaty.engine.core.disk import Disk
    from treaty.engine.gate.publication import recover_table
    from treaty.engine.gate.table_kinds import site_of

    with _tables(table, remote, memory) as tables:
        done = recover_table(site_of(table, tables), store, tables, Disk())
    told = {"forward": "the publication that was cut off is published", "back": "it is undone: the table is as it was"}
    print(told.get(done, "there was nothing to recover"))


def _answered(table: str, kept: Any, remote: str | None, memory: str) -> int:
    from treaty.engine.gate.publication import answer_for_table
    from treaty.engine.gate.table_kinds import site_of

    asked = (kept.contract.fingerprint, kept.object)
    with _tables(table, remote, memory) as tables:
        told = answer_for_table(site_of(table, tables), kept.partition_by, kept.store, tables, asked)
    print(told)
    return PASSED if told in ("passed", "warned") else NOT_CHECKED


def _gate(spark: Any, table: str, kept: Any, *, fail_on: FailOn, keep: bool) -> Any:
    from treaty.engine.core.results import Verdict
    from treaty.engine.gate.gate import ADMITTED, TableGate
    from treaty.engine.gate.publication import store_of
    from treaty.engine.gate.table_kinds import site_of

    site, by = site_of(table, spark), kept.partition_by

    def stage(rows: TableSource, folder: str, partition: Any) -> None:
        spark.stage(
            StageRequest(candidate=rows, folder=folder, partition_by=by, partition=partition, like=site.like(by))
        )

    admitted = ADMITTED if fail_on is FailOn.ERROR else frozenset({Verdict.PASSED})
    return TableGate(
        table=site.location, contract=kept.contract, object=kept.object, partition_by=by,
        store=kept.store or store_of(site.location), measure=spark.measure, stage=stage,
        admitted=admitted, keep=keep, datasets=kept.datasets, kind=site.kind, name=site.name, tables=spark,
        excluded_partitions=kept.excluded_partitions,
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
        _print_line(f"not published{f', kept in {rejected.kept}' if rejected.kept else ''}", report)
        return rejected.run
    print_report(candidate.run, report, output)
    _print_line(f"published to {gate.name or gate.table}", report)
    return candidate.run


def _print_line(words: str, report: Report) -> None:
    """A line beside the text of a run; other forms of report are all that is printed."""
    if report is Report.TEXT:
        print(words)


def _values(partition: list[str] | None) -> dict[str, str | None]:
    pairs = [each.partition("=") for each in partition or ()]
    for column, equals, value in pairs:
        if not column or not equals:
            raise CliError(
                f"--partition {column}{equals}{value} names no column and value: write --partition day=2026-01-01"
            )
    return {column: value or None for column, _, value in pairs}
