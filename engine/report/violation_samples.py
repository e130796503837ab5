"""Print violating rows to a terminal, as a small table per check."""

from collections.abc import Mapping

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from treaty.engine.core.number_format import visible
from treaty.engine.core.results import RunResult, ViolationSample
from treaty.engine.report.grouping import display_name

WIDEST = 40
NULL = "[dim]null[/]"


def print_samples(run: RunResult, console: Console) -> None:
    """Print a table for each sample, in the order of the run."""
    names = {each.check_id: display_name(each) for each in reversed(run.results)}
    for sample in run.samples:
        _print(sample, names, console)


def _print(sample: ViolationSample, names: Mapping[str, str], console: Console) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in sample.columns:
        heading = escape(visible(column)) + (" (masked)" if column in sample.masked else "")
        table.add_column(heading, overflow="fold", max_width=WIDEST)
    for row in sample.rows:
        table.add_row(*(NULL if cell is None else escape(visible(cell)) for cell in row))
    console.print(f"\nRows that violate [bold]{escape(visible(names.get(sample.check_id, sample.check_id)))}[/]:")
    console.print(table)
