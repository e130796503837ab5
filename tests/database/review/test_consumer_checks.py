"""Consumers' own checks: what is taken, what is refused, and the documents that they make beside the producer's."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlmodel import col, select
from support.api import NOW, World
from support.consumers import CONTRACT, approve, ask, check, content, subscribe

from treaty.contracts.document.model import Contract
from treaty.contracts.document.reader import read
from treaty.contracts.schema import Schema
from treaty.engine.checks.binding import bind
from treaty.engine.core.results import Outcome, Verdict
from treaty.registry import schemas
from treaty.registry.client import ClientError
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import Decision, ProposalState
from treaty.registry.review.consumers import consumer_checks
from treaty.registry.review.consumers.consumer_checks import ConsumerDocument
from treaty.registry.tables import CheckResultRow, ConsumerCheckRow, RunRow

MEAN = check("mean-amount", "mean", column="amount", mustBeGreaterThan=10)
NULLS = {"metric": "nullValues", "mustBe": 0}
ROWS = {"id": "rows", "metric": "rowCount", "mustBeGreaterThan": 5}


@pytest.fixture
def shop(world: World) -> World:
    approve(world, content())
    return world


def refused(call: Callable[[], object]) -> ClientError:
    with pytest.raises(ClientError) as caught:
        call()
    return caught.value


def documents(world: World) -> list[ConsumerDocument]:
    with read_session(world.engine) as tx:
        return list(consumer_checks.documents(tx, CONTRACT, "orders"))


def promises(contract: Contract) -> list[str]:
    return [each.check.id for each in bind(contract.object("orders"), Schema(())).checks]


@pytest.mark.parametrize(
    ("column", "entry", "identity", "sentence"),
    [
        (None, MEAN, "mean-amount", "mean of amount must be greater than 10"),
        (None, ROWS, "rows", "there must be more than 5 rows"),
        (
            "country",
            {"metric": "nullValues", "mustBe": 0},
            "orders-country-nullValues",
            "null values of country must be 0",
        ),
        ("amount", {"required": True}, "amount-required", "amount is required"),
        ("buyer.city", {"required": True}, "buyer.city-required", "buyer.city is required"),
        (
            "amount",
            {"logicalTypeOptions": {"minimum": 0}},
            "amount-minimum",
            "all values of amount are within the bounds (minimum 0)",
        ),
        ("card", {"required": True}, "card-required", "card is required"),
    ],
)
def test_a_check_is_kept_under_an_id_with_its_sentence(
    shop: World, column: str | None, entry: dict[str, Any], identity: str, sentence: str
) -> None:
    made = ask(shop, subscribe(shop).id, entry, column=column)
    assert (made.id, made.number, made.sentence, made.misfit_reason) == (identity, 1, sentence, None)


SQL = {"id": "q", "type": "sql", "query": "select count(*) from orders", "mustBe": 0}
OTHER = {"dataset": "titles", "analyzer": "size"}


@pytest.mark.parametrize(
    ("column", "patch", "where", "said"),
    [
        (None, {"quality": check("m", "maen", column="amount", mustBe=1)}, "check", "unknown analyzer 'maen'"),
        (None, {"quality": check("m", "mean", column="amuont", mustBe=1)}, "check", "column amuont"),
        (None, {"quality": check("m", "mean", column="amount")}, "check", "has no assertion"),
        (None, {"quality": check("m", "mean", colunm="x", mustBe=1)}, "check.implementation.", "Extra inputs"),
        (None, {"quality": check("m", "size", where="amuont > 1", mustBe=1)}, "check.implementation.where", "amuont"),
        ("amuont", {"required": True}, "schema[0]", "has no column 'amuont'"),
        (None, {"quality": SQL}, "check", "cannot be evaluated"),
        (None, {"quality": {"type": "text", "description": "be good"}}, "", ""),
        (None, {"quality": {**MEAN, "engine": "soda"}}, "check", "cannot be evaluated"),
        (
            None,
            {"quality": check("m", "sql", query="select count(*) from orders", mustBe=1)},
            "check",
            "a separate scan",
        ),
        (
            None,
            {"quality": check("m", "referential_integrity", column="id", dataset="titles", mustBe=1)},
            "check",
            "a separate scan",
        ),
        (None, {"quality": check("m", "size", mustBeLessThan=OTHER)}, "check", "refers to another dataset"),
        (None, {"quality": check("m", "maximum_length", column="card", mustBe=1)}, "check", "the contract classifies"),
        (None, {"quality": check("m", "size", where="card = '1'", mustBe=1)}, "check", "the contract classifies"),
        (
            None,
            {"quality": check("m", "completeness", column="card", where="card like '4%'", mustBe=1)},
            "check",
            "the contract classifies",
        ),
        ("amount", {"name": "price"}, "check", "is not a single check"),
        ("card", {"classification": "public"}, "check", "is not a single check"),
        ("amount", {"quality": MEAN, "required": True}, "check", "is not a single check"),
        (None, {"required": True}, "check", "is not a single check"),
        (None, {"quality": "all is well"}, "check", ""),
        (None, {"quality": {**MEAN, "colour": "red"}}, "check.colour", "not a key of the standard"),
    ],
)
def test_a_check_with_faults_is_refused_with_all_of_them(
    shop: World, column: str | None, patch: dict[str, Any], where: str, said: str
) -> None:
    subscription = subscribe(shop)
    body = {"object": "orders", "column": column, "patch": patch}
    answer = shop.call("consumer", "POST", f"/subscriptions/{subscription.id}/checks", json=body)
    assert answer.status_code == 422
    faults = answer.json()["faults"]
    assert all(each["where"].startswith(where) and each["line"] is None for each in faults)
    assert any(said in each["message"] for each in faults) or not said
    assert shop.client("consumer").consumer_checks(subscription.id) == []


def test_an_unknown_object_is_refused_by_name(shop: World) -> None:
    subscription = subscribe(shop)
    body = schemas.ConsumerCheckIn(object="order", patch={"quality": MEAN})
    error = refused(lambda: shop.client("consumer").add_consumer_check(subscription.id, body))
    assert (error.status, error.faults[0].remedy) == (422, "did you mean 'orders'?")


def test_a_changed_check_is_a_new_row_and_what_it_said_stays(shop: World) -> None:
    subscription, client = subscribe(shop), shop.client("consumer")
    ask(shop, subscription.id, MEAN)
    milder = schemas.ConsumerCheckIn(object="orders", patch={"quality": {**MEAN, "severity": "warning"}})
    assert client.change_consumer_check(subscription.id, "mean-amount", milder).number == 2
    client.end_consumer_check(subscription.id, "mean-amount")
    assert client.consumer_checks(subscription.id) == []
    assert refused(lambda: client.end_consumer_check(subscription.id, "mean-amount")).status == 404
    assert ask(shop, subscription.id, MEAN).number == 4
    with read_session(shop.engine) as tx:
        mine = select(ConsumerCheckRow).where(ConsumerCheckRow.subscription_id == subscription.id)
        rows = tx.exec(mine.order_by(col(ConsumerCheckRow.number))).all()
    assert [row.patch and row.patch["quality"].get("severity", "error") for row in rows] == [
        "error", "warning", None, "error",
    ]  # fmt: skip


@pytest.mark.parametrize("change", ["update consumer_check set patch = null", "delete from consumer_check"])
def test_the_database_itself_refuses_to_change_a_row(shop: World, change: str) -> None:
    ask(shop, subscribe(shop).id, MEAN)
    with pytest.raises(DBAPIError, match="kept as they were written"), shop.engine.begin() as connection:
        connection.execute(text(change))


def test_an_id_is_one_checks(shop: World) -> None:
    subscription = subscribe(shop)
    ask(shop, subscription.id, MEAN)
    error = refused(lambda: ask(shop, subscription.id, MEAN))
    assert (error.status, "already has a check mean-amount" in error.message) == (409, True)


def test_a_subscription_has_so_many_checks_and_no_more(shop: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumer_checks, "MOST", 1)
    subscription = subscribe(shop)
    ask(shop, subscription.id, MEAN)
    assert refused(lambda: ask(shop, subscription.id, ROWS)).status == 409


def test_checks_are_their_subscribers(shop: World) -> None:
    subscription = subscribe(shop)
    assert refused(lambda: ask(shop, subscription.id, MEAN, who="producer")).status == 403
    ask(shop, subscription.id, MEAN)
    assert [each.id for each in shop.client("viewer").consumer_checks(subscription.id)] == ["mean-amount"]


def test_a_consumers_document_promises_what_they_ask_and_nothing_of_the_producers(shop: World) -> None:
    first, second = subscribe(shop, reads={"orders": ["country"]}), subscribe(shop, "producer", reads={})
    for entry in (MEAN, ROWS):
        ask(shop, first.id, entry)
    ask(shop, second.id, {"required": True}, column="buyer.city", who="producer")
    subscribe(shop, "owner")
    made = documents(shop)
    assert [each.subscription_id for each in made] == [first.id, second.id]
    contracts = [read(each.body) for each in made]
    assert [promises(each) for each in contracts] == [["mean-amount", "rows"], ["buyer.city-required"]]
    columns = [[column.name for column in each.object("orders").properties] for each in contracts]
    assert columns == [["day", "amount", "country"], ["day", "buyer"]]
    for each, found in zip(contracts, made, strict=True):
        assert (each.id, each.version, each.terms.columns, each.fingerprint) == (
            CONTRACT, "1.0.0", "open", found.fingerprint,
        )  # fmt: skip
        assert each.object("orders").partition_by == ("day",)


def test_nobodys_checks_make_no_document(shop: World) -> None:
    assert documents(shop) == []
    subscription = subscribe(shop)
    assert documents(shop) == []
    ask(shop, subscription.id, MEAN)
    shop.client("consumer").end_subscription(subscription.id)
    assert documents(shop) == []


def test_the_producers_contract_is_as_it_was(shop: World) -> None:
    before = shop.client("viewer").document(CONTRACT)
    ask(shop, subscribe(shop).id, MEAN)
    assert shop.client("viewer").document(CONTRACT) == before


def test_a_check_that_no_longer_fits_is_left_out_and_says_why(world: World) -> None:
    shop = world
    approve(shop, content(review={"acknowledge_days": 0}))
    subscription = subscribe(shop, reads={"orders": ["*"]})
    for entry in (MEAN, ROWS):
        ask(shop, subscription.id, entry)
    changed = content("2.0.0", quality=[check("many", "size", mustBeGreaterThan=0)])
    changed["schema"][0]["properties"] = [
        each for each in changed["schema"][0]["properties"] if each["name"] != "amount"
    ]
    approve(shop, changed)
    (found,) = documents(shop)
    assert promises(read(found.body)) == ["rows"]
    gone = "column amount exists neither in the contract nor in the table"
    listed = shop.client("consumer").consumer_checks(subscription.id)
    assert [(each.id, each.misfit_reason) for each in listed] == [("mean-amount", gone), ("rows", None)]
    shop.client("consumer").end_consumer_check(subscription.id, "rows")
    assert documents(shop) == []


@pytest.mark.parametrize(
    ("copied", "identity", "sentence"),
    [
        ("dear", "dear", "minimum of amount must be greater than 0"),
        ("id-unique", "id-unique", "id is unique"),
        ("id-required", "id-required", "id is required"),
    ],
)
def test_a_consumer_copies_a_producers_check(shop: World, copied: str, identity: str, sentence: str) -> None:
    subscription = subscribe(shop)
    body = schemas.CheckCopyIn(contract_id=CONTRACT, object="orders", check=copied)
    made = shop.client("consumer").copy_check(subscription.id, body)
    assert (made.id, made.sentence) == (identity, sentence)
    assert made.source == {"contract": CONTRACT, "version": "1.0.0", "check": copied}


def test_a_check_of_another_contract_is_copied_where_it_fits(shop: World) -> None:
    other = content(contract_id="returns", quality=[check("low", "maximum", column="amount", mustBeLessThan=9)])
    other["schema"][0] |= {"name": "returns", "physicalName": "/lake/returns"}
    approve(shop, other)
    subscription, client = subscribe(shop), shop.client("consumer")
    wanted = {"contract_id": "returns", "object": "returns", "check": "low"}
    assert refused(lambda: client.copy_check(subscription.id, schemas.CheckCopyIn(**wanted))).status == 422
    made = client.copy_check(subscription.id, schemas.CheckCopyIn(**wanted, target_object="orders", id="not-dear"))
    assert (made.id, made.object, made.source) == (
        "not-dear", "orders", {"contract": "returns", "version": "1.0.0", "check": "low"},
    )  # fmt: skip


@pytest.mark.parametrize(
    "missing", [{"contract_id": "unknown"}, {"object": "order"}, {"check": "deer"}, {"version": "9.0.0"}]
)
def test_what_is_not_there_is_not_copied(shop: World, missing: dict[str, str]) -> None:
    body = schemas.CheckCopyIn(**{"contract_id": CONTRACT, "object": "orders", "check": "dear", **missing})
    assert refused(lambda: shop.client("consumer").copy_check(subscribe(shop).id, body)).status == 404


def test_an_owner_promotes_a_check_and_another_owner_decides(shop: World) -> None:
    subscription = subscribe(shop)
    ask(shop, subscription.id, MEAN)
    proposal = shop.client("owner").promote_check(subscription.id, "mean-amount")
    assert (proposal.state, proposal.author, proposal.title) == (
        ProposalState.IN_REVIEW, "owner", "Promote check mean-amount of consumer",
    )  # fmt: skip
    other = shop.client("other-owner")
    (suggested,) = other.proposal(proposal.id).suggestions
    assert suggested.content["sentence"] == "mean of amount must be greater than 10"
    assert suggested.content["consumer"]["name"] == "consumer"
    other.decide(proposal.id, [suggested.id], Decision.ACCEPTED, revision=1)
    other.approve(proposal.id, other.preview(proposal.id).fingerprint)
    promoted = read(other.document(CONTRACT))
    assert promises(promoted) == ["id-required", "id-unique", "many", "dear", "mean-amount"]
    entry = promoted.document["schema"][0]["quality"][-1]
    credit = "check by consumer, who uses this data for: reports"
    assert entry["customProperties"] == [{"property": "treatyConsumer", "value": credit}]
    assert [each.id for each in other.consumer_checks(subscription.id)] == ["mean-amount"]


def judged(world: World, subscription_id: UUID, day: int, partition: str, outcome: Outcome, value: str | None) -> None:
    """A run of the consumer's checks on that day."""
    finished = NOW + timedelta(days=day)
    verdict = Verdict.PASSED if outcome is Outcome.PASSED else Verdict.FAILED
    run = RunRow(
        id=ids.uuid7(finished), contract_id=CONTRACT, version="1.0.0", fingerprint="f", object="orders",
        partitions=[partition], verdict=verdict, outcome_counts={}, started_at=finished, finished_at=finished,
        subscription_id=subscription_id,
    )  # fmt: skip
    row = CheckResultRow(
        run_id=run.id, position=0, check_id="mean-amount", name="", outcome=outcome, severity="error", scope="delta",
        partition=partition, sentence="", value=value, row_count=5,
    )  # fmt: skip
    with transaction(world.engine) as tx:
        tx.add_all([run, row])
        tx.commit()


