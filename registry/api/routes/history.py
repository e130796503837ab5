"""Routes of the history of metrics and checks."""

from typing import Annotated

from fastapi import Query

from treaty.registry import schemas
from treaty.registry.access import visibility
from treaty.registry.api.http.admission import admission_router
from treaty.registry.api.http.dependencies import Caller, Reader
from treaty.registry.measurements.runs import check_history, metric_history

router = admission_router(tags=["runs"])
HistoryParameters = Annotated[schemas.MetricHistoryQuery, Query()]
CheckHistoryParameters = Annotated[schemas.CheckHistoryQuery, Query()]


@router.get("/history/metrics")
def list_metric_history(by: Caller, tx: Reader, parameters: HistoryParameters) -> list[schemas.MetricHistoryItemOut]:
    """List the newest measurements of an object's metrics, oldest first.

    Failed measurements are included with a reason and without a value."""
    visibility.require_readable_object(tx, parameters.contract_id, parameters.object, by)
    criteria = metric_history.MeasurementFilter(**parameters.model_dump(exclude={"limit"}))
    return [
        schemas.MetricHistoryItemOut.model_validate(each)
        for each in metric_history.history(tx, criteria, limit=parameters.limit)
    ]


@router.get("/history/checks")
def list_check_history(by: Caller, tx: Reader, parameters: CheckHistoryParameters) -> list[schemas.CheckHistoryItemOut]:
    """List the newest results of a check, oldest first, each with its threshold or band."""
    visibility.require_readable_object(tx, parameters.contract_id, parameters.object, by)
    results = check_history.course(
        tx,
        parameters.contract_id,
        parameters.object,
        parameters.check_id,
        limit=parameters.limit,
        since=parameters.since,
    )
    return [schemas.CheckHistoryItemOut.model_validate(each) for each in results]
