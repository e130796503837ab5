"""Print replays."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from treaty.engine.core.number_format import visible
from treaty.registry import schemas


def print_replay(replay: schemas.ReplayOut, console: Console) -> None:
    """Print a sentence per object, and a line per check that alerts or differs."""
    for each in replay.objects:
        console.print(_shown(f"{each.object}: {each.sentence}"))
        checks = [check for check in each.checks if _is_told(check)] if each.partitions else []
        if checks:
            console.print(_table(checks))
    speed = f", {replay.milliseconds:.1f} ms each" if replay.milliseconds is not None else ""
    evaluated = sum(each.partitions for each in replay.objects)
    for difference in replay.differences:
        console.print(_shown(f"{difference.sentence} ({difference.direction}): {difference.evidence}"))
    console.print(
        f"\n{evaluated:,} partitions{speed}"
        + ("" if replay.complete else "; partial result: the time limit was reached")
    )


def _is_told(check: schemas.ReplayedCheckOut) -> bool:
    """Return whether a version alerts or cannot be evaluated, or lacks the check."""
    sides = [each for each in (check.old, check.new) if each]
    return any(each.alerts.count for each in sides) or bool(check.new and check.new.not_evaluated) or len(sides) == 1


def _table(checks: list[schemas.ReplayedCheckOut]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("check", "in force", "proposed", "new", "resolved", ""):
        table.add_column(heading, overflow="fold")
    for check in checks:
        table.add_row(
            _shown(check.check_id), _alerts(check.old), _alerts(check.new), str(check.new_alerts.count),
            str(check.resolved_alerts.count), _shown(check.sentence),
        )  # fmt: skip
    return table


def _alerts(outcome: schemas.CheckOutcomeOut | None) -> str:
    return f"{outcome.alerts.count} of {outcome.evaluated}" if outcome else "-"


def _shown(text: str) -> str:
    return escape(visible(text))
