"""Questions asked of the memory: metrics of chosen partitions, and what is stored of them, on both databases."""

from pathlib import Path

import pytest
from sqlmodel import select
from support.api import NOW, counted_queries
from support.bags import bag
from support.memories import DAYS, ROWS, TABLE, Memory, document

from treaty.contracts.document import writer
from treaty.contracts.document.reader import read
from treaty.contracts.schema import Column, Schema
from treaty.engine.analyzers.numbers import Maximum
from treaty.engine.checks.binding import bind
from treaty.engine.states.planning.scan_plan import plan
from treaty.registry.client import ClientError
from treaty.registry.core.database import read_session, transaction
from treaty.registry.measurements.states import state_queries
from treaty.registry.measurements.states.state_queries import StateQuery
from treaty.registry.tables import AuditEntryRow, PartitionStateRow


@pytest.mark.parametrize(
    ("where", "chosen"),
    [(None, 6), ("land = 'DE'", 3), ("day BETWEEN '2026-03-02' AND DATE '2026-03-03'", 4), ("day = '2026-01-01'", 0)],
)
def test_metrics_of_the_contract_are_told_of_the_partitions_that_are_chosen(
    memory: Memory, where: str | None, chosen: int
) -> None:
    found, told = memory.metrics(where)
    assert (found.contract_id, found.version, found.object) == ("shop-orders", "1.0.0", "orders")
    assert (found.partitions, found.selected_partitions, found.where) == (6, chosen, where)
    assert {name: each.value for name, each in told.items()} == {
        "size": str(4 * chosen) if chosen else None,
        "completeness of mail": "0.75" if chosen else None,
        "uniqueness of id": "0.0" if chosen else None,
        "maximum of id": "4" if chosen else None,
    }
    assert {each.merged for each in told.values()} == {chosen}
    assert {each.reason for each in told.values()} == {None if chosen else "no partition is selected"}
    assert told["size"].row_count == (4 * chosen or None)


def test_any_metric_may_be_asked_that_the_states_can_tell(memory: Memory) -> None:
    _, told = memory.metrics("land = 'FR'", "size", "count_distinct:columns=id", "mean:column=id")
    assert (told["size"].value, told["count distinct of id"].value) == ("12", "4")
    mean = told["mean of id"]
    assert (mean.value, mean.merged, mean.missing_count) == (None, 0, 3)
    assert mean.missing == tuple(DAYS[1::2])
    assert mean.reason == "3 of 3 partitions have no state of it: add a check that measures it"


def test_partitions_that_lack_a_state_are_named_and_nothing_is_said_of_the_others(memory: Memory) -> None:
    key = next(each for each in bind(read(writer.write(document())).object("orders"), TABLE).plan.keys if "max" in each)
    memory.save(DAYS[0], failures={key: "Spark could not compute it: OVERFLOW"})
    _, told = memory.metrics()
    largest = told["maximum of id"]
    assert (largest.value, largest.missing_count, largest.missing) == (None, 1, (DAYS[0],))
    assert largest.reason == "1 of 6 partitions have no state of it: Spark could not compute it: OVERFLOW"
    assert told["size"].value == "24"


def test_a_partition_counts_as_it_was_stored_last_and_not_once_it_is_gone(memory: Memory) -> None:
    memory.save(DAYS[0], rows={"id": [7], "mail": ["x@x"]})
    found, told = memory.metrics(None, "size", "unique_row_ratio:columns=id")
    assert (found.states_version, told["size"].value, told["size"].merged) == (2, "21", 6)
    assert told["unique row ratio of id"].value == str(1 / 21)
    memory.forget(*DAYS[:2])
    found, told = memory.metrics(None, "size")
    assert (found.states_version, found.partitions, told["size"].value) == (3, 4, "16")


def test_an_answer_is_of_one_version_of_the_states_whoever_writes_meanwhile(memory: Memory) -> None:
    with read_session(memory.world.engine) as tx:
        asked = state_queries.query_scope(tx, StateQuery(dataset="shop-orders", metrics=("size",)))
        tx.commit()
        memory.save(*DAYS[:3], "day=2026-03-09/land=DE", rows={"id": [7], "mail": ["x@x"]})
        (size,) = state_queries.answered(tx, asked, memory.files, now=NOW)
    assert (size.merged, size.reading and size.reading.value) == (6, 24)


