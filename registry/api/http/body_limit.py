"""Limit the size of request bodies, counted as they arrive."""

from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class BodyLimitMiddleware:
    """Respond 413 to a body of more than `most` bytes.

    `exempt`: limits of other path prefixes; None means unlimited."""

    def __init__(self, app: ASGIApp, *, most: int, exempt: Mapping[str, int | None]) -> None:
        self.app, self.most, self.exempt = app, most, exempt

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward the request and count the bytes of its body."""
        most = self._most(scope["path"]) if scope["type"] == "http" else None
        await self.app(scope, receive if most is None else self._counted(receive, most), send)

    def _most(self, path: str) -> int | None:
        return next((most for start, most in self.exempt.items() if path.startswith(start)), self.most)

    def _counted(self, receive: Receive, most: int) -> Receive:
        size = 0

        async def counted() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > most:
                raise HTTPException(413, f"The request is larger than {most:,} bytes.")
            return message

        return counted
