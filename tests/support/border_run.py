"""Send requests at borders to a service over a database, and report its failures."""

import logging
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random

from sqlalchemy import Engine
from support.api import World, cheap_passwords, remembered
from support.api_calls import filled
from support.border_requests import BorderRequest, operations, requests

# After so many rounds the registry is as at first: most of its things have been closed by then.
ROUNDS = 4
LOG = "treaty.registry.api.http.problems"


@dataclass
class Findings:
    """What came of the requests. `failures`: server errors by operation, error and place in the code."""

    statuses: Counter[int] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    examples: dict[str, BorderRequest] = field(default_factory=dict)

    @property
    def sent(self) -> int:
        """The number of requests."""
        return self.statuses.total()


def search(fresh: Callable[[], Engine], count: int, seed: int, **settings: object) -> Findings:
    """Send so many requests, a whole number of rounds. `fresh`: returns a migrated, empty database."""
    random, findings = Random(seed), Findings()
    while findings.sent < count:
        with cheap_passwords(), _errors() as errors:
            world, names = remembered(fresh(), filled, **settings)
            # A user who changes is signed out: that is to be nobody who sends requests.
            names = {**names, "viewer": str(world.users["service"].id)}
            with world.http:
                chosen = operations(world.http.app.openapi())  # type: ignore[attr-defined]
                for _ in range(ROUNDS):
                    for each in requests(chosen, names, random):
                        _send(world, each, findings, errors)
    return findings


def _send(world: World, request: BorderRequest, findings: Findings, errors: list[str]) -> None:
    headers = {**request.headers, **({"Authorization": f"Bearer {world.secrets[request.who]}"} if request.who else {})}
    answer = world.http.request(request.method, request.url, headers=headers, content=request.content)
    findings.statuses[answer.status_code] += 1
    if answer.status_code >= 500:
        failure = f"{request.operation}: {answer.status_code} {errors.pop() if errors else answer.text[:200]}"
        findings.failures[failure] += 1
        findings.examples.setdefault(failure, request)


@contextmanager
def _errors() -> Iterator[list[str]]:
    """Yield the list into which unexpected errors are written, each with the place where it was raised."""
    errors: list[str] = []
    handler = logging.Handler()

    def note(record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1]:
            error = record.exc_info[1]
            ours = [each for each in traceback.extract_tb(error.__traceback__) if "/registry/" in each.filename]
            place = f"{ours[-1].filename.rpartition('/registry/')[2]}:{ours[-1].lineno}" if ours else "?"
            errors.append(f"{type(error).__name__} {str(error)[:100]!r} at {place}")

    handler.emit = note  # type: ignore[method-assign]
    logging.getLogger(LOG).addHandler(handler)
    try:
        yield errors
    finally:
        logging.getLogger(LOG).removeHandler(handler)
