"""Every request has an id: the one that it brings as `X-Request-ID`, or a new one. The answer and the log name it."""

import re

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from treaty.registry.core import ids, logs

HEADER = b"x-request-id"
FORM = re.compile(rb"[\w.:-]{1,100}")


class RequestIdMiddleware:
    """Has all that is said while a request is answered name its id."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on; its answer has the id in its headers."""
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
    """The id that the request brings; None where it brings none, or one that is none."""
    brought = dict(scope["headers"]).get(HEADER, b"")
    return brought if FORM.fullmatch(brought) else None
