"""What bad data do downstream: how far, whose, by which way, and as far as the asker may see."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlmodel import col, select
from support.api import World, counted_queries
from support.events import real
from support.flowing import START, columns, dataset, ran, step
from support.harms import Fails, Harm

from treaty.engine.core import clock
from treaty.registry import schemas
from treaty.registry.access import authentication
from treaty.registry.client import ClientError
from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import ContaminationState, GrantScope, Role, TaskKind
from treaty.registry.queue import task_queue
from treaty.registry.tables import TaskRow


@pytest.fixture
def harm(world: World) -> Harm:
    made = Harm(world)
    for contract_id in ("orders", "report", "audience"):
        made.promise(contract_id)
    return made


REPORT = dataset("report", **columns({"total": [("orders", "amount")]}, ("orders", "day")))
WAY = [
    *ran("load", 0, 1, writes=["orders"]),
    *ran("report", 2, 3, reads=["orders"], writes=[REPORT]),
    *ran("mail", 0, 1, reads=["report"], writes=["audience"]),
    *ran("copy", 4, 5, reads=["orders"], writes=["copy"]),
]


def told(found: schemas.DownstreamImpactOut) -> dict[str, tuple[int, ContaminationState]]:
    return {each.name.removeprefix("/lake/"): (each.distance, each.contamination) for each in found.datasets}


def test_each_dataset_downstream_is_told_with_how_far_the_bad_data_came(harm: Harm) -> None:
    harm.events(*WAY)
    harm.judge("orders", Fails(), at=6, by=("load", 1))
    found = harm.world.client("viewer").downstream_impact("orders")
    assert told(found) == {
        "copy": (1, ContaminationState.CONTAMINATED),
        "report": (1, ContaminationState.CONTAMINATED),
        "audience": (2, ContaminationState.AT_RISK),
    }
    assert (found.is_hypothetical, [each.contract_id for each in found.contracts]) == (False, ["orders"])
    far = found.datasets[-1]
    assert [each.name for each in far.path] == ["/lake/orders", "report", "/lake/report", "mail", "/lake/audience"]
    assert [(each.contract_id, each.owner) for each in far.contracts] == [("audience", "owner")]


@pytest.mark.parametrize(
    ("column", "reached"),
    [
        ("amount", {"report": (True, False), "copy": (True, True), "audience": (True, True)}),
        ("day", {"report": (False, False), "copy": (True, True), "audience": (False, True)}),
        ("note", {"copy": (True, True)}),
    ],
)
def test_ways_that_do_not_use_the_columns_are_left_out(
    harm: Harm, column: str, reached: dict[str, tuple[bool, bool]]
) -> None:
    harm.events(*WAY)
    harm.judge("orders", Fails(column=column), at=6, by=("load", 1))
    found = harm.world.client("viewer").downstream_impact("orders")
    assert {
        each.name.removeprefix("/lake/"): (each.is_direct, each.is_table_level) for each in found.datasets
    } == reached
    assert found.columns == (column,)


def test_without_an_incident_it_is_told_what_would_be(harm: Harm) -> None:
    harm.events(*WAY, step("mail", "START", 9, 2, reads=["report"], writes=["audience"]))
    found = harm.world.client("viewer").downstream_impact("/lake/orders", namespace="file", columns=["note"])
    assert (found.is_hypothetical, told(found)) == (True, {"copy": (1, ContaminationState.AT_RISK)})


def test_consumers_and_owners_are_told(harm: Harm) -> None:
    named = {"ownership": {"_producer": "x", "_schemaURL": "x", "owners": [{"name": "team:growth"}]}}
    harm.events(*ran("report", 2, 3, reads=["orders"], writes=[dataset("report", **named)]))
    use = schemas.SubscriptionIn(contract_id="report", purpose="board", contact="me")
    harm.world.client("consumer").subscribe(use)
    harm.judge("orders", Fails(), at=0)
    (entry,) = harm.world.client("viewer").downstream_impact("orders").datasets
    assert (entry.owners, entry.contracts[0].consumers) == (("team:growth",), (("consumer", "board"),))


def test_what_may_not_be_read_is_left_out_and_nothing_is_found_through_it(world: World) -> None:
    harm = Harm(world)
    for contract_id, domain in (("orders", "shop"), ("report", "people"), ("audience", "shop")):
        harm.promise(contract_id, domain=domain)
    harm.events(*WAY)
    harm.judge("orders", Fails(), at=6, by=("load", 1))
    harm.judge("report", Fails(), at=7)
    grant = schemas.GrantIn(role=Role.VIEWER, scope=GrantScope.DOMAIN, target="shop", user_id=world.users["viewer"].id)
    world.client("admin").grant(grant)
    world.client("admin").change_user(world.users["viewer"].id, schemas.UserUpdateIn(roles=[]))
    # Whose roles are taken must sign in again.
    with transaction(world.engine) as tx:
        lasts = timedelta(hours=1)
        secret, _ = authentication.sign_in(
            tx, world.users["viewer"], session_id=ids.new(), now=clock.now(), lasts=lasts
        )
        tx.commit()
    narrow = replace(world, secrets={"viewer": secret}).client("viewer")
    assert told(narrow.downstream_impact("orders")) == {}
    assert [each.contract_id for each in narrow.incidents()[0].objects] == ["orders"]
    for name in ("report", "nowhere"):
        with pytest.raises(ClientError) as unknown:
            narrow.downstream_impact(name)
        assert unknown.value.status == 404


def test_what_waits_of_what_bad_data_came_to_goes_first(harm: Harm) -> None:
    harm.events(*WAY)
    with transaction(harm.world.engine) as tx:
        for contract_id in ("report", "audience"):
            payload = {"contract_id": contract_id, "object": "orders"}
            key = f"{TaskKind.VALIDATE}/test/{contract_id}"
            task_queue.enqueue(tx, kind=TaskKind.VALIDATE, payload=payload, key=key, now=START, task_id=ids.new())
        tx.commit()
    harm.judge("orders", Fails(), at=6, by=("load", 1))
    with transaction(harm.world.engine) as tx:
        waiting = {
            each.payload["contract_id"]: each.priority
            for each in tx.exec(select(TaskRow).where(col(TaskRow.key).contains("/test/")))
        }
    assert waiting["report"] < waiting["audience"]


def test_a_graph_of_hundreds_is_walked_with_a_few_questions_a_level(harm: Harm) -> None:
    wide = [each for at in range(60) for each in ran(f"w{at}", 2, 3, reads=["orders"], writes=[f"out{at}"])]
    harm.events(*WAY, *wide)
    harm.judge("orders", Fails(), at=6, by=("load", 1))
    with counted_queries(harm.world.engine) as statements:
        found = harm.world.client("viewer").downstream_impact("orders")
    assert (len(found.datasets), len(statements) < 40) == (63, True)


FOOD = "food_delivery"


def test_the_food_delivery_sample_tells_who_is_hit_by_which_column(harm: Harm) -> None:
    sample = [raw for name, raw in real() if name.startswith("marquez-tests/") and FOOD.encode() in raw]
    if not sample:
        pytest.skip("the sample is not here")
    harm.events(*map(json.loads, sample))
    client = harm.world.client("viewer")

    def hit(name: str, *named: str) -> set[str]:
        found = client.downstream_impact(f"public.{name}", namespace=FOOD, columns=named)
        return {each.name.removeprefix("public.") for each in found.datasets}

    assert hit("orders_7_days") == {"delivery_7_days", "top_delivery_times", "discounts"}
    assert hit("orders_7_days", "placed_on") == {"delivery_7_days", "top_delivery_times", "discounts"}
    assert hit("orders_7_days", "menu_id") == {"delivery_7_days"}
    assert hit("customers", "email") == {"delivery_7_days", "top_delivery_times", "discounts"}
    assert hit("customers", "address") == {"delivery_7_days"}
    assert hit("drivers", "nothing") == set()
    assert hit("discounts") == set()
