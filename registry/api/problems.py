"""Every answer that is not a success, as one JSON form: which error becomes which status stands in one table."""

import logging
from collections.abc import Iterable

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy.exc import DataError, IntegrityError, OperationalError
from starlette.exceptions import HTTPException

from contracts.errors import Fault
from registry import ids
from registry.api.schemas import FaultOut, Problem
from registry.errors import Conflict, Forbidden, Invalid, NotFound, NotReady, RegistryError, Unauthenticated

log = logging.getLogger(__name__)
STATUS: dict[type[RegistryError], int] = {
    Unauthenticated: 401,
    Forbidden: 403,
    NotFound: 404,
    Conflict: 409,
    Invalid: 422,
    NotReady: 503,
}
HEADERS = {401: {"WWW-Authenticate": "Bearer"}, 503: {"Retry-After": "5"}}
BUSY = "the database does not answer: try again in a few seconds"
UNKEEPABLE = "the request holds a text or a number that the database cannot keep"
RACE = "somebody changed this at the same moment: look again and retry"


def install(app: FastAPI) -> None:
    """Has the application answer every error with a problem."""
    app.add_exception_handler(RegistryError, _refused)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(IntegrityError, _raced)
    app.add_exception_handler(DataError, _unkeepable)
    app.add_exception_handler(OperationalError, _busy)
    app.add_exception_handler(Exception, _unexpected)


def problem(
    status: int, error: str, message: str, *, faults: Iterable[Fault] = (), reference: str | None = None
) -> JSONResponse:
    """The answer of that status; never holds a traceback or what the request contained."""
    listed = tuple(FaultOut.model_validate(fault) for fault in faults)
    body = Problem(error=error, message=message, faults=listed, reference=reference)
    return JSONResponse(body.model_dump(mode="json"), status_code=status, headers=HEADERS.get(status))


def status_of(error: RegistryError) -> int:
    """The HTTP status of an error; that of its nearest base in the table."""
    return next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 400)


async def _refused(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RegistryError)
    return problem(status_of(error), type(error).__name__, error.message, faults=error.faults)


async def _malformed(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    faults = [Fault("TR-REQUEST", ".".join(map(str, each["loc"])), each["msg"]) for each in error.errors()]
    return problem(422, "Invalid", "the request cannot be used as it is", faults=faults)


async def _http(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return problem(error.status_code, "Refused", str(error.detail))


async def _raced(_: Request, error: Exception) -> JSONResponse:
    log.warning("two writers met: %s", type(error).__name__)
    return problem(409, "Conflict", RACE)


async def _unkeepable(_: Request, __: Exception) -> JSONResponse:
    return problem(422, "Invalid", UNKEEPABLE)


async def _busy(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, OperationalError)
    log.error("the database did not answer: %s", error.orig)
    return problem(503, "Unavailable", BUSY)


async def _unexpected(request: Request, error: Exception) -> JSONResponse:
    reference = str(ids.new())
    log.error("%s %s failed, reference %s", request.method, request.url.path, reference, exc_info=error)
    return problem(500, "Unexpected", "something went wrong on our side; nothing was saved", reference=reference)
