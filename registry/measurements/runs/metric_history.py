"""Query measurements of an object by data time, segment and tag. Failed measurements are gaps."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, func
from sqlmodel import Session, col, select

from treaty.engine.anomaly.series import partition_key
from treaty.registry.tables import DatasetRow, MeasurementRow, RunRow, RunTagRow


@dataclass(frozen=True, kw_only=True)
class MeasurementFilter:
    """A filter for measurements; None means no restriction.

    `metric`: name of an analyzer or identity of a metric. `since`, `until`: time of the data; `until` is exclusive."""

    contract_id: str
    object: str
    metric: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    segment: str | None = None
    tag: str | None = None


def history(session: Session, chosen: MeasurementFilter, *, limit: int) -> list[Mapping[str, Any]]:
    """Return the newest matching measurements, ordered by the time of their data and measurement.

    Each has the version and tags of its run, and the name of its dataset."""
    time = func.coalesce(col(MeasurementRow.data_at), col(MeasurementRow.measured_at))
    query = (
        select(MeasurementRow, RunRow.version, DatasetRow.namespace, DatasetRow.name)
        .join(RunRow, col(RunRow.id) == col(MeasurementRow.run_id))
        .join(DatasetRow, col(DatasetRow.id) == col(RunRow.dataset_id), isouter=True)
        .where(*_conditions(session, chosen, time))
        .order_by(time.desc(), col(MeasurementRow.measured_at).desc(), col(MeasurementRow.position).desc())
        .limit(limit)
    )
    rows = session.exec(query).all()[::-1]
    tags = _tags(session, {row.run_id for row, *_ in rows})
    return [_history_item(row, version, (namespace, name), tags[row.run_id]) for row, version, namespace, name in rows]


def _conditions(
    session: Session, chosen: MeasurementFilter, time: ColumnElement[datetime]
) -> list[ColumnElement[bool]]:
    row = MeasurementRow
    conditions = [col(row.contract_id) == chosen.contract_id, col(row.object) == chosen.object]
    conditions.append(col(row.subscription_id).is_(None))
    if chosen.metric:
        conditions.append(_named(session, conditions, chosen.metric))
    if chosen.since:
        conditions.append(time >= chosen.since)
    if chosen.until:
        conditions.append(time < chosen.until)
    if chosen.segment:
        conditions.append(col(row.segment) == chosen.segment)
    if chosen.tag:
        conditions.append(col(row.run_id).in_(select(RunTagRow.run_id).where(RunTagRow.tag == chosen.tag)))
    return conditions


def _named(session: Session, of: Sequence[ColumnElement[bool]], metric: str) -> ColumnElement[bool]:
    """Filter by identity if any measurement has it, which uses an index; else by analyzer."""
    identity = col(MeasurementRow.identity) == metric
    match = session.exec(select(MeasurementRow.run_id).where(*of, identity).limit(1)).first()
    return col(MeasurementRow.analyzer) == metric if match is None else identity


def _tags(session: Session, runs: Collection[UUID]) -> Mapping[UUID, Sequence[str]]:
    tags: dict[UUID, list[str]] = defaultdict(list)
    for each in session.exec(select(RunTagRow).where(col(RunTagRow.run_id).in_(runs)).order_by(col(RunTagRow.tag))):
        tags[each.run_id].append(each.tag)
    return tags


def _history_item(
    row: MeasurementRow, version: str, dataset: tuple[str, str], tags: Sequence[str]
) -> Mapping[str, Any]:
    # Measurements stored before `data_at` existed take the time from the partition's name.
    key = partition_key(row.partition)
    namespace, name = dataset
    return {
        **row.model_dump(include={"run_id", "identity", "analyzer", "arguments", "partition", "value", "exact"}),
        "dataset": f"{namespace} {name}" if name else None,
        "version": version,
        "reason": row.reason,
        "data_at": row.data_at or key.time or row.measured_at,
        "measured_at": row.measured_at,
        "segment": row.segment or key.segment,
        "row_count": row.row_count,
        "tags": tuple(tags),
    }
