"""Execute a POST with an Idempotency-Key once and replay its response afterwards.

The commit of the route is deferred until the response is complete, and the response is stored in the same transaction:
either both are stored or neither. Effects outside of the session (states of a gate, lineage events) have keys of their
own."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from treaty.contracts.errors import Fault
from treaty.engine.core import clock
from treaty.registry.access import idempotency
from treaty.registry.access.idempotency import IdempotencyAttempt, RequestReplayed, StoredResponse
from treaty.registry.access.permissions import Principal
from treaty.registry.api.http import problems
from treaty.registry.core.errors import Conflict, InvalidRequest

HEADER = b"idempotency-key"
SCOPE = "treaty.once"
LONGEST = 200
KEPT_HEADERS = frozenset({"content-type", "etag"})
REPLAYED = {"Idempotency-Replayed": "true"}
KEY = Fault(
    code="TR-REQUEST",
    where="header.idempotency-key",
    message=f"must be 1 to {LONGEST} printable characters",
    remedy="use a UUID",
)


class DeferredSession(Session):
    """A session that defers its commit to `settle`."""

    commit_requested = False

    def commit(self) -> None:
        """Flush the changes and record that a commit was requested."""
        self.flush()
        self.commit_requested = True

    def settle(self) -> None:
        """Commit."""
        super().commit()


@dataclass
class IdempotentRequest:
    """A request with a key, its session and principal, and the response messages so far."""

    attempt: IdempotencyAttempt
    session: DeferredSession | None = None
    by: Principal | None = None
    messages: list[Message] = field(default_factory=list)

    @contextmanager
    def transaction(self, engine: Engine, by: Principal, *, now: datetime) -> Iterator[Session]:
        """Yield the session for the request. Raises like `idempotency.begin`."""
        with DeferredSession(engine, expire_on_commit=False) as session:
            idempotency.begin(session, self.attempt, by, now=now)
            self.session, self.by = session, by
            yield session

    def settle(self, answer: StoredResponse) -> None:
        """Store the response and commit. Does nothing if the request failed."""
        if self.session is None or self.by is None or not self.session.commit_requested or answer.status >= 300:
            return
        idempotency.keep(self.session, self.attempt, self.by, answer, now=clock.now())
        self.session.settle()


class IdempotencyMiddleware:
    """Execute a POST with an Idempotency-Key once."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward the request; with a key, send the response only after it is stored."""
        key = _key(scope)
        if key is None:
            await self.app(scope, receive, send)
        elif not key.isprintable() or not 1 <= len(key) <= LONGEST:
            refusal = InvalidRequest("The request is invalid", faults=[KEY])
            await problems.answer(refusal)(scope, receive, send)
        else:
            once = scope[SCOPE] = IdempotentRequest(IdempotencyAttempt(key, scope["path"]))
            once.attempt.body.update(scope.get("query_string", b"") + b"\n")
            await self.app(scope, partial(_heard, once, receive), partial(_forward, once, scope, receive, send))


async def repeat(_: Request, error: Exception) -> Response:
    """Return the stored response."""
    assert isinstance(error, RequestReplayed)
    stored = error.answer
    if stored.body is None:
        return problems.answer(Conflict(idempotency.SHOWN_ONCE))
    return Response(stored.body, status_code=stored.status, headers={**stored.headers, **REPLAYED})


def _key(scope: Scope) -> str | None:
    if scope["type"] != "http" or scope["method"] != "POST":
        return None
    value = dict(scope["headers"]).get(HEADER)
    return None if value is None else str(value.decode("latin-1"))


async def _heard(once: IdempotentRequest, receive: Receive) -> Message:
    message = await receive()
    once.attempt.body.update(message.get("body", b""))
    return message


async def _forward(once: IdempotentRequest, scope: Scope, receive: Receive, send: Send, message: Message) -> None:
    once.messages.append(message)
    if message["type"] != "http.response.body" or message.get("more_body"):
        return
    try:
        await run_in_threadpool(once.settle, _answer(once.messages, scope.get("endpoint")))
    except SQLAlchemyError as error:
        await problems.answer(error)(scope, receive, send)
        return
    for each in once.messages:
        await send(each)


def _answer(messages: list[Message], endpoint: Any) -> StoredResponse:
    start, *parts = messages
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in start.get("headers", ())}
    stored_headers = {name: value for name, value in headers.items() if name in KEPT_HEADERS}
    body = b"".join(each.get("body", b"") for each in parts)
    return StoredResponse(start["status"], stored_headers, None if _secret(endpoint) else body)


def _secret(endpoint: Any) -> bool:
    """Return whether the route's response contains a secret."""
    model = getattr(endpoint, "__annotations__", {}).get("return")
    return "secret" in getattr(model, "model_fields", {})
