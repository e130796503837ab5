"""React to a trigger: enqueue a validation, mark partitions as suspect, or record a dropped table."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlmodel import Session, select

from treaty.contracts.document.model import Lineage
from treaty.registry.audit import audit_log
from treaty.registry.core.audit_actions import AuditAction
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
# Tolerated clock skew between producers and workers.
SKEW = timedelta(seconds=60)


@dataclass(frozen=True, kw_only=True)
class TriggerContext:
    """Origin of triggers: a run, or none for a dataset event.

    `run`, `folded`: the run's row and its state so far. `event_time`: time of the event. `producer`: sender of the
    event. `since`: earlier triggers are ignored."""

    session: Session
    now: datetime
    ids: Callable[[], UUID]
    producer: str
    event_time: datetime
    since: datetime
    run: LineageRunRow | None = None
    folded: FoldedRun | None = None

    def of(self, run: LineageRunRow, folded: FoldedRun) -> "TriggerContext":
        """Return the context for the run."""
        return replace(self, run=run, folded=folded)

    @property
    def time(self) -> datetime:
        """Return the end of the run, else the time of its event."""
        return (self.folded.ended if self.folded else None) or self.event_time


def react(by: TriggerContext, triggers: Iterable[Trigger]) -> None:
    """Apply each trigger to the contract objects it affects.

    Datasets without a contract are stored as unmatched."""
    affected_by_trigger = affected_objects.affected_objects(by.session, triggers)
    unmatched_triggers = [
        each for each, concerned in affected_by_trigger.items() if not concerned and each.reads not in GONE
    ]
    unmatched.remember(by.session, unmatched_triggers, by.run, by.folded, now=by.now)
    pairs = [(each, trigger) for trigger, concerned in affected_by_trigger.items() for each in concerned]
    contract_datasets.lock_datasets(by.session, {each.about for each, _ in pairs})
    # Sorted by name, the order in which other transactions lock the same rows.
    for each, trigger in sorted(pairs, key=lambda pair: (pair[0].about, pair[1].dataset)):
        REACTIONS[trigger.reads](by, trigger, each)


def _validate(by: TriggerContext, trigger: Trigger, affected: AffectedObject) -> None:
    dataset = _dataset_of(by.session, affected.about)
    if dataset is not None:
        _follow(by, trigger, affected.about, dataset)
        dataset.last_written_at = max(filter(None, (dataset.last_written_at, by.time)))
        trigger = _defining(by, trigger, dataset)
    default_priority = Priority.SWEEP if _is_late(by, dataset) else trigger.priority
    default_priority = priorities.priority(by.session, default_priority, affected.about.contract_id)
    subject = _subject(
        by, trigger, affected.about, incident_downstream.priority(by.session, *affected.about, default_priority)
    )
    coalescing.record_trigger(
        by.session, subject, now=by.now, task_id=by.ids(), pace=_pace(by, trigger, affected.terms)
    )


def _doubt(by: TriggerContext, trigger: Trigger, affected: AffectedObject) -> None:
    dataset = _dataset_of(by.session, affected.about)
    if by.run is not None:
        coalescing.withdraw(by.session, *affected.about, by.run.id, now=by.now)
        suspect_partitions.supersede(by.session, by.run)
    if affected.terms.on_failed_run == "ignore" or by.run is None or dataset is None or _is_late(by, dataset):
        return
    suspect_partitions.mark(by.session, dataset.id, by.run, trigger.partitions, now=by.now)
    if affected.terms.on_failed_run == "validate":
        _validate(by, trigger, affected)


def _defining(by: TriggerContext, trigger: Trigger, dataset: DatasetRow) -> Trigger:
    """Return the trigger, without its columns if a later schema was declared already."""
    if trigger.columns is None:
        return trigger
    if dataset.schema_declared_at is not None and dataset.schema_declared_at > by.time:
        return replace(trigger, columns=None)
    dataset.schema_declared_at = by.time
    return trigger


def _drop(by: TriggerContext, trigger: Trigger, affected: AffectedObject) -> None:
    dataset = _dataset_of(by.session, affected.about)
    if dataset is None or (dataset.dropped_at is not None and dataset.dropped_at >= by.time):
        return
    if _is_late(by, dataset) or (dataset.last_written_at is not None and dataset.last_written_at > by.time):
        return
    dataset.dropped_at = by.time
    details = {"contract": affected.about.contract_id, "object": affected.about.object, "name": str(trigger.dataset)}
    audit_log.record(
        by.session, AuditAction.DATASET_DROPPED, actor=ACTOR, object_id=dataset.id, details=details, now=by.now
    )


def _rename(by: TriggerContext, trigger: Trigger, affected: AffectedObject) -> None:
    """Record the dataset as dropped if the contract names it by its old name.

    The new name is an alias already."""
    dataset = _dataset_of(by.session, affected.about)
    if dataset is not None and LineageName(dataset.namespace, dataset.name) == trigger.formerly:
        _drop(by, trigger, affected)


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
    interval = timedelta(minutes=terms.stream_interval) if trigger.streaming else None
    waits_for = _open_parent(by) if terms.settle == "parent" else None
    return DebouncePolicy(priorities.quiet(by.session, timedelta(seconds=terms.quiet), now=by.now), interval, waits_for)


def _open_parent(by: TriggerContext) -> str | None:
    """Return the id of the outermost ancestor run that has not ended; None if there is none."""
    ids = [each for each in (by.run.root_id, by.run.parent_id) if each] if by.run else []
    for each in ids:
        ended_flags = by.session.exec(select(LineageRunRow.is_ended).where(LineageRunRow.run_id == each)).all()
        if ended_flags and not any(ended_flags):
            return each
    return None


def _is_late(by: TriggerContext, dataset: DatasetRow | None) -> bool:
    """Return whether the dataset was scanned after the run ended.

    Such a scan covers the run's writes."""
    ended = by.folded.ended if by.folded else None
    return bool(ended and dataset and dataset.last_scanned_at and ended < dataset.last_scanned_at - SKEW)


def _dataset_of(session: Session, about: ContractObject) -> DatasetRow | None:
    return contract_datasets.dataset_of(session, *about)


def _follow(by: TriggerContext, trigger: Trigger, about: ContractObject, dataset: DatasetRow) -> None:
    """Move the dataset's location to the newest write, if the contract's alias is a pattern."""
    newest = dataset.last_written_at is None or dataset.last_written_at <= by.time
    if newest and aliases.is_pattern(by.session, about, trigger.dataset):
        dataset.location = location(trigger.dataset.namespace, trigger.dataset.name)
