"""Runs that say how the data of a contract are now."""

from sqlalchemy import ColumnElement, func, tuple_
from sqlalchemy.orm import aliased
from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from treaty.engine.core.results import Verdict
from treaty.registry.core.enums import RunKind
from treaty.registry.tables import RunRow

FAILING = (Verdict.FAILED, Verdict.NOT_EVALUATED)


def failing_runs(which: ColumnElement[bool]) -> SelectOfScalar[RunRow]:
    """Of those runs the ones that failed, or could not tell, and are the last that say how the data of their object
    are; as a query."""
    later = aliased(RunRow)
    same = (col(later.contract_id) == col(RunRow.contract_id)) & (col(later.object) == col(RunRow.object))
    after = tuple_(col(later.finished_at), col(later.id)) > tuple_(col(RunRow.finished_at), col(RunRow.id))
    replaced = select(later.id).where(same, after, reports_on_data(later)).correlate(RunRow).exists()
    return select(RunRow).where(which, col(RunRow.verdict).in_(FAILING), reports_on_data(), ~replaced)


def _latest_runs(which: ColumnElement[bool]) -> SelectOfScalar[RunRow]:
    """Of those runs the last one of each object of each contract that says how its data are: that they are gone, too,
    while they are."""
    newest = col(RunRow.finished_at).desc(), col(RunRow.id).desc()
    place = func.row_number().over(partition_by=[col(RunRow.contract_id), col(RunRow.object)], order_by=newest)
    ranked = select(RunRow.id, place.label("place")).where(which, reports_on_data()).subquery()
    return select(RunRow).join(ranked, ranked.c.id == col(RunRow.id)).where(ranked.c.place == 1)


def reports_on_data(run: type[RunRow] = RunRow) -> ColumnElement[bool]:
    """The condition that a run says how the data of a contract's own object are."""
    gone = (
        (col(run.kind) == RunKind.PRESENCE)
        & (col(run.verdict) == Verdict.FAILED)
        & col(run.superseded_reason).is_(None)
    )
    return col(run.subscription_id).is_(None) & (col(run.kind).in_((RunKind.DATA, RunKind.SCHEMA)) | gone)
