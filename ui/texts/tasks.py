"""Texts of the task queue."""

from treaty.ui.texts.formatting import pluralize

CONTRACT_ID = "Contract id"
EMPTY = "No tasks"
APPEAR = "Tasks appear when data is written, a draft is requested, or a periodic job runs."
TRY_AGAIN = "Retry"
TRIED_AGAIN = "The task will be retried as soon as a worker is free."
STOPPED = "Task stopped."


def newest(tasks: int) -> str:
    return f"Latest {pluralize(tasks, 'task')}"


def not_before(moment: str) -> str:
    return f"starts after {moment}"


def attempt_count(times: int) -> str:
    return pluralize(times, "attempt")
