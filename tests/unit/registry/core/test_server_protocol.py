"""A connection is bounded before the application knows of a request, by a real server."""

import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn
from support.ports import free_port

from treaty.registry.core import server_protocol
from treaty.registry.core.server_protocol import MAX_HEAD, MAX_HEADERS, MAX_WAITING, BoundedHttpProtocol

REQUEST = b"GET / HTTP/1.1\r\nhost: x\r\n"


async def app(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body"})


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    port = free_port()
    config = uvicorn.Config(app, port=port, http=BoundedHttpProtocol, lifespan="off", log_level="critical")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield port
    server.should_exit = True
    thread.join(10)


def answered(port: int, sent: bytes, most: int = 64 * 1024 * 1024) -> tuple[bytes, int]:
    """What the server answers, and how many bytes it took of `sent`, repeated up to `most`, before it closed."""
    taken = 0
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        try:
            connection.sendall(sent)
            taken = len(sent)
            while taken < most:
                connection.sendall(b"a" * 65536)
                taken += 65536
        except OSError:
            pass
        try:
            return connection.recv(65536), taken
        except OSError:
            return b"", taken


def test_a_request_is_answered(port: int) -> None:
    assert answered(port, REQUEST + b"\r\n", most=0)[0].startswith(b"HTTP/1.1 204")


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(REQUEST + b"x: " + b"a" * MAX_HEAD + b"\r\n\r\n", id="a long header"),
        pytest.param(REQUEST + b"x: a\r\n" * (MAX_HEADERS + 1) + b"\r\n", id="many headers"),
        pytest.param(b"GET /" + b"a" * MAX_HEAD + b" HTTP/1.1\r\nhost: x\r\n\r\n", id="a long address"),
    ],
)
def test_a_large_head_is_refused(port: int, sent: bytes) -> None:
    assert answered(port, sent, most=0)[0].startswith(b"HTTP/1.1 431")


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(REQUEST + b"x: ", id="a header"),
        pytest.param(b"GET /", id="an address"),
        pytest.param(b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n0\r\nx: ", id="a trailer"),
    ],
)
def test_what_does_not_end_is_cut_off(port: int, sent: bytes) -> None:
    # The system buffers some mebibytes of what the server never reads.
    assert answered(port, sent)[1] < 32 * 1024 * 1024


def test_not_many_requests_wait(port: int) -> None:
    told, _ = answered(port, (REQUEST + b"\r\n") * (50 * MAX_WAITING), most=0)
    assert b"HTTP/1.1 400" in told


def test_a_head_that_does_not_come_ends_the_connection(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_protocol, "HEAD_SECONDS", 0.1)
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(REQUEST)
        assert connection.recv(1) == b""
