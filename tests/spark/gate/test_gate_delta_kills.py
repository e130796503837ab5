"""Processes that are killed while Delta commits for them."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing.connection import Client, Listener
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from support.agents import require_delta
from support.folders import ROOT
from support.orders import check, contract

from treaty.engine.gate.gate import answer, gate, recover
from treaty.engine.gate.publication import intent_of, store_of
from treaty.engine.protocol.requests import MeasureRequest, TableSource
from treaty.engine.spark.handlers.gate_staging import stage
from treaty.engine.spark.handlers.gate_tables import look
from treaty.engine.spark.handlers.measure import measure
from treaty.engine.spark.sources import delta
from treaty.engine.states import bag as bags

PROPERTIES = [
    {"name": "id", "logicalType": "integer"},
    {"name": "day", "logicalType": "string", "partitioned": True},
]
PROMISED = contract(check("sum", column="id", mustBeGreaterThan=0), properties=PROPERTIES)
DDL = "id int, day string"


@pytest.fixture
def engine(spark: Any, tmp_path: Path) -> Iterator[str]:
    """The address of an engine that answers one process after another on this session."""
    require_delta()
    verbs: dict[str, Callable[..., Any]] = {
        "measure": partial(measure, spark), "stage": partial(staged, spark), "look": partial(look, spark),
        "commit": partial(delta.commit, spark), "ping": lambda: "pong",
    }  # fmt: skip
    listener = Listener(str(tmp_path / "engine"))
    Thread(target=serve, args=(listener, verbs), daemon=True).start()
    yield str(tmp_path / "engine")
    listener.close()


def serve(listener: Listener, verbs: dict[str, Callable[..., Any]]) -> None:
    """Answers until the listener closes; what a process has asked for is done though it was killed."""
    while True:
        try:
            with listener.accept() as process:
                while True:
                    verb, *asked = process.recv()
                    process.send(answered(verbs[verb], asked))
        except (EOFError, ConnectionError):
            continue
        except OSError:
            return


def answered(verb: Callable[..., Any], asked: list[Any]) -> Any:
    try:
        return verb(*asked)
    except Exception as error:
        return error


def staged(spark: Any, number: int, folder: str, partition: Any) -> None:
    stage(("day",), spark.createDataFrame([(number, "1")], DDL), folder, partition)


def killed(engine: str, table: str, when: str, number: int) -> None:
    """Publishes that number in a process that does not live to see it."""
    place = Path(table).parent / "orders.yaml"
    place.write_bytes(PROMISED.source)
    program = [sys.executable, str(ROOT / "tests" / "support" / "gate_table_kill.py"), engine, table, str(place)]
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    done = subprocess.run(
        [*program, when, str(number)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr


def rows(spark: Any, table: str) -> list[tuple[int, str]]:
    return sorted((row["id"], row["day"]) for row in spark.read.format("delta").load(table).collect())


def agree(spark: Any, table: str) -> bool:
    """Whether the states are those that Spark computes of the table now."""
    found = measure(
        spark, MeasureRequest(source=TableSource(table, "delta", ("day",)), contract=PROMISED.source, object="orders")
    )
    current = store_of(table).current()
    kept = {name: bags.unpack(store_of(table).bag(each.bag)).values for name, each in current.entries.items()}
    anew = {name: bags.unpack(packed).values for name, packed in found.states.items()}
    return kept == anew and current.fingerprints == found.fingerprints


def test_a_kill_beside_a_commit_leaves_a_table_that_agrees_with_its_states_when_recovered(
    spark: Any, engine: str, tmp_path: Path
) -> None:
    table = str(tmp_path / "orders")
    with gate(spark, table, PROMISED, format="delta") as first:
        first.write(spark.createDataFrame([(1, "0"), (2, "1")], DDL))
    before = rows(spark, table)
    for number, when in ((3, "asked"), (4, "made")):
        killed(engine, table, when, number)
        assert (os.path.exists(intent_of(table)), answer(table, PROMISED, spark=spark)) == (True, "unknown")
        # Of the one that was only asked for, the commit is under way, and one of the two comes first.
        done = recover(table, spark=spark)
        with Client(engine) as process:
            process.send(("ping",))
            assert process.recv() == "pong"
        before = [(1, "0"), (number, "1")] if done == "forward" else before
        assert (rows(spark, table), agree(spark, table)) == (before, True), when
        assert answer(table, PROMISED, spark=spark) == "passed"
    assert done == "forward"
