"""Print differences between versions."""

from collections.abc import Iterable

from rich.console import Console

from treaty.registry import schemas
from treaty.registry.cli.output.tables import print_table, shown


def print_diff(diff: schemas.DiffOut, console: Console) -> None:
    """Print a line per change, then a summary."""
    if diff.differences:
        _print_differences(diff.differences, console)
    console.print(f"\n{_summary(diff)}" if diff.differences else "No differences.")


def print_breaches(diff: schemas.DiffOut, console: Console) -> None:
    """Print which compatibility modes hold, then a line per breaking change."""
    for mode_result in diff.modes:
        status = "[green]compatible[/green]" if mode_result.is_kept else "[red]violated[/red]"
        console.print(f"{mode_result.section} ({mode_result.mode}): {status}: {shown(mode_result.sentence)}")
    if diff.breaches:
        console.print()
        _print_differences([each.difference for each in diff.breaches], console)
    console.print(f"\n{_summary(diff)}")


def _print_differences(differences: Iterable[schemas.ContractDifferenceOut], console: Console) -> None:
    rows = [(each.direction, each.section, each.sentence) for each in differences]
    print_table(console, ("direction", "section", "change"), rows, none="")


def _summary(diff: schemas.DiffOut) -> str:
    open_ones = f"; {diff.undetermined} undetermined changes count as major" if diff.undetermined else ""
    number = "" if diff.is_bump_sufficient else f", but {diff.new} is too low"
    size = f"{diff.bump} change (structure {diff.structure}, guarantees {diff.guarantees}){open_ones}"
    return shown(f"{size}; suggested version after {diff.old}: {diff.suggested_version}{number}")
