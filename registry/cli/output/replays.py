"""Print replays."""

from rich.console import Console

from treaty.registry import schemas
from treaty.registry.cli.output.tables import print_table, shown

HEADINGS = ("check", "in force", "proposed", "new", "resolved", "")


def print_replay(replay: schemas.ReplayOut, console: Console) -> None:
    """Print a sentence per object, and a line per check that alerts or differs."""
    for each in replay.objects:
        console.print(shown(f"{each.object}: {each.sentence}"))
        checks = [check for check in each.checks if _is_reportable(check)] if each.partitions else []
        print_table(console, HEADINGS, [_row(check) for check in checks], none="")
    speed = f", {replay.milliseconds:.1f} ms each" if replay.milliseconds is not None else ""
    evaluated = sum(each.partitions for each in replay.objects)
    for difference in replay.differences:
        console.print(shown(f"{difference.sentence} ({difference.direction}): {difference.evidence}"))
    console.print(
        f"\n{evaluated:,} partitions{speed}"
        + ("" if replay.complete else "; partial result: the time limit was reached")
    )


def _is_reportable(check: schemas.ReplayedCheckOut) -> bool:
    """Return whether a version alerts or cannot be evaluated, or lacks the check."""
    sides = [each for each in (check.old, check.new) if each]
    return any(each.alerts.count for each in sides) or bool(check.new and check.new.not_evaluated) or len(sides) == 1


def _row(check: schemas.ReplayedCheckOut) -> tuple[str, ...]:
    return (
        check.check_id, _alerts(check.old), _alerts(check.new), str(check.new_alerts.count),
        str(check.resolved_alerts.count), check.sentence,
    )  # fmt: skip


def _alerts(outcome: schemas.CheckOutcomeOut | None) -> str:
    return f"{outcome.alerts.count} of {outcome.evaluated}" if outcome else "-"
