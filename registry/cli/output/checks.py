"""Print the checks of a version."""

from collections import Counter

from rich.console import Console

from treaty.engine.core.results import Runner
from treaty.registry import schemas
from treaty.registry.cli.output.tables import print_table, shown

BY = {Runner.HERE: "Treaty", Runner.ELSEWHERE: "another engine", Runner.PEOPLE: "people"}


def print_checks(checks: schemas.ChecksOut, console: Console) -> None:
    """Print a line per check, then the number of checks per runner."""
    rows = [(each.object, each.id, BY[each.runner], _requirement(each), _why(each)) for each in checks.checks]
    print_table(console, ("table", "check", "evaluated by", "requirement", ""), rows, none="")
    counts = Counter(each.runner for each in checks.checks)
    totals = ", ".join(f"{runner_label}: {counts[runner]}" for runner, runner_label in BY.items())
    console.print(f"\n{shown(checks.contract_id)} {shown(checks.version)}: checks evaluated by {totals}")


def _requirement(each: schemas.CheckOut) -> str:
    return " - ".join(filter(None, (each.sentence, each.description)))


def _why(each: schemas.CheckOut) -> str:
    if each.signed_by and each.signed_at:
        return f"signed by {each.signed_by} on {each.signed_at:%Y-%m-%d}"
    return each.reason or ""
