"""Measure a replay: 200 checks of two versions over 365 stored partitions, in this process and from a database.

    python -m bench.registry.replay [--partitions 365] [--rounds 3]

Half of the thresholds differ between the versions, so half of the checks are evaluated twice."""

import argparse
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from bench.core.clock import Cost, cost, median
from treaty.contracts.document import writer
from treaty.contracts.document.model import Contract
from treaty.contracts.document.reader import read
from treaty.contracts.schema import Column, Schema
from treaty.engine.checks.binding import bind
from treaty.engine.evaluation.replay.runner import ReplayRunner, ReplayStep
from treaty.engine.protocol.requests import MeasureResult
from treaty.engine.states import bag as bags
from treaty.engine.states.planning.scan_plan import Plan
from treaty.engine.states.state_files import StateFiles
from treaty.registry.core import ids
from treaty.registry.core.database import connect, migrate, read_session, transaction
from treaty.registry.measurements.states import state_store
from treaty.registry.review.replays import replay
from treaty.registry.review.replays.replay import ReplayOptions
from treaty.registry.review.replays.replay_versions import ReplayVersions
from treaty.registry.tables import ContractRow, DatasetContractRow, DatasetRow, UserRow

COLUMNS = 40
KINDS = ("completeness", "mean", "minimum", "maximum", "standard_deviation")
SCHEMA = Schema(tuple(Column(f"c{at}", "bigint") for at in range(COLUMNS)))
NOW = datetime(2026, 11, 21, tzinfo=UTC)
GOAL = 2.0
OBJECT = "orders"


def contract(version: str, *, scope: str, looser: int) -> Contract:
    """Return a contract with five checks of each of forty columns; `looser` changes every second threshold."""
    checks = [
        {
            "id": f"{kind}-{column.name}",
            "type": "custom",
            "engine": "treaty",
            "implementation": {
                "analyzer": kind, "column": column.name, "scope": scope,
                "mustBeGreaterThan": -250 + (looser if at % 2 else 0),
            },
        }
        for column in SCHEMA
        for at, kind in enumerate(KINDS)
    ]  # fmt: skip
    head = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": "bench", "name": "bench", "version": version}
    table = {"name": OBJECT, "quality": checks}
    return read(writer.write({**head, "status": "active", "schema": [table]}))


def packed(of: Contract, partitions: int) -> dict[str, bytes]:
    """Return states of `partitions` days with different values."""
    plan = bind(of.object(OBJECT), SCHEMA).plan
    days = [date(2025, 1, 1) + timedelta(days=at) for at in range(partitions)]
    return {f"day={day}": bags.bag_of_plan(plan, _values(plan, at), SCHEMA).pack() for at, day in enumerate(days)}


def _values(plan: Plan, at: int) -> dict[str, Any]:
    values = {"count": 1000 + at, "sum": 10_000 * at, "min": -at, "max": at, "moments": (1000, 5.0 + at, 17.0)}
    return {part.key: values[part.component.kind] for part in plan.scan}


def here(old: Contract, new: Contract, stored: Mapping[str, bytes]) -> int:
    """Replay in this process and return the number of alerts of the new version."""
    replaying = ReplayRunner(old=old, new=new, object_name=OBJECT)
    for name, states_of in stored.items():
        replaying.take(ReplayStep(added={name: states_of}, time=NOW))
    result = replaying.report(len(stored))
    assert len(result.lines) == len(KINDS) * COLUMNS
    assert all(line.new and line.new.evaluated == len(stored) for line in result.lines)
    return sum(len(line.new.alerts) for line in result.lines if line.new)


def fill_database(folder: Path, stored: Mapping[str, bytes]) -> Any:
    """Return a database with these states."""
    engine = connect(f"sqlite:///{folder / 'treaty.db'}")
    migrate(engine)
    owner, dataset = ids.new(), ids.new()
    with transaction(engine) as tx:
        tx.add(UserRow(id=owner, name="owner", roles=["owner"], created_at=NOW))
        tx.flush()
        tx.add(ContractRow(id="bench", name="bench", owner_id=owner, created_at=NOW))
        tx.flush()
        tx.add(DatasetRow(id=dataset, namespace="file", name="/bench"))
        tx.flush()
        tx.add(DatasetContractRow(dataset_id=dataset, contract_id="bench", object=OBJECT))
        measured = MeasureResult(schema=SCHEMA, fingerprints={name: name for name in stored}, states=dict(stored))
        state_store.save(tx, dataset, measured, now=NOW, ids=ids.new)
        tx.commit()
    return engine


def from_database(engine: Any, versions: ReplayVersions, partitions: int) -> None:
    """Replay from the database, as the API does."""
    with read_session(engine) as tx:
        [result] = replay.replayed(tx, versions, StateFiles("/nowhere"), ReplayOptions(), lambda *_: True)
    assert result.partitions == partitions


def figures(partitions: int, rounds: int) -> Iterator[tuple[str, Cost, float | None]]:
    """Yield the cost of each way, and its goal."""
    for scope, goal in (("delta", GOAL), ("dataset", None)):
        old, new = contract("1.0.0", scope=scope, looser=0), contract("1.1.0", scope=scope, looser=100)
        stored = packed(old, partitions)

        yield f"{scope} scope, in this process", _median(partial(here, old, new, stored), rounds), goal
        with tempfile.TemporaryDirectory() as folder:
            engine, versions = (
                fill_database(Path(folder), stored),
                ReplayVersions(contract_id="bench", old=old, new=new),
            )
            run = partial(from_database, engine, versions, partitions)
            yield f"{scope} scope, from SQLite", _median(run, rounds), goal
            engine.dispose()


def _median(run: Callable[[], Any], rounds: int) -> Cost:
    run()
    return median([cost(run) for _ in range(rounds)])


def main(argv: Sequence[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--partitions", type=int, default=365)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(argv)
    checks = len(KINDS) * COLUMNS
    print(f"replay of {checks} checks of two versions over {options.partitions} partitions")
    for name, spent, goal in figures(options.partitions, options.rounds):
        goal_text = "" if goal is None else f"; goal <= {goal:g} s: {'met' if spent.wall <= goal else 'MISSED'}"
        each = 1000 * spent.cpu / options.partitions
        print(
            f"{name:32} {spent.wall:7.3f} s wall, {spent.cpu:7.3f} s CPU, {each:6.2f} ms per partition{goal_text}",
            flush=True,
        )


if __name__ == "__main__":
    main()
