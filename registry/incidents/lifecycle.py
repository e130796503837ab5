"""Open, extend, resolve and reopen incidents from the results of runs.

A failure downstream of bad data belongs to the incident of that data: one cause, one incident. A check opens no
incident for a partition if a user resolved its last failure as no fault (expected change, false alarm, won't fix)."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.engine.core.results import UNDECIDED, Outcome, RunResult
from treaty.registry.audit import audit_log
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import NO_FAULT, IncidentState, Resolution
from treaty.registry.core.ids import Ids
from treaty.registry.incidents.failing_checks import is_growing, last_failing, merged, plain, store
from treaty.registry.incidents.violations import Failing, RunViolations, place
from treaty.registry.lineage.downstream import incident_downstream
from treaty.registry.measurements.states import state_store
from treaty.registry.notifications import dispatch, messages
from treaty.registry.tables import (
    CheckResultRow,
    DatasetRow,
    IncidentDownstreamRow,
    IncidentObjectRow,
    IncidentRow,
    RunRow,
)

ACTOR = "worker"
# A failure so soon after the recovery reopens the incident.
REOPENS = timedelta(hours=24)


def apply_run(session: Session, run: RunRow, result: RunResult, *, now: datetime, ids: Ids) -> IncidentRow | None:
    """Update incidents from a run, and return the incident that it opened, changed or resolved.

    Returns None if no incident is affected. Runs without any decided check, of superseded data, and of consumer checks
    (which are not part of the contract) are ignored. An uncertain check neither opens nor resolves an incident."""
    if (
        run.subscription_id is not None
        or run.superseded_reason
        or all(each.outcome in UNDECIDED for each in result.results)
    ):
        return None
    current = RunViolations(session=session, run=run, result=result, now=now, ids=ids)
    if not current.failing and session.exec(_parts_of(current).limit(1)).first() is None:
        return None
    incident_downstream.take_turn(session)
    part = session.exec(_parts_of(current).where(col(IncidentObjectRow.active).is_(True)).with_for_update()).first()
    if part is not None:
        return _continued(current, part)
    last = session.exec(
        _parts_of(current).order_by(col(IncidentObjectRow.joined_at).desc()).limit(1).with_for_update()
    ).first()
    incident = _locked(session, last.incident_id) if last else None
    if last is not None and incident is not None and _is_no_fault(current, incident, last):
        return None
    return _opened(current, incident, last) if current.failing else None


def _parts_of(current: RunViolations) -> Any:
    row = IncidentObjectRow
    return select(row).where(row.contract_id == current.about[0], row.object == current.about[1])


def _continued(current: RunViolations, part: IncidentObjectRow) -> IncidentRow:
    """Update an open incident with the checks that fail now."""
    incident = _locked(current.session, part.incident_id)
    before, failing, grows = last_failing(part), _still(current, part), is_growing(part, current)
    store(part, current, failing)
    if not failing:
        _recover(current, incident, part)
    elif grows or failing - before:
        if _is_root(incident, part):
            _widen(incident, current)
        _changed(incident, current.now)
    if grows:
        incident.growth_count += 1
        _record(current, AuditAction.INCIDENT_GREW, incident)
        _notify(current, incident)
    current.session.flush()
    incident_downstream.refresh(current.session, incident)
    return incident


def _widen(incident: IncidentRow, current: RunViolations) -> None:
    """Extend the incident by columns that newly fail.

    An incident of late data had no dataset until now and takes that of the run."""
    if incident.dataset_id is None:
        incident.dataset_id, incident.started_at, incident.columns = (
            current.run.dataset_id,
            current.written_at,
            current.columns,
        )
        incident.data_version = current.data_version
    else:
        incident.columns = _joined(incident.columns, current.columns)


def _still(current: RunViolations, part: IncidentObjectRow) -> set[Failing]:
    """Return the checks that fail now.

    Earlier failures that this run did not decide remain, unless their partition or check no longer exists."""
    evaluated = {place(each) for each in current.result.results if each.outcome not in UNDECIDED}
    unevaluated = last_failing(part) - evaluated
    if current.run.dataset_id is None:
        # The incident may be about late data; then the run does not evaluate the data.
        return current.failing | unevaluated
    partitions, checks = (
        set(state_store.stored_fingerprints(current.session, current.run.dataset_id)),
        {each.check_id for each in current.result.results},
    )
    remaining = {each for each in unevaluated if each[1] is None or each[1] in partitions}
    return current.failing | {each for each in remaining if part.version == current.run.version or each[0] in checks}


def _opened(current: RunViolations, last: IncidentRow | None, part: IncidentObjectRow | None) -> IncidentRow:
    """Return the incident of the violation: a reopened one, that of the bad data upstream, or a new one."""
    if last is not None and part is not None and _returns(current, last, part):
        return _reopened(current, last, part)
    cause = _cause(current)
    return _joined_to(current, cause) if cause else _new(current)


def _is_no_fault(current: RunViolations, incident: IncidentRow, last: IncidentObjectRow) -> bool:
    """Return whether a user resolved all current failures as no fault.

    A failure is excused until its check passes."""
    if incident.resolution not in NO_FAULT:
        return False
    passed = {place(each) for each in current.result.results if each.outcome is Outcome.PASSED}
    excused = last_failing(last) - passed
    last.failing_checks, last.last_run_id = plain(excused), current.run.id
    return current.failing <= excused


def _returns(current: RunViolations, incident: IncidentRow, last: IncidentObjectRow) -> bool:
    """Return whether the violation reopens the incident.

    It does within 24 hours of a recovery, or if a check fails that a user resolved as fixed."""
    if not _is_root(incident, last):
        return False
    if incident.resolution is Resolution.RECOVERED:
        return current.now - (incident.resolved_at or current.now) <= REOPENS
    return incident.resolution is Resolution.FIXED and bool(last_failing(last) & current.failing)


def _new(current: RunViolations) -> IncidentRow:
    incident = IncidentRow(
        id=current.ids(),
        contract_id=current.about[0],
        object=current.about[1],
        dataset_id=current.run.dataset_id,
        state=IncidentState.OPEN,
        opened_at=current.now,
        updated_at=current.now,
        started_at=current.written_at,
        data_version=current.data_version,
        columns=current.columns,
    )
    current.session.add(incident)
    _add_part(current, incident)
    incident_downstream.refresh(current.session, incident)
    _absorb(current, incident)
    _record(current, AuditAction.INCIDENT_OPENED, incident)
    _notify(current, incident)
    return incident


def _joined_to(current: RunViolations, incident: IncidentRow) -> IncidentRow:
    """Add the failing object to the incident."""
    _add_part(current, incident)
    _changed(incident, current.now)
    _record(current, AuditAction.INCIDENT_JOINED, incident)
    _notify(current, incident)
    return incident


def _reopened(current: RunViolations, incident: IncidentRow, part: IncidentObjectRow) -> IncidentRow:
    incident.state, incident.resolution, incident.resolved_at = IncidentState.OPEN, None, None
    incident.resolved_by_id, incident.acknowledged_by_id = None, None
    incident.reopen_count += 1
    if _is_root(incident, part):
        incident.started_at, incident.recovered_at, incident.columns = current.written_at, None, current.columns
        incident.data_version = current.data_version
    part.active, part.recovered_at = True, None
    store(part, current, current.failing)
    _changed(incident, current.now)
    incident_downstream.refresh(current.session, incident)
    _record(current, AuditAction.INCIDENT_REOPENED, incident)
    _notify(current, incident)
    return incident


def _recover(current: RunViolations, incident: IncidentRow, part: IncidentObjectRow) -> None:
    """Mark the object as recovered, and resolve the incident after its last object."""
    part.active, part.recovered_at = None, current.now
    if _is_root(incident, part):
        incident.recovered_at = current.written_at
    _changed(incident, current.now)
    current.session.flush()
    if not incident_objects(current.session, incident.id, active=True):
        incident.state, incident.resolution = IncidentState.RESOLVED, Resolution.RECOVERED
        incident.resolved_at, incident.resolved_by_id = current.now, None
        _record(current, AuditAction.INCIDENT_RESOLVED, incident)
        dispatch.notify(current.session, messages.recovered(current.run, subject=_subject(incident)), now=current.now)


def _notify(current: RunViolations, incident: IncidentRow) -> None:
    """Send notifications unless the incident is snoozed: one per recipient, reopening and growth."""
    if incident.snoozed_until is not None and incident.snoozed_until > current.now:
        return
    query = select(CheckResultRow).where(CheckResultRow.run_id == current.run.id).order_by(col(CheckResultRow.position))
    notice = messages.violated(current.run, current.session.exec(query).all(), subject=_subject(incident))
    dispatch.notify(current.session, notice, now=current.now)


def _subject(incident: IncidentRow) -> str:
    grown = f"/{incident.growth_count}" if incident.growth_count else ""
    return f"{incident.id}/{incident.reopen_count}{grown}"


def _cause(current: RunViolations) -> IncidentRow | None:
    """Return the oldest open incident whose bad data reached the dataset or will reach it."""
    dataset = current.session.get(DatasetRow, current.run.dataset_id) if current.run.dataset_id else None
    if dataset is None:
        return None
    row = IncidentDownstreamRow
    query = select(IncidentRow).join(row, col(row.incident_id) == col(IncidentRow.id))
    on_dataset = query.where(row.namespace == dataset.namespace, row.name == dataset.name)
    contaminated = on_dataset.where(
        col(row.contamination).in_(incident_downstream.HARMED), IncidentRow.state != IncidentState.RESOLVED
    )
    return current.session.exec(
        contaminated.order_by(col(IncidentRow.opened_at)).limit(1).with_for_update(of=IncidentRow)
    ).first()


def _absorb(current: RunViolations, incident: IncidentRow) -> None:
    """Merge open incidents that this incident caused downstream before its own run detected it."""
    reached = select(DatasetRow.id).join(
        IncidentDownstreamRow,
        (col(DatasetRow.namespace) == col(IncidentDownstreamRow.namespace))
        & (col(DatasetRow.name) == col(IncidentDownstreamRow.name)),
    )
    contaminated = reached.where(
        IncidentDownstreamRow.incident_id == incident.id,
        col(IncidentDownstreamRow.contamination).in_(incident_downstream.HARMED),
    )
    open_ones = select(IncidentRow).where(IncidentRow.state != IncidentState.RESOLVED, IncidentRow.id != incident.id)
    later = open_ones.where(
        col(IncidentRow.dataset_id).in_(contaminated), col(IncidentRow.opened_at) >= incident.started_at
    )
    for other in current.session.exec(later.order_by(col(IncidentRow.id)).with_for_update()).all():
        _merge(current, other, incident)


def _merge(current: RunViolations, other: IncidentRow, incident: IncidentRow) -> None:
    move(current.session, other.id, incident.id)
    other.state, other.resolution, other.duplicate_of = IncidentState.RESOLVED, Resolution.DUPLICATE, incident.id
    other.resolved_at, other.resolved_by_id = current.now, None
    _changed(other, current.now)
    incident_downstream.clear_downstream(current.session, other.id)
    _record(current, AuditAction.INCIDENT_RESOLVED, other)


def move(session: Session, incident_id: UUID, destination: UUID) -> None:
    """Move the objects of an incident to another incident."""
    for part in incident_objects(session, incident_id):
        session.delete(part)
        session.flush()
        target = session.get(IncidentObjectRow, (destination, part.contract_id, part.object))
        if target is None:
            session.add(IncidentObjectRow(**{**part.model_dump(), "incident_id": destination}))
        else:
            target.active, target.recovered_at = part.active, part.recovered_at
            target.failing_checks, target.violations = part.failing_checks, merged(target.violations, part.violations)
    session.flush()


def incident_objects(session: Session, incident_id: UUID, *, active: bool | None = None) -> Sequence[IncidentObjectRow]:
    """Return the objects of the incident in the order they joined.

    `active`: True for objects that still fail, False for the others; None means all."""
    query = select(IncidentObjectRow).where(IncidentObjectRow.incident_id == incident_id)
    if active is not None:
        query = query.where(col(IncidentObjectRow.active).is_(active))
    return session.exec(
        query.order_by(col(IncidentObjectRow.joined_at), IncidentObjectRow.contract_id, IncidentObjectRow.object)
    ).all()


def _add_part(current: RunViolations, incident: IncidentRow) -> None:
    """Add the failing object to the incident, or mark it as failing again."""
    existing = current.session.get(IncidentObjectRow, (incident.id, *current.about))
    part = existing or IncidentObjectRow(
        incident_id=incident.id,
        contract_id=current.about[0],
        object=current.about[1],
        version=current.run.version,
        failing_checks=[],
        violations={},
        first_run_id=current.run.id,
        last_run_id=current.run.id,
        joined_at=current.now,
    )
    part.active, part.recovered_at = True, None
    store(part, current, current.failing)
    current.session.add(part)
    current.session.flush()


def _record(current: RunViolations, action: AuditAction, incident: IncidentRow) -> None:
    details = {"contract": current.about[0], "object": current.about[1], "run": str(current.run.id)}
    if incident.resolution:
        details |= {"resolution": incident.resolution.value}
    audit_log.record(current.session, action, actor=ACTOR, object_id=incident.id, details=details, now=current.now)


def _changed(incident: IncidentRow, now: datetime) -> None:
    incident.revision += 1
    incident.updated_at = now


def _locked(session: Session, incident_id: UUID) -> IncidentRow:
    return session.get_one(IncidentRow, incident_id, with_for_update=True, populate_existing=True)


def _is_root(incident: IncidentRow, part: IncidentObjectRow) -> bool:
    return (incident.contract_id, incident.object) == (part.contract_id, part.object)


def _joined(one: Sequence[str] | None, other: Sequence[str] | None) -> list[str] | None:
    return None if one is None or other is None else sorted({*one, *other})
