"""Validating a dataset as a task orders: what to read, what was found of each promise about it, and how it is kept.

The reading takes minutes and no transaction is open meanwhile; `keep` writes everything it found at once."""

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy.exc import StatementError
from sqlmodel import Session

from treaty.contracts.errors import ContractError
from treaty.contracts.fingerprint import fingerprint
from treaty.engine.core.errors import EngineError, StateError, Unreadable
from treaty.engine.protocol.requests import Measured
from treaty.registry.core.database import UNKEYED
from treaty.registry.core.ids import Ids
from treaty.registry.incidents import lifecycle
from treaty.registry.lineage import suspect_partitions
from treaty.registry.measurements.runs import recording, samples
from treaty.registry.measurements.runs.recording import Origin
from treaty.registry.measurements.states import checkpoints, state_store
from treaty.registry.queue import coalescing
from treaty.registry.queue.coalescing import Subject
from treaty.registry.tables import Dataset, Run, Task
from treaty.registry.validation import deadlines, evaluation, openlineage_emitter, plan, presence, state_reading
from treaty.registry.validation.dependencies import Tools
from treaty.registry.validation.evaluation import Judged
from treaty.registry.validation.openlineage_emitter import SILENT, Emitter
from treaty.registry.validation.plan import Order, Promise, Unworkable
from treaty.registry.validation.state_reading import Reading

log = logging.getLogger("treaty.worker")
NOTHING_CHANGED = "nothing changed"
COVERED = "a task of another contract about the same data dealt with it"
PUBLISHING = (
    "a publication to the table was begun and not ended: recover it where the table lies (treaty gate --recover)"
)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What a validation found of each promise; those with nothing new to judge are left out.

    `covered`: the promises beside the task's own that were dealt with. `measured` None: no data was read. `seen`: when
    the reading began. `samples_until`: how long samples are kept; None: they are not. `broke`: why the validation was
    given up; None: it was done."""

    judged: tuple[Judged, ...]
    covered: tuple[Promise, ...] = ()
    measured: Measured | None = None
    vanished: tuple[str, ...] = ()
    seen: datetime | None = None
    samples_until: datetime | None = None
    broke: str | None = None


def is_covered(session: Session, task: Task) -> bool:
    """Whether all that the task was made for was dealt with by one of another contract about the same data.

    Never of a task that no trigger made."""
    subject = task.payload["contract_id"], task.payload["object"]
    return task.payload.get("seq") is not None and coalescing.is_clean(session, *subject)


def examine(asked: Order, tools: Tools) -> Finding:
    """Reads what changed and judges every promise. A contract that does not fit the table is a finding; EngineError is
    raised, and states.Overtaken while a publication is open, when the table may be other than its states say."""
    if asked.publishing:
        raise state_store.Overtaken(PUBLISHING)
    if asked.past and not (asked.again or asked.afresh):
        return Finding(judged=(), covered=asked.also)
    try:
        return _examined(asked, tools)
    except Unreadable:
        raise
    except EngineError as error:
        if not asked.also:
            raise
        log.warning("what is promised beside the task's own contract is left out: %s", error)
        return _without_others(asked, tools, error)


def unevaluated(asked: Order, reason: str, *, started: datetime, finished: datetime) -> Finding:
    """The finding that no check of the task's own could be evaluated, and why."""
    return Finding(judged=(evaluation.unevaluated(asked.main, reason, started=started, finished=finished),))


