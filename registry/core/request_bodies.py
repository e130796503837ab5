"""Bound request bodies in size and time, and close connections whose body was not read.

Nothing of a body may be read before a route admits it, which it does once the caller is authenticated."""

import asyncio
from contextlib import suppress
from functools import partial

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SCOPE = "treaty.body"
KIB = 1024
# Seconds before a body must have arrived at a rate of SLOWEST bytes per second.
GRACE, SLOWEST = 20.0, 32 * KIB
# An unread body up to this size is discarded by the server, and the connection stays open.
DISCARDED_BY_SERVER = 64 * KIB
# After a response, so much of an unread body is discarded before the connection closes: a client that is still sending
# would otherwise lose the response.
LINGER, DISCARDED = 1.0, 1024 * KIB
TOO_LARGE = "The request is larger than {:,} bytes."
TOO_SLOW = "The body of the request arrives too slowly."
CLOSE = (b"connection", b"close")


class RequestBody:
    """The body of a request.

    `limit`: bytes that may be read; 0 until a route admits the body. `declared`: size in bytes that the headers state;
    None if the body arrives in parts of unknown number. `is_complete`: nothing is left to read."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        headers = Headers(scope=scope)
        self.limit, self.declared = 0, _declared(headers)
        self.is_complete = self.declared == 0
        self._expects_continue = "expect" in headers
        self._receive, self._size, self._is_closing = receive, 0, False
        self._started = asyncio.get_running_loop().time()

    async def receive(self) -> Message:
        """Return the next part of the body. Raises HTTPException 413 beyond the limit, and 408 if it is late."""
        if self.is_complete:
            return await self._receive()
        if self.declared is not None and self.declared > self.limit:
            raise self._too_large()
        try:
            async with asyncio.timeout_at(self._started + GRACE + self._size / SLOWEST):
                message = await self._next()
        except TimeoutError:
            raise HTTPException(408, TOO_SLOW) from None
        if self._size > self.limit:
            raise self._too_large()
        return message

    async def send(self, send: Send, message: Message) -> None:
        """Forward a message of the response; close the connection if much of the body is unread."""
        if message["type"] == "http.response.start" and self._must_close():
            self._is_closing = True
            message["headers"] = [*message.get("headers", ()), CLOSE]
        elif self._is_closing and not message.get("more_body"):
            await send({**message, "more_body": True})
            await self._discard()
            message = {"type": "http.response.body"}
        await send(message)

    def _must_close(self) -> bool:
        small = self.declared is not None and self.declared <= DISCARDED_BY_SERVER
        return not self.is_complete and (self._expects_continue or not small)

    def _too_large(self) -> HTTPException:
        return HTTPException(413, TOO_LARGE.format(self.limit))

    async def _next(self) -> Message:
        message = await self._receive()
        self._size += len(message.get("body", b""))
        self.is_complete = not message.get("more_body", False)
        return message

    async def _discard(self) -> None:
        """Discard what a client sends that does not wait for a permission to send."""
        end = self._size + DISCARDED
        with suppress(TimeoutError):
            async with asyncio.timeout(0 if self._expects_continue else LINGER):
                while not self.is_complete and self._size < end:
                    await self._next()


class RequestBodyMiddleware:
    """Bound the body of every request."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward the request; its scope contains the RequestBody."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        body = scope[SCOPE] = RequestBody(scope, receive)
        await self.app(scope, body.receive, send if body.is_complete else partial(body.send, send))


def body_of(scope: Scope) -> RequestBody:
    """Return the body of the request with that scope."""
    body: RequestBody = scope[SCOPE]
    return body


def _declared(headers: Headers) -> int | None:
    """Return the size of the body; None if it arrives in parts, whatever length is stated in addition."""
    if "transfer-encoding" in headers:
        return None
    stated = headers.get("content-length", "0")
    return int(stated) if stated.isascii() and stated.isdigit() else None
