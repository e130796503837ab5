"""Verdicts about when data came: one for each time by which they should have, and one when they come late."""

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

OVER = "the version is not in force any more"
# So long after a deadline, what is there when somebody looks is taken to have been there.
SLACK = timedelta(minutes=10)


@dataclass(frozen=True, kw_only=True)
class DueDeadline:
    """A deadline that passed: what was promised, in which version, since when data count."""

    contract: Contract
    deadline: ParsedDeadline
    version_id: UUID
    due_at: datetime
    dataset: DatasetRow | None

    @property
    def since(self) -> datetime:
        """Data that came before it are of the deadline before."""
        return self.deadline.rhythm.begins(self.due_at)

    @property
    def arrived(self) -> datetime | None:
        """When data last came; None: they never did, as far as is known."""
        return self.dataset.last_arrival_at if self.dataset else None

    @property
    def is_known(self) -> bool:
        """Whether it is known already that data came, in time or late."""
        return self.arrived is not None and self.since < self.arrived


def due_deadline(session: Session, task: TaskRow) -> DueDeadline | None:
    """The deadline that the task is about; None where its version is not in force any more."""
    version = session.get_one(ContractVersionRow, UUID(task.payload["version_id"]))
    contract = read(version.body)
    promised = promises(contract).of(task.payload["object"], task.payload["name"])
    if version.state not in IN_FORCE or promised is None:
        return None
    dataset = contract_datasets.dataset_of(session, contract.id, promised.object)
    return DueDeadline(
        contract=contract,
        deadline=promised,
        version_id=version.id,
        due_at=datetime.fromisoformat(task.payload["due"]),
        dataset=dataset,
    )


def judge(
    session: Session, task: TaskRow, *, looked: datetime | None, emitter: Emitter = SILENT, now: datetime, ids: Ids
) -> dict[str, Any]:
    """Keeps the run of the deadline; the task's result. `looked`: when the files were looked at that showed that data
    came, which nothing else told; None: something else did, or none came."""
    asked = due_deadline(session, task)
    if asked is None:
        return {"note": OVER}
    row = _appointment(session, asked)
    if asked.arrived is None or asked.arrived <= asked.since:
        row.missed_at = asked.due_at
    elif not asked.deadline.rhythm.goes_on:
        row.due_at = asked.deadline.rhythm.following(now, asked.arrived)
    run = _record(session, asked, _result(asked, looked), _VerdictSource(task.id, emitter, now, ids))
    return {"run_id": str(run.id), "verdict": run.verdict.value, "partitions": 0}


def give_up(
    session: Session, task: TaskRow, reason: str, *, emitter: Emitter = SILENT, now: datetime, ids: Ids
) -> None:  # fmt: skip
    """Records that nobody could look whether data came. When they come, it is told how late that is."""
    asked = due_deadline(session, task)
    if asked is None:
        return
    _appointment(session, asked).missed_at = asked.due_at
    told = _check_result(asked, Outcome.NOT_EVALUATED, reason=f"nobody could look whether data came: {reason}")
    _record(session, asked, told, _VerdictSource(task.id, emitter, now, ids))


def _appointment(session: Session, asked: DueDeadline) -> ScheduleEntryRow:
    key = asked.version_id, asked.deadline.object, asked.deadline.name
    return session.get_one(ScheduleEntryRow, key, with_for_update=True)


def arrived(
    session: Session, dataset: DatasetRow, *, task_id: UUID | None, emitter: Emitter = SILENT, now: datetime, ids: Ids
) -> list[RunRow]:  # fmt: skip
    """Tells of each deadline that data missed which now came how late they are: the runs that say so."""
    came = dataset.last_arrival_at
    missed = [(row, asked) for row, asked in _missed(session, dataset) if came is not None and came > asked.since]
    told = []
    for row, asked in missed:
        row.missed_at = None
        if not asked.deadline.rhythm.goes_on:
            row.due_at = asked.deadline.rhythm.following(now, came)
        told.append(_record(session, asked, _cleared(asked, came or now), _VerdictSource(task_id, emitter, now, ids)))
    return told


def hold(session: Session, dataset: DatasetRow) -> None:
    """Locks what data of the dataset are waited for, before incidents are."""
    for _ in _missed(session, dataset):
        pass


