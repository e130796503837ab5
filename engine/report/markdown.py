"""Render a run as Markdown for a pull request: verdict, checks that did not pass, counts."""

import re
from collections.abc import Iterator

from treaty.engine.core.number_format import visible
from treaty.engine.core.results import AMISS, Outcome, RunResult, Verdict
from treaty.engine.report.grouping import (
    Group,
    by_check,
    display_name,
    group_text,
    outcome_counts_text,
    places,
    worst,
)

MARKS = {
    Outcome.FAILED: "❌ failed",
    Outcome.NOT_EVALUATED: "❓ not evaluated",
    Outcome.UNCERTAIN: "❔ uncertain",
}
VERDICTS = {
    Verdict.PASSED: "✅ passed",
    Verdict.WARNED: "⚠️ warned",
    Verdict.FAILED: "❌ failed",
    Verdict.NOT_EVALUATED: "❓ not evaluated",
    Verdict.UNCERTAIN: "❔ uncertain",
}
_SIGNS = re.compile(r"([\\`*_{}\[\]()#+\-.!|~])")
_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def markdown(run: RunResult) -> str:
    """Return the report: a line per check that did not pass, and the counts."""
    return "\n".join(_lines(run)) + "\n"


def _lines(run: RunResult) -> Iterator[str]:
    rows = "" if run.rows is None else f", {run.rows:,} rows"
    name = plain(f"{run.contract_id} {run.contract_version} on {run.object}")
    yield f"**{VERDICTS[run.verdict]}**: {name}, {len(run.partitions)} partition(s){rows}"
    groups = [group for group in by_check(run.results) if worst(group) in AMISS]
    if groups:
        yield from ("", "| outcome | check | found | partitions |", "|---|---|---|---|")
        yield from map(_row, groups)
    yield from ("", f"{len(run.results):,} results: {outcome_counts_text(run.results)}")


def _row(results: Group) -> str:
    outcome = worst(results)
    shown = [result for result in results if result.outcome is outcome]
    mark = "⚠️ warned" if shown[0].counts_as == "warned" else MARKS[outcome]
    cells = (display_name(shown[0]), group_text(shown), places(shown, len(results)))
    return " | ".join([f"| {mark}", *map(plain, cells)]) + " |"


def plain(text: str) -> str:
    """Escape the text for one line of Markdown, also within a table."""
    escaped = _SIGNS.sub(r"\\\1", visible(text))
    return re.sub("[&<>]", lambda match: _HTML[match.group()], escaped)
