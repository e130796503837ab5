"""Network backend of requests: a fixed address, and one deadline for all steps of a request."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from ssl import SSLContext
from typing import Any

from httpcore import SOCKET_OPTION, NetworkBackend, NetworkStream, ReadTimeout, SyncBackend


@dataclass
class RequestDeadline:
    """The deadline of a request on the monotonic clock; each request on a reused connection has its own."""

    until: float

    def left(self) -> float:
        """Return the seconds left. Raises ReadTimeout if there are none."""
        left = self.until - time.monotonic()
        if left <= 0:
            raise ReadTimeout
        return left


class PinnedBackend(NetworkBackend):
    """Connect to `address` whatever the host name."""

    def __init__(self, address: str, deadline: RequestDeadline) -> None:
        self._address, self._deadline = address, deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[SOCKET_OPTION] | None = None,
    ) -> NetworkStream:
        """Open a connection to the fixed address. Raises the errors of the underlying backend."""
        left = self._deadline.left()
        stream = SyncBackend().connect_tcp(self._address, port, left, local_address, socket_options)
        return DeadlineStream(stream, self._deadline)


class DeadlineStream(NetworkStream):
    """A connection on which every operation raises ReadTimeout after the deadline."""

    def __init__(self, stream: NetworkStream, deadline: RequestDeadline) -> None:
        self._stream, self._deadline = stream, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return available bytes, at most `max_bytes`; b'' at the end."""
        return self._stream.read(max_bytes, self._deadline.left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all bytes."""
        self._stream.write(buffer, self._deadline.left())

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> NetworkStream:
        """Return the connection with TLS to the named host."""
        return DeadlineStream(
            self._stream.start_tls(ssl_context, server_hostname, self._deadline.left()), self._deadline
        )

    def get_extra_info(self, info: str) -> Any:
        """Return details of the underlying connection; None if unknown."""
        return self._stream.get_extra_info(info)
