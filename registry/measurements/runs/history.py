"""Query runs, their reports and metric values over time."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any
from uuid import UUID

import sqlalchemy
from sqlalchemy import Select, String, Subquery, case, cast, func, or_
from sqlmodel import Session, col, select

from treaty.engine.core.results import AMISS
from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal
from treaty.registry.core.errors import NotFound
from treaty.registry.core.metric_point import MetricPoint
from treaty.registry.core.pagination import PageRequest, RowPage, SortOrder
from treaty.registry.measurements.runs.recording import RunSeriesKey
from treaty.registry.tables import CheckResultRow, DatasetRow, LineageRunRow, MeasurementRow, RunRow

SHOWN = 60
# Columns of a measurement to show. Loading ORM rows that track changes takes three times as long.
SHOWN_COLUMNS = tuple(each.name for each in fields(MetricPoint))
NEWEST = SortOrder((RunRow.finished_at, RunRow.id), newest_first=True)


@dataclass(frozen=True, kw_only=True)
class RunReport:
    """A run with its results.

    `lineage_run`: id of the run that triggered it; None if no run did. `history`: points of each metric that needs
    attention, by metric identity."""

    run: RunRow
    results: Sequence[CheckResultRow]
    dataset: DatasetRow | None
    lineage_run: str | None
    history: Mapping[str, Sequence[MetricPoint]]


def runs(
    session: Session, by: Principal, request: PageRequest, *, contract_id: str | None = None,
    subscription_id: UUID | None = None,
) -> RowPage[RunRow]:  # fmt: skip
    """Return a page of runs that the principal may read, newest first.

    `subscription_id`: runs of this consumer's checks; None means the contracts' own checks. `contract_id`: None means
    all."""
    of_consumer = col(RunRow.subscription_id).is_not_distinct_from(subscription_id)
    query = NEWEST.of(select(RunRow).where(of_consumer, visibility.runs(by)), request)
    filtered = query if contract_id is None else query.where(RunRow.contract_id == contract_id)
    return NEWEST.cut(session.exec(filtered).all(), request)


def report(session: Session, run_id: UUID) -> RunReport:
    """Return the report of the run. Raises NotFound."""
    run = session.get(RunRow, run_id)
    if run is None:
        raise NotFound
    query = select(CheckResultRow).where(CheckResultRow.run_id == run_id).order_by(col(CheckResultRow.position))
    results = session.exec(query).all()
    metrics = {each.measurement for each in results if each.outcome in AMISS and each.measurement}
    dataset = session.get(DatasetRow, run.dataset_id) if run.dataset_id else None
    lineage = session.get(LineageRunRow, run.lineage_run_id) if run.lineage_run_id else None
    history = measurements(session, run.contract_id, run.object, metrics, subscription_id=run.subscription_id)
    return RunReport(
        run=run, results=results, dataset=dataset, lineage_run=lineage.run_id if lineage else None, history=history
    )


def measurements(
    session: Session,
    contract_id: str,
    object_name: str,
    identities: Collection[str],
    *,
    limit: int = SHOWN,
    subscription_id: UUID | None = None,
) -> dict[str, list[MetricPoint]]:
    """Return the last values of each metric, oldest first.

    For a partition that is its latest value, for a whole dataset the value of each run. `subscription_id`: values of
    this consumer's checks; None means the contract's own."""
    series = RunSeriesKey(contract_id, object_name, "", subscription_id)
    return earlier(session, series, identities, limit=limit)


def earlier(
    session: Session,
    series_key: RunSeriesKey,
    identities: Collection[str],
    *,
    limit: int,
    before: datetime | None = None,
    each_run: bool = False,
) -> dict[str, list[MetricPoint]]:
    """Return the last values of each metric, oldest first, see `measurements`.

    `before`: only values measured before this time; None means all. `each_run`: for undated partitions, return the
    values of all runs instead of the latest."""
    ranked = _ranked(series_key, identities, before, each_run=each_run)
    newest = func.coalesce(ranked.c.partition, "").desc(), ranked.c.measured_at.desc()
    rank = func.row_number().over(partition_by=ranked.c.identity, order_by=newest).label("place")
    latest = sqlalchemy.select(ranked, rank).where(ranked.c.age == 1).subquery()
    query = (
        sqlalchemy.select(*(latest.c[name] for name in SHOWN_COLUMNS))
        .where(latest.c.place <= limit)
        .order_by(latest.c.partition, latest.c.measured_at, latest.c.position)
    )
    points: dict[str, list[MetricPoint]] = {each: [] for each in sorted(identities)}
    for row in session.connection().execute(query).all():
        each = MetricPoint(**row._mapping)
        points[each.identity].append(each)
    return points


def _ranked(
    series_key: RunSeriesKey, identities: Collection[str], before: datetime | None, *, each_run: bool
) -> Subquery:
    """Select the rows of the metrics, ranked by age within their partition: 1 is the newest."""
    row = MeasurementRow
    whole = or_(col(row.partition).is_(None), col(row.partition) == "")
    undated = or_(whole, col(row.data_at).is_(None)) if each_run else whole
    # Every run adds a point to the series of a whole dataset, instead of replacing the last one.
    run = case((undated, cast(col(row.run_id), String)), else_="")
    age = func.row_number().over(
        partition_by=[col(row.identity), col(row.partition), run],
        order_by=[col(row.measured_at).desc(), col(row.run_id).desc()],
    )
    columns = (col(getattr(row, name)) for name in (*SHOWN_COLUMNS, "position"))
    query: Select[Any] = sqlalchemy.select(*columns, age.label("age"))
    conditions = (
        col(row.contract_id) == series_key.contract_id,
        col(row.object) == series_key.object,
        col(row.subscription_id).is_not_distinct_from(series_key.subscription_id),
        *(() if before is None else (col(row.measured_at) < before,)),
    )
    return query.where(*conditions, col(row.identity).in_(list(identities))).subquery()