def test_texts_of_classified_columns_are_not_told(memory: Memory) -> None:
    largest = [Maximum(column=name).bind(TABLE) for name in ("id", "mail")]
    memory.put(bag(plan(largest), TABLE, ROWS).pack())
    _, told = memory.metrics(None, "maximum:column=id", "maximum:column=mail")
    assert (told["maximum of id"].value, told["maximum of mail"].value) == ("4", None)
    assert told["maximum of mail"].reason == "the measured text is hidden because the contract classifies its column"


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ({"name": "shop-orders", "where": "id > 1"}, 422, "reads 'id', which is not a partition column"),
        ({"name": "shop-orders", "where": "upper(land) = 'DE'"}, 422, "upper()"),
        ({"name": "shop-orders", "where": "land = "}, 422, "is not a condition"),
        ({"name": "shop-orders", "metric": "completenes:column=mail"}, 422, "unknown analyzer"),
        ({"name": "shop-order"}, 404, "No contract covers dataset shop-order"),
        ({"name": "shop-orders", "namespace": "file"}, 404, "No contract covers dataset shop-orders"),
        ({"name": "shop\x00"}, 404, "No contract covers"),
    ],
)
@pytest.mark.parametrize("route", ["metrics", "states"])
def test_what_cannot_be_answered_is_refused_in_words(
    memory: Memory, route: str, query: dict[str, str], status: int, said: str
) -> None:
    answer = memory.world.call("viewer", "GET", f"/dataset/{route}", params=query)
    assert answer.status_code in {status, 422}
    assert said in answer.text or "\x00" in query["name"]


@pytest.mark.parametrize(
    "called",
    [{"dataset": "shop-orders"}, {"dataset": "shop-orders.orders"}, {"dataset": "/lake/shop-orders"},
     {"dataset": "lake/shop-orders/", "namespace": "file"}],
)  # fmt: skip
def test_a_dataset_is_called_by_its_contract_or_by_its_own_name(memory: Memory, called: dict[str, str]) -> None:
    assert memory.world.client("viewer").metrics(**called).partitions == 6


def test_a_column_that_came_or_changed_its_type_is_told_of_metrics_and_states(memory: Memory) -> None:
    without, texts = (Schema((Column("id", type_), *TABLE.columns[2:])) for type_ in ("bigint", "string"))
    asked = read(writer.write(document())).object("orders")
    memory.put(bag(bind(asked, without).plan, without, {"id": [1, 2]}).pack(memory.files), DAYS[0])
    added = "mail is not in day=2026-03-01/land=DE and of type string from day=2026-03-01/land=FR on"
    client = memory.world.client("viewer")
    for found in (memory.metrics()[0], client.states("shop-orders")):
        told = {each.phrase: (each.reason, each.missing) for each in found.metrics}
        assert told["completeness of mail"] == (added, ())
        assert told["maximum of id"] == (None, ())
    memory.put(bag(bind(asked, texts).plan, texts, {"id": ["1", "2"]}).pack(memory.files), DAYS[0])
    unlike = "id is of type string in day=2026-03-01/land=DE and of type bigint from day=2026-03-01/land=FR on"
    for found in (memory.metrics()[0], client.states("shop-orders")):
        (largest,) = (each for each in found.metrics if each.phrase == "maximum of id")
        assert unlike in largest.reason
        assert getattr(largest, "value", None) is None


def test_what_is_stored_is_told_partition_by_partition(memory: Memory) -> None:
    memory.save(DAYS[0])
    found = memory.world.client("viewer").states("shop-orders", where="day = '2026-03-01'")
    assert [(each.partition, each.generation, each.fingerprint) for each in found.partition_states] == [
        (DAYS[0], 2, f"marker of {DAYS[0]}"), (DAYS[1], 1, f"marker of {DAYS[1]}"),
    ]  # fmt: skip
    with read_session(memory.world.engine) as tx:
        stored = {row.partition: len(row.states) for row in tx.exec(select(PartitionStateRow))}
    (file,) = Path(memory.files.url).iterdir()
    assert {each.partition: each.bytes for each in found.partition_states} == {name: stored[name] for name in DAYS[:2]}
    assert {each.file_bytes for each in found.partition_states} == {file.stat().st_size}
    assert (found.bytes, found.file_bytes) == (sum(stored[name] for name in DAYS[:2]), 2 * file.stat().st_size)
    assert found.partition_states[0].kinds == {"count": 2, "frequencies": 1, "max": 1}
    assert found.partition_states[0].sources == ("scan",)