def test_a_promoted_check_comes_with_how_it_went(shop: World) -> None:
    subscription, other = subscribe(shop), subscribe(shop, purpose="models")
    for each in (subscription, other):
        ask(shop, each.id, MEAN)
    judged(shop, subscription.id, 1, "day=1", Outcome.FAILED, "9")
    judged(shop, subscription.id, 2, "day=1", Outcome.PASSED, "11")
    judged(shop, subscription.id, 3, "day=2", Outcome.FAILED, "8.5")
    judged(shop, subscription.id, 4, "day=3", Outcome.NOT_EVALUATED, None)
    judged(shop, other.id, 5, "day=4", Outcome.FAILED, "1")
    owner = shop.client("owner")
    found = owner.proposal(owner.promote_check(subscription.id, "mean-amount").id).suggestions[0].content["evidence"]
    assert len(owner.runs(subscription_id=subscription.id)) == 4
    assert owner.runs(contract_id=CONTRACT) == []
    assert found == {
        "rows": 10, "partitions": 2, "held": 1, "judged_on": 2, "failed_on": ["day=2"], "not_evaluated": 1,
        "history": [["day=1", "11"], ["day=2", "8.5"]],
    }  # fmt: skip


def test_a_promoted_check_never_takes_the_place_of_one_of_the_producers(shop: World) -> None:
    subscription = subscribe(shop)
    ask(shop, subscription.id, check("dear", "maximum", column="amount", mustBeLessThan=99))
    ask(shop, subscription.id, {"logicalTypeOptions": {"maximum": 50}}, column="amount")
    client = shop.client("owner")
    patches = [
        client.proposal(client.promote_check(subscription.id, each).id).suggestions[0].content["patch"]
        for each in ("dear", "amount-maximum")
    ]
    assert (patches[0]["quality"]["id"], patches[1]["logicalTypeOptions"]) == ("dear-2", {"maximum": 50})
    assert [each["property"] for each in patches[1]["customProperties"]] == ["treatyConsumer"]


@pytest.mark.parametrize("who", ["consumer", "producer", "viewer"])
def test_only_owners_promote(shop: World, who: str) -> None:
    subscription = subscribe(shop)
    ask(shop, subscription.id, MEAN)
    assert refused(lambda: shop.client(who).promote_check(subscription.id, "mean-amount")).status == 403
    with read_session(shop.engine) as tx:
        assert len(tx.exec(select(ConsumerCheckRow)).all()) == 1
