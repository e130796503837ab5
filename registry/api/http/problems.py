"""Convert errors into problem responses (RFC 9457); one table maps errors to status codes."""

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy.exc import DataError, IntegrityError, OperationalError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from treaty.contracts.errors import Fault
from treaty.registry.core import ids
from treaty.registry.core.errors import (
    Conflict,
    Forbidden,
    InvalidRequest,
    NotFound,
    NotReady,
    PreconditionFailed,
    PreconditionRequired,
    ProviderUnavailable,
    RateLimited,
    RegistryError,
    ServiceBusy,
    Unauthenticated,
)
from treaty.registry.schemas import FaultOut, ProblemOut

log = logging.getLogger(__name__)
MEDIA_TYPE = "application/problem+json"
KIND = "urn:treaty:problem:"
STATUS: dict[type[RegistryError], int] = {
    Unauthenticated: 401,
    Forbidden: 403,
    NotFound: 404,
    Conflict: 409,
    PreconditionFailed: 412,
    InvalidRequest: 422,
    PreconditionRequired: 428,
    RateLimited: 429,
    NotReady: 503,
    ServiceBusy: 503,
    ProviderUnavailable: 503,
}
HEADERS = {401: {"WWW-Authenticate": "Bearer"}, 503: {"Retry-After": "5"}}
BUSY = "The database does not respond. Try again in a few seconds."
UNKEEPABLE = "The request contains a text or a number that the database cannot store."
INCOMPLETE = "The connection was closed before the body was complete."
RACE = "Someone else changed this at the same time. Reload it and try again."
WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")


class ProblemResponse(JSONResponse):
    """A problem response."""

    media_type = MEDIA_TYPE


def install(app: FastAPI) -> None:
    """Register the error handlers of the application."""
    for kind, handler in ANSWERS.items():
        app.add_exception_handler(kind, partial(_answered, handler))
    app.add_exception_handler(Exception, _unexpected)


def problem(
    status: int, error: str, message: str, *, faults: Iterable[Fault] = (), reference: str | None = None
) -> JSONResponse:
    """Return a problem response. It never contains a traceback or content of the request."""
    words = WORDS.sub(" ", error)
    body = ProblemOut(
        type=KIND + words.lower().replace(" ", "-"),
        title=words.capitalize(),
        status=status,
        detail=message,
        error=error,
        message=message,
        faults=tuple(FaultOut.model_validate(fault) for fault in faults),
        reference=reference,
    )
    return ProblemResponse(body.model_dump(mode="json"), status_code=status, headers=HEADERS.get(status))


def answer(error: Exception) -> JSONResponse:
    """Return the problem response of an error listed in ANSWERS. Raises any other error."""
    handler = next((ANSWERS[kind] for kind in type(error).__mro__ if kind in ANSWERS), None)
    if handler is None:
        raise error
    return handler(error)


def status_of(error: RegistryError) -> int:
    """Return the HTTP status of an error: that of its nearest class in the table."""
    return next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 400)


def _refused(error: RegistryError) -> JSONResponse:
    response = problem(status_of(error), type(error).__name__, error.message, faults=error.faults)
    response.headers.update(error.headers)
    return response


def _malformed(error: RequestValidationError) -> JSONResponse:
    return problem(422, "InvalidRequest", "The request is invalid", faults=map(_fault, error.errors()))


def _fault(error: Mapping[str, Any]) -> Fault:
    """Return a fault of the request, or what makes its text no JSON."""
    message = error["ctx"]["error"] if error["type"] == "json_invalid" else error["msg"]
    return Fault(code="TR-REQUEST", where=".".join(map(str, error["loc"])), message=message)


def _http(error: HTTPException) -> JSONResponse:
    response = problem(error.status_code, "Refused", str(error.detail))
    response.headers.update(error.headers or {})
    return response


def _raced(error: IntegrityError) -> JSONResponse:
    log.warning("concurrent writes conflicted: %s", type(error).__name__)
    return problem(409, "Conflict", RACE)


def _unkeepable(_: DataError) -> JSONResponse:
    return problem(422, "InvalidRequest", UNKEEPABLE)


def _incomplete(_: ClientDisconnect) -> JSONResponse:
    return problem(400, "Refused", INCOMPLETE)


def _busy(error: OperationalError) -> JSONResponse:
    log.error("the database did not respond: %s", error.orig)
    return problem(503, "Unavailable", BUSY)


ANSWERS: dict[type[Exception], Callable[..., JSONResponse]] = {
    RegistryError: _refused,
    RequestValidationError: _malformed,
    HTTPException: _http,
    IntegrityError: _raced,
    DataError: _unkeepable,
    OperationalError: _busy,
    ClientDisconnect: _incomplete,
}


async def _answered(handler: Callable[..., JSONResponse], _: Request, error: Exception) -> JSONResponse:
    return handler(error)


async def _unexpected(request: Request, error: Exception) -> JSONResponse:
    reference = str(ids.new())
    log.error("%s %s failed, reference %s", request.method, request.url.path, reference, exc_info=error)
    return problem(500, "Unexpected", "An unexpected error occurred. Nothing was saved.", reference=reference)