def _missed(session: Session, dataset: DatasetRow) -> Iterator[tuple[ScheduleEntryRow, DueDeadline]]:
    """What data of the dataset are waited for, which a version in force promises."""
    row, version = ScheduleEntryRow, ContractVersionRow
    for about in contract_datasets.objects_of(session, dataset.id):
        mine = version.contract_id == about.contract_id, row.object == about.object, col(row.missed_at).is_not(None)
        query = select(row, version.body).join(version, col(version.id) == col(row.version_id))
        found = query.where(*mine, col(version.state).in_(IN_FORCE)).order_by(col(row.name))
        for each, body in session.exec(found.with_for_update(of=row)).all():
            contract = read(body)
            promised = promises(contract).of(each.object, each.name)
            if promised is not None and each.missed_at is not None:
                yield (
                    each,
                    DueDeadline(
                        contract=contract,
                        deadline=promised,
                        version_id=each.version_id,
                        due_at=each.missed_at,
                        dataset=dataset,
                    ),
                )


def _result(asked: DueDeadline, looked: datetime | None) -> CheckResult:
    came = asked.arrived
    if came is None or came <= asked.since:
        last = f"; the last came at {_at(came)}" if came else ""
        return _check_result(asked, Outcome.FAILED, f"nothing came since {_at(asked.since)}{last}")
    if came <= asked.due_at:
        return _check_result(asked, Outcome.PASSED, f"came at {_at(came)}", value=0)
    if looked is None:
        return _check_result(asked, Outcome.FAILED, _lateness(asked, came), value=_minutes(came - asked.due_at))
    if looked <= asked.due_at + SLACK:
        return _check_result(
            asked, Outcome.PASSED, f"had come when the files were looked at, at {_at(looked)}", value=0
        )
    return _check_result(asked, Outcome.NOT_EVALUATED, reason=f"came before {_at(looked)}; nobody looked earlier")


def _cleared(asked: DueDeadline, came: datetime) -> CheckResult:
    if came <= asked.due_at:
        return _check_result(asked, Outcome.PASSED, f"came at {_at(came)}, in time", value=0)
    return _check_result(asked, Outcome.PASSED, _lateness(asked, came), value=_minutes(came - asked.due_at))


def _check_result(
    asked: DueDeadline,
    outcome: Outcome,
    found: str | None = None,
    *,
    value: int | None = None,
    reason: str | None = None,
) -> CheckResult:
    return CheckResult(
        check_id=f"deadline: {asked.deadline.name}",
        name=asked.deadline.name,
        outcome=outcome,
        severity=asked.deadline.severity,
        scope="dataset",
        partition=None,
        sentence=asked.deadline.sentence,
        dimension="timeliness",
        value=value,
        finding=found,
        reason=reason,
    )


@dataclass(frozen=True)
class _VerdictSource:
    """By which task a run is kept, how the lineage is told of it, and when."""

    task_id: UUID | None
    emitter: Emitter
    now: datetime
    ids: Ids


def _record(session: Session, asked: DueDeadline, told: CheckResult, by: _VerdictSource) -> RunRow:
    result = RunResult(
        contract_id=asked.contract.id,
        contract_version=asked.contract.version,
        contract_fingerprint=asked.contract.fingerprint,
        object=asked.deadline.object,
        partitions=(),
        rows=None,
        started_at=asked.due_at,
        finished_at=by.now,
        results=(told,),
        measurements=(),
    )
    # Of no dataset: whoever asks how the data stand is told what judged them.
    origin = RunProvenance(task_id=by.task_id, reason=told.finding or told.reason, cause=RunKind.DEADLINE)
    run = recording.record(session, by.ids(), result, origin, now=by.now)
    lifecycle.apply_run(session, run, result, now=by.now, ids=by.ids)
    described = asked.contract.object(asked.deadline.object)
    promise = ValidationTarget(
        contract=asked.contract,
        object=described,
        contract_object=ContractObject(asked.contract.id, described.name),
        validated_fingerprints=None,
    )
    openlineage_emitter.note(
        session, EvaluationResult(target=promise, result=result, reason=origin.reason), run, by.emitter, now=by.now
    )
    return run


def _lateness(asked: DueDeadline, came: datetime) -> str:
    return f"came at {_at(came)}, {duration_text(came - asked.due_at)} late"


def _minutes(span: timedelta) -> int:
    return int(span.total_seconds()) // 60


def _at(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
