"""Spark in a process of its own: warm, clean, quiet, and gone when it should be."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.orders import check, contract
from support.required import require

from contracts.errors import ContractError
from engine.requests import DraftRequest, EngineKilled, MeasureRequest, Source, Unreadable
from engine.spark.child import ChildSettings, SparkChild, clean_environment

COLUMNS = [{"name": "id", "logicalType": "integer"}]
ROWS = contract(check("size", mustBe=2), properties=COLUMNS)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    (tmp_path / "t.csv").write_text("id\n1\n2\n")
    return tmp_path / "t.csv"


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("child") / "logs" / "spark.log"


@pytest.fixture(scope="module")
def child(log: Path) -> Iterator[SparkChild]:
    import shutil

    require("java", available=shutil.which("java") is not None, reason="there is no Java")
    os.environ["TREATY_DATABASE_URL"] = "postgresql://u:secret@db/treaty"
    started = SparkChild(ChildSettings(memory="1g", log=str(log)))
    yield started
    started.close()
    del os.environ["TREATY_DATABASE_URL"]


def pid(child: SparkChild) -> int:
    return int(child._process.pid)


def group_of(leader: int) -> set[int]:
    """The living processes of a process group."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, group = stat.read_text().rpartition(")")[2].split()[:3]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(group) == leader and state != "Z":
            found.add(int(stat.parent.name))
    return found


def eventually(holds: Callable[[], bool], seconds: float = 10) -> bool:
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.1)
    return holds()


def asked(path: Path, given: Any = ROWS) -> MeasureRequest:
    return MeasureRequest(Source(str(path)), given.source, "orders")


def test_requests_are_answered_by_one_warm_process_that_says_nothing_here(
    child: SparkChild, table: Path, log: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert child.schema(Source(str(table))).names == ("id",)
    first = pid(child)
    assert set(child.measure(asked(table)).states) == {""}
    assert child.draft(DraftRequest(Source(str(table)), "t", "t")).profile["rows"] == 2
    assert pid(child) == first
    assert len(group_of(first)) >= 2
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == ("", "")
    assert log.stat().st_size > 0
    assert log.stat().st_mode & 0o077 == 0


def test_errors_come_back_and_the_process_stays(child: SparkChild, table: Path) -> None:
    child.schema(Source(str(table)))
    first = pid(child)
    with pytest.raises(Unreadable, match="check the path"):
        child.measure(asked(table.with_name("gone")))
    faulty = contract(check("zzz", mustBe=1), properties=COLUMNS)
    with pytest.raises(ContractError, match="no analyzer is named 'zzz'") as caught:
        child.measure(asked(table, faulty))
    assert caught.value.faults[0].line is not None
    assert pid(child) == first


def test_java_knows_nothing_of_the_registry(child: SparkChild, table: Path) -> None:
    child.schema(Source(str(table)))
    (java,) = [each for each in group_of(pid(child)) if each != pid(child) and b"java" in _command(each)]
    environment = Path(f"/proc/{java}/environ").read_bytes()
    assert b"PATH=" in environment
    assert b"TREATY" not in environment
    assert b"secret" not in environment


def _command(process: int) -> bytes:
    return Path(f"/proc/{process}/cmdline").read_bytes()


def test_a_killed_process_is_told_and_started_again(child: SparkChild, table: Path) -> None:
    first = _killed_at_work(child, table)
    assert eventually(lambda: not group_of(first))
    assert child.schema(Source(str(table))).names == ("id",)
    assert pid(child) != first


def _killed_at_work(child: SparkChild, table: Path) -> int:
    child.schema(Source(str(table)))
    first = pid(child)
    threading.Timer(0.05, os.kill, (first, signal.SIGKILL)).start()
    with pytest.raises(EngineKilled, match="engine killed: its process ended"):
        child.draft(DraftRequest(Source(str(table)), "t", "t"))
    return first


def test_a_request_that_overruns_its_limit_ends_the_process_and_its_java(child: SparkChild, table: Path) -> None:
    child.schema(Source(str(table)))
    first, child.settings = pid(child), ChildSettings(limit_seconds=0.001, memory="1g")
    with pytest.raises(EngineKilled, match=r"it overran its limit of 0\.001 s"):
        child.measure(asked(table))
    assert eventually(lambda: not group_of(first))


def test_a_closed_child_leaves_no_process(table: Path) -> None:
    started = SparkChild(ChildSettings(memory="1g"))
    started.schema(Source(str(table)))
    leader = pid(started)
    assert group_of(leader)
    started.close()
    started.close()
    assert eventually(lambda: not group_of(leader))


def test_the_environment_keeps_where_programs_lie_and_drops_the_rest() -> None:
    given = {"PATH": "/bin", "HOME": "/root", "SPARK_HOME": "/s", "AWS_REGION": "x", "LC_CTYPE": "C", "LANG": "C"}
    secrets = {"TREATY_SECRET": "s", "DATABASE_URL": "d", "SSH_AUTH_SOCK": "x", "PYTHONPATH": "p", "SPARKLE": "no"}
    assert clean_environment({**given, **secrets}) == given
