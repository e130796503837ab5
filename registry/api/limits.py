"""A limit to what a request may send, counted as it arrives."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from registry.api.problems import problem


class _TooLong(Exception):
    """The body is longer than admitted."""


class BodyLimit:
    """Answers 413 to a body of more than `most` bytes, except below `apart`, which counts for itself."""

    def __init__(self, app: ASGIApp, *, most: int, apart: str) -> None:
        self.app, self.most, self.apart = app, most, apart

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on, counting."""
        if scope["type"] != "http" or scope["path"].startswith(self.apart):
            await self.app(scope, receive, send)
            return
        try:
            await self.app(scope, self._counted(receive), send)
        except _TooLong:
            answer = problem(413, "TooLong", f"the request is longer than {self.most} bytes")
            await answer(scope, receive, send)

    def _counted(self, receive: Receive) -> Receive:
        size = 0

        async def counted() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > self.most:
                raise _TooLong
            return message

        return counted
