"""Print metrics, stored states, erasures and reruns."""

from rich.console import Console

from treaty.engine.core.number_format import measured_text
from treaty.registry import schemas
from treaty.registry.cli.output.tables import print_table, shown


def print_metrics(metrics: schemas.MetricsOut, console: Console) -> None:
    """Print a line per metric: value, rows measured, and missing states."""
    rows = [
        (each.phrase, _value(each), _count(each.row_count), str(each.merged), _why(each)) for each in metrics.metrics
    ]
    print_table(console, ("metric", "value", "rows", "merged", ""), rows)
    console.print(f"\n{_about(metrics)}")


def print_erased(erasure: schemas.ErasureOut, console: Console) -> None:
    """Print one line with the numbers of erased items."""
    console.print(
        f"Erased from {shown(', '.join(erasure.datasets))}: {erasure.generations:,} generations of states,"
        f" {erasure.files:,} files, {erasure.samples:,} samples,"
        f" values of {erasure.measurements + erasure.results:,} measurements and results,"
        f" evidence of {erasure.suggestions:,} suggestions, patterns of {erasure.columns:,} columns"
    )


def print_states(states_out: schemas.StatesOut, console: Console) -> None:
    """Print a line per partition, a line per metric, and totals."""
    headings = ("partition", "generation", "states", "bytes", "in files", "source", "fingerprint", "")
    print_table(console, headings, [_partition_row(each) for each in states_out.partition_states])
    more = states_out.selected_partitions - sum(each.days for each in states_out.partition_states)
    if more > 0:
        console.print(f"... and {more:,} more")
    console.print()
    rows = [(each.phrase, str(each.merged), _count(each.bytes), _why(each)) for each in states_out.metrics]
    print_table(console, ("metric", "would merge", "bytes", ""), rows)
    console.print(f"\n{_about(states_out)}, {states_out.bytes:,} bytes and {states_out.file_bytes:,} in files")


def _partition_row(partition: schemas.PartitionStatesOut) -> tuple[str, ...]:
    states = f"{sum(partition.kinds.values())}" + (f", {partition.failed} failed" if partition.failed else "")
    return (
        partition.partition or "the whole table", str(partition.generation), states, _count(partition.bytes),
        _count(partition.file_bytes), ", ".join(partition.sources), partition.fingerprint[:12],
        _partition_note(partition),
    )  # fmt: skip


def _partition_note(partition: schemas.PartitionStatesOut) -> str:
    merged = f"{partition.days} days, merged" if partition.days > 1 else ""
    return partition.fault or merged


def print_rerun(rerun: schemas.RerunOut, console: Console) -> None:
    """Print a line per check whose result differs, and the verdicts."""
    rows = [
        (each.check_id, each.partition, _outcome(each.before), _outcome(each.after), each.reason)
        for each in rerun.differences
    ]
    print_table(console, ("check", "partition", "before", "now", ""), rows, none="")
    subject = shown(f"{rerun.object} of {rerun.contract_id} {rerun.version}")
    console.print(
        f"{subject}: {rerun.before} before, {rerun.after} now; {len(rerun.differences):,} of {rerun.results:,} differ"
    )


def _outcome(outcome: schemas.OutcomeOut | None) -> str:
    return f"{outcome.outcome} {outcome.value or ''}".rstrip() if outcome else "-"


def _about(query: schemas.StateQueryOut) -> str:
    condition = f" where {query.where}" if query.where else ""
    subject = f"{query.object} of {query.contract_id} {query.version}"
    return shown(f"{query.selected_partitions:,} of {query.partitions:,} partitions of {subject}{condition}")


def _why(query: schemas.MetricQueryOut) -> str:
    missing_states = (
        f" ({', '.join(query.missing)}{', ...' if query.missing_count > len(query.missing) else ''})"
        if query.missing
        else ""
    )
    return f"{query.reason or ''}{missing_states}"


def _value(metric: schemas.MetricValueOut) -> str:
    return "-" if metric.value is None else measured_text(metric.value, metric.unit)


def _count(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"