def keep(
    session: Session, asked: Order, finding: Finding, *, emitter: Emitter = SILENT, now: datetime, ids: Ids
) -> dict[str, Any]:
    """Stores states, and of each promise its run, results and measurements, with the event that tells of it. Returns
    the task's result.

    Raises states.Overtaken: another validation of the same data came first, so this one has to be done again."""
    dataset = _claim(session, asked)
    checkpoints.drop(session, asked.task_id)
    version = state_store.save(session, asked.dataset_id, finding.measured, vanished=finding.vanished, now=now, ids=ids)
    dataset.arrived = came(session, asked, finding) or dataset.arrived
    measured = finding.measured
    if finding.seen is not None and not (measured and measured.behind):
        dataset.seen = finding.seen
        if measured is not None:
            suspect_partitions.clear(session, asked.dataset_id, before=finding.seen)
    origin = _origin(session, asked, measured, version)
    if measured is not None:
        dataset.read_at = str(measured.at) if measured.at else None
    record = partial(_record, session, origin=origin, until=finding.samples_until or now, now=now, ids=ids)
    done = [
        (each, record(each) if each.promise is asked.main else _apart(session, each, record)) for each in finding.judged
    ]
    deadlines.arrived(session, dataset, task_id=asked.task_id, emitter=emitter, now=now, ids=ids)
    if measured is not None and finding.seen is not None:
        presence.returned(session, dataset, seen=finding.seen, task_id=asked.task_id, now=now, ids=ids)
    for each, run in done:
        if run is not None:
            openlineage_emitter.note(session, each, run, emitter, broke=finding.broke, now=now)
    # In the order of names: whoever folds events locks them so.
    for other in sorted(finding.covered, key=lambda promise: promise.about):
        coalescing.cover(session, *other.about, other.covers)
    return _told(session, asked, done)


def _origin(session: Session, asked: Order, measured: Measured | None, version: int) -> Origin:
    """Of what data the runs are, how these were found and which version of them was read."""
    if measured is None:
        return Origin(
            dataset_id=asked.dataset_id,
            task_id=asked.task_id,
            lineage_run_id=asked.lineage_run_id,
            marker=None,
            states_version=None,
        )
    marker = fingerprint(state_store.known(session, asked.dataset_id))
    whence = Origin(
        dataset_id=asked.dataset_id,
        task_id=asked.task_id,
        lineage_run_id=asked.lineage_run_id,
        marker=marker,
        states_version=version,
    )
    return replace(whence, how=measured.how, version=measured.version)


def came(session: Session, asked: Order, finding: Finding) -> datetime | None:
    """When the data came that were found: when they were written, as far as somebody told of it since the last look,
    else when they were looked at. None where nothing new was found. To be asked before the finding is kept."""
    measured, seen = finding.measured, finding.seen
    if measured is None or seen is None or not measured.fingerprints.items() - asked.known.items():
        return None
    dataset = session.get_one(Dataset, asked.dataset_id)
    if dataset.written is None or (dataset.seen is not None and dataset.written <= dataset.seen):
        return seen
    return min(dataset.written, seen)


def give_up(session: Session, task: Task, reason: str, *, emitter: Emitter = SILENT, now: datetime, ids: Ids) -> None:
    """Records that the data could not be judged, as a run, and lets later triggers of the object begin anew."""
    with suppress(Unworkable, ContractError):
        asked = plan.order(session, task).alone
        broken = replace(unevaluated(asked, reason, started=now, finished=now), broke=reason)
        keep(session, asked, broken, emitter=emitter, now=now, ids=ids)
    settle(session, task, None, now=now, ids=ids)
    checkpoints.drop(session, task.id)


def settle(session: Session, task: Task, covers: int | None, *, now: datetime, ids: Ids) -> None:
    """Ends what the task's trigger began: what was triggered since is enqueued once. None: what the task was made for.

    Tasks that no trigger made leave the count alone."""
    made_for = task.payload.get("seq")
    if made_for is None:
        return
    subject = Subject(contract_id=task.payload["contract_id"], object=task.payload["object"], cause=f"after/{task.id}")
    coalescing.settle(session, subject, made_for if covers is None else covers, now=now, task_id=ids())


def _examined(asked: Order, tools: Tools) -> Finding:
    started = tools.clock()
    try:
        found = state_reading.read(asked, tools, {} if asked.again else asked.known, tools.parts.load())
        if all(_is_settled(each, found) for each in asked.promises):
            return Finding(
                judged=_redefined(asked, tools, found, started),
                covered=asked.also,
                measured=found.measured,
                seen=started,
            )
        return _judged(asked, tools, found, started)
    except (ContractError, StateError) as error:
        return unevaluated(asked, str(error), started=started, finished=tools.clock())


def _redefined(asked: Order, tools: Tools, found: Reading, started: datetime) -> tuple[Judged, ...]:
    """What comes of other columns where the data are as they were; () where the table was given none."""
    if asked.redefined is None:
        return ()
    return tuple(evaluation.redefined(evaluation.bench(asked, tools, found, started)))


