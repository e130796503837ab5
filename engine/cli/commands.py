"""Define the commands verify, quarantine, draft and explain, which need no registry."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import typer

from treaty.contracts.document import computed_partitions
from treaty.engine.anomaly.learned_programs import PINNED, REFITS, TIGHTEN
from treaty.engine.cli.options import (
    AllSuggestions,
    AsJson,
    ByHistory,
    Columns,
    ContractFile,
    ContractId,
    Data,
    ExcludePartition,
    FailOn,
    FailOnOption,
    FalseAlarms,
    Folder,
    Format,
    Json,
    KeyModelPath,
    LakeIndex,
    Memory,
    ObjectName,
    OtherDatasetsOption,
    Out,
    OutFormat,
    Output,
    Overwrite,
    PartitionBy,
    Plugins,
    Refit,
    Remote,
    Report,
    ReportForm,
    RowsFormat,
    Sample,
    Samples,
    Warnings,
)
from treaty.engine.core.clock import now
from treaty.engine.protocol.requests import DraftRequest, MeasureRequest, TableSource
from treaty.engine.protocol.row_requests import QuarantineRequest, QuarantineResult, QuarantineTarget, SampleRequest

PASSED, VIOLATED, WARNED, NOT_CHECKED = 0, 1, 2, 3


class CliError(Exception):
    """An error that ends a command with a message and an exit code."""

    def __init__(self, message: str, code: int = NOT_CHECKED) -> None:
        super().__init__(message)
        self.code = code


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    from treaty.engine.cli.gate import gates
    from treaty.engine.cli.patterns import patterns

    for verb in (verify, quarantine, draft, explain):
        app.command()(verb)
    app.add_typer(gates, name="gate")
    app.add_typer(patterns, name="patterns")


def verify(
    data: Data, contract: ContractFile, partition_by: PartitionBy = None, object_name: ObjectName = None,
    format: Format = None, report: ReportForm = Report.TEXT, output: Output = None, as_json: AsJson = False,
    fail_on: FailOnOption = FailOn.ERROR, samples: Samples = 0, other_datasets: OtherDatasetsOption = None,
    plugins: Plugins = "", remote: Remote = None, memory: Memory = "2g",
) -> None:  # fmt: skip
    """Verify a table against a contract.

    Exit codes: 0 passed, 1 violated, 2 warned with --fail-on warning, 3 not checked."""
    load_plugins(plugins)
    request = request_of(data, contract, partition_by, object_name, format)
    request = replace(request, datasets=sources_of(other_datasets), reference_limits=True)
    run = _verified(request, samples=samples, remote=remote, memory=memory)
    print_report(run, Report.JSON if as_json else report, output)
    raise typer.Exit(exit_code(run.verdict, fail_on))


def print_report(run: Any, report: Report, output: Path | None) -> None:
    """Print the report; with an output file, write it there and print the text form."""
    from treaty.engine.report import REPORTS, print_run

    if output or report is Report.TEXT:
        print_run(run, _console())
    if output:
        _write(output, REPORTS[report](run).encode())
    elif report is not Report.TEXT:
        print(REPORTS[report](run), end="")


def exit_code(verdict: str, fail_on: FailOn = FailOn.ERROR) -> int:
    """Return the exit code of a verdict."""
    warned = WARNED if fail_on is FailOn.WARNING else PASSED
    unknown = {"not_evaluated": NOT_CHECKED, "uncertain": NOT_CHECKED}
    return {"passed": PASSED, "warned": warned, "failed": VIOLATED, **unknown}[verdict]


def request_of(
    data: str, contract: Path, partition_by: list[str] | None, object_name: str | None, kind: str | None
) -> MeasureRequest:
    """Build the request to measure a table for a contract file. Raises CliError if the object is missing."""
    from treaty.contracts.document.reader import read

    text = _text_of(contract)
    parsed = read(text)
    names = [each.name for each in parsed.objects]
    if not names or (object_name and object_name not in names):
        raise CliError(f"{contract} has no object {object_name or ''}; available: {', '.join(names) or 'none'}")
    chosen = parsed.object(object_name or names[0])
    source = TableSource(data, kind, tuple(partition_by or chosen.partition_by))
    return MeasureRequest(source=source, contract=text, object=chosen.name)


def sources_of(locations: list[str] | None) -> dict[str, TableSource]:
    """Parse the locations of other datasets, by the names that the contract uses."""
    pairs = [each.partition("=") for each in locations or ()]
    for name, _, location in pairs:
        if not name or not location:
            raise CliError(f"--other {name}{_}{location} needs a dataset and a location: use --other titles=PATH")
    return {name: TableSource(location) for name, _, location in pairs}


def load_plugins(plugins: str) -> None:
    """Load the packages of a comma-separated list."""
    from treaty.engine.checks.plugins import load, split

    load(split(plugins))


def _text_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CliError(f"the contract {path} cannot be read: {error.strerror}. Check the path.") from None


def _verified(request: MeasureRequest, *, samples: int, remote: str | None, memory: str) -> Any:
    from treaty.contracts.document.reader import read
    from treaty.engine.checks.binding import bind
    from treaty.engine.evaluation.exact_evaluation import evaluate_exactly
    from treaty.engine.evaluation.request import EvaluationRequest
    from treaty.engine.evaluation.violation_samples import redact
    from treaty.engine.protocol.row_requests import ExactRequest

    started, contract = now(), read(request.contract)
    with in_spark(remote, memory) as spark:
        measured = spark.measure(request)
        evaluated = EvaluationRequest(
            contract=contract, object_name=request.object, schema=measured.schema,
            states=measured.evaluated_states(measured.states), delta=sorted(measured.states),
            started_at=started, finished_at=now(),
            whole_table_states=measured.whole_table_states, reference_values=measured.referents,
        )  # fmt: skip
        run = evaluate_exactly(evaluated, lambda checks: spark.exact_values(ExactRequest.of(request, checks)))
        checks = bind(contract.object(request.object), measured.schema)
        return _with_samples(spark, request, redact(checks, run), checks, samples)


def _with_samples(spark: Any, request: MeasureRequest, run: Any, checks: Any, limit: int) -> Any:
    from treaty.engine.evaluation.violation_samples import sampled_checks

    checks_to_sample = sampled_checks(checks, run.results) if limit else {}
    if not checks_to_sample:
        return run
    request_for_samples = SampleRequest(
        source=request.source,
        contract=request.contract,
        object=request.object,
        failed_checks=checks_to_sample,
        limit=limit,
        datasets=request.datasets,
    )
    return run.model_copy(update={"samples": spark.sample(request_for_samples)})


@contextmanager
def in_spark(remote: str | None, memory: str) -> Iterator[Any]:
    """Run the engine with Spark in a child process that ends with the block.

    Raises MissingExtra if Spark is not installed."""
    from treaty.engine.checks.plugins import names
    from treaty.engine.spark.process.child import ChildSettings, SparkChild
    from treaty.extras import require

    require("spark")
    child = SparkChild(ChildSettings(remote=remote, memory=memory, plugins=names()))
    try:
        yield child
    finally:
        child.close()


def _console() -> Any:
    from rich.console import Console

    return Console(soft_wrap=False, highlight=False, width=None if sys.stdout.isatty() else 160)


def draft(
    data: Data, partition_by: PartitionBy = None, columns: Columns = None, contract_id: ContractId = None,
    sample: Sample = None, exclude_partition: ExcludePartition = None, object_name: ObjectName = None,
    lake: LakeIndex = None, key_model: KeyModelPath = None, by_history: ByHistory = False,
    false_alarms: FalseAlarms = 1.0, refit: Refit = PINNED, all_suggestions: AllSuggestions = False,
    out: Out = None, format: Format = None, as_json: Json = False,
    remote: Remote = None, memory: Memory = "2g",
) -> None:  # fmt: skip
    """Draft a contract for a table: its schema and the checks suggested by its history, with their evidence."""
    from treaty.engine.suggestions.keys.model_store import readable

    name = object_name or _name_of(data)
    if REFITS.fullmatch(refit) is None:
        raise CliError(f"--refit {refit} is not valid: use {PINNED}, {TIGHTEN} or 'within: 10%'")
    request = DraftRequest(
        source=TableSource(data, format, tuple(partition_by or ())), contract_id=contract_id or name, object=name,
        columns=tuple(each.strip() for each in columns.split(",")) if columns else (), sample=sample,
        lake=str(lake) if lake else None, key_model=readable(key_model),
        alarms=false_alarms if by_history else None, refit=refit,
        excluded_partitions=_named(exclude_partition or (), partition_by or ()), refuse_unknown_exclusions=True,
    )  # fmt: skip
    with in_spark(remote, memory) as spark:
        drafted = spark.draft(request, progress)
    _print_draft(drafted, out, as_json=as_json, optional=all_suggestions)


def _named(names: Sequence[str], by: Sequence[str]) -> tuple[str, ...]:
    """Validate partition names. Raises CliError unless each has one value per partition column, in order."""
    columns = computed_partitions.names(by)
    for name in names:
        if [pair.partition("=")[0] for pair in name.split("/")] != list(columns):
            shape = "/".join(f"{column}=..." for column in columns)
            remedy = f"use --exclude-partition '{shape}'" if shape else "set the partition columns with --partition-by"
            raise CliError(f"--exclude-partition {name} is not a partition of the table: {remedy}")
    return tuple(names)


def progress(words: str) -> None:
    """Print progress to stderr if it is a terminal."""
    if sys.stderr.isatty():
        print(f"{words} ...", file=sys.stderr)


def _print_draft(drafted: Any, out: Path | None, *, as_json: bool, optional: bool = False) -> None:
    from treaty.engine.report import print_draft
    from treaty.engine.session.drafts import with_suggestions

    document = with_suggestions(drafted.document, drafted.suggestions, optional=optional)
    if out:
        _write(out, document)
    if as_json:
        output = {"document": document.decode(), "suggestions": drafted.suggestions, "profile": drafted.profile}
        print(json.dumps(output, indent=2))
        return
    for note in drafted.profile.get("notes", ()):
        print(note, file=sys.stderr)  # stdout may be the document
    if out:
        print_draft(drafted.suggestions, _console(), optional=optional)
    else:
        print(document.decode(), end="")


def _write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise CliError(f"{path} cannot be written: {error.strerror}. Check the path.") from None


def quarantine(
    data: Data, contract: ContractFile, out: Folder, out_format: OutFormat = RowsFormat.PARQUET,
    overwrite: Overwrite = False, warnings: Warnings = False, partition_by: PartitionBy = None,
    object_name: ObjectName = None, format: Format = None, other_datasets: OtherDatasetsOption = None,
    as_json: Json = False,
    plugins: Plugins = "", remote: Remote = None, memory: Memory = "2g",
) -> None:  # fmt: skip
    """Split the rows of a table into good and bad ones in one pass; each bad row lists the checks it violates.

    Exit codes: 0 all rows are good, 1 some rows are bad, 3 not done, or a check could not be evaluated on any row."""
    load_plugins(plugins)
    request = request_of(data, contract, partition_by, object_name, format)
    target = QuarantineTarget(out, out_format.value, overwrite=overwrite, warnings=warnings)
    with in_spark(remote, memory) as spark:
        quarantine_request = QuarantineRequest(
            source=request.source,
            contract=request.contract,
            object=request.object,
            target=target,
            datasets=sources_of(other_datasets),
        )
        outcome = spark.quarantine(quarantine_request)
    if as_json:
        print(json.dumps(asdict(outcome), indent=2))
    else:
        _print_quarantined(outcome, out)
    raise typer.Exit(VIOLATED if outcome.bad else NOT_CHECKED if outcome.not_evaluated else PASSED)


def _print_quarantined(done: QuarantineResult, out: str) -> None:
    for outcome, count in (("good", done.good), ("bad", done.bad)):
        print(_rows(count, outcome) + (f" in {out}/outcome={outcome}" if count else ""))
    for check_id, count in done.violating_rows.items():
        print(f"  {check_id}: violated by {_rows(count)}")
    for check_id, count in done.unevaluated.items():
        print(f"  {check_id}: cannot be evaluated on {_rows(count)}")
    for check_id, reason in done.not_evaluated.items():
        print(f"  {check_id}: not evaluated: {reason}")


def _rows(count: int, kind: str = "") -> str:
    return " ".join(filter(None, (f"{count:,}", kind, "row" if count == 1 else "rows")))


def _name_of(data: str) -> str:
    return data.rstrip("/").rsplit("/", 1)[-1].split(".")[0] or "table"


def explain(
    data: Data, contract: ContractFile, partition_by: PartitionBy = None, object_name: ObjectName = None,
    format: Format = None, plugins: Plugins = "", remote: Remote = None, memory: Memory = "2g",
) -> None:  # fmt: skip
    """Show what one scan of the table computes for a contract: its aggregates and groupings, as SQL.

    Also shows what one more statement computes exactly, if the threshold of a check lies within the error of its
    estimate."""
    from treaty.contracts.document.reader import read
    from treaty.engine.checks.binding import bind

    load_plugins(plugins)
    request = request_of(data, contract, partition_by, object_name, format)
    with in_spark(remote, memory) as spark:
        schema = spark.schema(request.source)
    print(bind(read(request.contract).object(request.object), schema).explain(request.source.partition_by))
