"""What becomes of a trigger: a task, a mark that data are suspect, or a note that a table is gone."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlmodel import Session, select

from treaty.contracts.document.model import Lineage
from treaty.registry.audit import audit_log
from treaty.registry.core.enums import AuditAction
from treaty.registry.datasets import contract_datasets
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.datasets.names import LineageName, location
from treaty.registry.lineage import aliases, suspect_partitions
from treaty.registry.lineage.downstream import incident_downstream
from treaty.registry.lineage.events.run_state import FoldedRun
from treaty.registry.lineage.events.triggers import Trigger, TriggerKind
from treaty.registry.queue import coalescing, pending_triggers, priorities
from treaty.registry.queue.coalescing import DebouncePolicy, ValidationRequest
from treaty.registry.queue.task_queue import Priority
from treaty.registry.tables import DatasetRow, LineageRunRow
from treaty.registry.worker.intake import affected_objects, unmatched
from treaty.registry.worker.intake.affected_objects import AffectedObject

ACTOR = "lineage"
GONE = frozenset({TriggerKind.DROPPED, TriggerKind.RENAMED})
# Clocks of those who write and of those who read agree to within this time.
SKEW = timedelta(seconds=60)


@dataclass(frozen=True, kw_only=True)
class TriggerContext:
    """Who asks: the run by what it told until now, or nobody where a dataset spoke for itself. `event_time`: the time
    of the event; `producer`: who sent it; `since`: what happened before is of no interest."""

    session: Session
    now: datetime
    ids: Callable[[], UUID]
    producer: str
    event_time: datetime
    since: datetime
    run: LineageRunRow | None = None
    folded: FoldedRun | None = None

    def of(self, run: LineageRunRow, folded: FoldedRun) -> "TriggerContext":
        """The same in the name of that run."""
        return replace(self, run=run, folded=folded)

    @property
    def time(self) -> datetime:
        """When what is asked about happened: when the run ended, or else what it told last."""
        return (self.folded.ended if self.folded else None) or self.event_time


def react(by: TriggerContext, asked: Iterable[Trigger]) -> None:
    """Does for each contract's object what the triggers ask; remembers datasets that no contract is about."""
    found = affected_objects.affected_objects(by.session, asked)
    alone = [each for each, concerned in found.items() if not concerned and each.reads not in GONE]
    unmatched.remember(by.session, alone, by.run, by.folded, now=by.now)
    pairs = [(each, trigger) for trigger, concerned in found.items() for each in concerned]
    contract_datasets.lock_datasets(by.session, {each.about for each, _ in pairs})
    # In the order of names: so do others lock what they change.
    for each, trigger in sorted(pairs, key=lambda pair: (pair[0].about, pair[1].dataset)):
        REACTIONS[trigger.reads](by, trigger, each)


def _validate(by: TriggerContext, trigger: Trigger, whom: AffectedObject) -> None:
    dataset = _dataset_of(by.session, whom.about)
    if dataset is not None:
        _follow(by, trigger, whom.about, dataset)
        dataset.last_written_at = max(filter(None, (dataset.last_written_at, by.time)))
        trigger = _defining(by, trigger, dataset)
    usual = Priority.SWEEP if _is_late(by, dataset) else trigger.priority
    usual = priorities.priority(by.session, usual, whom.about.contract_id)
    subject = _subject(by, trigger, whom.about, incident_downstream.priority(by.session, *whom.about, usual))
    coalescing.record_trigger(by.session, subject, now=by.now, task_id=by.ids(), pace=_pace(by, trigger, whom.terms))


def _doubt(by: TriggerContext, trigger: Trigger, whom: AffectedObject) -> None:
    dataset = _dataset_of(by.session, whom.about)
    if by.run is not None:
        coalescing.withdraw(by.session, *whom.about, by.run.id, now=by.now)
        suspect_partitions.supersede(by.session, by.run)
    if whom.terms.on_failed_run == "ignore" or by.run is None or dataset is None or _is_late(by, dataset):
        return
    suspect_partitions.mark(by.session, dataset.id, by.run, trigger.partitions, now=by.now)
    if whom.terms.on_failed_run == "validate":
        _validate(by, trigger, whom)


