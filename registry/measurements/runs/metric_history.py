"""What was measured of an object's metrics, by time of data, segment and tag; what could not be measured is a gap."""

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
    """Which measurements are asked for: None admits all. `metric`: an analyzer's name or a metric's identity. `since`
    and `until` are of the data, the latter without its own moment."""

    contract_id: str
    object: str
    metric: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    segment: str | None = None
    tag: str | None = None


def history(session: Session, chosen: MeasurementFilter, *, limit: int) -> list[Mapping[str, Any]]:
    """The newest of the measurements, in the order of their data and of the runs that measured them.

    Each with its run's version and tags, and the dataset that it is of."""
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
    of = [col(row.contract_id) == chosen.contract_id, col(row.object) == chosen.object]
    of.append(col(row.subscription_id).is_(None))
    if chosen.metric:
        of.append(_named(session, of, chosen.metric))
    if chosen.since:
        of.append(time >= chosen.since)
    if chosen.until:
        of.append(time < chosen.until)
    if chosen.segment:
        of.append(col(row.segment) == chosen.segment)
    if chosen.tag:
        of.append(col(row.run_id).in_(select(RunTagRow.run_id).where(RunTagRow.tag == chosen.tag)))
    return of


def _named(session: Session, of: Sequence[ColumnElement[bool]], metric: str) -> ColumnElement[bool]:
    """By the identity where there is one of it, which an index finds; else by the analyzer, for which all are read."""
    identity = col(MeasurementRow.identity) == metric
    known = session.exec(select(MeasurementRow.run_id).where(*of, identity).limit(1)).first()
    return col(MeasurementRow.analyzer) == metric if known is None else identity


def _tags(session: Session, runs: Collection[UUID]) -> Mapping[UUID, Sequence[str]]:
    found: dict[UUID, list[str]] = defaultdict(list)
    for each in session.exec(select(RunTagRow).where(col(RunTagRow.run_id).in_(runs)).order_by(col(RunTagRow.tag))):
        found[each.run_id].append(each.tag)
    return found


def _history_item(
    row: MeasurementRow, version: str, dataset: tuple[str, str], tags: Sequence[str]
) -> Mapping[str, Any]:
    # What was measured before its time was kept is told by its partition's name.
    place = partition_key(row.partition)
    namespace, name = dataset
    return {
        **row.model_dump(include={"run_id", "identity", "analyzer", "arguments", "partition", "value", "exact"}),
        "dataset": f"{namespace} {name}" if name else None,
        "version": version,
        "reason": row.reason,
        "data_at": row.data_at or place.time or row.measured_at,
        "measured_at": row.measured_at,
        "segment": row.segment or place.segment,
        "row_count": row.row_count,
        "tags": tuple(tags),
    }
