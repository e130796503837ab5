"""Bound what a connection may send before a request reaches the application.

uvicorn's protocol accepts headers of any number and size, for any time, and any number of requests in advance."""

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

KIB = 1024
# Bytes of the URL and all headers of a request, their number, and seconds in which they must arrive.
MAX_HEAD, MAX_HEADERS, HEAD_SECONDS = 64 * KIB, 128, 20.0
# Requests that a client may send before it has received the response to an earlier one.
MAX_WAITING = 16
TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class HeadTooLarge(Exception):
    """The URL and headers of a request exceed their bounds, or too many requests wait."""


class BoundedHttpProtocol(HttpToolsProtocol):
    """A connection whose request heads are bounded in size, number and time."""

    _timer: asyncio.TimerHandle | None = None
    # Bytes of the current head. Bytes since the parser last completed a head or a part of a body.
    _head = _unparsed = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the time of the first request."""
        super().connection_made(transport)
        self._start()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse the data; refuse the request if a head or a trailer does not end."""
        self._unparsed += len(data)
        super().data_received(data)
        if self._unparsed > MAX_HEAD and not self.transport.is_closing():
            self._refuse()

    def on_message_begin(self) -> None:
        """Start the time and the size of a request."""
        self._head = 0
        self._start()
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Add a part of the URL. Raises HeadTooLarge."""
        self._grow(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header. Raises HeadTooLarge."""
        self._grow(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Start the request. Raises HeadTooLarge if too many wait."""
        self._stop()
        self._unparsed = 0
        super().on_headers_complete()
        if len(self.pipeline) > MAX_WAITING:
            raise HeadTooLarge

    def on_body(self, body: bytes) -> None:
        """Add a part of the body."""
        self._unparsed = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """End the body."""
        self._unparsed = 0
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse the request: 431 if its head is too large, else 400."""
        if self._head > MAX_HEAD or len(self.headers) >= MAX_HEADERS:
            self._refuse()
        else:
            super().send_400_response(msg)

    def _grow(self, size: int) -> None:
        self._head += size
        if self._head > MAX_HEAD or len(self.headers) >= MAX_HEADERS:
            raise HeadTooLarge

    def _refuse(self) -> None:
        self.transport.write(TOO_LARGE)
        self.transport.close()

    def _start(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
