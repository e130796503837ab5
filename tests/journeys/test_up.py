"""`treaty up` in an empty folder: what it prints, that it answers, and that nothing of it is left, however it ends."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from threading import Thread

import httpx
import pytest
from support.loops import awaited
from support.ports import free_port
from support.processes import Process, all_gone, descendants, named, started, treaty

READY = "Ctrl-C stops everything."


@dataclass
class Up:
    """A `treaty up` that runs: its process, its ports, and the lines it printed so far."""

    process: "subprocess.Popen[str]"
    folder: Path
    api_port: int
    ui_port: int
    lines: list[str] = field(default_factory=list)

    @property
    def pages(self) -> str:
        return f"http://127.0.0.1:{self.ui_port}"

    @property
    def api(self) -> str:
        return f"http://127.0.0.1:{self.api_port}/api/v1"

    @property
    def link(self) -> str:
        """The one-time link that it printed."""
        (found,) = [line.split()[-1] for line in self.lines if "one time" in line]
        return found

    def family(self) -> set[Process]:
        return descendants(self.process.pid)

    def end(self, told: signal.Signals) -> tuple[int, str, str]:
        """The exit code, and what it still printed, after it was told to end."""
        self.process.send_signal(told)
        said, errors = self.process.communicate(timeout=30)
        return self.process.returncode, said.strip(), errors.strip()


@contextmanager
def running(folder: Path) -> Iterator[Up]:
    """`treaty up` on free ports, once it says that it is up."""
    ports = {"api_port": free_port(), "ui_port": free_port()}
    with started("up", folder=folder, **ports) as process:
        found = Up(process, folder, **ports)
        found.lines = printed(process, until=READY)
        yield found


def printed(process: "subprocess.Popen[str]", *, until: str, within: float = 60) -> list[str]:
    """The lines that it printed, up to one that begins so."""
    lines, read = Queue[str](), list[str]()
    Thread(target=lambda: [lines.put(line.rstrip()) for line in iter(process.stdout.readline, "")], daemon=True).start()
    deadline = time.monotonic() + within
    while not (read and read[-1].startswith(until)):
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline, read
        with suppress(Empty):
            read.append(lines.get(timeout=0.2))
    return read


@pytest.mark.parametrize("told", [signal.SIGINT, signal.SIGTERM])
def test_it_tells_where_it_answers_and_ends_with_all_its_parts(tmp_path: Path, told: signal.Signals) -> None:
    with running(tmp_path) as up:
        family = up.family()
        said = dict(line.split(maxsplit=1) for line in up.lines[:3])

        assert said == {"pages": up.pages, "API": up.api, "logs": str(tmp_path / ".treaty" / "logs")}
        assert httpx.get(f"{up.api}/ready", trust_env=False).json()["migration"]
        assert httpx.get(f"{up.pages}/ui/ready", trust_env=False).status_code == 200
        assert named(family, "registry.cli worker")
        assert up.end(told) == (0, "stopped", "")
        assert all_gone(family)


def test_the_one_time_link_makes_the_administrator_and_then_ends(tmp_path: Path) -> None:
    with running(tmp_path) as up, httpx.Client(trust_env=False, headers={"Origin": up.pages}) as browser:
        form = {"token": up.link.partition("token=")[2], "name": "ada", "password": "a first password"}

        assert "ada" not in browser.get(up.link).text
        assert browser.post(f"{up.pages}/setup", data=form).headers["location"] == "/"
        assert browser.post(f"{up.pages}/setup", data={**form, "name": "eve"}).status_code == 401
        me = browser.get(f"{up.api}/me", headers={"Authorization": f"Bearer {next(iter(browser.cookies.values()))}"})
        assert (me.json()["user"]["name"], me.json()["user"]["roles"]) == ("ada", ["admin"])
        up.end(signal.SIGINT)

    again = treaty("init", folder=tmp_path)
    assert (again.returncode, again.stdout) == (3, "")
    assert again.stderr == "treaty: this registry has an administrator: ask them for an account\n"
    with running(tmp_path) as up:
        assert [line for line in up.lines if "one time" in line] == []
        up.end(signal.SIGINT)


@pytest.mark.parametrize("part", ["api", "worker", "ui"])
def test_a_part_that_is_killed_ends_everything_and_is_named(tmp_path: Path, part: str) -> None:
    with running(tmp_path) as up:
        family = up.family()
        (victim, *_) = named(family, "-m ui" if part == "ui" else f"registry.cli {part}")

        os.kill(victim, signal.SIGKILL)
        _, errors = up.process.communicate(timeout=30)

        log = tmp_path / ".treaty" / "logs" / f"{part}.log"
        assert up.process.returncode == 3
        assert errors.startswith(f"treaty: {part} was ended by signal 9; the end of {log}:")
        assert "Traceback" not in errors
        assert all_gone(family)


@pytest.mark.parametrize("part", ["api", "ui"])
def test_a_taken_port_is_named_with_the_setting_that_moves_it(tmp_path: Path, part: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ports = {"api_port": free_port(), "ui_port": free_port()} | {f"{part}_port": port}
        ended = treaty("up", folder=tmp_path, **ports)

    assert ended.returncode == 3
    assert ended.stderr == f"treaty: port {port} is taken: set TREATY_{part.upper()}_PORT to a free one\n"


def test_it_can_be_told_to_end_while_it_starts(tmp_path: Path) -> None:
    with started("up", folder=tmp_path, api_port=free_port(), ui_port=free_port()) as process:
        awaited(lambda: named(descendants(process.pid), "registry.cli api") or None)
        family = descendants(process.pid)

        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)

        assert process.returncode == 130
        assert all_gone(family)


def test_a_new_link_ends_the_one_before(tmp_path: Path) -> None:
    first, second = (treaty("init", folder=tmp_path) for _ in range(2))

    assert first.returncode == second.returncode == 0
    assert first.stdout.startswith("http://127.0.0.1:8701/setup?token=")
    assert first.stdout != second.stdout
    assert (tmp_path / ".treaty" / "treaty.db").exists()
