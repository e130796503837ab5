"""Routes of runs, their reports and the history of metrics."""

from typing import Annotated
from uuid import UUID

from fastapi import Query, Response
from pydantic_core import to_json

from treaty.engine.core import clock
from treaty.registry import schemas
from treaty.registry.access import authentication, visibility
from treaty.registry.api.http import presenters
from treaty.registry.api.http.admission import admission_router
from treaty.registry.api.http.dependencies import Caller, ContractFilter, ContractId, ObjectName, Paging, Reader
from treaty.registry.core.bounded_values import LookupText
from treaty.registry.core.enums import Permission
from treaty.registry.measurements.runs import history, samples

router = admission_router(tags=["runs"])
Limit = Annotated[int, Query(ge=1, le=1000, description="Maximum number of values, newest first")]
SubscriptionFilter = Annotated[
    UUID | None,
    Query(description="Runs of the checks of this subscription; by default runs of the contracts' own checks"),
]
MetricIdentity = Annotated[LookupText, Query(description="Identity of the metric, as in the report of a run")]


@router.get("/runs")
def list_runs(
    by: Caller,
    tx: Reader,
    paging: Paging,
    contract_id: ContractFilter = None,
    subscription_id: SubscriptionFilter = None,
) -> schemas.Page[schemas.RunSummaryOut]:
    """List runs, newest first."""
    authentication.require_permission_anywhere(by, Permission.READ)
    rows = history.runs(tx, by, paging, contract_id=contract_id, subscription_id=subscription_id)
    return presenters.page(schemas.RunSummaryOut.model_validate, rows)


@router.get("/runs/{run_id}")
def get_run(run_id: UUID, by: Caller, tx: Reader) -> schemas.RunOut:
    """Retrieve the report of a run."""
    visibility.require_readable_run(tx, run_id, by)
    return presenters.run(history.report(tx, run_id))


@router.get("/runs/{run_id}/samples")
def list_samples(run_id: UUID, by: Caller, tx: Reader) -> list[schemas.ViolationSampleOut]:
    """List sample rows that violate checks of a run. Classified columns are masked; samples expire."""
    visibility.require_readable_run(tx, run_id, by, Permission.SAMPLES)
    return list(map(schemas.ViolationSampleOut.model_validate, samples.of_run(tx, run_id, now=clock.now())))


@router.get("/measurements", response_model=list[schemas.MeasurementOut])
def list_measurements(
    by: Caller,
    tx: Reader,
    contract_id: ContractId,
    object: ObjectName,
    identity: MetricIdentity,
    limit: Limit = history.SHOWN,
) -> Response:
    """List the last values of a metric, oldest first."""
    visibility.require_readable_object(tx, contract_id, object, by)
    rows = history.measurements(tx, contract_id, object, [identity], limit=limit)[identity]
    # Creating a model for each of a thousand points would take as long as reading them.
    body = to_json(rows, inf_nan_mode="null")
    return Response(body, media_type="application/json")
