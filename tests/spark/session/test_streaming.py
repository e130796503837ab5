"""A real stream of files, cut off and begun again: its states are those of a verification of all rows at once."""

from pathlib import Path
from typing import Any

import pytest
from support.orders import check, contract

from treaty.engine.core.hash_key import SIZE, HashKey
from treaty.engine.core.results import RunResult
from treaty.engine.session.streaming import StreamSink, watch_stream
from treaty.engine.session.verify import measure, verify
from treaty.engine.states import bag as bags
from treaty.engine.states.generations import PartitionEntry, StateFolder

DDL = "id bigint, amount double, day string"
GIVEN = contract(
    check("size", "some", mustBeGreaterThan=0),
    check("maximum", "low", column="amount", mustBeLessThan=100),
    check("uniqueness", "ids", column="id", mustBe=1),
    check("approx_count_distinct", "many", column="id", scope="dataset", mustBeGreaterThan=0),
    check("sql", "counted", query="select count(*) from {object}", scope="delta", mustBeGreaterThan=0),
    properties=[
        {"name": "id", "logicalType": "integer"},
        {"name": "amount", "logicalType": "number"},
        {"name": "day", "logicalType": "string", "partitioned": True},
    ],
)


class Ended(Exception):
    """The process ended here."""


class Cut(StateFolder):
    """A store whose process ends right before its swap, or right after it, when `at` says so."""

    def swap(self, expected: int, entries: Any, judged: Any = None) -> Any:
        if (expected, "before") == self.at:
            raise Ended
        swapped = super().swap(expected, entries, judged)
        if (expected, "after") == self.at:
            raise Ended
        return swapped


def cut(where: str, at: tuple[int, str] | None) -> Cut:
    store = Cut(where)
    object.__setattr__(store, "at", at)
    return store


@pytest.fixture
def landing(spark: Any, tmp_path: Path) -> str:
    """Four files, each one micro-batch; rows of a day arrive in several of them, and one id comes twice."""
    place = str(tmp_path / "landing")
    days = ([(1, 1.0, "1")], [(2, 2.0, "1"), (3, 9.0, "2")], [(4, None, "2"), (5, 500.0, None)], [(1, 3.0, "1")])
    for rows in days:
        spark.createDataFrame(rows, DDL).coalesce(1).write.mode("append").json(place, ignoreNullFields=False)
    return place


def run_through(spark: Any, landing: str, sink: StreamSink) -> None:
    """Hands over all there is, a file a batch. Raises what the sink ended with."""
    reader = spark.readStream.schema(DDL).option("maxFilesPerTrigger", "1").json(landing)
    writer = reader.writeStream.foreachBatch(sink).option("checkpointLocation", f"{landing}-checkpoint")
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()


@pytest.mark.classic("its sink shares objects with the test")
def test_a_stream_that_is_cut_off_has_the_states_of_all_rows(spark: Any, landing: str, tmp_path: Path) -> None:
    told: list[tuple[int, RunResult]] = []
    written = str(tmp_path / "orders")

    def append(run: RunResult, rows: Any, batch: int) -> None:
        rows.write.mode("overwrite").parquet(f"{written}/batch={batch}")
        told.append((batch, run))

    where = str(tmp_path / "states")
    for at in ((1, "before"), (2, "after")):
        sink = watch_stream(GIVEN, cut(where, at), stream="orders", on_run=append)
        with pytest.raises(Exception, match="Ended"):
            run_through(spark, landing, sink)
    run_through(spark, landing, watch_stream(GIVEN, StateFolder(where), stream="orders", on_run=append))

    assert [batch for batch, _ in told] == [0, 1, 1, 2, 3]
    rows = spark.read.schema(DDL).json(landing)
    assert spark.read.parquet(written).drop("batch").exceptAll(rows).count() == 0
    folded = StateFolder(where).current().entries
    assert kept(StateFolder(where), folded) == computed(rows)

    at_once, (_, last) = verify(rows, GIVEN), told[-1]
    assert of_dataset(last) == of_dataset(at_once) != {}
    broken = [(each.check_id, each.partition) for each in told[3][1].results if each.outcome == "failed"]
    assert broken == [("low", "day=__HIVE_DEFAULT_PARTITION__")]
    assert {each.partition: each.value for each in last.results if each.check_id == "counted"} == {"day=1": 1}


def kept(store: StateFolder, entries: dict[str, PartitionEntry]) -> dict[str, Any]:
    return {name: comparable(store.bag(entry.bag)) for name, entry in entries.items()}


def computed(rows: Any) -> dict[str, Any]:
    return {name: comparable(packed) for name, packed in measure(rows, GIVEN, object_name="orders").items()}


def comparable(packed: bytes) -> dict[str, Any]:
    """The states that can be compared for equality, those read apart left out: they are of a batch alone."""
    values = {key: each for key, each in bags.unpack(packed).entries.items() if not each.component.needs_own_statement}
    plain = {key: each for key, each in values.items() if each.component.kind not in ("distinct",)}
    return {key: each.component.dump(each.value) for key, each in plain.items()} | {"keys": sorted(values)}


def of_dataset(run: RunResult) -> dict[str, Any]:
    return {each.check_id: (each.value, each.outcome) for each in run.results if each.scope == "dataset"}


def test_values_of_classified_columns_are_hashed_with_a_key_or_not_kept(spark: Any, tmp_path: Path) -> None:
    given = contract(
        check("uniqueness", "mails", column="mail", scope="dataset", mustBe=1),
        properties=[{"name": "mail", "logicalType": "string", "classification": "restricted"}],
    )

    def two_batches(place: Path, key: HashKey | None) -> list[tuple[str, Any]]:
        told: list[tuple[str, Any]] = []
        sink = watch_stream(
            given, StateFolder(str(place)), stream="mails", on_run=lambda run, *_: told.append(of(run)), key=key
        )
        for batch in range(2):
            sink(spark.createDataFrame([(f"canary-{at}@example.org",) for at in (batch, 9)], "mail string"), batch)
        kept = b"".join(path.read_bytes() for path in place.rglob("*") if path.is_file())
        assert b"canary" not in kept
        return told

    assert two_batches(tmp_path / "keyed", HashKey(b"k" * SIZE)) == [("passed", 1), ("failed", 2 / 3)]
    assert [outcome for outcome, _ in two_batches(tmp_path / "keyless", None)] == ["passed", "not_evaluated"]


def of(run: RunResult) -> tuple[str, Any]:
    (result,) = [each for each in run.results if each.check_id == "mails"]
    return str(result.outcome), result.value
