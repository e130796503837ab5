"""Serve one port from several processes, each with its own listening socket.

The kernel distributes connections evenly among the sockets. With one shared socket, the busiest process would receive
the most connections and answer them late."""

import socket
import sys
from typing import Any


class ProcessSocket(list[socket.socket]):
    """A list that is empty here and opens one listening socket in each child process."""

    def __init__(self, host: str, port: int) -> None:
        super().__init__()
        self.host, self.port = host, port

    def __reduce__(self) -> tuple[Any, ...]:
        return _opened, (self.host, self.port)


def serve(host: str, port: int, **options: Any) -> None:
    """Run the service in `workers` processes until it is stopped.

    Exits with uvicorn's message if the port is in use."""
    import uvicorn
    from uvicorn.supervisors import Multiprocess

    # Other systems lack such sockets or pass all connections to one of them.
    if options["workers"] == 1 or sys.platform != "linux":
        uvicorn.run(host=host, port=port, **options)
        return
    config = uvicorn.Config(host=host, port=port, **options)
    config.bind_socket().close()
    Multiprocess(config, ProcessSocket(host, port)).run()


def _opened(host: str, port: int) -> list[socket.socket]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return [socket.create_server((host, port), family=family, reuse_port=True)]
