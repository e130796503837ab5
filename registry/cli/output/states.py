"""Print metrics, stored states, erasures and reruns."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from treaty.engine.core.number_format import visible
from treaty.registry import schemas


def print_metrics(found: schemas.MetricsOut, console: Console) -> None:
    """Print a line per metric: value, rows measured, and missing states."""
    table = _table("metric", "value", "rows", "merged", "")
    for each in found.metrics:
        table.add_row(
            _shown(each.phrase), _shown(each.value or "-"), _count(each.row_count), str(each.merged), _why(each)
        )
    console.print(table)
    console.print(f"\n{_about(found)}")


def print_erased(found: schemas.ErasureOut, console: Console) -> None:
    """Print one line with the numbers of erased items."""
    console.print(
        f"Erased from {_shown(', '.join(found.datasets))}: {found.generations:,} generations of states,"
        f" {found.files:,} files, {found.samples:,} samples,"
        f" values of {found.measurements + found.results:,} measurements and results,"
        f" evidence of {found.suggestions:,} suggestions, patterns of {found.columns:,} columns"
    )


def print_states(found: schemas.StatesOut, console: Console) -> None:
    """Print a line per partition, a line per metric, and totals."""
    partitions = _table("partition", "generation", "states", "bytes", "in files", "source", "marker", "")
    for each in found.partition_states:
        states = f"{sum(each.kinds.values())}" + (f", {each.failed} failed" if each.failed else "")
        partitions.add_row(
            _shown(each.partition or "the whole table"), str(each.generation), states, _count(each.bytes),
            _count(each.file_bytes), ", ".join(each.sources), each.fingerprint[:12], _shown(_partition_note(each)),
        )  # fmt: skip
    metrics = _table("metric", "would merge", "bytes", "")
    for metric in found.metrics:
        metrics.add_row(_shown(metric.phrase), str(metric.merged), _count(metric.bytes), _why(metric))
    console.print(partitions)
    more = found.selected_partitions - sum(each.days for each in found.partition_states)
    if more > 0:
        console.print(f"... and {more:,} more")
    console.print()
    console.print(metrics)
    console.print(f"\n{_about(found)}, {found.bytes:,} bytes and {found.file_bytes:,} in files")


def _partition_note(partition: schemas.PartitionStatesOut) -> str:
    merged = f"{partition.days} days, merged" if partition.days > 1 else ""
    return partition.fault or merged


def print_rerun(found: schemas.RerunOut, console: Console) -> None:
    """Print a line per check whose result differs, and the verdicts."""
    table = _table("check", "partition", "before", "now", "")
    for each in found.differences:
        table.add_row(
            _shown(each.check_id), _shown(each.partition or ""), _outcome(each.before), _outcome(each.after),
            _shown(each.reason or ""),
        )  # fmt: skip
    if found.differences:
        console.print(table)
    subject = _shown(f"{found.object} of {found.contract_id} {found.version}")
    console.print(
        f"{subject}: {found.before} before, {found.after} now; {len(found.differences):,} of {found.results:,} differ"
    )


def _outcome(told: schemas.OutcomeOut | None) -> str:
    return _shown(f"{told.outcome} {told.value or ''}".rstrip()) if told else "-"


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def _about(found: schemas.StateQueryOut) -> str:
    condition = f" where {found.where}" if found.where else ""
    subject = f"{found.object} of {found.contract_id} {found.version}"
    return _shown(f"{found.selected_partitions:,} of {found.partitions:,} partitions of {subject}{condition}")


def _why(asked: schemas.MetricQueryOut) -> str:
    missing_states = (
        f" ({', '.join(asked.missing)}{', ...' if asked.missing_count > len(asked.missing) else ''})"
        if asked.missing
        else ""
    )
    return _shown(f"{asked.reason or ''}{missing_states}")


def _count(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"


def _shown(text: str) -> str:
    return escape(visible(text))
