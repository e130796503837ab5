"""Print results to a terminal: one line per check for any number of partitions."""

from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from treaty.engine.core.number_format import measured, percentage, visible
from treaty.engine.core.results import AMISS, STATED, CheckResult, Outcome, RunResult, Verdict
from treaty.engine.report.grouping import by_check, display_name, group_text, places, worst
from treaty.engine.report.violation_samples import print_samples

# Partitions named in a comparison of options.
SHOWN_ALARMS = 3
MARKS = {
    Outcome.PASSED: "[green]✓ passed[/]",
    Outcome.FAILED: "[red]✗ failed[/]",
    Outcome.NOT_EVALUATED: "[magenta]? not evaluated[/]",
    Outcome.UNCERTAIN: "[yellow]~ uncertain[/]",
    Outcome.NOT_APPLICABLE: "[dim]- not applicable[/]",
}
VERDICTS = {
    Verdict.PASSED: "[bold green]✓ passed[/]",
    Verdict.WARNED: "[bold yellow]! warned[/]",
    Verdict.FAILED: "[bold red]✗ failed[/]",
    Verdict.NOT_EVALUATED: "[bold magenta]? not evaluated[/]",
    Verdict.UNCERTAIN: "[bold yellow]~ uncertain[/]",
}


def text(run: RunResult) -> str:
    """Return the report as text without colors, 160 characters wide."""
    console = Console(file=StringIO(), width=160, highlight=False)
    print_run(run, console)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def print_run(run: RunResult, console: Console) -> None:
    """Print the checks, the worst first, then samples of violating rows and the verdict."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("outcome", "severity", "check", "measured", "partitions"):
        table.add_column(heading, overflow="fold")
    units = _units(run)
    for results in by_check(run.results):
        table.add_row(*_row(results, units.get(results[0].measurement or "", "")))
    console.print(table)
    print_samples(run, console)
    rows = "" if run.rows is None else f", {run.rows:,} rows"
    seconds = (run.finished_at - run.started_at).total_seconds()
    name = escape(visible(f"{run.contract_id} {run.contract_version} on {run.object}"))
    console.print(f"\n{VERDICTS[run.verdict]}: {name}, {len(run.partitions)} partition(s){rows}, {seconds:.1f} s")
    stated = sum(STATED in each.sources for each in run.measurements)
    if stated:
        console.print(f"{stated} of {len(run.measurements)} measurements come from the files' own statistics")


def _units(run: RunResult) -> dict[str, str]:
    from treaty.engine.analyzers import ANALYZERS

    analyzers = ((each.identity, ANALYZERS.get(each.analyzer)) for each in run.measurements)
    return {identity: analyzer.unit for identity, analyzer in analyzers if analyzer}


def _row(results: Sequence[CheckResult], unit: str) -> tuple[str, ...]:
    outcome = worst(results)
    shown = [result for result in results if result.outcome is outcome]
    values = sorted({result.value for result in shown if result.value is not None}, key=_rank)
    return (
        MARKS[outcome],
        results[0].severity,
        escape(_words(shown, outcome)),
        escape(_range(values, unit)),
        escape(visible(places(shown, len(results)))),
    )


def _words(shown: Sequence[CheckResult], outcome: Outcome) -> str:
    """Return the check's name, followed by the first finding if it did not pass."""
    name = display_name(shown[0])
    finding = group_text(shown) if outcome in AMISS or shown[0].reason else name
    return visible(name) if finding == name else f"{visible(name)}\n{visible(finding)}"


def _rank(value: Any) -> tuple[bool, Any]:
    return isinstance(value, str), value


def _range(values: Sequence[Any], unit: str) -> str:
    shown = values if len(values) <= 3 else (values[0], values[-1])
    return (", " if len(values) <= 3 else " … ").join(dict.fromkeys(measured(each, unit) for each in shown))


def print_draft(suggestions: Sequence[Mapping[str, Any]], console: Console, *, optional: bool = False) -> None:
    """Print the suggestions with their evidence, one line each.

    `optional`: also the optional ones; else their number."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("column", "suggestion", "satisfied on", "rows"):
        table.add_column(heading, overflow="fold")
    proposed = [each for each in suggestions if optional or not each.get("optional")]
    for each in proposed:
        evidence = each["evidence"]
        satisfied = f"{evidence['held']} of {evidence['partitions']}"
        words = (escape(visible(text)) for text in (each["column"] or "(table)", each["sentence"]))
        table.add_row(*words, satisfied, f"{evidence['rows']:,}")
    console.print(table)
    if more := len(suggestions) - len(proposed):
        console.print(f"{more:,} more suggestions add little to these: --all includes them.")


def print_choices(choices: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Print what each option would have learned, and on which partitions it would have alarmed."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("option", "value", "checks", "catches", "would have alarmed on"):
        table.add_column(heading, overflow="fold")
    for each in choices:
        value = "default" if each["value"] is None else str(each["value"])
        alarms = f"{len(each['alarmed_on'])} of {each['evaluated']} partitions"
        names = ", ".join(each["alarmed_on"][:SHOWN_ALARMS])
        catches = "" if each["catches"] is None else percentage(each["catches"])
        words = (each["option"].replace("_", " "), f"{value} (chosen)" if each["chosen"] else value)
        table.add_row(*words, f"{each['checks']:,}", catches, f"{alarms}: {names}" if names else alarms)
    console.print(table)
