"""The HTTP service, put together from its settings and its database."""

from fastapi import APIRouter, FastAPI
from sqlalchemy import Engine

from engine import plugins
from registry.api import (
    acknowledgements,
    audit,
    catalog,
    consumers,
    contracts,
    diffs,
    gate,
    gating,
    lineage,
    memory,
    people,
    problems,
    proposals,
    reference,
    replays,
    runs,
    schemas,
    tasks,
    teams,
)
from registry.api.dependencies import Reader, Service
from registry.api.limits import BodyLimit
from registry.api.once import Idempotency, repeat
from registry.config import Settings
from registry.database import migration_of
from registry.errors import NotReady
from registry.idempotency import Repeated

PREFIX = "/api/v1"
LINEAGE = f"{PREFIX}/lineage"
ready = APIRouter(tags=["service"])
ROUTERS = (
    ready,
    people.router,
    catalog.router,
    teams.router,
    audit.router,
    proposals.router,
    contracts.router,
    consumers.router,
    acknowledgements.router,
    diffs.router,
    runs.router,
    reference.router,
    tasks.router,
    memory.router,
    gate.router,
    gating.router,
    lineage.router,
    replays.router,
)


@ready.get("/ready")
def is_ready(tx: Reader) -> schemas.Ready:
    """Answers once the database can be reached and has its tables."""
    migration = migration_of(tx)
    if not migration:
        raise NotReady
    return schemas.Ready(status="ready", migration=migration)


def create_app(settings: Settings, engine: Engine) -> FastAPI:
    """The application over that database, which must be migrated. Raises PluginError for a plug-in that is no use."""
    plugins.load(settings.plugin_names)
    app = FastAPI(title="Treaty", openapi_url=f"{PREFIX}/openapi.json", docs_url=None, redoc_url=None)
    app.state.service = Service(settings, engine)
    apart = {LINEAGE: None, f"{PREFIX}{gate.PATH}": settings.max_state_bytes}
    app.add_exception_handler(Repeated, repeat)
    app.add_middleware(Idempotency)
    app.add_middleware(BodyLimit, most=settings.max_body_bytes, apart=apart)
    problems.install(app)
    for router in ROUTERS:
        app.include_router(router, prefix=PREFIX)
    return app
