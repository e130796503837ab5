"""A table that grows by files, on real Spark: only what is new is read, and all arrivals together are the table."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.orders import NOW, check, contract

from treaty.engine.core.results import RunResult
from treaty.engine.evaluation.evaluator import evaluate, missing_states
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.protocol.requests import UNREAD, MeasureRequest, MeasureResult, TableSource
from treaty.engine.protocol.row_requests import SampleRequest
from treaty.engine.spark.handlers.measure import measure
from treaty.engine.spark.handlers.violating_rows import sample
from treaty.engine.spark.scan import scanner
from treaty.engine.states import bag as bags
from treaty.engine.states.bag import ALL

GIVEN = contract(
    check("size", "some", mustBeGreaterThan=1),
    check("completeness", "paid", column="amount", where="id > 0", mustBe=1),
    check("uniqueness", "ids", column="id", mustBe=1),
    check("mean", "mean", scope="dataset", column="amount", mustBeGreaterThan=0),
    check("minimum", "least", scope="dataset", column="amount", mustBeGreaterThan=0),
)
FIRST, SECOND, THIRD = (f"arrival=00000{at}" for at in (1, 2, 3))


def append(spark: Any, table: Path, *rows: tuple[int, float | None], mode: str = "append") -> None:
    """Writes the rows as one more file."""
    frame = spark.createDataFrame(rows, "id bigint, amount double")
    frame.coalesce(1).write.mode(mode).parquet(str(table))


def asked(table: Path, known: dict[str, str], **more: Any) -> MeasureRequest:
    return MeasureRequest(
        source=TableSource(str(table)),
        contract=GIVEN.source,
        object="orders",
        stored_fingerprints=known,
        arrivals=more.pop("arrivals", known),
        **more,
    )


def values(run: RunResult) -> dict[str, Any]:
    return {each.check_id: each.value for each in run.results if each.scope == "dataset"}


def judged(states: dict[str, bytes], measured: MeasureResult) -> RunResult:
    delta = sorted(measured.states)
    return evaluate(
        EvaluationRequest(
            contract=GIVEN,
            object_name="orders",
            schema=measured.schema,
            states=states,
            delta=delta,
            started_at=NOW,
            finished_at=NOW,
        )
    )


@pytest.fixture
def table(spark: Any, tmp_path: Path) -> Path:
    place = tmp_path / "orders"
    append(spark, place, (1, 1.0), (2, 2.0))
    append(spark, place, (3, 3.0))
    return place


def test_each_arrival_is_read_once_and_together_they_are_the_table(
    spark: Any, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    aggregate = scanner._aggregate

    def counting(frame: Any, *more: Any) -> Any:
        read.append(len(frame.inputFiles()))
        return aggregate(frame, *more)

    monkeypatch.setattr(scanner, "_aggregate", counting)
    first = measure(spark, asked(table, {}))
    append(spark, table, (4, None), (5, 5.0))
    second = measure(spark, asked(table, dict(first.fingerprints)))
    assert (read, set(first.states), set(second.states)) == ([2, 1], {FIRST}, {SECOND})
    assert measure(spark, asked(table, dict(second.fingerprints))).states == {}

    states = {**first.states, **second.states}
    run = judged(states, second)
    whole = measure(spark, asked(table, {}))
    assert values(run) == values(judged(whole.states, whole)) != {}
    paid = [(each.partition, each.outcome, each.value) for each in run.results if each.check_id == "paid"]
    assert paid == [(SECOND, "failed", 0.5)]

    came = {SECOND: second.fingerprints[SECOND]}
    request = SampleRequest(
        source=TableSource(str(table)),
        contract=GIVEN.source,
        object="orders",
        failed_checks={"paid": (SECOND,)},
        arrivals=came,
    )
    assert [each.rows for each in sample(spark, request)] == [((None, "4"),)]


def test_arrivals_follow_their_files(spark: Any, table: Path) -> None:
    first = measure(spark, asked(table, {}))
    sorted(table.glob("*.parquet"))[0].unlink()
    append(spark, table, (9, 9.0))
    second = measure(spark, asked(table, dict(first.fingerprints)))
    assert sorted(bags.unpack(each).rows for each in second.states.values()) in ([1, 1], [1, 2])
    assert second.states.keys() == {FIRST, SECOND}
    append(spark, table, (7, 7.0), mode="overwrite")
    third = measure(spark, asked(table, dict(second.fingerprints)))
    assert (set(third.states), third.vanished) == ({THIRD}, (FIRST, SECOND))


def test_a_new_check_reads_what_the_arrivals_lack_and_damage_stays_in_its_own(spark: Any, table: Path) -> None:
    first = measure(spark, asked(table, {}))
    append(spark, table, (4, 4.0))
    second = measure(spark, asked(table, dict(first.fingerprints)))
    states, known = {**first.states, **second.states}, dict(second.fingerprints)
    size = contract(check("size", "some", mustBeGreaterThan=1), check("sum", "sum", column="id", mustBe=0))
    held = missing_states(size, "orders", states)
    more = MeasureRequest(
        source=TableSource(str(table)),
        contract=size.source,
        object="orders",
        stored_fingerprints=known,
        stored_keys=held,
        arrivals=known,
    )
    assert {name: bags.unpack(each).rows for name, each in measure(spark, more).added.items()} == {FIRST: 3, SECOND: 1}

    (table / "damaged.parquet").write_bytes(b"PAR1 no parquet")
    min(table.glob("part-*.parquet"), key=lambda each: each.stat().st_mtime_ns).unlink()
    damaged = measure(spark, asked(table, known))
    assert damaged.states.keys() - {FIRST, SECOND} == {THIRD}
    assert bags.unpack(damaged.states[THIRD]).failures.keys() == {ALL}
    assert damaged.fingerprints[THIRD].startswith(UNREAD)
    passed = frozenset({THIRD})
    again = measure(
        spark,
        replace(asked(table, dict(damaged.fingerprints)), skipped_partitions=passed, portion=1, reread_whole=True),
    )
    assert (again.states, again.remaining, again.fingerprints) == ({}, 0, damaged.fingerprints)
    (table / "damaged.parquet").unlink()
    append(spark, table, (8, 8.0))
    mended = measure(spark, asked(table, dict(damaged.fingerprints)))
    assert (mended.states.keys(), mended.vanished) == ({"arrival=000004"}, (THIRD,))


def test_all_is_read_again_arrival_by_arrival(spark: Any, table: Path) -> None:
    first = measure(spark, asked(table, {}))
    append(spark, table, (4, 4.0))
    known = dict(measure(spark, asked(table, dict(first.fingerprints))).fingerprints)
    again = measure(spark, asked(table, {}, arrivals=known))
    assert {name: bags.unpack(each).rows for name, each in again.states.items()} == {FIRST: 3, SECOND: 1}
