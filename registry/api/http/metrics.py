"""What the service tells of itself in Prometheus' text format: requests as they were answered, work as it stands.

Labels are routes, states and verdicts: never the name of a contract, a dataset or a person."""

import logging
import time
from collections.abc import Iterator
from datetime import datetime

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from sqlmodel import Session
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from treaty.registry.core import logs
from treaty.registry.core.prometheus import fill
from treaty.registry.lineage.events import event_listing
from treaty.registry.worker.operations import queue_overview

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
OTHER = "other"
# Asked every few seconds by machines: their answers are counted, not said.
PROBES = frozenset({"/health", "/ready", "/metrics"})
# Under this name a route leaves in the scope what the line about its request is to say, too.
NOTED = "treaty.noted"
log = logging.getLogger("treaty.api")


class RequestMetrics:
    """How many requests were answered how, and how long it took, counted in a registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        of = ("method", "route")
        self.answered = Counter("treaty_requests_total", "Requests answered.", (*of, "status"), registry=registry)
        self.seconds = Histogram(
            "treaty_request_seconds", "How long requests took.", of, buckets=SECONDS, registry=registry
        )

    def note(self, method: str, route: str, status: int, seconds: float) -> None:
        """Counts a request. `route` is its template, without the names of things."""
        of = method if method in METHODS else OTHER, route
        self.answered.labels(*of, status).inc()
        self.seconds.labels(*of).observe(seconds)


class RequestMetricsMiddleware:
    """Notes every request with the template of its route, and what it was answered; says so in the log."""

    def __init__(self, app: ASGIApp, *, requests: RequestMetrics) -> None:
        self.app, self.requests = app, requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on and notes its answer; one that is never answered counts as 500."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, status = time.perf_counter(), 500

        async def send_counted(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self.app(scope, receive, send_counted)
        finally:
            route = getattr(scope.get("route"), "path", OTHER)
            seconds = time.perf_counter() - started
            self.requests.note(scope["method"], route, status, seconds)
            if route not in PROBES:
                line_of = {"method": scope["method"], "route": route, "status": status, "ms": round(seconds * 1000)}
                logs.log_event(log, "answered", **line_of, **scope.get(NOTED, {}))


def work(session: Session, *, now: datetime) -> Iterator[Metric]:
    """Yield events, tasks and runs as they stand in the database, read by its indexes alone."""
    yield from _inbox(event_listing.counts(session), now)
    yield from _queue(queue_overview.depth(session), now)
    outbox = GaugeMetricFamily("treaty_outbox", "Messages that go out, by state.", labels=["state"])
    yield fill(outbox, queue_overview.outgoing(session))
    runs = CounterMetricFamily("treaty_runs_total", "Runs by verdict.", labels=["verdict"])
    yield fill(runs, queue_overview.verdicts(session))


def _inbox(found: event_listing.LineageEventCounts, now: datetime) -> Iterator[Metric]:
    events = GaugeMetricFamily("treaty_events", "Events that are kept, by state.", labels=["state"])
    yield fill(events, found.events)
    yield GaugeMetricFamily("treaty_event_repeats", "How often kept events came again.", value=found.repeats)
    rejected = "Refused bodies that are kept, by status."
    yield fill(GaugeMetricFamily("treaty_events_rejected", rejected, labels=["status"]), found.refused)
    lag = "For how long the event waits that waits longest."
    yield GaugeMetricFamily("treaty_inbox_lag_seconds", lag, value=found.lag(now))


def _queue(found: queue_overview.QueueDepth, now: datetime) -> Iterator[Metric]:
    yield fill(GaugeMetricFamily("treaty_tasks", "Tasks by state.", labels=["state"]), found.states)
    backlog = "Tasks that wait or run, by kind and state."
    yield fill(GaugeMetricFamily("treaty_open_tasks", backlog, labels=["kind", "state"]), found.open)
    age = "Age of the task that waits longest."
    yield GaugeMetricFamily("treaty_oldest_queued_task_seconds", age, value=found.age(now))
