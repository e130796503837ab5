"""Routes of the service: liveness, readiness and metrics."""

from itertools import chain
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from fastapi.security import HTTPAuthorizationCredentials

from treaty.engine.core import clock
from treaty.engine.states.state_files import StateFiles
from treaty.registry import schemas
from treaty.registry.access import authentication
from treaty.registry.api.http import metrics
from treaty.registry.api.http.dependencies import Reader, Shared, bearer, bearer_of, caller
from treaty.registry.core import prometheus
from treaty.registry.core.database import migration_of
from treaty.registry.core.enums import Permission
from treaty.registry.core.errors import NotReady

router = APIRouter(tags=["service"])
UNWRITABLE = "Large states cannot be written. Check TREATY_STATE_URL, or the folder in TREATY_HOME."


@router.get("/health")
def get_health() -> schemas.HealthOut:
    """Check that the process is alive. Uses no other component."""
    return schemas.HealthOut(status="alive")


@router.get("/ready")
def get_readiness(tx: Reader, shared: Shared) -> schemas.ReadinessOut:
    """Check that the database is reachable and migrated, and that states can be written."""
    migration = migration_of(tx)
    if not migration:
        raise NotReady
    try:
        StateFiles(shared.settings.states).probe()
    except OSError:
        raise NotReady(UNWRITABLE) from None
    return schemas.ReadinessOut(status="ready", migration=migration)


def admitted(shared: Shared, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]) -> None:
    """Raise unless the caller may read everything or metrics are public."""
    if not shared.settings.metrics_public:
        authentication.require_permission(caller(shared, bearer_of(credentials)), Permission.READ)


@router.get("/metrics", response_class=Response, dependencies=[Depends(admitted)])
def get_service_metrics(request: Request, tx: Reader) -> Response:
    """Retrieve service metrics in the Prometheus or OpenMetrics text format.

    They contain requests by route and status with latencies, events and tasks by state, the lag of the inbox and the
    queue, and runs by verdict."""
    series = chain(request.app.state.figures.collect(), metrics.work(tx, now=clock.now()))
    body, media_type = prometheus.render(series, request.headers.get("accept", ""))
    return Response(body, headers={"Content-Type": media_type})
