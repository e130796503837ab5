"""Contracts with their verdicts, run reports, and how metrics went."""

from datetime import datetime, timedelta
from uuid import UUID

import pytest
from sqlmodel import Session
from support.api import NOW, World, counted_queries, document

from treaty.engine.core.results import Outcome, Verdict
from treaty.registry.client import ClientError
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.measurements.runs import history
from treaty.registry.tables import CheckResultRow, MeasurementRow, RunRow

CONTRACT = "shop-orders"
DAY = timedelta(days=1)


@pytest.fixture
def shop(world: World) -> World:
    """A registry with one active contract, owned by `owner`."""
    proposal = world.client("producer").propose(document())
    owner = world.client("owner")
    owner.approve(proposal.id, owner.preview(proposal.id).fingerprint)
    return world


def run(tx: Session, day: int, verdict: Verdict = Verdict.PASSED, *, partitions: tuple[str, ...] = ()) -> RunRow:
    row = RunRow(
        id=ids.uuid7(NOW + day * DAY),
        contract_id=CONTRACT,
        version="1.0.0",
        fingerprint="f",
        object="orders",
        partitions=list(partitions),
        verdict=verdict,
        outcome_counts={"passed": 1},
        rows=3_000_000_000,
        started_at=NOW + day * DAY,
        finished_at=NOW + day * DAY,
    )
    tx.add(row)
    return row


def measured(tx: Session, of: RunRow, partition: str | None, value: float | None, *, identity: str = "size()") -> None:
    tx.add(
        MeasurementRow(
            run_id=of.id,
            position=int(tx.info.setdefault("position", 0)),
            contract_id=CONTRACT,
            object="orders",
            identity=identity,
            analyzer="size",
            arguments={},
            partition=partition,
            value=value,
            exact=str(value),
            measured_at=of.finished_at,
        )
    )
    tx.info["position"] += 1


def result(tx: Session, of: RunRow, position: int, outcome: Outcome, measurement: str | None) -> None:
    tx.add(
        CheckResultRow(
            run_id=of.id,
            position=position,
            check_id=f"c{position}",
            name=f"check {position}",
            outcome=outcome,
            severity="error",
            scope="delta",
            sentence="size must be at least 1",
            measurement=measurement,
        )
    )


def values(world: World, *identities: str, limit: int = 60) -> dict[str, list[float | None]]:
    with read_session(world.engine) as tx:
        found = history.measurements(tx, CONTRACT, "orders", identities, limit=limit)
    return {identity: [row.value for row in rows] for identity, rows in found.items()}


def test_of_a_partition_measured_again_the_newest_value_counts(shop: World) -> None:
    with transaction(shop.engine) as tx:
        for day, (partition, value) in enumerate([("a", 1), ("b", 2), ("a", 3)]):
            measured(tx, run(tx, day), partition, value)
        tx.commit()
    assert values(shop, "size()") == {"size()": [3, 2]}


@pytest.mark.parametrize("whole", [None, ""])
def test_values_of_the_whole_dataset_are_all_kept_in_the_order_of_time(shop: World, whole: str | None) -> None:
    with transaction(shop.engine) as tx:
        for day, value in enumerate([5, 6, None, 5]):
            measured(tx, run(tx, day), whole, value)
        tx.commit()
    assert values(shop, "size()") == {"size()": [5, 6, None, 5]}


def test_the_last_values_are_kept_for_each_metric_on_its_own(shop: World) -> None:
    with transaction(shop.engine) as tx:
        row = run(tx, 0)
        for number in range(9):
            measured(tx, row, f"2026-01-0{number}", number)
            measured(tx, row, f"2026-01-0{number}", -number, identity="other()")
        tx.commit()
    assert values(shop, "size()", "other()", limit=3) == {"size()": [6, 7, 8], "other()": [-6, -7, -8]}
    assert values(shop, "unknown()") == {"unknown()": []}
    assert values(shop) == {}


