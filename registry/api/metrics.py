"""What the service tells of itself in Prometheus' text format: requests as they were answered, work as it stands.

Labels are routes, states and verdicts: never the name of a contract, a dataset or a person."""

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock
from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, select
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.results import Verdict
from registry.tables import Run, Task
from registry.words import TaskState

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
OTHER = "other"
Labels = tuple[tuple[str, str], ...]


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
        yield from _family("treaty_requests_total", "counter", "Requests answered.", answered)
        yield from _head("treaty_request_seconds", "histogram", "How long requests took.")
        for labels, counts in within.items():
            total = 0
            for bound, count in zip((*map(str, SECONDS), "+Inf"), counts, strict=True):
                total += count
                yield _line("treaty_request_seconds_bucket", (*labels, ("le", bound)), total)
            yield _line("treaty_request_seconds_sum", labels, seconds[labels])
            yield _line("treaty_request_seconds_count", labels, total)


class Counted:
    """Notes every request with the template of its route, and what it was answered."""

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
            self.requests.note(scope["method"], route, status, time.perf_counter() - started)


def work(session: Session, *, now: datetime) -> Iterator[str]:
    """Tasks and runs as they stand in the database, as lines of the format."""
    counted = select(Task.state, func.count()).group_by(col(Task.state))
    tasks = dict.fromkeys(TaskState, 0) | dict(session.exec(counted).all())
    yield from _family("treaty_tasks", "gauge", "Tasks by state.", _by("state", tasks))
    oldest = session.exec(select(func.min(Task.created)).where(Task.state == TaskState.QUEUED)).one()
    age = (now - oldest).total_seconds() if oldest else 0
    yield from _family("treaty_oldest_queued_task_seconds", "gauge", "Age of the task that waits longest.", {(): age})
    verdicts = select(Run.verdict, func.count()).group_by(col(Run.verdict))
    runs = dict.fromkeys(Verdict, 0) | dict(session.exec(verdicts).all())
    yield from _family("treaty_runs_total", "counter", "Runs by verdict.", _by("verdict", runs))


def page(lines: Iterable[str]) -> str:
    """The lines as they are sent."""
    return "\n".join((*lines, ""))


def _by(name: str, counts: Mapping[Any, int]) -> dict[Labels, float]:
    return {((name, each.value),): count for each, count in counts.items()}


def _family(name: str, kind: str, told: str, values: Mapping[Labels, float]) -> Iterator[str]:
    yield from _head(name, kind, told)
    yield from (_line(name, labels, value) for labels, value in values.items())


def _head(name: str, kind: str, told: str) -> Iterator[str]:
    yield f"# HELP {name} {told}"
    yield f"# TYPE {name} {kind}"


def _line(name: str, labels: Labels, value: float) -> str:
    # Routes are templates of ours and the others closed words: nothing in them needs escaping.
    listed = ",".join(f'{key}="{word}"' for key, word in labels)
    return f"{name}{{{listed}}} {value:g}" if listed else f"{name} {value:g}"
