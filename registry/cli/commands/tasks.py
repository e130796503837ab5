"""Commands of the queue: what waits and runs, and what was given up."""

from typing import Annotated

import typer

from treaty.engine.cli.options import Json
from treaty.registry.cli.commands import service
from treaty.registry.cli.commands.lineage import Most, read_id

State = Annotated[str | None, typer.Option(help="queued, running, done or failed; by default all")]
Kind = Annotated[str | None, typer.Option(help="only tasks of that kind: validate, draft, upkeep, ...")]
Contract = Annotated[str | None, typer.Option(help="only tasks about that contract")]


def tasks(
    state: State = None, kind: Kind = None, contract: Contract = None, lines: Most = 20, as_json: Json = False
) -> None:
    """Show the tasks of the queue, newest first."""
    from treaty.registry import schemas
    from treaty.registry.cli.output.lineage import print_tasks

    with service.open_client() as registry:
        found = registry.tasks(state=state, kind=kind, contract_id=contract, limit=lines)
    service.print_result(schemas.Page[schemas.TaskSummaryOut](items=tuple(found)), print_tasks, as_json=as_json)


def dead(kind: Kind = None, contract: Contract = None, lines: Most = 20, as_json: Json = False) -> None:
    """Show the tasks that were given up, why, and how to have each tried again."""
    from treaty.registry import schemas
    from treaty.registry.cli.output.lineage import print_dead
    from treaty.registry.core.enums import TaskState

    with service.open_client() as registry:
        found = registry.tasks(state=TaskState.FAILED, kind=kind, contract_id=contract, limit=lines)
    service.print_result(schemas.Page[schemas.TaskSummaryOut](items=tuple(found)), print_dead, as_json=as_json)


def replay_task(
    task: Annotated[str, typer.Argument(metavar="TASK", help="the task's id", show_default=False)],
) -> None:
    """Have a task tried again that was given up."""
    with service.open_client() as registry:
        registry.retry_task(read_id(task))
    print("it is tried again")


def stop_task(
    task: Annotated[str, typer.Argument(metavar="TASK", help="the task's id", show_default=False)],
) -> None:
    """End a draft or a replay that waits or is being done."""
    with service.open_client() as registry:
        registry.stop_task(read_id(task))
    print("it is stopped")


COMMANDS = (tasks, dead, replay_task, stop_task)
