"""Print lineage events and tasks."""

import shlex
from collections.abc import Sequence
from datetime import datetime

from rich.console import Console

from treaty.engine.core.number_format import visible
from treaty.registry import schemas
from treaty.registry.cli.output.tables import print_table
from treaty.registry.core.enums import LineageEventState


def line(event: schemas.LineageEventOut) -> str:
    """Return an event as one line: time, subject and processing state."""
    hidden = event.written_datasets - len(event.outputs)
    more = f" and {hidden} more" if hidden > 0 else ""
    wrote = f" -> {', '.join(event.outputs)}{more}" if event.outputs else ""
    repeats = f", received {event.duplicates + 1} times" if event.duplicates else ""
    subject = f"{event.kind or '?'} {event.job or '?'}{wrote}"
    notes = f"  [{'; '.join(event.diagnostics)}]" if event.diagnostics else ""
    return visible(
        f"{_moment(event.received_at)} {subject}  ({event.state.value}{repeats}; by {event.producer}){notes}"
    )


def print_event_status(
    counts: schemas.LineageEventCountsOut, parked: Sequence[schemas.LineageEventOut], console: Console
) -> None:
    """Print the event counts, then each parked event with the command that retries it."""
    by_state = ", ".join(f"{counts.events.get(state, 0):,} {state.value}" for state in LineageEventState)
    console.print(f"events: {by_state}; {counts.duplicates:,} duplicates")
    rejections = ", ".join(f"{number:,} with {status}" for status, number in sorted(counts.rejected.items()))
    console.print(f"rejected: {rejections or 'none'}")
    console.print(
        f"oldest pending event: {counts.lag_seconds:,.0f} s old" if counts.oldest_received_at else "no pending events"
    )
    for event in parked:
        console.print(f"\n{line(event)}", markup=False, soft_wrap=True)
        console.print(visible(f"  {event.error}"), markup=False, soft_wrap=True)
        console.print(f"  treaty lineage retry {event.id}", markup=False, soft_wrap=True)


def print_refused(page: schemas.Page[schemas.RejectedEventOut], console: Console) -> None:
    """Print a line per rejected event."""
    rows = [(str(e.id), _moment(e.received_at), e.producer, str(e.status), e.reason) for e in page.items]
    print_table(console, ("id", "time", "producer", "status", "reason"), rows, none="No rejected events.")


def print_refusal(event: schemas.RejectedEventDetailOut, console: Console) -> None:
    """Print one rejected event, with the beginning of its body if visible to the user."""
    for text in (
        f"{_moment(event.received_at)} by {event.producer}: rejected with status {event.status}",
        event.reason,
        event.body
        if event.body is not None
        else "The body is visible only to its sender and to users with access to the audit log.",
    ):
        console.print(visible(text), markup=False, soft_wrap=True)


def print_unmatched(page: schemas.Page[schemas.UnmatchedDatasetOut], console: Console) -> None:
    """Print each dataset without a contract, with the commands that create a contract or alias."""
    if not page.items:
        console.print("Every dataset written by a job has a contract.")
    for each in page.items:
        writer = f" by {each.job}" if each.job else ""
        summary = (
            f"{each.namespace} {each.name}, written {each.write_count} times, last {_moment(each.last_seen_at)}{writer}"
        )
        for line_of in (summary, *(f"  {shlex.join(words)}" for words in each.remedies)):
            console.print(visible(line_of), markup=False, soft_wrap=True)


def print_tasks(page: schemas.Page[schemas.TaskSummaryOut], console: Console) -> None:
    """Print a line per task."""
    rows = [
        (
            str(e.id),
            e.kind,
            e.state.value,
            _about(e),
            str(e.priority),
            str(e.attempts),
            _moment(e.created_at),
            _task_note(e),
        )
        for e in page.items
    ]
    headings = ("id", "kind", "state", "object", "priority", "attempts", "created", "")
    print_table(console, headings, rows, none="No tasks found.")


def print_failed_tasks(page: schemas.Page[schemas.TaskSummaryOut], console: Console) -> None:
    """Print each failed task with its error and the command that retries it."""
    if not page.items:
        console.print("No failed tasks.")
    for each in page.items:
        label = f"{each.kind} {_about(each)}".strip()
        console.print(visible(f"{_moment(each.finished_at)} {label}, after {each.attempts} attempts"), markup=False)
        console.print(visible(f"  {each.error or ''}"), markup=False, soft_wrap=True)
        console.print(f"  treaty retry-task {each.id}", markup=False, soft_wrap=True)


def _about(task: schemas.TaskSummaryOut) -> str:
    return f"{task.contract_id} {task.object or ''}".strip() if task.contract_id else ""


def _task_note(task: schemas.TaskSummaryOut) -> str:
    return task.error or task.progress or ""


def _moment(time: datetime | None) -> str:
    return f"{time:%Y-%m-%d %H:%M:%S}" if time else "-"
