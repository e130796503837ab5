"""Send the requests of a kind of catalog over HTTP: guarded, with retries, within a budget."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from json import JSONDecodeError
from random import random
from types import TracebackType
from typing import Any, Self, TypeVar

from treaty.engine.core import clock
from treaty.registry.catalogs.errors import CatalogAnswerInvalid, CatalogBudgetSpent, CatalogUnavailable
from treaty.registry.catalogs.requests import CatalogAnswer, CatalogRequest, Steps
from treaty.registry.core import json_text
from treaty.registry.core.json_text import JsonTooComplex
from treaty.registry.notifications.transport.egress import (
    DestinationNotAllowed,
    DestinationUnreachable,
    EgressPolicy,
    OutboundClient,
    OutboundResponse,
)

Result = TypeVar("Result")
TRIES = 4
# A catalog that is down is given up after this time, so that the worker is free for validations.
PATIENCE = 30.0
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 10.0
OVERLOADED = 429


@dataclass
class RequestBudget:
    """Requests and seconds that reading may still use. `until`: on the monotonic clock."""

    requests: int
    until: float

    @classmethod
    def of(cls, *, requests: int, seconds: float) -> "RequestBudget":
        """Return a budget that begins now."""
        return cls(requests, time.monotonic() + seconds)

    def spend(self, request: CatalogRequest) -> None:
        """Count a request. Raises CatalogBudgetSpent if it exceeds the budget."""
        if self.requests <= 0 or time.monotonic() >= self.until:
            raise CatalogBudgetSpent(
                f"{request}: not sent, because the limit of one read is reached. It continues later."
            )
        self.requests -= 1


class _Failure(Exception):
    """A failed try. `pause`: seconds that the catalog asks to wait; None for none."""

    def __init__(self, reason: str, pause: float | None = None) -> None:
        super().__init__(reason)
        self.pause = pause


class CatalogTransport:
    """Requests to one catalog. `address`: base of relative paths. `sent`: number of requests, with retries."""

    def __init__(
        self,
        *,
        address: str,
        within: EgressPolicy,
        budget: RequestBudget,
        jitter: Callable[[], float] = random,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._address, self.budget = address.rstrip("/"), budget
        self._jitter, self._sleep = jitter, sleep
        self._client = OutboundClient(within)
        self.sent = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.__exit__(kind, error, trace)

    def run(self, steps: Steps[Result]) -> Result:
        """Send the requests of the generator and return its result. Raises CatalogError."""
        try:
            request = next(steps)
            while True:
                request = steps.send(self._answer(request))
        except StopIteration as end:
            result: Result = end.value
            return result

    def _answer(self, request: CatalogRequest) -> CatalogAnswer:
        """Return the answer, after retries if the catalog is overloaded, fails or does not respond."""
        from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, stop_after_delay

        tries = Retrying(
            retry=retry_if_exception_type(_Failure),
            stop=stop_after_attempt(TRIES) | stop_after_delay(PATIENCE),
            wait=self._pause,
            sleep=self._sleep,
            reraise=True,
        )
        try:
            return tries(self._send, request)
        except _Failure as error:
            raise CatalogUnavailable(f"{request}: {error}. It is retried later.") from None

    def _send(self, request: CatalogRequest) -> CatalogAnswer:
        self.budget.spend(request)
        self.sent += 1
        headers = {"Accept": "application/json", "Accept-Encoding": "identity", **request.headers}
        try:
            response = self._client.request(request.method, self._url(request), request.body, headers)
        except DestinationUnreachable as error:
            raise _Failure(str(error)) from None
        except DestinationNotAllowed as error:
            raise CatalogUnavailable(f"{request}: {error}, or for this connection alone as `private`") from None
        if response.status == OVERLOADED or response.status >= 500:
            raise _failure(request, response)
        return CatalogAnswer(response.status, _content(request, response), response.headers)

    def _url(self, request: CatalogRequest) -> str:
        is_absolute = request.target.startswith(("http://", "https://"))
        return request.target if is_absolute else f"{self._address}/{request.target}"

    def _pause(self, state: Any) -> float:
        """Return the pause before the next try: as the catalog asks, else doubled with each try."""
        error = state.outcome.exception()
        doubled: float = FIRST_PAUSE * 2 ** (state.attempt_number - 1)
        pause = doubled * (1 - self._jitter() / 2) if error.pause is None else error.pause
        return min(pause, max(self.budget.until - time.monotonic(), 0))


def _failure(request: CatalogRequest, response: OutboundResponse) -> Exception:
    """Return the failure to retry, or the error if the requested pause is too long."""
    pause = retry_after(response)
    if pause is None or pause <= LONGEST_PAUSE:
        return _Failure(f"status {response.status}", pause)
    message = f"{request}: status {response.status}. The catalog asks to wait {pause:.0f} seconds; it is read later."
    return CatalogUnavailable(message, seconds=pause)


def retry_after(response: OutboundResponse) -> float | None:
    """Return the seconds of the Retry-After header, which is a number or a date; None without one."""
    text = response.headers.get("retry-after", "").strip()
    if text.isdecimal():
        return float(text[:9])
    try:
        return max((parsedate_to_datetime(text) - clock.now()).total_seconds(), 0.0)
    except (ValueError, TypeError):
        return None


def _content(request: CatalogRequest, response: OutboundResponse) -> Any:
    """Return the JSON of a success; None for an error, whose text is not used, and for no body."""
    if not 200 <= response.status < 300 or not response.body:
        return None
    try:
        return json_text.decode(response.body)
    except (JSONDecodeError, JsonTooComplex, UnicodeDecodeError, ValueError):
        raise CatalogAnswerInvalid(
            f"{request}: the response is not JSON, or too complex. Check the address of the connection."
        ) from None
