"""Print differences between versions."""

from collections.abc import Iterable

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from treaty.engine.core.number_format import visible
from treaty.registry import schemas


def print_diff(found: schemas.DiffOut, console: Console) -> None:
    """Print a line per change, then a summary."""
    if found.differences:
        console.print(_table(found.differences))
    console.print(f"\n{_summary(found)}" if found.differences else "No differences.")


def print_breaches(found: schemas.DiffOut, console: Console) -> None:
    """Print which compatibility modes hold, then a line per breaking change."""
    for mode_result in found.modes:
        status = "[green]compatible[/green]" if mode_result.is_kept else "[red]violated[/red]"
        console.print(f"{mode_result.section} ({mode_result.mode}): {status}: {_shown(mode_result.sentence)}")
    if found.breaches:
        console.print()
        console.print(_table(each.difference for each in found.breaches))
    console.print(f"\n{_summary(found)}")


def _table(changes: Iterable[schemas.ContractDifferenceOut]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("direction", "section", "change"):
        table.add_column(heading, overflow="fold")
    for each in changes:
        table.add_row(each.direction, each.section, _shown(each.sentence))
    return table


def _summary(found: schemas.DiffOut) -> str:
    open_ones = f"; {found.undetermined} undetermined changes count as major" if found.undetermined else ""
    number = "" if found.is_bump_sufficient else f", but {found.new} is too low"
    size = f"{found.bump} change (structure {found.structure}, guarantees {found.guarantees}){open_ones}"
    return _shown(f"{size}; suggested version after {found.old}: {found.suggested_version}{number}")


def _shown(text: str) -> str:
    return escape(visible(text))
