"""Results for people at a terminal: one line a check, whatever the number of partitions."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from engine.results import CheckResult, Outcome, RunResult, Verdict

MARKS = {
    Outcome.PASSED: "[green]✓ passed[/]",
    Outcome.FAILED: "[red]✗ failed[/]",
    Outcome.NOT_EVALUATED: "[magenta]? not evaluated[/]",
    Outcome.NOT_APPLICABLE: "[dim]- not applicable[/]",
}
WORST_FIRST = (Outcome.FAILED, Outcome.NOT_EVALUATED, Outcome.PASSED, Outcome.NOT_APPLICABLE)
VERDICTS = {
    Verdict.PASSED: "[bold green]✓ passed[/]",
    Verdict.WARNED: "[bold yellow]! warned[/]",
    Verdict.FAILED: "[bold red]✗ failed[/]",
    Verdict.NOT_EVALUATED: "[bold magenta]? could not be checked[/]",
}


def print_run(run: RunResult, console: Console) -> None:
    """The verdict, then a table with a line for each check, the worst first."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("outcome", "severity", "check", "measured", "partitions"):
        table.add_column(heading, overflow="fold")
    for results in sorted(_by_check(run.results).values(), key=lambda each: WORST_FIRST.index(_worst(each))):
        table.add_row(*_row(results))
    console.print(table)
    rows = "" if run.rows is None else f", {run.rows:,} rows"
    seconds = (run.finished - run.started).total_seconds()
    name = escape(f"{run.contract_id} {run.contract_version} on {run.object}")
    console.print(f"\n{VERDICTS[run.verdict]}: {name}, {len(run.partitions)} partition(s){rows}, {seconds:.1f} s")


def _by_check(results: Iterable[CheckResult]) -> Mapping[tuple[str, str], list[CheckResult]]:
    """By id and sentence: two columns may each have a check of one id."""
    grouped: dict[tuple[str, str], list[CheckResult]] = {}
    for result in results:
        grouped.setdefault((result.check_id, result.sentence), []).append(result)
    return grouped


def _worst(results: Sequence[CheckResult]) -> Outcome:
    found = {result.outcome for result in results}
    return next(outcome for outcome in WORST_FIRST if outcome in found)


def _row(results: Sequence[CheckResult]) -> tuple[str, ...]:
    worst = _worst(results)
    shown = [result for result in results if result.outcome is worst]
    values = sorted({result.value for result in shown if result.value is not None}, key=_rank)
    return (
        MARKS[worst],
        results[0].severity,
        escape(_words(shown, worst)),
        escape(_range(values)),
        escape(_places(shown, len(results))),
    )


def _words(shown: Sequence[CheckResult], worst: Outcome) -> str:
    """The check's own name, where it has one beside its id, and for what did not pass the promise or the reason."""
    first = shown[0]
    name = first.name if first.name != first.check_id else first.sentence
    reason = next((result.reason for result in shown if result.reason), None)
    told = reason or (first.sentence if worst is Outcome.FAILED else "")
    return f"{name}\n{told}" if told and told != name else name


def _text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _rank(value: Any) -> tuple[bool, Any]:
    return isinstance(value, str), value


def _range(values: Sequence[Any]) -> str:
    shown = values if len(values) <= 3 else (values[0], values[-1])
    return (", " if len(values) <= 3 else " … ").join(dict.fromkeys(map(_text, shown)))


def _places(shown: Sequence[CheckResult], total: int) -> str:
    named = [result.partition for result in shown if result.partition]
    if len(shown) == total:
        return "all" if total > 1 else (named[0] if named else "whole table")
    more = f" and {len(named) - 3} more" if len(named) > 3 else ""
    return f"{len(shown)} of {total}: {', '.join(named[:3])}{more}"


def print_draft(suggestions: Sequence[Mapping[str, Any]], console: Console) -> None:
    """The suggestions with their evidence, one line each."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("column", "suggestion", "held on", "rows"):
        table.add_column(heading, overflow="fold")
    for each in suggestions:
        evidence = each["evidence"]
        held = f"{evidence['held']} of {evidence['partitions']}"
        table.add_row(escape(each["column"] or "(table)"), escape(each["sentence"]), held, f"{evidence['rows']:,}")
    console.print(table)
