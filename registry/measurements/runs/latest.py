"""Runs that say how the data of a contract are now."""

from sqlalchemy import ColumnElement, func, tuple_
from sqlalchemy.orm import aliased
from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from treaty.engine.core.results import Verdict
from treaty.registry.core.enums import Cause
from treaty.registry.tables import Run

FAILING = (Verdict.FAILED, Verdict.NOT_EVALUATED)


def failing_runs(which: ColumnElement[bool]) -> SelectOfScalar[Run]:
    """Of those runs the ones that failed, or could not tell, and are the last that say how the data of their object
    are; as a query."""
    later = aliased(Run)
    same = (col(later.contract_id) == col(Run.contract_id)) & (col(later.object) == col(Run.object))
    after = tuple_(col(later.finished), col(later.id)) > tuple_(col(Run.finished), col(Run.id))
    replaced = select(later.id).where(same, after, reports_on_data(later)).correlate(Run).exists()
    return select(Run).where(which, col(Run.verdict).in_(FAILING), reports_on_data(), ~replaced)


def _latest_runs(which: ColumnElement[bool]) -> SelectOfScalar[Run]:
    """Of those runs the last one of each object of each contract that says how its data are: that they are gone, too,
    while they are."""
    newest = col(Run.finished).desc(), col(Run.id).desc()
    place = func.row_number().over(partition_by=[col(Run.contract_id), col(Run.object)], order_by=newest)
    ranked = select(Run.id, place.label("place")).where(which, reports_on_data()).subquery()
    return select(Run).join(ranked, ranked.c.id == col(Run.id)).where(ranked.c.place == 1)


def reports_on_data(run: type[Run] = Run) -> ColumnElement[bool]:
    """The condition that a run says how the data of a contract's own object are."""
    gone = (col(run.cause) == Cause.PRESENCE) & (col(run.verdict) == Verdict.FAILED) & col(run.superseded).is_(None)
    return col(run.subscription_id).is_(None) & (col(run.cause).in_((Cause.DATA, Cause.SCHEMA)) | gone)
