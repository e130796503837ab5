"""What happened: runs, their reports, and how a metric went over time."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any
from uuid import UUID

import sqlalchemy
from sqlalchemy import Select, String, Subquery, case, cast, func, or_
from sqlmodel import Session, col, select

from treaty.engine.core.results import Outcome
from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal
from treaty.registry.core.errors import NotFound
from treaty.registry.core.metric_point import MetricPoint
from treaty.registry.core.pagination import PageRequest, RowPage, SortOrder
from treaty.registry.measurements.runs.recording import RunSeriesKey
from treaty.registry.tables import CheckResultRow, DatasetRow, LineageRunRow, MeasurementRow, RunRow

SHOWN = 60
# What of a measurement is shown. A whole row, made to be changed, takes three times as long to read.
SHOWN_COLUMNS = tuple(each.name for each in fields(MetricPoint))
NEWEST = SortOrder((RunRow.finished_at, RunRow.id), newest_first=True)
ATTENTION = frozenset({Outcome.FAILED, Outcome.NOT_EVALUATED})


@dataclass(frozen=True, kw_only=True)
class RunReport:
    """A run with its results, and the history of each metric that needs attention, by the metric's identity."""

    run: RunRow
    results: Sequence[CheckResultRow]
    dataset: DatasetRow | None
    lineage_run: str | None
    history: Mapping[str, Sequence[MetricPoint]]


def runs(
    session: Session, by: Principal, asked: PageRequest, *, contract_id: str | None = None,
    subscription_id: UUID | None = None,
) -> RowPage[RunRow]:  # fmt: skip
    """Runs that the principal may read, of contracts' own checks or of that consumer's, newest first."""
    whose = col(RunRow.subscription_id).is_not_distinct_from(subscription_id)
    query = NEWEST.of(select(RunRow).where(whose, visibility.runs(by)), asked)
    chosen = query if contract_id is None else query.where(RunRow.contract_id == contract_id)
    return NEWEST.cut(session.exec(chosen).all(), asked)


def report(session: Session, run_id: UUID) -> RunReport:
    """The report of that run. Raises NotFound where there is none."""
    run = session.get(RunRow, run_id)
    if run is None:
        raise NotFound
    query = select(CheckResultRow).where(CheckResultRow.run_id == run_id).order_by(col(CheckResultRow.position))
    results = session.exec(query).all()
    metrics = {each.measurement for each in results if each.outcome in ATTENTION and each.measurement}
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
    """The last values of each metric, oldest first: of a partition its newest one, of a whole dataset each run's.

    Those of the contract's own checks, or of that consumer's."""
    whose = RunSeriesKey(contract_id, object_name, "", subscription_id)
    return earlier(session, whose, identities, limit=limit)


def earlier(
    session: Session,
    whose: RunSeriesKey,
    identities: Collection[str],
    *,
    limit: int,
    before: datetime | None = None,
    each_run: bool = False,
) -> dict[str, list[MetricPoint]]:
    """As `measurements`, of what was measured `before`; None: of all. `each_run`: of partitions that no time dates what
    every run measured, which is how they went over time."""
    ranked = _ranked(whose, identities, before, each_run=each_run)
    newest = func.coalesce(ranked.c.partition, "").desc(), ranked.c.measured_at.desc()
    place = func.row_number().over(partition_by=ranked.c.identity, order_by=newest).label("place")
    kept = sqlalchemy.select(ranked, place).where(ranked.c.age == 1).subquery()
    query = (
        sqlalchemy.select(*(kept.c[name] for name in SHOWN_COLUMNS))
        .where(kept.c.place <= limit)
        .order_by(kept.c.partition, kept.c.measured_at, kept.c.position)
    )
    found: dict[str, list[MetricPoint]] = {each: [] for each in sorted(identities)}
    for row in session.connection().execute(query).all():
        each = MetricPoint(**row._mapping)
        found[each.identity].append(each)
    return found


def _ranked(whose: RunSeriesKey, identities: Collection[str], before: datetime | None, *, each_run: bool) -> Subquery:
    """The metrics' rows, each with its age among the values of the same partition: 1 is the newest."""
    row = MeasurementRow
    whole = or_(col(row.partition).is_(None), col(row.partition) == "")
    undated = or_(whole, col(row.data_at).is_(None)) if each_run else whole
    # Values of the whole dataset belong together over time: none replaces another.
    run = case((undated, cast(col(row.run_id), String)), else_="")
    age = func.row_number().over(
        partition_by=[col(row.identity), col(row.partition), run],
        order_by=[col(row.measured_at).desc(), col(row.run_id).desc()],
    )
    shown = (col(getattr(row, name)) for name in (*SHOWN_COLUMNS, "position"))
    chosen: Select[Any] = sqlalchemy.select(*shown, age.label("age"))
    mine = (
        col(row.contract_id) == whose.contract_id,
        col(row.object) == whose.object,
        col(row.subscription_id).is_not_distinct_from(whose.subscription_id),
        *(() if before is None else (col(row.measured_at) < before,)),
    )
    return chosen.where(*mine, col(row.identity).in_(list(identities))).subquery()
