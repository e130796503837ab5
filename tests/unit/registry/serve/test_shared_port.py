"""Processes that listen at one port, each with a socket of its own."""

import pickle
import socket
import sys

import pytest

from treaty.registry.serve.local_stack import free_port
from treaty.registry.serve.shared_port import ProcessSocket

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere one socket serves all processes")


@pytest.fixture
def port() -> int:
    return free_port()


def handed(port: int) -> list[socket.socket]:
    """What a process finds that the socket was handed to."""
    return pickle.loads(pickle.dumps(ProcessSocket("127.0.0.1", port)))


def test_each_process_has_its_own_socket_at_the_same_port(port: int) -> None:
    (one,), (other,) = handed(port), handed(port)
    with one, other:
        assert one.fileno() != other.fileno()
        assert one.getsockname() == other.getsockname() == ("127.0.0.1", port)


def test_connections_are_dealt_out_among_them(port: int) -> None:
    (one,), (other,) = handed(port), handed(port)
    callers = []
    with one, other:
        for each in (one, other):
            each.settimeout(0.2)
        callers = [socket.create_connection(("127.0.0.1", port)) for _ in range(64)]
        taken = [_taken(one), _taken(other)]
    for each in callers:
        each.close()
    assert sum(taken) == 64
    assert min(taken) >= 8


def test_who_hands_it_on_listens_to_nothing(port: int) -> None:
    assert ProcessSocket("127.0.0.1", port) == []
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=1)


def _taken(listening: socket.socket) -> int:
    count = 0
    while True:
        try:
            listening.accept()[0].close()
        except TimeoutError:
            return count
        count += 1
