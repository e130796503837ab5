"""Print differences between versions."""

from collections.abc import Iterable

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from treaty.engine.core.number_format import visible
from treaty.registry import schemas


def print_diff(diff: schemas.DiffOut, console: Console) -> None:
    """Print a line per change, then a summary."""
    if diff.differences:
        console.print(_table(diff.differences))
    console.print(f"\n{_summary(diff)}" if diff.differences else "No differences.")


def print_breaches(diff: schemas.DiffOut, console: Console) -> None:
    """Print which compatibility modes hold, then a line per breaking change."""
    for mode_result in diff.modes:
        status = "[green]compatible[/green]" if mode_result.is_kept else "[red]violated[/red]"
        console.print(f"{mode_result.section} ({mode_result.mode}): {status}: {_shown(mode_result.sentence)}")
    if diff.breaches:
        console.print()
        console.print(_table(each.difference for each in diff.breaches))
    console.print(f"\n{_summary(diff)}")


def _table(changes: Iterable[schemas.ContractDifferenceOut]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("direction", "section", "change"):
        table.add_column(heading, overflow="fold")
    for each in changes:
        table.add_row(each.direction, each.section, _shown(each.sentence))
    return table


def _summary(diff: schemas.DiffOut) -> str:
    open_ones = f"; {diff.undetermined} undetermined changes count as major" if diff.undetermined else ""
    number = "" if diff.is_bump_sufficient else f", but {diff.new} is too low"
    size = f"{diff.bump} change (structure {diff.structure}, guarantees {diff.guarantees}){open_ones}"
    return _shown(f"{size}; suggested version after {diff.old}: {diff.suggested_version}{number}")


def _shown(text: str) -> str:
    return escape(visible(text))
