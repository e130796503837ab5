"""The catalog's search: what is found by which words, in which order, and that it follows every change."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from sqlmodel import select
from support.api import NOW, World, counted_queries, failed_run, plain
from typer.testing import CliRunner

from treaty.contracts.document import writer
from treaty.engine.core.results import Verdict
from treaty.registry import schemas
from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal, ScopedGrant
from treaty.registry.browse import contract_list, search
from treaty.registry.browse.search import SearchQuery
from treaty.registry.cli.main import app
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import GrantScope, LabelKind, Permission, VersionState
from treaty.registry.core.pagination import PageRequest
from treaty.registry.tables import ContractVersionRow, SearchEntryRow, SearchLabelRow


def document(contract_id: str, **said: Any) -> str:
    content = plain(contract_id, name=said.pop("name", contract_id), version=said.pop("version", "1.0.0"))
    columns = said.pop("columns", ())
    content["schema"][0]["name"] = contract_id
    content["schema"][0]["properties"] += [{"name": each, "logicalType": "string"} for each in columns]
    return writer.write({**content, **said}).decode()


def approved(world: World, contract_id: str, **said: Any) -> None:
    made = world.client("producer").propose(document(contract_id, **said))
    owner = world.client("owner")
    owner.approve(made.id, owner.preview(made.id).fingerprint)


@pytest.fixture
def shop(world: World) -> World:
    approved(world, "orders", domain="sales", tags=["gold", "daily"], columns=["customerId", "Größe"])
    approved(world, "customers", domain="sales", tags=["gold"], description={"purpose": "Who places orders"})
    approved(world, "payments", domain="money", columns=["order_id"], team=[{"username": "mary"}])
    return world


def found(world: World, words: str, **labels: str) -> list[str]:
    chosen = {LabelKind(kind): value for kind, value in labels.items()}
    return [each.id for each in world.client("viewer").search(words, labels=chosen).items]


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        ("orders", ["orders", "customers"]),
        ("ORDERS customerid", ["orders"]),
        ("customer id", ["orders"]),
        ("ord", ["orders", "customers", "payments"]),
        ("grosse", ["orders"]),
        ("mary", ["payments"]),
        ("owner", ["customers", "orders", "payments"]),
        ("lake payments", ["payments"]),
        ("gold who", ["customers"]),
        ("orders nothing", []),
        ("!!!", []),
        ("  ", ["customers", "orders", "payments"]),
    ],
)
def test_contracts_are_found_by_their_words(shop: World, words: str, ids: list[str]) -> None:
    answer = found(shop, words)
    assert sorted(answer) == sorted(ids)
    assert not ids or words != "orders" or answer == ids


@pytest.mark.parametrize(
    ("labels", "ids"),
    [
        ({"domain": "sales"}, ["customers", "orders"]),
        ({"tag": "daily"}, ["orders"]),
        ({"owner": "owner", "domain": "money"}, ["payments"]),
        ({"state": "proposed"}, []),
        ({"domain": "' or 1=1"}, []),
    ],
)
def test_contracts_are_chosen_by_their_labels(shop: World, labels: dict[str, str], ids: list[str]) -> None:
    assert found(shop, "", **labels) == ids


def test_what_was_found_is_counted_by_label(shop: World) -> None:
    answer = shop.client("viewer").search("gold", limit=1)
    told = {kind: {each.value: each.count for each in counts} for kind, counts in answer.facets.items()}
    assert told == {
        "owner": {"owner": 2},
        "domain": {"sales": 2},
        "tag": {"gold": 2, "daily": 1},
        "state": {"active": 2},
    }
    assert (len(answer.items), answer.total) == (1, 2)


def test_what_was_found_comes_in_portions(shop: World) -> None:
    client = shop.client("viewer")
    first = client.search("ord", limit=2)
    second = client.search("ord", limit=2, cursor=first.next)
    whole = client.search("ord", limit=9)
    assert ([*first.items, *second.items], second.next, whole.next) == (list(whole.items), None, None)


def test_an_entry_says_what_the_contract_says(shop: World) -> None:
    (item,) = shop.client("viewer").search("places").items
    assert item.model_dump() == {
        "id": "customers",
        "name": "customers",
        "owner": "owner",
        "state": "active",
        "version": "1.0.0",
        "domain": "sales",
        "tags": ("gold",),
        "objects": ("customers",),
        "description": "Who places orders",
        "recent": (),
    }


def entries(world: World) -> dict[str, Any]:
    """All that is indexed, and by which words what is found."""
    with read_session(world.engine) as tx:
        shown = {row.contract_id: row.summary for row in tx.exec(select(SearchEntryRow))}
        labels = sorted((row.contract_id, row.kind, row.value) for row in tx.exec(select(SearchLabelRow)))
        kept = text("select contract_id, names, labels, prose from search_words order by 1")
        if world.engine.dialect.name == "postgresql":
            kept = text("select contract_id, words::text from search_entry order by 1")
        return {"shown": shown, "labels": labels, "words": list(map(tuple, tx.connection().execute(kept)))}


def test_the_index_follows_every_step_as_if_it_were_made_anew(world: World) -> None:
    producer, owner = world.client("producer"), world.client("owner")

    def step(*, states: dict[str, str]) -> None:
        followed = entries(world)
        assert {key: row["state"] for key, row in followed["shown"].items()} == states
        search.complete(world.engine, rebuild=True)
        assert entries(world) == followed

    first = producer.propose(document("a"), submit=False)
    step(states={})
    producer.submit(first.id)
    step(states={"a": "proposed"})
    second = producer.propose(document("a", name="Second", version="2.0.0"))
    step(states={"a": "proposed"})
    owner.reject(second.id, "no")
    step(states={"a": "proposed"})
    owner.approve(first.id, owner.preview(first.id).fingerprint)
    step(states={"a": "active"})
    third = producer.propose(document("a", name="Third", version="3.0.0"))
    step(states={"a": "active"})
    owner.approve(third.id, owner.preview(third.id).fingerprint)
    step(states={"a": "active"})
    assert found(world, "third") == ["a"]
    assert found(world, "second") == []
    fourth = producer.propose(document("b"))
    step(states={"a": "active", "b": "proposed"})
    producer.withdraw(fourth.id)
    step(states={"a": "active"})


def test_a_change_that_is_undone_is_not_found(world: World) -> None:
    approved(world, "a")
    with transaction(world.engine) as tx:
        tx.exec(select(ContractVersionRow)).one().state = VersionState.SUPERSEDED
        tx.flush()
    assert found(world, "", state="active") == ["a"]


def test_what_was_there_before_the_index_is_indexed_when_the_service_starts(shop: World) -> None:
    before = entries(shop)
    with transaction(shop.engine) as tx:
        for row in (*tx.exec(select(SearchEntryRow)), *tx.exec(select(SearchLabelRow))):
            tx.delete(row)
        tx.commit()
    assert found(shop, "orders") == []
    assert search.complete(shop.engine) == 3
    assert (entries(shop), search.complete(shop.engine)) == (before, 0)


def test_a_version_that_cannot_be_read_any_more_is_found_by_its_name(shop: World) -> None:
    with transaction(shop.engine) as tx:
        version = tx.exec(select(ContractVersionRow).where(ContractVersionRow.contract_id == "orders")).one()
        tx.add(ContractVersionRow(**{**version.model_dump(), "id": version.proposal_id, "version": "9", "body": b"["}))
        version.state = VersionState.SUPERSEDED
        from treaty.registry.tables import ContractRow

        tx.get_one(ContractRow, "orders").active_version = "9"
        tx.commit()
    assert (found(shop, "orders"), found(shop, "grosse")) == (["orders", "customers"], [])


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=40) | st.text(alphabet="orders'\"*():-^&|!<>\\%_ \x00NEARAND", max_size=40))
def test_no_question_is_anything_but_a_question(shop: World, question: str) -> None:
    with read_session(shop.engine) as tx:
        answer = search.find(tx, SearchQuery(question), PageRequest(10))
    assert answer.total <= 3


def test_only_what_may_be_read_is_found_and_counted(shop: World) -> None:
    with read_session(shop.engine) as tx:
        answer = search.find(tx, SearchQuery("gold"), PageRequest(10), readable=SearchEntryRow.contract_id == "orders")
    assert ([row.contract_id for row in answer.portion.rows], answer.total) == (["orders"], 1)
    assert answer.facets[LabelKind.DOMAIN] == [("sales", 1)]


def test_the_command_makes_the_index_anew(shop: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treaty.registry.core.database.connect", lambda _: shop.engine)
    told = CliRunner().invoke(app, ["search", "--rebuild"])
    assert (told.exit_code, told.output) == (0, "Indexed 3 contracts.\n")


def test_the_command_lists_what_it_finds(shop: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from contextlib import nullcontext

    monkeypatch.setattr("treaty.registry.cli.commands.service.open_client", lambda: nullcontext(shop.client("viewer")))
    told = CliRunner().invoke(app, ["search", "order", "--domain", "money"])
    assert (told.exit_code, "payments" in told.output, "1 of 1 contracts" in told.output) == (0, True, True)


def test_who_has_a_role_in_a_domain_finds_what_is_in_it(shop: World) -> None:
    shop.client("producer").propose(document("plans", domain="sales"))
    shop.client("producer").propose(document("debts", domain="money"))
    shop.client("producer").propose(document("secrets"))
    with transaction(shop.engine) as tx:
        by = Principal(
            user_id=shop.users["viewer"].id,
            name="viewer",
            roles=frozenset(),
            permissions=frozenset(),
            granted=(ScopedGrant(GrantScope.DOMAIN, "sales", frozenset({Permission.READ})),),
        )
        answer = search.find(tx, SearchQuery(), PageRequest(10), readable=visibility.entries(by))
    assert [row.contract_id for row in answer.portion.rows] == ["customers", "orders", "plans"]
    assert answer.facets[LabelKind.DOMAIN] == [("sales", 3)]


def judged(world: World, contract_id: str, *verdicts: Verdict) -> None:
    """Runs of the contract, an hour apart."""
    with transaction(world.engine) as tx:
        for hour, verdict in enumerate(verdicts):
            run = failed_run(contract_id)
            run.verdict, run.started_at = verdict, NOW + timedelta(hours=hour)
            run.finished_at = run.started_at
            tx.add(run)
        tx.commit()


def test_what_was_found_says_how_its_last_runs_came_out(shop: World) -> None:
    verdicts = [Verdict.PASSED, Verdict.FAILED, Verdict.PASSED, Verdict.WARNED] * 4
    judged(shop, "orders", *verdicts)
    items = {each.id: each for each in shop.client("viewer").search().items}
    assert [each.verdict for each in items["orders"].recent] == verdicts[-contract_list.RECENT :]
    assert items["payments"].recent == ()


def test_the_last_runs_of_a_whole_page_are_one_question(shop: World) -> None:
    def asked() -> int:
        with counted_queries(shop.engine) as statements:
            shop.client("viewer").search()
        return len(statements)

    none = asked()
    for contract_id in ("orders", "payments", "customers"):
        judged(shop, contract_id, *[Verdict.PASSED] * 20)
    assert asked() == none


def use(contract_id: str) -> schemas.SubscriptionIn:
    return schemas.SubscriptionIn(contract_id=contract_id, purpose="reports", contact="c@shop.example")


def test_what_one_subscribes_to_is_found_alone(shop: World) -> None:
    consumer = shop.client("consumer")
    ended = consumer.subscribe(use("payments"))
    consumer.subscribe(use("orders"))
    consumer.end_subscription(ended.id)
    assert [each.id for each in consumer.search("", subscribed=True).items] == ["orders"]
    assert shop.client("viewer").search("", subscribed=True).total == 0