def test_a_report_shows_its_results_in_order_and_the_history_of_what_needs_attention(shop: World) -> None:
    with transaction(shop.engine) as tx:
        measured(tx, run(tx, 0), "a", 9)
        row = run(tx, 1, Verdict.FAILED, partitions=("b",))
        measured(tx, row, "b", 0)
        measured(tx, row, "b", 1, identity="fine()")
        result(tx, row, 0, Outcome.PASSED, "fine()")
        result(tx, row, 1, Outcome.FAILED, "size()")
        result(tx, row, 2, Outcome.NOT_EVALUATED, None)
        tx.commit()
        run_id = row.id
    report = shop.client("viewer").run(run_id)
    assert [each.check_id for each in report.results] == ["c0", "c1", "c2"]
    assert {key: [each.value for each in rows] for key, rows in report.history.items()} == {"size()": [9, 0]}
    assert (report.verdict, report.partitions, report.rows) == (Verdict.FAILED, ("b",), 3_000_000_000)


def test_an_unknown_run_is_not_found(shop: World) -> None:
    with pytest.raises(ClientError) as caught:
        shop.client("viewer").run(UUID(int=0))
    assert caught.value.status == 404


def test_a_contract_shows_its_last_run(shop: World) -> None:
    client = shop.client("viewer")
    assert client.contracts()[0].last_run is None
    with transaction(shop.engine) as tx:
        for day, verdict in ((1, Verdict.FAILED), (2, Verdict.WARNED), (0, Verdict.PASSED)):
            run(tx, day, verdict)
        tx.commit()
    last = client.contracts()[0].last_run
    assert last is not None
    assert last.verdict is Verdict.WARNED
    assert [each.verdict for each in client.contract(CONTRACT).runs] == ["warned", "failed", "passed"]
    assert [each.finished_at for each in client.runs(limit=1)] == [NOW + 2 * DAY]


@pytest.mark.parametrize(
    ("verdicts", "shown"),
    [
        ([Verdict.FAILED], 1),
        ([Verdict.NOT_EVALUATED], 1),
        ([Verdict.FAILED, Verdict.PASSED], 0),
        ([Verdict.PASSED, Verdict.WARNED], 0),
        ([], 0),
    ],
)
def test_an_owner_s_inbox_shows_what_fails_now(shop: World, verdicts: list[Verdict], shown: int) -> None:
    with transaction(shop.engine) as tx:
        for day, verdict in enumerate(verdicts):
            run(tx, day, verdict)
        tx.commit()
    assert len(shop.client("owner").inbox().failed_runs) == shown
    assert shop.client("other-owner").inbox().failed_runs == ()


def test_contracts_are_listed_page_by_page(shop: World) -> None:
    owner = shop.client("owner")
    for each in ("a", "b"):
        proposal = shop.client("producer").propose(document(each))
        owner.approve(proposal.id, owner.preview(proposal.id).fingerprint)
    assert [each.id for each in owner.contracts(limit=2)] == ["a", "b"]
    assert [each.id for each in owner.contracts()] == ["a", "b", CONTRACT]


def test_a_report_asks_as_often_for_a_long_history_as_for_a_short_one(shop: World) -> None:
    counts = []
    for size in (1, 30):
        with transaction(shop.engine) as tx:
            row = run(tx, size, Verdict.FAILED)
            for number in range(size):
                measured(tx, row, f"p{number}", number, identity=f"m{number}")
                result(tx, row, number, Outcome.FAILED, f"m{number}")
            tx.commit()
            run_id = row.id
        with counted_queries(shop.engine) as statements:
            shop.client("viewer").run(run_id)
        counts.append(len(statements))
    assert counts[0] == counts[1]


def test_times_travel_as_utc(shop: World) -> None:
    with transaction(shop.engine) as tx:
        run(tx, 0)
        tx.commit()
    finished: datetime = shop.client("viewer").runs()[0].finished_at
    assert (finished, finished.utcoffset()) == (NOW, timedelta(0))
