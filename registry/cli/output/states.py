"""Print metrics, stored states, erasures and reruns."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from treaty.engine.core.number_format import visible
from treaty.registry import schemas


def print_metrics(metrics: schemas.MetricsOut, console: Console) -> None:
    """Print a line per metric: value, rows measured, and missing states."""
    table = _table("metric", "value", "rows", "merged", "")
    for each in metrics.metrics:
        table.add_row(
            _shown(each.phrase), _shown(each.value or "-"), _count(each.row_count), str(each.merged), _why(each)
        )
    console.print(table)
    console.print(f"\n{_about(metrics)}")


def print_erased(erasure: schemas.ErasureOut, console: Console) -> None:
    """Print one line with the numbers of erased items."""
    console.print(
        f"Erased from {_shown(', '.join(erasure.datasets))}: {erasure.generations:,} generations of states,"
        f" {erasure.files:,} files, {erasure.samples:,} samples,"
        f" values of {erasure.measurements + erasure.results:,} measurements and results,"
        f" evidence of {erasure.suggestions:,} suggestions, patterns of {erasure.columns:,} columns"
    )


def print_states(states_out: schemas.StatesOut, console: Console) -> None:
    """Print a line per partition, a line per metric, and totals."""
    partitions = _table("partition", "generation", "states", "bytes", "in files", "source", "marker", "")
    for each in states_out.partition_states:
        states = f"{sum(each.kinds.values())}" + (f", {each.failed} failed" if each.failed else "")
        partitions.add_row(
            _shown(each.partition or "the whole table"), str(each.generation), states, _count(each.bytes),
            _count(each.file_bytes), ", ".join(each.sources), each.fingerprint[:12], _shown(_partition_note(each)),
        )  # fmt: skip
    metrics = _table("metric", "would merge", "bytes", "")
    for metric in states_out.metrics:
        metrics.add_row(_shown(metric.phrase), str(metric.merged), _count(metric.bytes), _why(metric))
    console.print(partitions)
    more = states_out.selected_partitions - sum(each.days for each in states_out.partition_states)
    if more > 0:
        console.print(f"... and {more:,} more")
    console.print()
    console.print(metrics)
    console.print(f"\n{_about(states_out)}, {states_out.bytes:,} bytes and {states_out.file_bytes:,} in files")


def _partition_note(partition: schemas.PartitionStatesOut) -> str:
    merged = f"{partition.days} days, merged" if partition.days > 1 else ""
    return partition.fault or merged


def print_rerun(rerun: schemas.RerunOut, console: Console) -> None:
    """Print a line per check whose result differs, and the verdicts."""
    table = _table("check", "partition", "before", "now", "")
    for each in rerun.differences:
        table.add_row(
            _shown(each.check_id), _shown(each.partition or ""), _outcome(each.before), _outcome(each.after),
            _shown(each.reason or ""),
        )  # fmt: skip
    if rerun.differences:
        console.print(table)
    subject = _shown(f"{rerun.object} of {rerun.contract_id} {rerun.version}")
    console.print(
        f"{subject}: {rerun.before} before, {rerun.after} now; {len(rerun.differences):,} of {rerun.results:,} differ"
    )


def _outcome(outcome: schemas.OutcomeOut | None) -> str:
    return _shown(f"{outcome.outcome} {outcome.value or ''}".rstrip()) if outcome else "-"


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def _about(query: schemas.StateQueryOut) -> str:
    condition = f" where {query.where}" if query.where else ""
    subject = f"{query.object} of {query.contract_id} {query.version}"
    return _shown(f"{query.selected_partitions:,} of {query.partitions:,} partitions of {subject}{condition}")


def _why(query: schemas.MetricQueryOut) -> str:
    missing_states = (
        f" ({', '.join(query.missing)}{', ...' if query.missing_count > len(query.missing) else ''})"
        if query.missing
        else ""
    )
    return _shown(f"{query.reason or ''}{missing_states}")


def _count(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"


def _shown(text: str) -> str:
    return escape(visible(text))
