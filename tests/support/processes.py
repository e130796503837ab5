"""Processes for journeys: `treaty` as people run it, everything that it started, and whether all of that is gone."""

import os
import subprocess
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

TREATY = (sys.executable, "-m", "registry.cli")
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


@contextmanager
def started(*arguments: str, folder: Path, **settings: object) -> Iterator["subprocess.Popen[str]"]:
    """A `treaty` command that runs on; whatever is left of it and of what it started is killed at the end."""
    process = subprocess.Popen(
        [*TREATY, *arguments],
        cwd=folder,
        env=environ(**settings),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        family = descendants(process.pid)
        process.kill()
        process.communicate()
        for each in running(family):
            with suppress(ProcessLookupError):
                os.kill(each.pid, 9)


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
