"""What processes use, as /proc tells; how large a size of memory is."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.required import require

from treaty.engine.core.errors import EngineError
from treaty.engine.spark.process import process_memory

SIZES = {"1b": 1, "2k": 2048, "512m": 512 * 1024**2, "512MB": 512 * 1024**2, "2g": 2 * 1024**3, "64": 64 * 1024**2}
HOARD = "kept = b'x' * (200 * 1024 * 1024)"
SLEEP, SPIN = "import time; time.sleep(60)", "while True: pass"


@contextmanager
def running(program: str) -> Iterator[int]:
    """The group of a process that runs the program, once that has begun."""
    require("proc", available=Path("/proc/self/stat").exists(), reason="this system has no /proc")
    command = [sys.executable, "-c", f"{program.partition(';')[0]}; print('begun', flush=True); {SLEEP}"]
    if program == SPIN:
        command = [sys.executable, "-c", f"print('begun', flush=True)\n{SPIN}"]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    assert started.stdout is not None
    try:
        assert started.stdout.readline() == b"begun\n"
        yield started.pid
    finally:
        started.kill()
        started.wait()
        started.stdout.close()


@pytest.mark.parametrize("text", SIZES)
def test_a_size_is_read_as_spark_reads_it(text: str) -> None:
    assert process_memory.size(text) == SIZES[text]


@pytest.mark.parametrize("text", ["", "g", "-1g", "1.5g", "8 gigs", "1x", "1 g"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(EngineError, match="is not a memory size: use a whole number"):
        process_memory.size(text)


def test_memory_is_that_of_the_whole_group_and_of_no_other() -> None:
    with running(HOARD) as large, running(SLEEP) as small:
        assert process_memory.memory(large) > 200 * 1024**2
        assert 0 < process_memory.memory(small) < 100 * 1024**2


def test_what_computes_is_not_at_rest_and_what_sleeps_is() -> None:
    with running(SLEEP) as asleep:
        assert process_memory.comes_to_rest(asleep, within=0)
    with running(SPIN) as busy:
        assert not process_memory.comes_to_rest(busy, within=1)


def test_a_group_ends_with_its_last_process() -> None:
    with running(SLEEP) as group:
        assert not process_memory.ends(group, within=0)
    assert process_memory.ends(group, within=0)


def test_nothing_is_known_of_a_group_that_is_not_there() -> None:
    with running(SLEEP) as gone:
        os.kill(gone, 0)
    assert (process_memory.memory(gone), process_memory.computes(gone)) == (0, False)
