"""Routes of history: what was measured, by time, segment and tag, and the results of one check."""

from typing import Annotated

from fastapi import APIRouter, Query

from treaty.registry import schemas
from treaty.registry.access import visibility
from treaty.registry.api.http.dependencies import Caller, Reader
from treaty.registry.measurements.runs import check_history, metric_history

router = APIRouter(tags=["runs"])
HistoryParameters = Annotated[schemas.MetricHistoryQuery, Query()]
CheckHistoryParameters = Annotated[schemas.CheckHistoryQuery, Query()]


@router.get("/history/metrics")
def list_metric_history(by: Caller, tx: Reader, asked: HistoryParameters) -> list[schemas.MetricHistoryItemOut]:
    """The newest measurements of an object's metrics, oldest first. What could not be measured is among them, with the
    reason and no value."""
    visibility.require_readable_object(tx, asked.contract_id, asked.object, by)
    chosen = metric_history.MeasurementFilter(**asked.model_dump(exclude={"limit"}))
    return [
        schemas.MetricHistoryItemOut.model_validate(each)
        for each in metric_history.history(tx, chosen, limit=asked.limit)
    ]


@router.get("/history/checks")
def list_check_history(by: Caller, tx: Reader, asked: CheckHistoryParameters) -> list[schemas.CheckHistoryItemOut]:
    """The newest results of a check, oldest first: what was found, and the limit or the band that it was held
    against."""
    visibility.require_readable_object(tx, asked.contract_id, asked.object, by)
    found = check_history.course(
        tx, asked.contract_id, asked.object, asked.check_id, limit=asked.limit, since=asked.since
    )
    return [schemas.CheckHistoryItemOut.model_validate(each) for each in found]
