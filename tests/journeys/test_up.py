"""`treaty up` in an empty folder: what it prints, that it answers, and that nothing of it is left, however it ends."""

import os
import re
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from support.loops import awaited
from support.ports import free_port
from support.processes import Command, all_gone, named, started, treaty

READY = "Press Ctrl-C to stop."


@dataclass(frozen=True)
class Up:
    """A `treaty up` that says that it is up."""

    command: Command
    folder: Path
    api_port: int
    ui_port: int

    @property
    def pages(self) -> str:
        return f"http://127.0.0.1:{self.ui_port}"

    @property
    def api(self) -> str:
        return f"http://127.0.0.1:{self.api_port}/api/v1"

    @property
    def links(self) -> list[str]:
        """The one-time links that it printed: one, or none."""
        return [line.split()[-1] for line in self.command.lines if "One-time link" in line]


@contextmanager
def running(folder: Path) -> Iterator[Up]:
    """`treaty up` on free ports, once it is up."""
    ports = {"api_port": free_port(), "ui_port": free_port()}
    with started("up", folder=folder, **ports) as command:
        awaited(lambda: is_up(command) or None)
        yield Up(command, folder, **ports)


def is_up(command: Command) -> bool:
    """Whether it says so; fails where it ended instead."""
    assert command.process.poll() is None, command.errors.read_text()
    return READY in command.lines


def test_it_answers_where_it_says_makes_one_administrator_and_ends_with_all_its_parts(
    tmp_path: Path,
) -> None:
    with running(tmp_path) as up:
        (link,) = up.links
        assert f"data    {tmp_path}; allow others: treaty locations add LOCATION" in up.command.lines
        assert_that_it_answers(up)
        assert_that_one_becomes_administrator(up, link)
        assert_that_all_ends(up, signal.SIGINT)

    again = treaty("init", folder=tmp_path)
    assert (again.returncode, again.stdout) == (3, "")
    assert again.stderr == "treaty: This registry already has an administrator. Ask them for an account.\n"
    with running(tmp_path) as up:
        assert up.links == []
        assert_that_it_answers(up)
        assert_that_all_ends(up, signal.SIGTERM)


def assert_that_it_answers(up: Up) -> None:
    """It answers where it says so."""
    said = dict(line.split(maxsplit=1) for line in up.command.lines[:3])
    assert said == {"pages": up.pages, "API": up.api, "logs": str(up.folder / ".treaty" / "logs")}
    assert httpx.get(f"{up.api}/ready", trust_env=False).json()["migration"]
    assert httpx.get(f"{up.pages}/ui/ready", trust_env=False).status_code == 200


def assert_that_one_becomes_administrator(up: Up, link: str) -> None:
    """The link makes the administrator, and nobody else after that."""
    with httpx.Client(trust_env=False, headers={"Origin": up.pages}) as browser:
        form = {"token": link.partition("token=")[2], "name": "ada", "password": "a first password"}
        assert "ada" not in browser.get(link).text
        assert browser.post(f"{up.pages}/setup", data=form).headers["location"] == "/"
        assert browser.post(f"{up.pages}/setup", data={**form, "name": "eve"}).status_code == 401
        me = browser.get(f"{up.api}/me", headers={"Authorization": f"Bearer {next(iter(browser.cookies.values()))}"})
    assert (me.json()["user"]["name"], me.json()["user"]["roles"]) == ("ada", ["admin"])


def assert_that_all_ends(up: Up, told: signal.Signals) -> None:
    """All its parts end with it when it is told to."""
    family = up.command.family()
    assert named(family, "-m treaty worker")
    assert up.command.ended(told) == (0, "Stopped.", "")
    assert all_gone(family)


@pytest.mark.parametrize("part", ["api", "worker", "ui"])
def test_a_part_that_is_killed_ends_everything_and_is_named(tmp_path: Path, part: str) -> None:
    with running(tmp_path) as up:
        family = up.command.family()
        (victim, *_) = named(family, "-m treaty.ui" if part == "ui" else f"-m treaty {part}")

        os.kill(victim, signal.SIGKILL)
        code, _, errors = up.command.ended()

        log = tmp_path / ".treaty" / "logs" / f"{part}.log"
        assert code == 3
        assert errors.startswith(f"treaty: {part} was terminated by signal 9. Last lines of {log}:")
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
    assert ended.stderr == f"treaty: Port {port} is in use. Set TREATY_{part.upper()}_PORT to a free port.\n"


def test_it_can_be_told_to_end_while_it_starts(tmp_path: Path) -> None:
    with started("up", folder=tmp_path, api_port=free_port(), ui_port=free_port()) as command:
        awaited(lambda: named(command.family(), "-m treaty api") or None)
        family = command.family()

        assert command.ended(signal.SIGTERM) == (130, "", "treaty: Stopped.")
        assert all_gone(family)


def test_a_new_link_ends_the_one_before(tmp_path: Path) -> None:
    first, second = (treaty("init", folder=tmp_path) for _ in range(2))

    assert first.returncode == second.returncode == 0
    assert first.stdout.startswith("http://127.0.0.1:8701/setup?token=")
    assert first.stdout != second.stdout
    assert (tmp_path / ".treaty" / "treaty.db").exists()


def test_several_processes_answer_as_one_and_end_together(tmp_path: Path) -> None:
    port = free_port()
    address = f"http://127.0.0.1:{port}/api/v1"
    (tmp_path / ".treaty").mkdir()
    with started("api", folder=tmp_path, api_port=port, api_processes=2, metrics_public=True) as command:
        awaited(lambda: answers(f"{address}/ready") or None)
        family = command.family()
        counted = awaited(lambda: two_counted(f"{address}/metrics"))
        assert len(counted) == 2
        assert command.ended(signal.SIGTERM)[0] == 0
        assert all_gone(family)


def answers(url: str) -> bool:
    """Whether there is an answer that is no error."""
    try:
        return httpx.get(url, trust_env=False).is_success
    except httpx.TransportError:
        return False


def two_counted(url: str) -> set[str] | None:
    """The processes that say what they counted, of twenty asked at once; None where one answered all of them."""
    with ThreadPoolExecutor(20) as threads:
        told = list(threads.map(lambda _: httpx.get(url, trust_env=False).text, range(20)))
    found = {each for text in told for each in re.findall(r'treaty_requests_total\{[^}]*process="(\d+)"', text)}
    return found if len(found) > 1 else None
