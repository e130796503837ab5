"""Texts of the task queue."""

from treaty.ui.texts.formatting import pluralize

CONTRACT_ID = "Of which contract, by its id"
EMPTY = "No such task"
APPEAR = "Tasks appear when data are written, a draft is asked for, or a day begins."
TRY_AGAIN = "Try again"
TRIED_AGAIN = "It is tried again, as soon as a worker can."
STOPPED = "It is stopped."


def newest(tasks: int) -> str:
    return f"The newest {pluralize(tasks, 'task')}"


def not_before(moment: str) -> str:
    return f"not before {moment}"


def attempt_count(times: int) -> str:
    return f"tried {times} times"
