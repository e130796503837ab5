"""The HTTP service, put together from its settings and its database."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool
from httpx import ASGITransport, AsyncClient
from sqlalchemy import Engine

from engine.checks import plugins
from registry import oidc
from registry.api import (
    audit,
    blast,
    catalog,
    consumers,
    contracts,
    description,
    exchange,
    gate,
    gating,
    graph,
    history,
    inbox,
    incidents,
    learned,
    lineage,
    memory,
    notifications,
    patterns,
    people,
    problems,
    profiles,
    proposals,
    reference,
    replays,
    requested,
    runs,
    service,
    tasks,
    versions,
)
from registry.api.correlated import Correlated
from registry.api.dependencies import Service
from registry.api.limits import BodyLimit
from registry.api.metrics import Counted, Requests
from registry.api.once import Idempotency, repeat
from registry.api.senders import Senders
from registry.config import Settings
from registry.exposition import Counts
from registry.idempotency import Repeated
from registry.lineage.receiver import Limits, Receiver

PREFIX = "/api/v1"
LINEAGE = f"{PREFIX}/lineage"
ROUTERS = (
    # Events come by the thousand, and routes are looked for in this order.
    lineage.router,
    service.router,
    people.router,
    catalog.router,
    audit.router,
    profiles.router,
    proposals.router,
    contracts.router,
    consumers.router,
    exchange.router,
    runs.router,
    history.router,
    learned.router,
    reference.router,
    tasks.router,
    memory.router,
    gate.router,
    gating.router,
    inbox.router,
    notifications.router,
    patterns.router,
    graph.router,
    blast.router,
    incidents.router,
    replays.router,
    requested.router,
    versions.router,
)


@asynccontextmanager
async def _until_the_end(app: FastAPI) -> AsyncIterator[None]:
    """The first request builds what all others use: it is one of ours, for which nobody waits. Once no request is
    answered any more, what was taken is written."""
    async with AsyncClient(transport=ASGITransport(app), base_url="http://localhost") as own:
        await own.get(f"{PREFIX}/health")
    yield
    await run_in_threadpool(app.state.receiver.close)


def create_app(settings: Settings, engine: Engine) -> FastAPI:
    """The application over that database, which must be migrated. Raises PluginError for a plug-in that is no use."""
    plugins.load(settings.plugin_names)
    app = FastAPI(
        title="Treaty",
        version=version("treaty"),
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=_until_the_end,
        generate_unique_id_function=description.name_of,
    )
    app.state.service = Service(settings, engine, oidc.provider(settings))
    app.state.senders = Senders()
    app.state.receiver = Receiver(engine, Limits(high_water=settings.inbox_events))
    apart = {LINEAGE: None, f"{PREFIX}{gate.PATH}": settings.max_state_bytes}
    app.add_exception_handler(Repeated, repeat)
    app.add_middleware(Idempotency)
    app.add_middleware(BodyLimit, most=settings.max_body_bytes, apart=apart)
    process = (("process", str(os.getpid())),) if settings.api_processes > 1 else ()
    app.state.requests = Requests(process)
    app.state.events = Counts("treaty_lineage_events_total", "Events that came, by what became of them.", of=process)
    app.add_middleware(Counted, requests=app.state.requests)
    app.add_middleware(Correlated)
    problems.install(app)
    for router in ROUTERS:
        app.include_router(router, prefix=PREFIX)
    description.describe(app)
    return app
