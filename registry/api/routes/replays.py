"""Routes of replays of a version on stored states."""

from threading import BoundedSemaphore
from time import monotonic, perf_counter
from typing import Any
from uuid import UUID

from sqlmodel import Session

from treaty.engine.core import clock
from treaty.engine.states.state_files import StateFiles
from treaty.registry import schemas
from treaty.registry.access import authentication
from treaty.registry.api.http.admission import admission, admission_router, document_body
from treaty.registry.api.http.dependencies import Caller, ContractId, Reader, Service, Shared, Writer
from treaty.registry.audit import audit_log
from treaty.registry.core import ids
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import Permission, TaskKind
from treaty.registry.core.errors import ServiceBusy
from treaty.registry.queue import task_queue
from treaty.registry.review.replays import replay, replay_versions
from treaty.registry.review.replays.replay import ReplayOptions
from treaty.registry.review.replays.replay_versions import ReplayVersions

router = admission_router(tags=["replays"])
# A replay uses a whole core; many concurrent ones must not exhaust the service.
REPLAYING = BoundedSemaphore(2)
PATIENCE = 1.0
# Longer replays are recorded in part and marked as incomplete.
RECORDED_SECONDS = 2.0


@router.get("/proposals/{proposal_id}/replay")
def replay_proposal(proposal_id: UUID, shared: Shared, by: Caller, tx: Reader) -> schemas.ReplayOut:
    """Replay a proposal on stored states and compare it with the version in force.

    Checks that count values require `POST /replays`. The result is partial if the replay takes longer than
    `replay_timeout_seconds`."""
    return _replay_out(tx, replay_versions.of_proposal(tx, proposal_id, by=by), shared)


@router.post("/contract/replay")
@admission(Permission.READ, body=document_body)
def replay_document(
    contract_id: ContractId, body: schemas.DocumentIn, shared: Shared, by: Caller, tx: Reader
) -> schemas.ReplayOut:
    """Replay a document as a version of the contract, like `GET /proposals/{id}/replay`. Nothing is stored."""
    return _replay_out(tx, replay_versions.of_document(tx, contract_id, body.document.encode(), by=by), shared)


@router.post("/replays", status_code=202)
@admission(Permission.PROPOSE, body=document_body)
def request_replay(body: schemas.ReplayIn, by: Caller, tx: Writer) -> schemas.TaskOut:
    """Start a replay task. It reports its progress, and its result is the replay."""
    versions = _versions(tx, body, by)
    authentication.require_permission(by, Permission.PROPOSE, versions.place)
    now, task_id = clock.now(), ids.new()
    payload = replay_versions.task_payload(body.model_dump(mode="json"), versions, by)
    task = task_queue.enqueue(
        tx,
        kind=TaskKind.REPLAY,
        payload=payload,
        key=f"{TaskKind.REPLAY}/{task_id}",
        now=now,
        task_id=task_id,
        priority=4,
    )
    details = {"contract": versions.contract_id, "version": versions.new.version}
    audit_log.record(tx, AuditAction.REPLAY_REQUESTED, actor=by.name, object_id=task_id, now=now, details=details)
    tx.commit()
    return schemas.TaskOut.model_validate(task)


def _versions(tx: Session, body: schemas.ReplayIn, by: authentication.Principal) -> ReplayVersions:
    if body.proposal_id is not None:
        return replay_versions.of_proposal(tx, body.proposal_id, by=by)
    return replay_versions.of_document(tx, body.contract_id or "", (body.document or "").encode(), by=by)


def replay_record(tx: Session, versions: ReplayVersions, shared: Service) -> dict[str, Any]:
    """Return the results of a replay for another record, within a short time limit.

    Raises ServiceBusy if other replays are running."""
    return _run_replay(tx, versions, shared, seconds=min(shared.settings.replay_timeout_seconds, RECORDED_SECONDS))


def _replay_out(tx: Session, versions: ReplayVersions, shared: Service) -> schemas.ReplayOut:
    return schemas.ReplayOut.model_validate(
        _run_replay(tx, versions, shared, seconds=shared.settings.replay_timeout_seconds)
    )


def _run_replay(tx: Session, versions: ReplayVersions, shared: Service, *, seconds: float) -> dict[str, Any]:
    if not REPLAYING.acquire(timeout=PATIENCE):
        raise ServiceBusy("Other replays are running. Try again in a few seconds, or request a replay task.")
    try:
        began, end = perf_counter(), monotonic() + seconds
        files = StateFiles(shared.settings.states)
        outcome = replay.replayed(tx, versions, files, ReplayOptions(), lambda *_: monotonic() < end)
        return replay.plain(versions, outcome, perf_counter() - began)
    finally:
        REPLAYING.release()