def _defining(by: TriggerContext, trigger: Trigger, dataset: DatasetRow) -> Trigger:
    """The trigger; where its definition was told of a later time, one that tells nothing of it."""
    if trigger.columns is None:
        return trigger
    if dataset.schema_declared_at is not None and dataset.schema_declared_at > by.time:
        return replace(trigger, columns=None)
    dataset.schema_declared_at = by.time
    return trigger


def _drop(by: TriggerContext, trigger: Trigger, whom: AffectedObject) -> None:
    dataset = _dataset_of(by.session, whom.about)
    if dataset is None or (dataset.dropped_at is not None and dataset.dropped_at >= by.time):
        return
    if _is_late(by, dataset) or (dataset.last_written_at is not None and dataset.last_written_at > by.time):
        return
    dataset.dropped_at = by.time
    details = {"contract": whom.about.contract_id, "object": whom.about.object, "name": str(trigger.dataset)}
    audit_log.record(
        by.session, AuditAction.DATASET_DROPPED, actor=ACTOR, object_id=dataset.id, details=details, now=by.now
    )


def _rename(by: TriggerContext, trigger: Trigger, whom: AffectedObject) -> None:
    """What a contract names is gone where it had the old name; what is called so now was known already."""
    dataset = _dataset_of(by.session, whom.about)
    if dataset is not None and LineageName(dataset.namespace, dataset.name) == trigger.formerly:
        _drop(by, trigger, whom)


REACTIONS: Mapping[TriggerKind, Callable[[TriggerContext, Trigger, AffectedObject], None]] = {
    TriggerKind.DATA: _validate,
    TriggerKind.SCHEMA: _validate,
    TriggerKind.ORPHAN: _validate,
    TriggerKind.SUSPECT: _doubt,
    TriggerKind.DROPPED: _drop,
    TriggerKind.RENAMED: _rename,
}


def _subject(by: TriggerContext, trigger: Trigger, about: ContractObject, priority: int) -> ValidationRequest:
    run = by.run.run_id if by.run else "dataset"
    extra: dict[str, Any] = {
        "dataset": {"namespace": trigger.dataset.namespace, "name": trigger.dataset.name},
        "partitions": [dict(partition) for partition in trigger.partitions],
        "reads": trigger.reads.value,
        "why": trigger.why,
        "streaming": trigger.streaming,
        "producer": by.producer,
    }
    if by.run is not None:
        extra["lineage_run_id"] = str(by.run.id)
    if trigger.columns is not None:
        extra |= {
            pending_triggers.COLUMNS: [list(each) for each in trigger.columns],
            pending_triggers.AT: by.time.isoformat(),
        }
    cause = f"{run}/{trigger.dataset.namespace}/{trigger.dataset.name}/{trigger.reads}"
    return ValidationRequest(
        contract_id=about.contract_id, object=about.object, cause=cause, extra=extra, priority=priority
    )


def _pace(by: TriggerContext, trigger: Trigger, terms: Lineage) -> DebouncePolicy:
    every = timedelta(minutes=terms.stream_interval) if trigger.streaming else None
    waits_for = _open_parent(by) if terms.settle == "parent" else None
    return DebouncePolicy(priorities.quiet(by.session, timedelta(seconds=terms.quiet), now=by.now), every, waits_for)


def _open_parent(by: TriggerContext) -> str | None:
    """The run that this one is a part of, where that is known and has not ended: the outermost first."""
    ids = [each for each in (by.run.root_id, by.run.parent_id) if each] if by.run else []
    for each in ids:
        found = by.session.exec(select(LineageRunRow.is_ended).where(LineageRunRow.run_id == each)).all()
        if found and not any(found):
            return each
    return None


def _is_late(by: TriggerContext, dataset: DatasetRow | None) -> bool:
    """Whether the dataset was read since, so that what is told of it was seen."""
    ended = by.folded.ended if by.folded else None
    return bool(ended and dataset and dataset.last_scanned_at and ended < dataset.last_scanned_at - SKEW)


def _dataset_of(session: Session, about: ContractObject) -> DatasetRow | None:
    return contract_datasets.dataset_of(session, *about)


def _follow(by: TriggerContext, trigger: Trigger, about: ContractObject, dataset: DatasetRow) -> None:
    """Where a pattern says that each run writes elsewhere, the data lie where the last one wrote."""
    newest = dataset.last_written_at is None or dataset.last_written_at <= by.time
    if newest and aliases.is_pattern(by.session, about, trigger.dataset):
        dataset.location = location(trigger.dataset.namespace, trigger.dataset.name)
