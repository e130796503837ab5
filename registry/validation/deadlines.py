"""Evaluate deadlines: one verdict when a deadline passes, and one when late data arrives."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.contracts.document.deadlines import ParsedDeadline, duration_text, promises
from treaty.contracts.document.model import Contract
from treaty.contracts.document.reader import read
from treaty.engine.core.results import CheckResult, Outcome, RunResult
from treaty.registry.core.enums import RunKind
from treaty.registry.core.ids import Ids
from treaty.registry.core.state_machines import IN_FORCE
from treaty.registry.datasets import contract_datasets
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.incidents import lifecycle
from treaty.registry.measurements.runs import recording
from treaty.registry.measurements.runs.recording import RunProvenance
from treaty.registry.tables import ContractVersionRow, DatasetRow, RunRow, ScheduleEntryRow, TaskRow
from treaty.registry.validation import openlineage_emitter
from treaty.registry.validation.evaluation import EvaluationResult
from treaty.registry.validation.openlineage_emitter import SILENT, Emitter
from treaty.registry.validation.plan import ValidationTarget

OVER = "the version is no longer in force"
# Data found within this time after a deadline is considered in time.
SLACK = timedelta(minutes=10)


@dataclass(frozen=True, kw_only=True)
class DueDeadline:
    """A deadline that passed, with its contract version and dataset.

    `due_at`: time by which data had to arrive. `dataset`: None if the dataset is not known."""

    contract: Contract
    deadline: ParsedDeadline
    version_id: UUID
    due_at: datetime
    dataset: DatasetRow | None

    @property
    def since(self) -> datetime:
        """Return the start of the deadline's window; earlier arrivals belong to the previous deadline."""
        return self.deadline.rhythm.begins(self.due_at)

    @property
    def arrived(self) -> datetime | None:
        """Return the time of the last arrival; None if no data has arrived."""
        return self.dataset.last_arrival_at if self.dataset else None

    @property
    def is_known(self) -> bool:
        """Return whether an arrival in the window is already recorded, in time or late."""
        return self.arrived is not None and self.since < self.arrived


def due_deadline(session: Session, task: TaskRow) -> DueDeadline | None:
    """Return the deadline of the task; None if its version is no longer in force."""
    version = session.get_one(ContractVersionRow, UUID(task.payload["version_id"]))
    contract = read(version.body)
    deadline = promises(contract).of(task.payload["object"], task.payload["name"])
    if version.state not in IN_FORCE or deadline is None:
        return None
    dataset = contract_datasets.dataset_of(session, contract.id, deadline.object)
    return DueDeadline(
        contract=contract,
        deadline=deadline,
        version_id=version.id,
        due_at=datetime.fromisoformat(task.payload["due"]),
        dataset=dataset,
    )


def judge(
    session: Session, task: TaskRow, *, looked: datetime | None, emitter: Emitter = SILENT, now: datetime, ids: Ids
) -> dict[str, Any]:
    """Store the run of the deadline and return the task's result.

    `looked`: time of the scan that found the data, if nothing else recorded its arrival; None if the arrival was
    recorded otherwise or no data arrived."""
    due = due_deadline(session, task)
    if due is None:
        return {"note": OVER}
    row = _appointment(session, due)
    if due.arrived is None or due.arrived <= due.since:
        row.missed_at = due.due_at
    elif not due.deadline.rhythm.goes_on:
        row.due_at = due.deadline.rhythm.following(now, due.arrived)
    run = _record(session, due, _result(due, looked), _VerdictSource(task.id, emitter, now, ids))
    return {"run_id": str(run.id), "verdict": run.verdict.value, "partitions": 0}


def give_up(
    session: Session, task: TaskRow, reason: str, *, emitter: Emitter = SILENT, now: datetime, ids: Ids
) -> None:  # fmt: skip
    """Store a run in which the deadline could not be evaluated.

    The deadline stays missed, so that a later arrival is reported with its delay."""
    due = due_deadline(session, task)
    if due is None:
        return
    _appointment(session, due).missed_at = due.due_at
    result = _check_result(due, Outcome.NOT_EVALUATED, reason=f"could not check for new data: {reason}")
    _record(session, due, result, _VerdictSource(task.id, emitter, now, ids))


def _appointment(session: Session, deadline: DueDeadline) -> ScheduleEntryRow:
    key = deadline.version_id, deadline.deadline.object, deadline.deadline.name
    return session.get_one(ScheduleEntryRow, key, with_for_update=True)


def arrived(
    session: Session, dataset: DatasetRow, *, task_id: UUID | None, emitter: Emitter = SILENT, now: datetime, ids: Ids
) -> list[RunRow]:  # fmt: skip
    """Store and return a run for each missed deadline whose data has now arrived."""
    arrival = dataset.last_arrival_at
    missed = [(row, due) for row, due in _missed(session, dataset) if arrival is not None and arrival > due.since]
    runs = []
    for row, due in missed:
        row.missed_at = None
        if not due.deadline.rhythm.goes_on:
            row.due_at = due.deadline.rhythm.following(now, arrival)
        runs.append(_record(session, due, _cleared(due, arrival or now), _VerdictSource(task_id, emitter, now, ids)))
    return runs


