"""Routes of the service: liveness, readiness and metrics."""

from itertools import chain

from fastapi import Depends, Request, Response

from treaty.engine.core import clock
from treaty.engine.states.state_files import StateFiles
from treaty.registry import schemas
from treaty.registry.access.authentication import require_permission
from treaty.registry.api.http import metrics
from treaty.registry.api.http.admission import admission, admission_router, anyone, bearer_principal
from treaty.registry.api.http.dependencies import PRINCIPAL, Reader, Shared, bearer
from treaty.registry.core import prometheus
from treaty.registry.core.database import migration_of
from treaty.registry.core.enums import Permission
from treaty.registry.core.errors import NotReady

router = admission_router(tags=["service"])
UNWRITABLE = "Large states cannot be written. Check TREATY_STATE_URL, or the folder in TREATY_HOME."


@router.get("/health")
@admission(authenticate=anyone)
def get_health() -> schemas.HealthOut:
    """Check that the process is alive. Uses no other component."""
    return schemas.HealthOut(status="alive")


@router.get("/ready")
@admission(authenticate=anyone)
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


async def metrics_reader(request: Request) -> None:
    """Raise unless the caller may read everything or metrics are public."""
    if not request.app.state.service.settings.metrics_public:
        await bearer_principal(request)
        require_permission(request.scope[PRINCIPAL], Permission.READ)


@router.get("/metrics", response_class=Response, dependencies=[Depends(bearer)])
@admission(authenticate=metrics_reader)
def get_service_metrics(request: Request, tx: Reader) -> Response:
    """Retrieve service metrics in the Prometheus or OpenMetrics text format.

    They contain requests by route and status with latencies, events and tasks by state, the lag of the inbox and the
    queue, and runs by verdict."""
    series = chain(request.app.state.figures.collect(), metrics.work(tx, now=clock.now()))
    body, media_type = prometheus.render(series, request.headers.get("accept", ""))
    return Response(body, headers={"Content-Type": media_type})
