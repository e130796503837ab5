"""Select the runs that report the current condition of contract objects."""

from sqlalchemy import ColumnElement, func, tuple_
from sqlalchemy.orm import aliased
from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from treaty.engine.core.results import ADMITTED, Verdict
from treaty.registry.core.enums import RunKind
from treaty.registry.tables import RunRow

FAILING = frozenset(Verdict) - ADMITTED


def failing_runs(condition: ColumnElement[bool]) -> SelectOfScalar[RunRow]:
    """Return a query for each object's latest data run that did not pass.

    Warnings count as passed. A failed run that was followed by a passed one is not included. `condition`: SQL condition
    on runs."""
    later = aliased(RunRow)
    same_object = (col(later.contract_id) == col(RunRow.contract_id)) & (col(later.object) == col(RunRow.object))
    is_later = tuple_(col(later.finished_at), col(later.id)) > tuple_(col(RunRow.finished_at), col(RunRow.id))
    replaced = select(later.id).where(same_object, is_later, reports_on_data(later)).correlate(RunRow).exists()
    return select(RunRow).where(condition, col(RunRow.verdict).in_(FAILING), reports_on_data(), ~replaced)


def _latest_runs(condition: ColumnElement[bool]) -> SelectOfScalar[RunRow]:
    """Return a query for each contract object's latest run that reports on its data.

    This includes runs that found the data missing, while it is."""
    newest = col(RunRow.finished_at).desc(), col(RunRow.id).desc()
    rank = func.row_number().over(partition_by=[col(RunRow.contract_id), col(RunRow.object)], order_by=newest)
    ranked = select(RunRow.id, rank.label("place")).where(condition, reports_on_data()).subquery()
    return select(RunRow).join(ranked, ranked.c.id == col(RunRow.id)).where(ranked.c.place == 1)


def reports_on_data(run: type[RunRow] = RunRow) -> ColumnElement[bool]:
    """Return the SQL condition that a run reports on a contract object's data.

    Runs of consumers' checks are excluded."""
    is_missing = (
        (col(run.kind) == RunKind.PRESENCE)
        & (col(run.verdict) == Verdict.FAILED)
        & col(run.superseded_reason).is_(None)
    )
    return col(run.subscription_id).is_(None) & (col(run.kind).in_((RunKind.DATA, RunKind.SCHEMA)) | is_missing)
