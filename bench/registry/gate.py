"""Measure gate requests for random datasets and partitions on a database of many runs.

    python -m bench.registry.gate [--datasets 1000] [--runs 200] [--database postgresql://...]

Without a database, one of SQLite is created and filled. Each request uses its own session, as in the service. Half of
them are about a partition, which was usually validated long ago."""

import argparse
import json
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from sqlalchemy import Engine, insert
from sqlmodel import SQLModel

from bench.core.clock import cpu_seconds
from bench.core.figures import Line
from treaty.contracts.document import writer
from treaty.contracts.document.reader import read
from treaty.contracts.fingerprint import fingerprint
from treaty.engine.core.results import Outcome, Verdict
from treaty.registry.core import ids
from treaty.registry.core.database import connect, migrate, read_session, transaction
from treaty.registry.core.enums import VersionState
from treaty.registry.datasets import related_datasets
from treaty.registry.tables import (
    CheckResultRow,
    ContractRow,
    ContractVersionRow,
    DatasetContractRow,
    DatasetRow,
    PartitionStateRow,
    RunRow,
    UserRow,
)
from treaty.registry.validation.gate import gate_answer
from treaty.registry.validation.gate.staleness import ReadinessQuery

GOAL_MS, QUESTIONS, CHECKS, CHUNK = 20.0, 2000, 10, 5000
NOW = datetime(2026, 11, 21, tzinfo=UTC)
FIRST = date(2026, 1, 1)
OBJECT = "orders"

SOME = UUID(int=0)
# Values common to all rows of a table.
STATE = PartitionStateRow(
    id=SOME, dataset_id=SOME, partition="", fingerprint="", states=b"", columns=[], created_at=NOW
).model_dump()
RUN = RunRow(
    id=SOME, contract_id="", version="1.0.0", fingerprint="", object=OBJECT, partitions=[], verdict=Verdict.PASSED,
    outcome_counts={}, rows=1, started_at=NOW, finished_at=NOW,
).model_dump()  # fmt: skip
RESULT = CheckResultRow(
    run_id=SOME, position=0, check_id="", name="check", outcome=Outcome.PASSED, severity="error", scope="delta",
    sentence="it must be so",
).model_dump()  # fmt: skip


def day(at: int) -> str:
    """Return the name of a partition."""
    return f"day={FIRST + timedelta(days=at)}"


def filled(engine: Engine, datasets: int, runs: int) -> None:
    """Fill datasets with a contract each, with one more validated partition in every run."""
    migrate(engine)
    owner = UserRow(id=ids.new(), name="bench", roles=["owner"], created_at=NOW)
    with transaction(engine) as tx:
        tx.add(owner)
        tx.commit()
    for at in range(datasets):
        rows = dict(_of_dataset(f"bench-{at}", owner.id, runs))
        with engine.begin() as connection:
            for kind, values in rows.items():
                for start in range(0, len(values), CHUNK):
                    connection.execute(insert(kind), values[start : start + CHUNK])


def _of_dataset(name: str, owner: UUID, runs: int) -> Iterator[tuple[type[SQLModel], list[dict[str, Any]]]]:
    body = _document(name)
    mark, dataset = read(body).fingerprint, ids.new()
    yield (
        ContractRow,
        [ContractRow(id=name, name=name, owner_id=owner, active_version="1.0.0", created_at=NOW).model_dump()],
    )
    version = ContractVersionRow(
        id=ids.new(), contract_id=name, version="1.0.0", body=body, fingerprint=mark, state=VersionState.ACTIVE,
        approved_by_id=owner, approved_at=NOW,
    )  # fmt: skip
    yield ContractVersionRow, [version.model_dump()]
    row = DatasetRow(id=dataset, namespace="file", name=f"/lake/{name}", states_version=runs, last_scanned_at=NOW)
    yield DatasetRow, [row.model_dump()]
    yield DatasetContractRow, [{"dataset_id": dataset, "contract_id": name, "object": OBJECT}]
    fingerprints = {day(at): str(at) for at in range(runs)}
    yield PartitionStateRow, [_state(dataset, at) for at in range(runs)]
    run_rows = [
        _run(name, mark, dataset, at, fingerprint(dict(list(fingerprints.items())[: at + 1]))) for at in range(runs)
    ]
    yield RunRow, run_rows
    yield (
        CheckResultRow,
        [_result(each["id"], at, check) for at, each in enumerate(run_rows) for check in range(CHECKS)],
    )


def _document(name: str) -> bytes:
    head = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": name, "name": name, "version": "1.0.0"}
    return writer.write({**head, "status": "active", "schema": [{"name": OBJECT, "physicalName": f"/lake/{name}"}]})


def _state(dataset: UUID, at: int) -> dict[str, Any]:
    return {
        **STATE, "id": ids.new(), "dataset_id": dataset, "partition": day(at), "from_version": at + 1,
        "fingerprint": str(at),
    }  # fmt: skip


def _run(name: str, mark: str, dataset: UUID, at: int, marker: str) -> dict[str, Any]:
    moment = NOW - timedelta(days=365 - at)
    return {
        **RUN, "id": ids.new(), "contract_id": name, "fingerprint": mark, "dataset_id": dataset,
        "partitions": [day(at)], "started_at": moment, "finished_at": moment, "dataset_fingerprint": marker,
        "states_version": at + 1,
    }  # fmt: skip


def _result(run_id: UUID, at: int, check: int) -> dict[str, Any]:
    outcome = Outcome.FAILED if at % 50 == 49 and check == 0 else Outcome.PASSED
    return {
        **RESULT, "run_id": run_id, "position": check, "check_id": f"c{check}", "outcome": outcome,
        "partition": day(at),
    }  # fmt: skip


def time_questions(engine: Engine, datasets: int, runs: int, dice: random.Random) -> tuple[list[float], dict[str, int]]:
    """Return the milliseconds of each request, and the number of each answer."""
    took, answers = [], dict[str, int]()
    for at in range(QUESTIONS):
        partition = day(dice.randrange(runs)) if at % 2 else None
        began = time.perf_counter()
        with read_session(engine) as tx:
            dataset = related_datasets.resolve_dataset(tx, f"bench-{dice.randrange(datasets)}")
            assert dataset is not None
            (status,) = gate_answer.contract_statuses(tx, dataset, ReadinessQuery(partition))
        took.append((time.perf_counter() - began) * 1000)
        answers[status.answer.value] = answers.get(status.answer.value, 0) + 1
    return sorted(took), answers


def lines(took: Sequence[float], cpu: float) -> Iterator[Line]:
    """Yield the figures."""
    for name, share in (("p50", 0.5), ("p95", 0.95)):
        yield Line(f"gate request, {name}", took[int(len(took) * share)], None, "ms")
    yield Line("gate request, p99", took[int(len(took) * 0.99)], GOAL_MS, "ms")
    yield Line("gate request, CPU each", cpu * 1000 / len(took), None, "ms")


def main() -> None:
    """Fill a database and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--database")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="treaty-bench-") as folder:
        engine = connect(options.database or f"sqlite:///{Path(folder) / 'treaty.db'}")
        filled(engine, options.datasets, options.runs)
        dice = random.Random(1)
        time_questions(engine, options.datasets, options.runs, dice)
        before = cpu_seconds()
        took, answers = time_questions(engine, options.datasets, options.runs, dice)
        for line in lines(took, cpu_seconds() - before):
            print(line.text)
        print(json.dumps(answers))
        engine.dispose()


if __name__ == "__main__":
    main()
