"""Several processes of the service at one port, each with a socket of its own, among which the system deals out
connections evenly. Of one socket for all, the process that has most to do gets most, and is late with it."""

import socket
import sys
from typing import Any


class ProcessSocket(list[socket.socket]):
    """Empty in the process that makes it; each process that it is handed to finds a socket in it that listens."""

    def __init__(self, host: str, port: int) -> None:
        super().__init__()
        self.host, self.port = host, port

    def __reduce__(self) -> tuple[Any, ...]:
        return _opened, (self.host, self.port)


def serve(host: str, port: int, **given: Any) -> None:
    """Runs the service in as many processes as `workers` says, until it is told to stop. Ends this process with
    uvicorn's message where the port is taken."""
    import uvicorn
    from uvicorn.supervisors import Multiprocess

    # Elsewhere the system knows no such sockets, or gives all connections to one of them.
    if given["workers"] == 1 or sys.platform != "linux":
        uvicorn.run(host=host, port=port, **given)
        return
    config = uvicorn.Config(host=host, port=port, **given)
    config.bind_socket().close()
    Multiprocess(config, ProcessSocket(host, port)).run()


def _opened(host: str, port: int) -> list[socket.socket]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return [socket.create_server((host, port), family=family, reuse_port=True)]
