"""Print the checks of a version."""

from collections import Counter

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from treaty.engine.core.number_format import visible
from treaty.engine.core.results import Runner
from treaty.registry import schemas

BY = {Runner.HERE: "Treaty", Runner.ELSEWHERE: "another engine", Runner.PEOPLE: "people"}


def print_checks(checks: schemas.ChecksOut, console: Console) -> None:
    """Print a line per check, then the number of checks per runner."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("table", "check", "evaluated by", "requirement", ""):
        table.add_column(heading, overflow="fold")
    for each in checks.checks:
        promise = " - ".join(filter(None, (each.sentence, each.description)))
        table.add_row(_shown(each.object), _shown(each.id), BY[each.runner], _shown(promise), _shown(_why(each)))
    if checks.checks:
        console.print(table)
    counts = Counter(each.runner for each in checks.checks)
    totals = ", ".join(f"{runner_label}: {counts[runner]}" for runner, runner_label in BY.items())
    console.print(f"\n{_shown(checks.contract_id)} {_shown(checks.version)}: checks evaluated by {totals}")


def _why(each: schemas.CheckOut) -> str:
    if each.signed_by and each.signed_at:
        return f"signed by {each.signed_by} on {each.signed_at:%Y-%m-%d}"
    return each.reason or ""


def _shown(text: str) -> str:
    return escape(visible(text))