def _is_settled(promise: Promise, found: Reading) -> bool:
    """Whether nothing is new to it."""
    return promise.since is not None and not (found.arrived(promise.since) or found.lost(promise.since))


def _judged(asked: Order, tools: Tools, found: Reading, started: datetime) -> Finding:
    try:
        told = tuple(evaluation.each(evaluation.bench(asked, tools, found, started), strict=True))
    except StateError:
        # A stored state is damaged. Its remedy is to compute it again, and with it all others of the table.
        found = state_reading.read(asked, tools, {}, {})
        told = tuple(evaluation.each(evaluation.bench(asked, tools, found, started), strict=False))
    until = tools.clock() + tools.sampling.lasts
    return Finding(
        judged=told,
        covered=asked.also,
        measured=found.measured,
        vanished=found.vanished,
        seen=started,
        samples_until=until,
    )


def _without_others(asked: Order, tools: Tools, error: EngineError) -> Finding:
    """The task's own contract alone: others have tasks of their own, consumers are told why they have no verdict."""
    started = tools.clock()
    found = _examined(asked.alone, tools)
    reason = f"its states could not be computed together with those of {asked.main.about}: {error.reason}"
    missed = (each for each in asked.also if each.subscription_id is not None)
    told = (evaluation.unevaluated(each, reason, started=started, finished=tools.clock()) for each in missed)
    return replace(found, judged=(*found.judged, *told))


def _record(session: Session, found: Judged, *, origin: Origin, until: datetime, now: datetime, ids: Ids) -> Run:
    whose = replace(origin, reason=found.reason, subscription_id=found.promise.subscription_id, cause=found.cause)
    if not found.readable:
        whose = replace(whose, marker=None, states_version=None)
    run = recording.record(session, ids(), found.result, whose, now=now)
    run.superseded = suspect_partitions.superseded(session, whose.lineage_run_id)
    samples.keep(session, run.id, found.result.samples, until=until, now=now)
    lifecycle.of_run(session, run, found.result, now=now, ids=ids)
    return run


def _apart(session: Session, found: Judged, record: Callable[[Judged], Run]) -> Run | None:
    """The run of a promise beside the task's own; None where it cannot be stored, which stops nothing else."""
    try:
        with session.begin_nested():
            return record(found)
    except StatementError:
        log.exception("a run beside that of the task could not be stored")
        return None


def _told(session: Session, asked: Order, done: list[tuple[Judged, Run | None]]) -> dict[str, Any]:
    """What people read of the task: its own run, and those of other contracts."""
    told = _covered(session, asked)
    others = []
    for found, run in done:
        if run is not None and found.promise is asked.main:
            told = {"run_id": str(run.id), "verdict": run.verdict.value, "partitions": len(run.partitions)}
        elif run is not None and run.subscription_id is None:
            others.append({"run_id": str(run.id), "contract": run.contract_id, "verdict": run.verdict.value})
    return {**told, "also": others} if others else told


def _covered(session: Session, asked: Order) -> dict[str, Any]:
    """What is told where nothing was judged: of a write, the run that judged the same data of the same version."""
    whose = recording.Whose(*asked.main.about, asked.main.contract.fingerprint)
    run = recording.last(session, whose, asked.dataset_id) if asked.lineage_run_id else None
    return {"note": NOTHING_CHANGED, **({"covered_by": str(run.id)} if run else {})}


def _claim(session: Session, asked: Order) -> Dataset:
    """Locks all that is written here, and makes sure that the dataset's states are still those that the judgement was
    built on.

    In the order in which whoever folds an event locks it, too: the dataset, what is waited for of it, the marks of its
    contracts' objects; incidents last."""
    dataset = session.get_one(Dataset, asked.dataset_id, with_for_update=UNKEYED, populate_existing=True)
    deadlines.hold(session, dataset)
    coalescing.hold(session, (each.about for each in asked.promises))
    found = state_store.known(session, asked.dataset_id), state_store.merged(session, asked.dataset_id)
    if found != (asked.known, asked.merged):
        raise state_store.Overtaken
    return dataset
