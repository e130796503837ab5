"""Handlers of each kind of task: the work, and the effects of giving it up."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Protocol

from sqlmodel import Session

from treaty.registry.core.database import read_session
from treaty.registry.core.enums import TaskKind
from treaty.registry.drafting import drafts, nightly_redraft, refits
from treaty.registry.drafting.keys import key_models
from treaty.registry.measurements.patterns import index_updates
from treaty.registry.measurements.states import state_store
from treaty.registry.review.replays import replay
from treaty.registry.tables import TaskRow
from treaty.registry.validation import deadlines, findings, openlineage_emitter, validate
from treaty.registry.validation.plan import ImpossibleTask
from treaty.registry.validation.validate import Validation
from treaty.registry.worker import catalog_reads
from treaty.registry.worker.context import WorkerContext
from treaty.registry.worker.operations import upkeep

# Stores the results of a task in the transaction that finishes it.
Effect = Callable[[Session, datetime], dict[str, Any]]


class FailureHandler(Protocol):
    """Store the effects of giving up a task, in addition to the task's failure."""

    def __call__(
        self, means: WorkerContext, session: Session, task: TaskRow, reason: str, *, now: datetime
    ) -> None: ...


def _nothing(means: WorkerContext, session: Session, task: TaskRow, reason: str, *, now: datetime) -> None:
    """Store nothing but the task's failure."""


@dataclass(frozen=True)
class TaskHandler:
    """Handler of a kind of task; `work` runs outside any transaction and may take long."""

    work: Callable[[WorkerContext, TaskRow], Effect]
    give_up: FailureHandler = _nothing


def handler_of(task: TaskRow) -> TaskHandler:
    """Return the handler of the task's kind; for an unknown kind one that fails the task."""
    return KINDS.get(task.kind, UNKNOWN)


def _validate(means: WorkerContext, task: TaskRow) -> Effect:
    with read_session(means.database) as session:
        if validate.is_covered(session, task):
            return lambda *_: {"note": validate.COVERED}
        planned = Validation.plan(session, task, means.tools(task), means.consumers)
    finding = planned.run()

    def effect(session: Session, now: datetime) -> dict[str, Any]:
        emitter = openlineage_emitter.emitter(means.settings)
        done = planned.store(session, finding, emitter=emitter, now=now, ids=means.ids)
        validate.settle(session, task, planned.order.primary.covered_sequence, now=now, ids=means.ids)
        state_store.prune(
            session, planned.order.dataset_id, before=now - timedelta(days=means.settings.state_retention_days)
        )
        return done

    return effect


def _judge_deadline(means: WorkerContext, task: TaskRow) -> Effect:
    """Scan the files first, unless an arrival is recorded already."""
    with read_session(means.database) as session:
        due = deadlines.due_deadline(session, task)
        if due is None:
            return lambda *_: {"note": deadlines.OVER}
        planned = None if due.is_known else Validation.plan(session, task, means.tools(task), means.consumers)
    finding = planned.run() if planned else None

    def effect(session: Session, now: datetime) -> dict[str, Any]:
        scanned_at, emitter = None, openlineage_emitter.emitter(means.settings)
        if planned is not None and finding is not None:
            # If a producer reported the write, the arrival time is known exactly.
            scanned_at = (
                finding.scan_started_at
                if findings.arrival_time(session, planned.order, finding) == finding.scan_started_at
                else None
            )
            planned.store(session, finding, emitter=emitter, now=now, ids=means.ids)
        return deadlines.judge(session, task, looked=scanned_at, emitter=emitter, now=now, ids=means.ids)

    return effect


def _give_validation_up(means: WorkerContext, session: Session, task: TaskRow, reason: str, *, now: datetime) -> None:
    emitter = openlineage_emitter.emitter(means.settings)
    validate.give_up(session, task, reason, emitter=emitter, now=now, ids=means.ids)


def _give_deadline_up(means: WorkerContext, session: Session, task: TaskRow, reason: str, *, now: datetime) -> None:
    emitter = openlineage_emitter.emitter(means.settings)
    deadlines.give_up(session, task, reason, emitter=emitter, now=now, ids=means.ids)


def _draft(means: WorkerContext, task: TaskRow) -> Effect:
    with read_session(means.database) as session:
        request = drafts.request(session, task.payload, means.settings)
    drafted = means.engine.draft(request, means.progress_reporter(task))
    return lambda session, now: drafts.keep(session, task, drafted, now=now, ids=means.ids)


def _redraft(means: WorkerContext, task: TaskRow) -> Effect:
    with read_session(means.database) as session:
        request = drafts.request(session, task.payload, means.settings)
    drafted = means.engine.draft(request, means.progress_reporter(task))
    return lambda session, now: nightly_redraft.keep(session, task, drafted, now=now, ids=means.ids)


def _refit(means: WorkerContext, task: TaskRow) -> Effect:
    with read_session(means.database) as session:
        result = refits.work(session, means.settings, task.payload)
    return lambda session, now: refits.keep(session, task, result, now=now, ids=means.ids)


def _learn(means: WorkerContext, task: TaskRow) -> Effect:
    with read_session(means.database) as session:
        request = index_updates.request(session, means.settings)
    result = dict(means.engine.learn(request, means.progress_reporter(task)))
    return lambda session, now: result


def _train(means: WorkerContext, task: TaskRow) -> Effect:
    def facts_of(collect: Callable[[Session], Any]) -> Any:
        with read_session(means.database) as session:
            return collect(session)

    report = partial(means.report_progress, task, unit="models")
    done = key_models.work(facts_of, key_models.store(means.settings), report, now=means.clock())

    def effect(session: Session, now: datetime) -> dict[str, Any]:
        if "note" not in done:
            key_models.record_training(session, task, done, actor=nightly_redraft.AUTHOR, now=now)
        return done

    return effect


def _keep_up(means: WorkerContext, task: TaskRow) -> Effect:
    done = upkeep.work(means.database, means.settings, clock=means.clock, ids=means.ids)

    def effect(session: Session, now: datetime) -> dict[str, Any]:
        if "more" in done:
            upkeep.schedule_upkeep(session, now=now, task_id=means.ids(), after=task.id)
        return done

    return effect


def _replay(means: WorkerContext, task: TaskRow) -> Effect:
    result = replay.work(means.database, means.settings, task.payload, partial(means.report_progress, task))
    return lambda session, now: result


def _refused(_: WorkerContext, task: TaskRow) -> Effect:
    raise ImpossibleTask(f"unknown kind of task: {task.kind}")


UNKNOWN = TaskHandler(_refused)
KINDS: dict[str, TaskHandler] = {
    TaskKind.VALIDATE: TaskHandler(_validate, _give_validation_up),
    TaskKind.DEADLINE: TaskHandler(_judge_deadline, _give_deadline_up),
    TaskKind.DRAFT: TaskHandler(_draft),
    TaskKind.REDRAFT: TaskHandler(_redraft),
    TaskKind.REFIT: TaskHandler(_refit),
    TaskKind.LEARN: TaskHandler(_learn),
    TaskKind.TRAIN: TaskHandler(_train),
    TaskKind.UPKEEP: TaskHandler(_keep_up),
    TaskKind.REPLAY: TaskHandler(_replay),
    TaskKind.CATALOG: TaskHandler(catalog_reads.work, catalog_reads.give_up),
}
