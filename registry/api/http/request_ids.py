"""Assign an id to every request: its `X-Request-ID`, or a new one.

The response and the log contain the id."""

import re

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from treaty.registry.core import ids, logs

HEADER = b"x-request-id"
FORM = re.compile(rb"[\w.:-]{1,100}")


class RequestIdMiddleware:
    """Add the request id to all log lines of a request."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward the request and add the id to the headers of its response."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = _request_id(scope) or str(ids.new()).encode()

        async def named(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), (HEADER, request_id)]
            await send(message)

        with logs.log_fields(request_id=request_id.decode()):
            await self.app(scope, receive, named)


def _request_id(scope: Scope) -> bytes | None:
    """Return the id sent with the request; None if it is missing or malformed."""
    brought = dict(scope["headers"]).get(HEADER, b"")
    return brought if FORM.fullmatch(brought) else None
