"""Commands for the task queue."""

import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer

from treaty.engine.cli.options import Json
from treaty.registry.cli.commands import service
from treaty.registry.cli.commands.lineage import Most, read_id

if TYPE_CHECKING:
    from treaty.registry.client import Client
    from treaty.registry.schemas import TaskOut

PAUSE = 0.5
State = Annotated[str | None, typer.Option(help="Filter by state: queued, running, done or failed")]
Kind = Annotated[str | None, typer.Option(help="Filter by kind: validate, draft, upkeep, ...")]
Contract = Annotated[str | None, typer.Option(help="Filter by contract")]


def tasks(
    state: State = None, kind: Kind = None, contract: Contract = None, limit: Most = 20, as_json: Json = False
) -> None:
    """List tasks, newest first. With --state failed, also show errors and how to retry each task."""
    from treaty.registry import schemas
    from treaty.registry.cli.output.lineage import print_failed_tasks, print_tasks
    from treaty.registry.core.enums import TaskState

    with service.open_client() as registry:
        items = registry.tasks(state=state, kind=kind, contract_id=contract, limit=limit)
    show = print_failed_tasks if state == TaskState.FAILED else print_tasks
    service.print_result(schemas.Page[schemas.TaskSummaryOut](items=tuple(items)), show, as_json=as_json)


def retry_task(
    task: Annotated[str, typer.Argument(metavar="TASK", help="Task id", show_default=False)],
) -> None:
    """Retry a failed task."""
    with service.open_client() as registry:
        registry.retry_task(read_id(task))
    print("The task will be retried.")


def stop_task(
    task: Annotated[str, typer.Argument(metavar="TASK", help="Task id", show_default=False)],
) -> None:
    """Stop a queued or running draft or replay."""
    with service.open_client() as registry:
        registry.stop_task(read_id(task))
    print("The task was stopped.")


def finished(registry: "Client", task: "TaskOut") -> "TaskOut":
    """Wait for the task while printing its progress, and return it."""
    printed: str | None = None
    while task.finished_at is None:
        if task.progress and task.progress != printed:
            printed = task.progress
            print(printed, file=sys.stderr, flush=True)
        time.sleep(PAUSE)
        task = registry.task(task.id)
    return task


COMMANDS = (tasks, retry_task, stop_task)