def test_what_a_question_would_merge_is_told_beforehand(memory: Memory) -> None:
    (file,) = Path(memory.files.url).iterdir()
    asked = ("uniqueness:column=id", "mean:column=id")
    found = memory.world.client("viewer").states("shop-orders", where="land = 'DE'", metrics=asked)
    unique, mean = found.metrics
    assert (unique.merged, unique.missing_count, unique.bytes > 3 * file.stat().st_size) == (3, 0, True)
    assert (mean.merged, mean.missing_count, mean.missing, mean.bytes) == (0, 3, tuple(DAYS[::2]), 0)


def test_merged_days_answer_what_takes_all_of_them(memory: Memory) -> None:
    questions = [None, "land = 'DE'", "day BETWEEN '2026-03-01' AND '2026-03-31'", "day = '2026-01-01'"]
    more = ("size", "count_distinct:columns=id", "uniqueness:column=id")
    before = [memory.metrics(where, *more) for where in questions]
    assert memory.merge() == 2
    for where, (found, told) in zip(questions, before, strict=True):
        now, answers = memory.metrics(where, *more)
        assert (now.partitions, now.selected_partitions) == (found.partitions, found.selected_partitions)
        assert {name: (each.value, each.row_count, each.reason) for name, each in answers.items()} == {
            name: (each.value, each.row_count, each.reason) for name, each in told.items()
        }
    with pytest.raises(ClientError) as refused:
        memory.metrics("day = '2026-03-02'")
    told_apart = "is true for only some of the days of day=2026-03-[01-03]/land=DE, whose states are merged"
    assert told_apart in str(refused.value.faults)


def test_merged_days_are_told_with_the_days_that_they_hold(memory: Memory) -> None:
    memory.merge()
    found = memory.world.client("viewer").states("shop-orders", metrics=("size",))
    assert [(each.partition, each.days, each.fault) for each in found.partition_states] == [
        ("day=2026-03-[01-03]/land=DE", 3, None), ("day=2026-03-[01-03]/land=FR", 3, None),
    ]  # fmt: skip
    assert (found.selected_partitions, found.partitions, found.metrics[0].merged) == (6, 6, 2)


def test_states_that_are_no_use_are_told_so(memory: Memory) -> None:
    with transaction(memory.world.engine) as tx:
        row = tx.exec(select(PartitionStateRow).where(PartitionStateRow.partition == DAYS[0])).one()
        row.states = row.states[:-1] + bytes([row.states[-1] ^ 1])
        tx.commit()
    next(Path(memory.files.url).iterdir()).unlink()
    found = memory.world.client("viewer").states("shop-orders")
    faults = sorted(str(each.fault).split(";")[0] for each in found.partition_states)
    assert sum("is missing" in each for each in faults) == 5
    assert sum("damaged" in each for each in faults) == 1
    told = {each.phrase: (each.merged, each.missing_count) for each in found.metrics}
    assert (told["size"], told["uniqueness of id"]) == ((0, 1), (0, 6))


def test_asking_writes_nothing_and_asks_as_often_for_many_partitions_as_for_few(memory: Memory) -> None:
    counts = []
    for number in (0, 60):
        memory.save(*(f"day=2026-04-{at:02d}/land=DE" for at in range(1, number // 2 + 1)))
        with counted_queries(memory.world.engine) as statements:
            memory.metrics()
        counts.append(len(statements))
    assert counts[0] == counts[1]
    with read_session(memory.world.engine) as tx:
        assert set(tx.exec(select(AuditEntryRow.action))).isdisjoint({"run:recorded"})


def test_nothing_is_told_to_nobody(memory: Memory) -> None:
    with pytest.raises(ClientError) as refused:
        memory.world.client(None).metrics("shop-orders")
    assert refused.value.status == 401
