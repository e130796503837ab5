"""Network backend for a single request: a fixed address and one deadline for all steps."""

import time
from collections.abc import Iterable
from ssl import SSLContext
from typing import Any

from httpcore import SOCKET_OPTION, NetworkBackend, NetworkStream, ReadTimeout, SyncBackend


class PinnedBackend(NetworkBackend):
    """Connect to `address` whatever the host name. `until`: deadline on the monotonic clock."""

    def __init__(self, address: str, until: float) -> None:
        self._address, self._until = address, until

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[SOCKET_OPTION] | None = None,
    ) -> NetworkStream:
        """Open a connection to the fixed address. Raises the errors of the underlying backend."""
        left = _left(self._until)
        stream = SyncBackend().connect_tcp(self._address, port, left, local_address, socket_options)
        return DeadlineStream(stream, self._until)


class DeadlineStream(NetworkStream):
    """A connection on which every operation raises ReadTimeout after the deadline."""

    def __init__(self, stream: NetworkStream, until: float) -> None:
        self._stream, self._until = stream, until

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return available bytes, at most `max_bytes`; b'' at the end."""
        return self._stream.read(max_bytes, _left(self._until))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all bytes."""
        self._stream.write(buffer, _left(self._until))

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> NetworkStream:
        """Return the connection with TLS to the named host."""
        return DeadlineStream(self._stream.start_tls(ssl_context, server_hostname, _left(self._until)), self._until)

    def get_extra_info(self, info: str) -> Any:
        """Return details of the underlying connection; None if unknown."""
        return self._stream.get_extra_info(info)


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise ReadTimeout
    return left
