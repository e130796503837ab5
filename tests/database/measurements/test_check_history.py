"""How one check came out, run by run, with what was admitted each time."""

from datetime import datetime, timedelta

import pytest
from support.api import NOW, World, document

from treaty.engine.core.results import Outcome, Verdict
from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.schemas import CheckHistoryItemOut
from treaty.registry.tables import CheckResultRow, RunRow

CONTRACT = "shop-orders"
DAY = timedelta(days=1)


@pytest.fixture
def shop(world: World) -> World:
    """Three runs of one check on two partitions each, and one result of another check."""
    proposal = world.client("producer").propose(document())
    owner = world.client("owner")
    owner.approve(proposal.id, owner.preview(proposal.id).fingerprint)
    with transaction(world.engine) as tx:
        for day in range(3):
            run = RunRow(
                id=ids.uuid7(NOW + day * DAY), contract_id=CONTRACT, version=f"1.{day}.0", fingerprint="f",
                object="orders", partitions=[], verdict=Verdict.PASSED, outcome_counts={}, started_at=NOW + day * DAY,
                finished_at=NOW + day * DAY,
            )  # fmt: skip
            tx.add(run)
            for position, (check, partition) in enumerate([("rows", "a"), ("rows", "b"), ("other", "a")]):
                tx.add(
                    CheckResultRow(
                        run_id=run.id, position=position, check_id=check, name=check, outcome=Outcome.PASSED,
                        severity="error", scope="delta", sentence="s", partition=partition, measurement="size",
                        band={"lower": day, "upper": None, "expected": 5.0},
                    )
                )  # fmt: skip
        tx.commit()
    return world


def found(shop: World, check: str, *, since: datetime | None = None, limit: int = 500) -> list[CheckHistoryItemOut]:
    return shop.client("viewer").check_history(CONTRACT, "orders", check, since=since, limit=limit)


def test_results_come_in_the_order_of_their_runs_with_what_was_admitted_then(shop: World) -> None:
    results = found(shop, "rows")
    assert [(each.version, each.partition) for each in results] == [
        (f"1.{day}.0", partition) for day in range(3) for partition in "ab"
    ]
    assert [each.band and each.band["lower"] for each in results[::2]] == [0, 1, 2]


def test_the_newest_are_left_by_a_limit_and_a_time(shop: World) -> None:
    assert [(each.version, each.partition) for each in found(shop, "rows", limit=1)] == [("1.2.0", "b")]
    assert {each.version for each in found(shop, "rows", since=NOW + DAY)} == {"1.1.0", "1.2.0"}


def test_a_check_that_was_never_judged_has_no_results(shop: World) -> None:
    assert found(shop, "nowhere") == []
