"""Routes of tasks: request drafts, list, retry and stop tasks."""

from typing import Annotated
from uuid import UUID

from fastapi import Query

from treaty.engine.core import clock
from treaty.registry import schemas
from treaty.registry.access import authentication, visibility
from treaty.registry.api.http import presenters
from treaty.registry.api.http.admission import admission, admission_router, document_body
from treaty.registry.api.http.dependencies import Caller, ContractFilter, Paging, Reader, Shared, Writer
from treaty.registry.audit import audit_log
from treaty.registry.contracts import lookup
from treaty.registry.contracts.locations import allowed_locations, claimed_locations
from treaty.registry.core import ids
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.bounded_values import LookupText
from treaty.registry.core.enums import Permission, TaskKind, TaskState
from treaty.registry.core.errors import Forbidden, NotFound
from treaty.registry.queue import task_queue
from treaty.registry.review.replays import replay_versions
from treaty.registry.tables import TaskRow
from treaty.registry.worker.operations import cancellation, queue_overview, retries

router = admission_router(tags=["tasks"])
StateFilter = Annotated[TaskState | None, Query(description="Only tasks in this state")]
KindFilter = Annotated[LookupText | None, Query(description=f"Only tasks of this kind: {', '.join(TaskKind)}")]


@router.post("/drafts", status_code=202)
@admission(Permission.DRAFT, body=document_body)
def request_draft(body: schemas.DraftIn, by: Caller, shared: Shared, tx: Writer) -> schemas.TaskOut:
    """Start a task that profiles a table. The task's result names the proposal."""
    _refuse_beyond(tx, body, by)
    rules = allowed_locations.rules(tx, shared.settings)
    claimed_locations.refuse_draft(tx, body.contract_id, ("location", body.location, body.format), rules, by=by)
    now, task_id = clock.now(), ids.new()
    details = {"contract": body.contract_id, "location": body.location}
    task_payload = {**payload(body), "author": str(by.user_id)}
    task = task_queue.enqueue(
        tx,
        kind=TaskKind.DRAFT,
        payload=task_payload,
        key=f"{TaskKind.DRAFT}/{task_id}",
        now=now,
        task_id=task_id,
        priority=3,
    )
    audit_log.record(tx, AuditAction.DRAFT_REQUESTED, actor=by.name, object_id=task_id, now=now, details=details)
    tx.commit()
    return schemas.TaskOut.model_validate(task)


@router.get("/tasks")
def list_tasks(
    by: Caller,
    tx: Reader,
    paging: Paging,
    state: StateFilter = None,
    kind: KindFilter = None,
    contract_id: ContractFilter = None,
) -> schemas.Page[schemas.TaskSummaryOut]:
    """List the tasks that the caller may see, newest first."""
    authentication.require_permission_anywhere(by, Permission.READ)
    rows = queue_overview.tasks(tx, by, paging, state=state, kind=kind, contract_id=contract_id)
    return presenters.page(_summary, rows)


@router.get("/tasks/{task_id}")
def get_task(task_id: UUID, by: Caller, tx: Reader) -> schemas.TaskOut:
    """Retrieve a task with its state, progress and result."""
    task = visibility.see_task(tx, task_id, by)
    if task.kind == TaskKind.REPLAY and not replay_versions.may_see(tx, task, by):
        raise NotFound
    return schemas.TaskOut.model_validate(task)


@router.post("/tasks/{task_id}/retry")
def retry_task(task_id: UUID, by: Caller, tx: Writer) -> schemas.TaskOut:
    """Retry a dead-letter task. Responds 409 for any other task."""
    task = retries.retry_task(tx, task_id, by=by, now=clock.now())
    tx.commit()
    return schemas.TaskOut.model_validate(task)


@router.post("/tasks/{task_id}/stop")
def stop_task(task_id: UUID, by: Caller, tx: Writer) -> schemas.TaskOut:
    """Stop a queued or running draft or replay. Responds 409 for any other task."""
    task = cancellation.stop_task(tx, task_id, by=by, now=clock.now())
    tx.commit()
    return schemas.TaskOut.model_validate(task)


@router.get("/tasks/{task_id}/events")
def list_task_events(task_id: UUID, by: Caller, tx: Reader) -> schemas.TaskEventsOut:
    """List the stored lineage events of the run that triggered the task."""
    task = visibility.see_task(tx, task_id, by)
    return schemas.TaskEventsOut(events=list(retries.events_of(tx, task)))


@router.post("/lineage/events/{event_id}/retry", status_code=204)
@admission(Permission.LINEAGE)
def retry_event(event_id: UUID, by: Caller, tx: Writer) -> None:
    """Retry a lineage event that could not be processed. Responds 409 for any other event."""
    retries.retry_event(tx, event_id, by=by, now=clock.now())
    tx.commit()


def _summary(task: TaskRow) -> schemas.TaskSummaryOut:
    about = {name: task.payload.get(name) for name in ("contract_id", "object")}
    return schemas.TaskSummaryOut.model_validate(
        {**task.model_dump(), **about, "can_stop": cancellation.stoppable(task)}
    )


def payload(body: schemas.DraftIn) -> dict[str, object]:
    """Return the payload of a draft task."""
    source = {"location": body.location, "format": body.format, "partition_by": list(body.partition_by)}
    return {
        "source": source,
        "contract_id": body.contract_id,
        "object": body.object,
        "columns": list(body.columns),
        "partitions": list(body.partitions),
        "sample": body.sample,
        "aliases": [each.model_dump() for each in body.aliases],
        "programs": body.programs and body.programs.model_dump(),
        "patterns": body.patterns.model_dump(),
        "compare": body.compare,
    }


def _refuse_beyond(tx: Reader, body: schemas.DraftIn, by: Caller) -> None:
    """Raise Forbidden unless the principal may draft the table.

    A draft reveals content of the table, so a principal without a global role may only draft the tables of the
    contract."""
    resource = visibility.contract_resource(tx, body.contract_id)
    authentication.require_permission(by, Permission.DRAFT, resource)
    locations = {each.location for each, _ in lookup.datasets(tx, body.contract_id)}
    if not by.may(Permission.DRAFT) and body.location not in locations:
        raise Forbidden("You may only draft the tables of this contract. Other tables require a global role.")
