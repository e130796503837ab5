"""What the service tells of itself in Prometheus' text format: requests as they were answered, work as it stands.

Labels are routes, states and verdicts: never the name of a contract, a dataset or a person."""

import logging
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock
from typing import Any

from sqlmodel import Session
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from treaty.registry.core import logs
from treaty.registry.core.prometheus import Labels, by, family, head, line
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


@dataclass
class Requests:
    """How many requests were answered how, and how long it took, since this process started.

    `of`: labels that tell this process from others that count for themselves."""

    of: Labels = ()
    answered: Counter[Labels] = field(default_factory=Counter)
    within: dict[Labels, list[int]] = field(default_factory=dict)
    seconds: dict[Labels, float] = field(default_factory=dict)
    lock: Any = field(default_factory=Lock, repr=False)

    def note(self, method: str, route: str, status: int, seconds: float) -> None:
        """Counts a request. `route` is its template, without the names of things."""
        of = *self.of, ("method", method if method in METHODS else OTHER), ("route", route)
        with self.lock:
            self.answered[(*of, ("status", str(status)))] += 1
            self.within.setdefault(of, [0] * (len(SECONDS) + 1))[bisect_left(SECONDS, seconds)] += 1
            self.seconds[of] = self.seconds.get(of, 0.0) + seconds

    def lines(self) -> Iterator[str]:
        """The counts as lines of the format."""
        with self.lock:
            answered, seconds = dict(self.answered), dict(self.seconds)
            within = {labels: list(counts) for labels, counts in self.within.items()}
        yield from family("treaty_requests_total", "counter", "Requests answered.", answered)
        yield from head("treaty_request_seconds", "histogram", "How long requests took.")
        for labels, counts in within.items():
            total = 0
            for bound, count in zip((*map(str, SECONDS), "+Inf"), counts, strict=True):
                total += count
                yield line("treaty_request_seconds_bucket", (*labels, ("le", bound)), total)
            yield line("treaty_request_seconds_sum", labels, seconds[labels])
            yield line("treaty_request_seconds_count", labels, total)


class Counted:
    """Notes every request with the template of its route, and what it was answered; says so in the log."""

    def __init__(self, app: ASGIApp, *, requests: Requests) -> None:
        self.app, self.requests = app, requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on and notes its answer; one that is never answered counts as 500."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, status = time.perf_counter(), 500

        async def told(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self.app(scope, receive, told)
        finally:
            route = getattr(scope.get("route"), "path", OTHER)
            seconds = time.perf_counter() - started
            self.requests.note(scope["method"], route, status, seconds)
            if route not in PROBES:
                line_of = {"method": scope["method"], "route": route, "status": status, "ms": round(seconds * 1000)}
                logs.tell(log, "answered", **line_of, **scope.get(NOTED, {}))


def work(session: Session, *, now: datetime) -> Iterator[str]:
    """Events, tasks and runs as they stand in the database, as lines of the format. Asks indexes alone."""
    yield from _inbox(event_listing.counts(session), now)
    yield from _queue(queue_overview.depth(session), now)
    outgoing = by("state", queue_overview.outgoing(session))
    yield from family("treaty_outbox", "gauge", "Messages that go out, by state.", outgoing)
    verdicts = queue_overview.verdicts(session)
    yield from family("treaty_runs_total", "counter", "Runs by verdict.", by("verdict", verdicts))


def _inbox(found: event_listing.Counts, now: datetime) -> Iterator[str]:
    yield from family("treaty_events", "gauge", "Events that are kept, by state.", by("state", found.events))
    yield from family("treaty_event_repeats", "gauge", "How often kept events came again.", {(): found.repeats})
    refused = by("status", found.refused)
    yield from family("treaty_events_rejected", "gauge", "Refused bodies that are kept, by status.", refused)
    told = "For how long the event waits that waits longest."
    yield from family("treaty_inbox_lag_seconds", "gauge", told, {(): found.lag(now)})


def _queue(found: queue_overview.Depth, now: datetime) -> Iterator[str]:
    yield from family("treaty_tasks", "gauge", "Tasks by state.", by("state", found.states))
    opened: dict[Labels, float] = {(("kind", kind), ("state", state)): n for (kind, state), n in found.open.items()}
    yield from family("treaty_open_tasks", "gauge", "Tasks that wait or run, by kind and state.", opened)
    told = "Age of the task that waits longest."
    yield from family("treaty_oldest_queued_task_seconds", "gauge", told, {(): found.age(now)})
