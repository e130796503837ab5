"""Service metrics in the text format of Prometheus: requests served and work pending.

Labels are routes, states and verdicts, never names of contracts, datasets or users."""

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
# Polled every few seconds by machines: their responses are counted but not logged.
PROBES = frozenset({"/health", "/ready", "/metrics"})
# Scope key for fields that a route adds to the log line of its request.
NOTED = "treaty.noted"
log = logging.getLogger("treaty.api")


class RequestMetrics:
    """Counters and latencies of requests."""

    def __init__(self, registry: CollectorRegistry) -> None:
        label_names = ("method", "route")
        self.answered = Counter(
            "treaty_requests_total", "Requests served.", (*label_names, "status"), registry=registry
        )
        self.seconds = Histogram(
            "treaty_request_seconds",
            "Duration of requests in seconds.",
            label_names,
            buckets=SECONDS,
            registry=registry,
        )

    def note(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request. `route` is its template, without names of objects."""
        labels = method if method in METHODS else OTHER, route
        self.answered.labels(*labels, status).inc()
        self.seconds.labels(*labels).observe(seconds)


class RequestMetricsMiddleware:
    """Count and log every request with the template of its route and its status."""

    def __init__(self, app: ASGIApp, *, requests: RequestMetrics) -> None:
        self.app, self.requests = app, requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward the request and record its response; a missing response counts as 500."""
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
                fields = {"method": scope["method"], "route": route, "status": status, "ms": round(seconds * 1000)}
                logs.log_event(log, "answered", **fields, **scope.get(NOTED, {}))


def work(session: Session, *, now: datetime) -> Iterator[Metric]:
    """Yield metrics of events, tasks and runs in the database, read from indexes only."""
    yield from _inbox(event_listing.counts(session), now)
    yield from _queue(queue_overview.depth(session), now)
    outbox = GaugeMetricFamily("treaty_outbox", "Outgoing messages by state.", labels=["state"])
    yield fill(outbox, queue_overview.outgoing(session))
    runs = CounterMetricFamily("treaty_runs_total", "Runs by verdict.", labels=["verdict"])
    yield fill(runs, queue_overview.verdicts(session))


def _inbox(counts: event_listing.LineageEventCounts, now: datetime) -> Iterator[Metric]:
    events = GaugeMetricFamily("treaty_events", "Stored lineage events by state.", labels=["state"])
    yield fill(events, counts.events)
    yield GaugeMetricFamily("treaty_event_repeats", "Repeated deliveries of stored events.", value=counts.repeats)
    rejected = "Stored rejected event bodies by status."
    yield fill(GaugeMetricFamily("treaty_events_rejected", rejected, labels=["status"]), counts.refused)
    lag = "Age of the oldest waiting event in seconds."
    yield GaugeMetricFamily("treaty_inbox_lag_seconds", lag, value=counts.lag(now))


def _queue(depth: queue_overview.QueueDepth, now: datetime) -> Iterator[Metric]:
    yield fill(GaugeMetricFamily("treaty_tasks", "Tasks by state.", labels=["state"]), depth.states)
    backlog = "Queued and running tasks by kind and state."
    yield fill(GaugeMetricFamily("treaty_open_tasks", backlog, labels=["kind", "state"]), depth.open)
    age = "Age of the oldest queued task in seconds."
    yield GaugeMetricFamily("treaty_oldest_queued_task_seconds", age, value=depth.age(now))
