"""Order a dataset's stored states as they arrived and were replaced, for replays."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from itertools import groupby, islice
from typing import Any
from uuid import UUID

from sqlalchemy import select as some
from sqlmodel import Session, col, select

from treaty.engine.checks.dataset_limits import ReferenceValue
from treaty.engine.core.partitions.months import days
from treaty.engine.evaluation.replay.runner import ReplayStep
from treaty.registry.datasets.related_datasets import MetricTimeline
from treaty.registry.tables import DatasetRow, PartitionStateRow, RunRow

# Number of states read from the database and evaluated before the progress callback decides whether to continue.
AT_A_TIME = 100


@dataclass(frozen=True, kw_only=True)
class GenerationInterval:
    """A generation of a partition's states, with the state versions in which it was valid.

    `until_version`, `ended_at`: None while current."""

    id: UUID
    partition: str
    from_version: int
    until_version: int | None
    created_at: datetime
    ended_at: datetime | None


NAMES = tuple(each.name for each in fields(GenerationInterval))


def generations(session: Session, dataset: DatasetRow, *, replaced: bool) -> list[GenerationInterval]:
    """Return the generations of the dataset's partitions in order of arrival.

    `replaced`: include those that are no longer current."""
    columns = [col(getattr(PartitionStateRow, name)) for name in NAMES]
    query = some(*columns).where(col(PartitionStateRow.dataset_id) == dataset.id)
    if not replaced:
        query = query.where(col(PartitionStateRow.until_version).is_(None))
    intervals = [GenerationInterval(**each._mapping) for each in session.connection().execute(query)]
    return sorted(intervals, key=_as_it_came if replaced else _as_it_is)


def _as_it_came(interval: GenerationInterval) -> tuple[Any, ...]:
    return interval.from_version, _day(interval.partition), interval.partition


def _as_it_is(interval: GenerationInterval) -> tuple[Any, ...]:
    # Merged days are as old as the newest of them, although they were written later.
    return interval.created_at, interval.from_version, _day(interval.partition), interval.partition


def _day(name: str) -> str:
    """Return the date in a partition name, to order the arrivals of one version; '' if it has none."""
    parsed = days(name)
    return f"{parsed.month}-{parsed.days[0]:02d}" if parsed else ""


def moments(session: Session, dataset: DatasetRow) -> list[datetime]:
    """Return the start times of the validations whose arrivals are stored, oldest first.

    Validations whose runs are no longer stored are left out."""
    began = _began(session, dataset)
    versions = {each.from_version for each in generations(session, dataset, replaced=True)}
    return sorted(began[version] for version in versions & began.keys())


def steps(
    session: Session,
    dataset: DatasetRow,
    intervals: Sequence[GenerationInterval],
    timelines: Mapping[str, MetricTimeline],
    excluded_partitions: Collection[tuple[int, str | None]] = frozenset(),
) -> Iterator[ReplayStep]:
    """Yield the arrivals and removals as replay steps, in the order of `intervals`.

    Each step has what one validation read; for tables partitioned by day, one day. `excluded_partitions`: state
    versions and partitions that belong to an incident; None as partition means the whole dataset."""
    began, packed, gone = _began(session, dataset), _packed(session, intervals), _gone(intervals)
    for (since, _), each in groupby(intervals, key=lambda one: (one.from_version, _day(one.partition))):
        group = list(each)
        yield from (_departure(left, began, timelines) for left in _removed_generations(gone, since))
        moment = min(group[0].created_at, began.get(since, group[0].created_at))
        left = tuple(one.partition for one in gone.pop(since, ()))
        for at in range(0, len(group), AT_A_TIME):
            batch = dict(islice(packed, min(AT_A_TIME, len(group) - at)))
            more = at + AT_A_TIME < len(group)
            bad = frozenset(name for name in (*batch, None) if (since, name) in excluded_partitions)
            yield ReplayStep(
                added=batch,
                time=moment,
                removed=() if at else left,
                references=_at(timelines, moment),
                continues=more,
                excluded_partitions=bad,
            )
    yield from (_departure(left, began, timelines) for left in _removed_generations(gone, None))


def _removed_generations(
    gone: dict[int, list[GenerationInterval]], before: int | None
) -> Iterator[list[GenerationInterval]]:
    """Yield, and remove from `gone`, the generations that ended before a version, in version order."""
    for version in sorted(each for each in gone if before is None or each < before):
        yield gone.pop(version)


def _departure(
    left: Sequence[GenerationInterval], began: Mapping[int, datetime], timelines: Mapping[str, MetricTimeline]
) -> ReplayStep:
    """Return a step with removals only."""
    moment = began.get(left[0].until_version or 0) or left[0].ended_at or left[0].created_at
    names = tuple(each.partition for each in left)
    return ReplayStep(added={}, time=moment, removed=names, references=_at(timelines, moment))


def _gone(intervals: Sequence[GenerationInterval]) -> dict[int, list[GenerationInterval]]:
    """Return the generations that ended without a successor, by the version in which they ended."""
    arrivals = {(each.partition, each.from_version) for each in intervals}
    ended: dict[int, list[GenerationInterval]] = {}
    for each in intervals:
        if each.until_version is not None and (each.partition, each.until_version) not in arrivals:
            ended.setdefault(each.until_version, []).append(each)
    return ended


def _at(timelines: Mapping[str, MetricTimeline], moment: datetime) -> dict[str, ReferenceValue]:
    return {words: each.at(moment) for words, each in timelines.items()}


def _began(session: Session, dataset: DatasetRow) -> dict[int, datetime]:
    """Return the start time of the validation behind each stored state version.

    Versions whose runs are no longer stored are left out."""
    query = select(RunRow.states_version, RunRow.started_at).where(RunRow.dataset_id == dataset.id)
    rows = session.exec(query.where(col(RunRow.states_version).is_not(None)).order_by(col(RunRow.started_at).desc()))
    return {version: started for version, started in rows if version is not None}


def _packed(session: Session, intervals: Sequence[GenerationInterval]) -> Iterator[tuple[str, bytes]]:
    """Yield the packed states in order, with one batch in memory at a time."""
    remaining = iter(intervals)
    while batch := list(islice(remaining, AT_A_TIME)):
        query = select(PartitionStateRow.id, PartitionStateRow.states)
        states = dict(session.exec(query.where(col(PartitionStateRow.id).in_([each.id for each in batch]))).all())
        # A state erased meanwhile yields empty bytes, which are reported as unreadable.
        yield from ((each.partition, states.get(each.id, b"")) for each in batch)
