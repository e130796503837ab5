"""Processes that are killed while they publish what Spark has written and measured."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from multiprocessing.connection import Listener
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from support.folders import ROOT
from support.orders import check, contract

from treaty.engine.gate.gate import answer, gate, recover
from treaty.engine.gate.publication import intent_of, store_of
from treaty.engine.protocol.requests import MeasureRequest, TableSource
from treaty.engine.spark.handlers.gate_staging import stage
from treaty.engine.spark.handlers.measure import measure
from treaty.engine.states import bag as bags

KILLS = int(os.environ.get("GATE_KILLS_SPARK", "5"))
PROPERTIES = [
    {"name": "id", "logicalType": "integer"},
    {"name": "day", "logicalType": "string", "partitioned": True},
]
PROMISED = contract(
    check("sum", column="id", mustBeGreaterThan=0),
    check("size", "few", scope="dataset", mustBeLessThan=100),
    properties=PROPERTIES,
)
DDL = "id int, day string"


@pytest.fixture
def engine(spark: Any, tmp_path: Path) -> Iterator[str]:
    """The address of an engine that answers one process after another on this session."""
    listener = Listener(str(tmp_path / "engine"))
    Thread(target=serve, args=(listener, spark), daemon=True).start()
    yield str(tmp_path / "engine")
    listener.close()


def serve(listener: Listener, spark: Any) -> None:
    """Answers until the listener closes; a process that is killed just leaves."""
    verbs = {"measure": partial(measure, spark), "stage": partial(written, spark)}
    while True:
        try:
            with listener.accept() as process:
                while True:
                    verb, *asked = process.recv()
                    process.send(verbs[verb](*asked))
        except EOFError:
            continue
        except OSError:
            return


def written(spark: Any, ids: str, folder: str, partition: Any) -> None:
    """Stages ids: the first of the first day, and so on."""
    rows = [(int(each), f"{at}") for at, each in enumerate(ids.split(","))]
    stage(("day",), spark.createDataFrame(rows, DDL), folder, partition)


def publish(engine: str, table: str, step: int, ids: str) -> int:
    """How the process that publishes these ids ended."""
    (Path(table).parent / "orders.yaml").write_bytes(PROMISED.source)
    program = [sys.executable, str(ROOT / "tests" / "support" / "gate_spark_kill.py"), engine, table]
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    done = subprocess.run(
        [*program, str(Path(table).parent / "orders.yaml"), str(step), ids],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode


def ids(spark: Any, table: str) -> str:
    """What readers see, as it was written."""
    return ",".join(str(row["id"]) for row in spark.read.parquet(table).orderBy("day").collect())


def agree(spark: Any, table: str) -> bool:
    """Whether the states are those that Spark computes of the table now."""
    found = measure(
        spark, MeasureRequest(source=TableSource(table, "parquet", ("day",)), contract=PROMISED.source, object="orders")
    )
    current = store_of(table).current()
    kept = {name: bags.unpack(store_of(table).bag(each.bag)).values for name, each in current.entries.items()}
    anew = {name: bags.unpack(packed).values for name, packed in found.states.items()}
    return kept == anew and current.fingerprints == found.fingerprints


def test_a_kill_leaves_a_table_that_agrees_with_its_states_when_recovered(
    spark: Any, engine: str, tmp_path: Path
) -> None:
    table, rng, done = str(tmp_path / "orders"), random.Random(20261121), []
    with gate(spark, table, PROMISED) as candidate:
        candidate.write(spark.createDataFrame([(1, "0"), (2, "1"), (3, "2")], DDL))
    while len(done) < KILLS:
        before, candidate_ids = ids(spark, table), ",".join(str(rng.randint(10, 99)) for _ in range(3))
        ended = publish(engine, table, rng.randrange(30), candidate_ids)
        was_open = os.path.exists(intent_of(table))
        assert not was_open or answer(table, PROMISED) == "unknown"
        how = recover(table)
        assert (how == "forward") == was_open
        assert ids(spark, table) in (before, candidate_ids)
        assert answer(table, PROMISED) == "passed"
        assert agree(spark, table)
        done += [how] if ended < 0 else []
    assert "forward" in done
