"""Spark in a process of its own: warm, clean, quiet, and gone when it should be."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.orders import check, contract
from support.required import require
from support.signals import interruptible

from treaty.contracts.errors import ContractError
from treaty.engine.core.errors import EngineError, EngineKilled, UnreadableTable
from treaty.engine.protocol.requests import DraftRequest, MeasureRequest, TableSource
from treaty.engine.spark.process.child import ChildSettings, SparkChild

COLUMNS = [{"name": "id", "logicalType": "integer"}]
ENDLESS = 10**13
JAVA = "Java is that of the server, which others use too"
GENEROUS = {"limit_seconds": 300, "grace_seconds": 30, "limit_memory": None}
ROWS = contract(check("size", mustBe=2), properties=COLUMNS)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    (tmp_path / "t.csv").write_text("id\n1\n2\n")
    return tmp_path / "t.csv"


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("child") / "logs" / "spark.log"


@pytest.fixture(scope="module")
def child(log: Path, remote: str | None) -> Iterator[SparkChild]:
    import shutil

    require("java", available=shutil.which("java") is not None, reason="there is no Java")
    os.environ["TREATY_DATABASE_URL"] = "postgresql://u:secret@db/treaty"
    started = SparkChild(ChildSettings(memory="1g", remote=remote, log=str(log)))
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
    return MeasureRequest(source=TableSource(str(path)), contract=given.source, object="orders")


def test_requests_are_answered_by_one_warm_process_that_says_nothing_here(
    child: SparkChild, table: Path, log: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert child.schema(TableSource(str(table))).names == ("id",)
    first = pid(child)
    assert set(child.measure(asked(table)).states) == {""}
    heard: list[str] = []
    assert (
        child.draft(DraftRequest(source=TableSource(str(table)), contract_id="t", object="t"), heard.append).profile[
            "rows"
        ]
        == 2
    )
    assert (heard[0], heard[-1]) == ("first scan", "selecting suggestions")
    assert pid(child) == first
    assert first in group_of(first)
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == ("", "")
    assert log.stat().st_mode & 0o077 == 0


def test_errors_come_back_and_the_process_stays(child: SparkChild, table: Path) -> None:
    child.schema(TableSource(str(table)))
    first = pid(child)
    with pytest.raises(UnreadableTable, match="check the path"):
        child.measure(asked(table.with_name("gone")))
    faulty = contract(check("zzz", mustBe=1), properties=COLUMNS)
    with pytest.raises(ContractError, match="unknown analyzer 'zzz'") as caught:
        child.measure(asked(table, faulty))
    assert caught.value.faults[0].line is not None
    assert pid(child) == first


@pytest.mark.classic(JAVA)
def test_java_knows_nothing_of_the_registry_and_writes_to_the_log(child: SparkChild, table: Path, log: Path) -> None:
    child.schema(TableSource(str(table)))
    (java,) = _java(child)
    environment = Path(f"/proc/{java}/environ").read_bytes()
    assert b"PATH=" in environment
    assert b"TREATY" not in environment
    assert b"secret" not in environment
    assert log.stat().st_size > 0


@pytest.mark.classic(JAVA)
def test_a_second_validation_starts_no_java(child: SparkChild, table: Path) -> None:
    child.measure(asked(table))
    first = _java(child)
    child.measure(asked(table))
    assert len(first) == 1
    assert _java(child) == first


def _java(child: SparkChild) -> list[int]:
    return [each for each in group_of(pid(child)) if each != pid(child) and b"java" in _command(each)]


def _command(process: int) -> bytes:
    return Path(f"/proc/{process}/cmdline").read_bytes()


def test_a_killed_process_is_told_and_started_again(child: SparkChild, table: Path) -> None:
    first = _killed_at_work(child, table)
    assert eventually(lambda: not group_of(first))
    assert child.schema(TableSource(str(table))).names == ("id",)
    assert pid(child) != first


def _killed_at_work(child: SparkChild, table: Path) -> int:
    child.schema(TableSource(str(table)))
    first = pid(child)
    threading.Timer(0.05, os.kill, (first, signal.SIGKILL)).start()
    with pytest.raises(EngineKilled, match="engine killed: the Spark process ended"):
        child.draft(DraftRequest(source=TableSource(str(table)), contract_id="t", object="t"))
    return first


def within(child: SparkChild, **limits: Any) -> int:
    """The warm process, whose next request is held to the limits."""
    child.settings = replace(child.settings, **GENEROUS)
    assert child._call("support.verbs:job", 100) == 295
    child.settings = replace(child.settings, **limits)
    return pid(child)


def test_jobs_that_overrun_the_limit_are_cancelled_and_the_process_stays(child: SparkChild) -> None:
    first = within(child, limit_seconds=2)
    said = r"^engine killed: the request exceeded its limit of 2 s; its Spark jobs were cancelled$"
    with pytest.raises(EngineKilled, match=said):
        child._call("support.verbs:job", ENDLESS)
    assert within(child) == first


def test_what_is_told_to_stop_ends_with_all_the_jobs_that_would_have_followed(child: SparkChild) -> None:
    first = within(child)
    threading.Timer(1, child.cancel).start()
    said = r"^engine killed: the request was cancelled; its Spark jobs were cancelled$"
    with pytest.raises(EngineKilled, match=said):
        child._call("support.verbs:jobs", 3)
    assert within(child) == first


def test_being_told_to_stop_with_nothing_under_way_changes_nothing(child: SparkChild) -> None:
    first = within(child)
    child.cancel()
    assert within(child) == first


HOSTILE: dict[str, tuple[str, Any, dict[str, Any], str]] = {
    "work without jobs": (
        "spin",
        None,
        {"limit_seconds": 1, "grace_seconds": 1},
        "the request exceeded its limit of 1 s$",
    ),
    "memory piece by piece": (
        "hoard",
        100_000,
        {"limit_memory": "1500m"},
        "the Spark process exceeded its memory limit of 1.46 GiB$",
    ),
    "memory at once": ("claim", 5 * 1024**3, {}, "Python exceeded its memory limit of 4,096 MiB$"),
    "Java's memory": ("heap", 2_000_000_000, {}, "Java exceeded its memory limit of 1g$"),
    "an end from within": ("leave", 7, {}, "the Spark session ended$"),
}
OF_JAVA = ("Java's memory", "an end from within")


@pytest.mark.parametrize(
    "what", [pytest.param(each, marks=pytest.mark.classic(JAVA) if each in OF_JAVA else ()) for each in HOSTILE]
)
def test_what_does_not_obey_is_killed_and_the_limit_is_told(what: str, child: SparkChild) -> None:
    verb, request, limits, said = HOSTILE[what]
    first, folder = within(child, **limits), child._folder
    with pytest.raises(EngineKilled, match=rf"^engine killed: {said}"):
        child._call(f"support.verbs:{verb}", request)
    assert group_of(first) == set()
    assert folder
    assert not Path(folder).exists()


def test_a_size_that_is_none_is_told_before_anything_is_started() -> None:
    said = "'8 gigs' is not a memory size: use a whole number with k, m, g or t, for example 8g"
    with pytest.raises(EngineError, match=said):
        ChildSettings(limit_memory="8 gigs")


def test_a_closed_child_leaves_no_process(table: Path, remote: str | None) -> None:
    started = SparkChild(ChildSettings(memory="1g", remote=remote))
    started.schema(TableSource(str(table)))
    leader = pid(started)
    assert group_of(leader)
    started.close()
    started.close()
    assert eventually(lambda: not group_of(leader))


def test_an_interrupt_while_the_child_starts_comes_when_it_can_be_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, start = [], subprocess.Popen

    def interrupted(*arguments: Any, **options: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        begun.append(start(*arguments, **options))
        return begun[-1]

    monkeypatch.setattr(subprocess, "Popen", interrupted)
    starting = SparkChild()
    with interruptible(), pytest.raises(KeyboardInterrupt):
        starting.schema(TableSource("never asked for"))
    starting.close()
    (process,) = begun
    assert process.returncode == -signal.SIGKILL
