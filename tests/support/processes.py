"""Processes for journeys: `treaty` as people run it, everything that it started, and whether all of that is gone."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

TREATY = (sys.executable, "-m", "treaty")
ZOMBIE = "Z"


class Process(NamedTuple):
    """A process of this machine; `begun` tells it from a later one that was given the same id."""

    pid: int
    begun: int


class Entry(NamedTuple):
    """What the kernel says of a process."""

    state: str
    parent: int
    begun: int


def environ(**settings: object) -> dict[str, str]:
    """This process's environment with no other settings than those given: home="x" is TREATY_HOME."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TREATY_")}
    return {**clean, **{f"TREATY_{name.upper()}": str(value) for name, value in settings.items()}}


def treaty(*arguments: str, folder: Path, **settings: object) -> "subprocess.CompletedProcess[str]":
    """A `treaty` command, run to its end in that folder; no exit code is an error here."""
    return subprocess.run(
        [*TREATY, *arguments],
        cwd=folder,
        env=environ(**settings),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@dataclass(frozen=True)
class Command:
    """A `treaty` command that runs on, and where what it prints is kept."""

    process: "subprocess.Popen[bytes]"
    out: Path
    errors: Path

    @property
    def lines(self) -> list[str]:
        """The whole lines that it printed so far."""
        return self.out.read_text().rpartition("\n")[0].splitlines()

    def family(self) -> set[Process]:
        """What it started that runs now."""
        return descendants(self.process.pid)

    def ended(self, told: signal.Signals | None = None, *, within: float = 30) -> tuple[int, str, str]:
        """Its exit code, its last line and its errors, once it ended; `told` is what it is sent first."""
        if told is not None:
            self.process.send_signal(told)
        code = self.process.wait(within)
        return code, next(iter(self.lines[-1:]), ""), self.errors.read_text().strip()


@contextmanager
def started(*arguments: str, folder: Path, **settings: object) -> Iterator[Command]:
    """A `treaty` command that runs on; whatever is left of it and of what it started is killed at the end."""
    with TemporaryDirectory(prefix="treaty-printed-") as place:
        out, errors = Path(place, "out"), Path(place, "errors")
        with out.open("wb") as printed, errors.open("wb") as complained:
            process = subprocess.Popen(
                [*TREATY, *arguments],
                cwd=folder,
                env=environ(**settings),
                stdout=printed,
                stderr=complained,
                start_new_session=True,
            )
        try:
            yield Command(process, out, errors)
        finally:
            _kill(process)


def _kill(process: "subprocess.Popen[bytes]") -> None:
    family = descendants(process.pid)
    process.kill()
    process.wait()
    for each in running(family):
        with suppress(ProcessLookupError):
            os.kill(each.pid, signal.SIGKILL)


def descendants(pid: int) -> set[Process]:
    """The processes that this one started, and those that they started in turn."""
    entries = _entries()
    found, last = set[int](), {pid}
    while last:
        last = {each for each, entry in entries.items() if entry.parent in last} - found
        found |= last
    return {Process(each, entries[each].begun) for each in found}


def named(family: Collection[Process], word: str) -> list[int]:
    """The ids of those processes that have the word in their command line, oldest first."""
    return [each.pid for each in sorted(family, key=lambda each: each.begun) if word in _command(each.pid)]


def running(family: Collection[Process]) -> set[Process]:
    """Those of them that still run."""
    entries = _entries()
    kept = {each for each in family if each.pid in entries and entries[each.pid].state != ZOMBIE}
    return {each for each in kept if entries[each.pid].begun == each.begun}


def all_gone(family: Collection[Process], *, within: float = 20) -> bool:
    """Whether none of them runs any more, now or within that many seconds."""
    deadline = time.monotonic() + within
    while left := running(family):
        if time.monotonic() > deadline:
            print({each.pid: _command(each.pid) for each in left})
            return False
        time.sleep(0.1)
    return True


def _entries() -> dict[int, Entry]:
    found = {int(each.name): _entry(each) for each in Path("/proc").iterdir() if each.name.isdigit()}
    return {pid: entry for pid, entry in found.items() if entry}


def _entry(folder: Path) -> Entry | None:
    with suppress(FileNotFoundError, ProcessLookupError):
        # The name in brackets may hold blanks: what is counted begins behind it.
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
        return Entry(fields[0], int(fields[1]), int(fields[19]))
    return None


def _command(pid: int) -> str:
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return ""
