"""A network for one request: everything lies at one address, and nothing lasts beyond one moment."""

import time
from collections.abc import Iterable
from ssl import SSLContext
from typing import Any

from httpcore import SOCKET_OPTION, NetworkBackend, NetworkStream, ReadTimeout, SyncBackend


class PinnedBackend(NetworkBackend):
    """Connects to `address`, whatever host is asked for; `until` is a moment of the monotonic clock."""

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
        """A connection to the address. Raises as the network beneath does."""
        left = _left(self._until)
        found = SyncBackend().connect_tcp(self._address, port, left, local_address, socket_options)
        return DeadlineStream(found, self._until)


class DeadlineStream(NetworkStream):
    """A connection of which every step ends by that moment, with ReadTimeout."""

    def __init__(self, stream: NetworkStream, until: float) -> None:
        self._stream, self._until = stream, until

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """What is there, at most so many bytes; b'' at the end."""
        return self._stream.read(max_bytes, _left(self._until))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Sends all of it."""
        self._stream.write(buffer, _left(self._until))

    def close(self) -> None:
        """Ends the connection."""
        self._stream.close()

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> NetworkStream:
        """The same connection, encrypted, to the host of that name."""
        return DeadlineStream(self._stream.start_tls(ssl_context, server_hostname, _left(self._until)), self._until)

    def get_extra_info(self, info: str) -> Any:
        """What the connection beneath says of itself; None for what it does not know."""
        return self._stream.get_extra_info(info)


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise ReadTimeout
    return left
