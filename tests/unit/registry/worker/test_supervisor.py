"""The supervisor of a worker: when another process follows, and what it costs."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.folders import ROOT

PROGRAM = """
import sys
from treaty.registry.worker import supervisor
supervisor.TICK, supervisor.PAUSES = 0.1, (0.0,)
sys.exit(supervisor.Supervisor((sys.executable, "-ISc", sys.argv[1])).run())
"""
# The beginning of each process: it notes how the one before it ended, and how many there were.
PROCESS = """
import os, signal, sys, time
options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
channel = int(options["--channel"])
with open({log!r}, "a+") as log:
    print(options["--ending"] or "first", file=log, flush=True)
    log.seek(0)
    number = len(log.readlines())
def beat(silence=60):
    os.write(channel, f"beat {{silence}}\\n".encode())
"""


def supervised(tmp_path: Path, process: str) -> tuple[int, list[str]]:
    """The exit code of a supervisor of such processes, and what each of them was told of the one before it."""
    log = tmp_path / "log"
    program = PROCESS.format(log=str(log)) + process
    done = subprocess.run([sys.executable, "-c", PROGRAM, program], cwd=ROOT, timeout=60, check=False)
    return done.returncode, log.read_text().splitlines()


@pytest.mark.parametrize(
    ("process", "code", "endings"),
    [
        pytest.param("beat()", 0, ["first"], id="stopped"),
        pytest.param("sys.exit(3)", 3, ["first"], id="cannot start"),
        pytest.param(
            "beat()\nif number < 3: os.kill(os.getpid(), 9)", 0, ["first", "signal 9", "signal 9"], id="killed"
        ),
        pytest.param("if number < 2: os.kill(os.getpid(), 9)", 0, ["first", "signal 9"], id="killed at its start"),
        pytest.param("beat()\nif number < 2: sys.exit(1)", 0, ["first", "code 1"], id="failed"),
        pytest.param(
            "if number == 1: beat(); os.kill(os.getpid(), 9)\nif number == 2: sys.exit(3)",
            0,
            ["first", "signal 9", "signal 9"],
            id="cannot start again for a while",
        ),
        pytest.param(
            "beat()\nif number < 2: os.write(channel, b'overdue event 7 60\\n'); os._exit(75)",
            0,
            ["first", "overdue event 7 60"],
            id="overdue",
        ),
        pytest.param("beat(0.3)\nif number < 2: time.sleep(60)", 0, ["first", "silent 0.3"], id="silent"),
    ],
)
def test_another_process_follows_one_that_died(tmp_path: Path, process: str, code: int, endings: list[str]) -> None:
    assert supervised(tmp_path, process) == (code, endings)


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_is_passed_on_and_no_process_follows(tmp_path: Path, told: signal.Signals) -> None:
    log = tmp_path / "log"
    process = PROCESS.format(log=str(log)) + "beat()\nprint('up', flush=True)\ntime.sleep(60)"
    started = subprocess.Popen([sys.executable, "-c", PROGRAM, process], cwd=ROOT, stdout=subprocess.PIPE)
    with started:
        assert started.stdout is not None
        assert started.stdout.readline() == b"up\n"
        started.send_signal(told)
        assert started.wait(20) in {0, 1}
    assert log.read_text().splitlines() == ["first"]


def test_a_supervisor_loads_the_standard_library_alone() -> None:
    program = (
        "import sys; sys.argv[1:] = ['worker']; import treaty.__main__; import treaty.registry.worker.__main__;"
        "print(*[each for each in sys.modules if each.split('.')[0] not in {'treaty', *sys.stdlib_module_names}],"
        " *[each for each in sys.modules if each.startswith('treaty.')])"
    )
    done = subprocess.run([sys.executable, "-Ic", program], cwd=ROOT, capture_output=True, text=True, check=True)
    known = {"treaty.__main__", "treaty.registry", "treaty.registry.worker", "treaty.registry.worker.__main__"}
    assert set(done.stdout.split()) - {"__main__", "_distutils_hack"} == known | {"treaty.registry.worker.supervisor"}
