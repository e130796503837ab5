"""A limit to what a request may send, counted as it arrives."""

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class BodyLimit:
    """Answers 413 to a body of more than `most` bytes, except below the path `apart`, which counts for itself."""

    def __init__(self, app: ASGIApp, *, most: int, apart: str) -> None:
        self.app, self.most, self.apart = app, most, apart

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on, counting."""
        counts = scope["type"] == "http" and not scope["path"].startswith(self.apart)
        await self.app(scope, self._counted(receive) if counts else receive, send)

    def _counted(self, receive: Receive) -> Receive:
        size = 0

        async def counted() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > self.most:
                raise HTTPException(413, f"the request is longer than {self.most} bytes")
            return message

        return counted
