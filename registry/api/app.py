"""Create the HTTP service from its settings and its database."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool
from httpx import ASGITransport, AsyncClient
from prometheus_client import Counter
from sqlalchemy import Engine

from treaty.engine.checks import plugins
from treaty.registry.access import oidc
from treaty.registry.access.idempotency import RequestReplayed
from treaty.registry.api.http import openapi, problems
from treaty.registry.api.http.dependencies import Service
from treaty.registry.api.http.idempotency import IdempotencyMiddleware, repeat
from treaty.registry.api.http.lineage_senders import SenderCache
from treaty.registry.api.http.metrics import RequestMetrics, RequestMetricsMiddleware
from treaty.registry.api.http.request_ids import RequestIdMiddleware
from treaty.registry.api.routes import (
    audit,
    catalog,
    catalogs,
    consumers,
    contract_requests,
    contracts,
    exchange,
    fits_and_feedback,
    gate_store,
    health,
    history,
    impact,
    inbox,
    incidents,
    key_models,
    lineage_events,
    lineage_graph,
    lineage_intake,
    locations,
    notifications,
    patterns,
    people,
    profiles,
    proposals,
    reference,
    replays,
    runs,
    states,
    tasks,
    versions,
)
from treaty.registry.api.routes import gate as routes_gate
from treaty.registry.core.prometheus import ProcessRegistry
from treaty.registry.core.request_bodies import RequestBodyMiddleware
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.lineage.events.receiver import EventReceiver, IntakeLimits

PREFIX = "/api/v1"
ROUTERS = (
    # First, because lineage events are by far the most frequent requests and routes are matched in this order.
    lineage_intake.router,
    health.router,
    people.router,
    catalog.router,
    audit.router,
    profiles.router,
    inbox.router,
    proposals.router,
    contracts.router,
    consumers.router,
    exchange.router,
    runs.router,
    history.router,
    fits_and_feedback.router,
    reference.router,
    tasks.router,
    states.router,
    gate_store.router,
    routes_gate.router,
    lineage_events.router,
    locations.router,
    catalogs.router,
    notifications.router,
    patterns.router,
    key_models.router,
    lineage_graph.router,
    impact.router,
    incidents.router,
    replays.router,
    contract_requests.router,
    versions.router,
)


@asynccontextmanager
async def _until_the_end(app: FastAPI) -> AsyncIterator[None]:
    """Warm up the application at startup and flush accepted events at shutdown.

    The first request builds structures that all others use, so it is one that no client waits for."""
    async with AsyncClient(transport=ASGITransport(app), base_url="http://localhost") as client:
        await client.get(f"{PREFIX}/health")
    yield
    await run_in_threadpool(app.state.receiver.close)


def create_app(settings: RegistrySettings, engine: Engine) -> FastAPI:
    """Create the application on a migrated database. Raises PluginError if a plug-in cannot be loaded."""
    plugins.load(settings.plugin_names)
    app = FastAPI(
        title="Treaty",
        version=version("treaty"),
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=_until_the_end,
        generate_unique_id_function=openapi.name_of,
    )
    app.state.service = Service(settings, engine, oidc.provider(settings))
    app.state.senders = SenderCache()
    app.state.receiver = EventReceiver(engine, IntakeLimits(high_water=settings.intake_limit_events))
    app.add_exception_handler(RequestReplayed, repeat)
    app.add_middleware(IdempotencyMiddleware)
    app.state.figures = metrics_registry = ProcessRegistry(
        {"process": str(os.getpid())} if settings.api_processes > 1 else {}
    )
    app.add_middleware(RequestMetricsMiddleware, requests=RequestMetrics(metrics_registry))
    app.state.events = Counter(
        "treaty_lineage_events_total",
        "Lineage events received, by result.",
        ("result",),
        registry=metrics_registry,
    )
    app.add_middleware(RequestIdMiddleware)
    app.add_middleware(RequestBodyMiddleware)
    problems.install(app)
    for router in ROUTERS:
        app.include_router(router, prefix=PREFIX)
    openapi.describe(app)
    return app