def hold(session: Session, dataset: DatasetRow) -> None:
    """Lock the dataset's missed deadlines; incidents are locked after them."""
    for _ in _missed(session, dataset):
        pass


def _missed(session: Session, dataset: DatasetRow) -> Iterator[tuple[ScheduleEntryRow, DueDeadline]]:
    """Yield the missed deadlines of the dataset that a version in force defines."""
    row, version = ScheduleEntryRow, ContractVersionRow
    for about in contract_datasets.objects_of(session, dataset.id):
        conditions = (
            version.contract_id == about.contract_id,
            row.object == about.object,
            col(row.missed_at).is_not(None),
        )
        query = select(row, version.body).join(version, col(version.id) == col(row.version_id))
        missed = query.where(*conditions, col(version.state).in_(IN_FORCE)).order_by(col(row.name))
        for each, body in session.exec(missed.with_for_update(of=row)).all():
            contract = read(body)
            deadline = promises(contract).of(each.object, each.name)
            if deadline is not None and each.missed_at is not None:
                yield (
                    each,
                    DueDeadline(
                        contract=contract,
                        deadline=deadline,
                        version_id=each.version_id,
                        due_at=each.missed_at,
                        dataset=dataset,
                    ),
                )


def _result(deadline: DueDeadline, looked: datetime | None) -> CheckResult:
    arrival = deadline.arrived
    if arrival is None or arrival <= deadline.since:
        last = f"; last data arrived at {_at(arrival)}" if arrival else ""
        return _check_result(deadline, Outcome.FAILED, f"no data arrived since {_at(deadline.since)}{last}")
    if arrival <= deadline.due_at:
        return _check_result(deadline, Outcome.PASSED, f"arrived at {_at(arrival)}", value=0)
    if looked is None:
        return _check_result(
            deadline, Outcome.FAILED, _lateness(deadline, arrival), value=_minutes(arrival - deadline.due_at)
        )
    if looked <= deadline.due_at + SLACK:
        return _check_result(deadline, Outcome.PASSED, f"had arrived by the scan at {_at(looked)}", value=0)
    return _check_result(deadline, Outcome.NOT_EVALUATED, reason=f"arrived before {_at(looked)}; no earlier scan")


def _cleared(deadline: DueDeadline, arrived_at: datetime) -> CheckResult:
    if arrived_at <= deadline.due_at:
        return _check_result(deadline, Outcome.PASSED, f"arrived at {_at(arrived_at)}, on time", value=0)
    return _check_result(
        deadline, Outcome.PASSED, _lateness(deadline, arrived_at), value=_minutes(arrived_at - deadline.due_at)
    )


def _check_result(
    deadline: DueDeadline,
    outcome: Outcome,
    problem: str | None = None,
    *,
    value: int | None = None,
    reason: str | None = None,
) -> CheckResult:
    return CheckResult(
        check_id=f"deadline: {deadline.deadline.name}",
        name=deadline.deadline.name,
        outcome=outcome,
        severity=deadline.deadline.severity,
        scope="dataset",
        partition=None,
        sentence=deadline.deadline.sentence,
        dimension="timeliness",
        value=value,
        finding=problem,
        reason=reason,
    )


@dataclass(frozen=True)
class _VerdictSource:
    """Task, emitter and time of a stored run."""

    task_id: UUID | None
    emitter: Emitter
    now: datetime
    ids: Ids


def _record(session: Session, deadline: DueDeadline, check_result: CheckResult, by: _VerdictSource) -> RunRow:
    result = RunResult(
        contract_id=deadline.contract.id,
        contract_version=deadline.contract.version,
        contract_fingerprint=deadline.contract.fingerprint,
        object=deadline.deadline.object,
        partitions=(),
        rows=None,
        started_at=deadline.due_at,
        finished_at=by.now,
        results=(check_result,),
        measurements=(),
    )
    # Without a dataset, so that readiness queries return the run that evaluated the data.
    origin = RunProvenance(
        task_id=by.task_id, reason=check_result.finding or check_result.reason, cause=RunKind.DEADLINE
    )
    run = recording.record(session, by.ids(), result, origin, now=by.now)
    lifecycle.apply_run(session, run, result, now=by.now, ids=by.ids)
    data_object = deadline.contract.object(deadline.deadline.object)
    target = ValidationTarget(
        contract=deadline.contract,
        object=data_object,
        contract_object=ContractObject(deadline.contract.id, data_object.name),
        validated_fingerprints=None,
    )
    openlineage_emitter.note(
        session, EvaluationResult(target=target, result=result, reason=origin.reason), run, by.emitter, now=by.now
    )
    return run


def _lateness(deadline: DueDeadline, arrived_at: datetime) -> str:
    return f"arrived at {_at(arrived_at)}, {duration_text(arrived_at - deadline.due_at)} late"


def _minutes(span: timedelta) -> int:
    return int(span.total_seconds()) // 60


def _at(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
