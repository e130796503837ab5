"""Told to stop, the service answers what it took and takes no more; a worker gives its task back."""

import json
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Engine
from support.events import body, event
from support.locations import EVERYWHERE
from support.loops import awaited
from support.ports import free_port
from support.processes import Command, all_gone, started
from support.scenes import TOKEN, Scene, contract_in_force, rows, user

from treaty.registry.core.database import connect, migrate
from treaty.registry.core.enums import Permission, TaskState
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.tables import LineageEventRow, TaskRow

pytestmark = pytest.mark.journey


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Engine]:
    """A database in the home, with a user whose token may send lineage."""
    settings = RegistrySettings(home=tmp_path / "home")
    settings.home.mkdir()
    engine = connect(settings.database)
    migrate(engine)
    user(engine, scopes=(Permission.LINEAGE,))
    yield engine
    engine.dispose()


def taken(port: int) -> bool:
    """Whether somebody takes connections there."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def half_sent(folder: Path, sent: bytes, **settings: object) -> Iterator[tuple[Command, socket.socket, int]]:
    """A service that has been sent all but the last ten bytes of an event, and the connection for these."""
    port = free_port()
    with started("api", folder=folder, home=folder / "home", api_port=port, log_format="json", **settings) as command:
        awaited(lambda: taken(port) or None)
        with socket.create_connection(("127.0.0.1", port), timeout=20) as producer:
            head = (
                f"POST /api/v1/lineage HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n"
                f"X-Request-ID: job-7\r\nContent-Length: {len(sent)}\r\nExpect: 100-continue\r\n\r\n"
            )
            producer.sendall(head.encode())
            # The service says this when it begins to read the body.
            assert b" 100 " in producer.recv(1000)
            producer.sendall(sent[:-10])
            yield command, producer, port


def test_an_event_that_is_half_sent_is_kept_before_the_service_ends(tmp_path: Path, database: Engine) -> None:
    sent = body(event())
    with half_sent(tmp_path, sent) as (command, producer, port):
        family = command.family()
        command.process.send_signal(signal.SIGTERM)
        awaited(lambda: not taken(port) or None)
        producer.sendall(sent[-10:])
        assert b" 201 " in producer.recv(1000).splitlines()[0]
        code, _, errors = command.ended()
        assert all_gone(family)
    assert code in {0, -signal.SIGTERM}
    assert len(rows(database, LineageEventRow)) == 1
    lines = [json.loads(line) for line in errors.splitlines()]
    (answered,) = [line for line in lines if line["message"] == "answered"]
    assert (answered["request_id"], answered["route"], answered["status"]) == ("job-7", "/lineage", "201")
    assert TOKEN not in errors


def test_a_request_that_never_ends_does_not_hold_the_service(tmp_path: Path, database: Engine) -> None:
    with half_sent(tmp_path, body(event()), shutdown_timeout_seconds=1) as (command, _, _):
        code, _, errors = command.ended(signal.SIGTERM, within=15)
    assert code in {0, -signal.SIGTERM}
    assert "Traceback" not in errors
    assert rows(database, LineageEventRow) == []


def test_a_worker_that_is_told_to_stop_gives_its_task_back_untried(tmp_path: Path, database: Engine) -> None:
    contract_in_force(database)
    Scene(database, tmp_path).ask()
    with started("worker", folder=tmp_path, home=tmp_path / "home", locations=EVERYWHERE, log_format="json") as command:
        awaited(lambda: [each for each in rows(database, TaskRow) if each.state is TaskState.RUNNING] or None)
        family = command.family()
        code, _, errors = command.ended(signal.SIGTERM)
        assert all_gone(family)
    (task,) = [each for each in rows(database, TaskRow) if each.kind == "validate"]
    assert (task.state, task.attempts, task.lease_expires_at) == (TaskState.QUEUED, 0, None)
    assert code == 0
    assert [json.loads(line)["message"] for line in errors.splitlines()][-1] == "stopped"
