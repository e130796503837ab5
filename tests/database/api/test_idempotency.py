"""A request with an idempotency key is done once, and answered as often as whoever may sends it."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Barrier
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text
from sqlmodel import select
from support.api import PASSWORD, World, cheap_passwords, counted_queries, document

from treaty.engine.core import clock
from treaty.registry import schemas
from treaty.registry.access import idempotency
from treaty.registry.access.permissions import Principal, ScopedGrant
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import GrantScope, Permission, Role
from treaty.registry.tables import IdempotencyKeyRow

KEY = {"Idempotency-Key": "0190a000-0000-7000-8000-000000000000"}


def proposals(world: World) -> int:
    with world.engine.connect() as connection:
        return int(connection.scalar(text("select count(*) from proposal")) or 0)


def test_a_request_that_is_sent_again_is_done_once_and_answered_as_before(world: World) -> None:
    body = {"document": document()}
    first = world.call("producer", "POST", "/proposals", KEY, json=body)
    again = world.call("producer", "POST", "/proposals", KEY, json=body)
    assert (first.status_code, again.status_code, again.content) == (201, 201, first.content)
    assert "Idempotency-Replayed" not in first.headers
    assert (again.headers["Idempotency-Replayed"], again.headers["Content-Type"]) == ("true", "application/json")
    assert (proposals(world), world.audited().count("proposal:created")) == (1, 1)


@pytest.mark.parametrize(
    ("who", "path", "body", "status"),
    [
        ("producer", "/proposals", {"document": document("other")}, 422),
        ("owner", "/proposals", {"document": document()}, 201),
        ("producer", "/drafts", {"location": "/x", "contract_id": "c", "object": "o"}, 202),
    ],
)
def test_a_key_is_of_one_person_one_route_and_one_body(
    world: World, who: str, path: str, body: dict[str, Any], status: int
) -> None:
    world.call("producer", "POST", "/proposals", KEY, json={"document": document()})
    assert world.call(who, "POST", path, KEY, json=body).status_code == status


def test_a_key_lasts_a_day(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    body, now = {"document": document()}, clock.now()
    world.call("producer", "POST", "/proposals", KEY, json=body)
    with monkeypatch.context() as patch:
        patch.setattr("treaty.registry.api.http.dependencies.clock.now", lambda: now + timedelta(minutes=30))
        world.call("producer", "POST", "/proposals", KEY, json=body)
    assert proposals(world) == 1
    with transaction(world.engine) as tx:
        tx.exec(select(IdempotencyKeyRow)).one().created_at = now - idempotency.RETENTION
        tx.commit()
    world.call("producer", "POST", "/proposals", KEY, json=body)
    assert proposals(world) == 2
    with transaction(world.engine) as tx:
        idempotency.forget(tx, now=now + timedelta(hours=1))
        assert len(tx.exec(select(IdempotencyKeyRow)).all()) == 1
        idempotency.forget(tx, now=now + timedelta(hours=25))
        assert tx.exec(select(IdempotencyKeyRow)).all() == []


def test_a_request_that_was_refused_may_be_sent_again_under_its_key(world: World) -> None:
    made = world.client("producer").propose(document("unsent"), submit=False)
    path = f"/proposals/{made.id}/reject"
    refused = world.call("owner", "POST", path, {**KEY, "If-Match": "*"}, json={"reason": "no"})
    world.client("producer").submit(made.id)
    assert refused.status_code in {404, 409}
    assert world.call("owner", "POST", path, {**KEY, "If-Match": "*"}, json={"reason": "no"}).status_code == 200


def test_an_answer_with_a_secret_is_not_kept_but_what_it_was_about_is_not_done_again(world: World) -> None:
    body = {"name": "ci", "scopes": ["contracts:read"]}
    first = world.call("producer", "POST", "/tokens", KEY, json=body)
    again = world.call("producer", "POST", "/tokens", KEY, json=body)
    assert (first.status_code, again.status_code) == (201, 409)
    assert "shown only once" in again.json()["message"]
    assert len(world.client("producer").tokens()) == 1
    with world.engine.connect() as connection:
        kept = str(connection.execute(IdempotencyKeyRow.__table__.select()).all())  # type: ignore[attr-defined]
    assert first.json()["secret"] not in kept


def test_nothing_that_is_kept_of_a_request_tells_its_password(world: World) -> None:
    body = {"name": "new", "roles": ["viewer"], "password": PASSWORD}
    with cheap_passwords():
        assert world.call("admin", "POST", "/users", KEY, json=body).status_code == 201
    with transaction(world.engine) as tx:
        (row,) = tx.exec(select(IdempotencyKeyRow)).all()
    assert KEY["Idempotency-Key"] not in str(row)
    assert PASSWORD not in str(row)


@pytest.mark.parametrize("key", ["", "x" * 201, "a\tb"])
def test_what_is_no_key_is_refused(world: World, key: str) -> None:
    answer = world.call("producer", "POST", "/proposals", {"Idempotency-Key": key}, json={"document": document()})
    assert (answer.status_code, answer.json()["faults"][0]["where"]) == (422, "header.idempotency-key")
    assert proposals(world) == 0


def test_of_two_who_send_the_same_at_once_one_does_it(world: World) -> None:
    start, body = Barrier(2), {"document": document()}

    def race(_: int) -> int:
        start.wait()
        return int(world.call("producer", "POST", "/proposals", KEY, json=body).status_code)

    for _ in range(5):
        with transaction(world.engine) as tx:
            idempotency.forget(tx, now=clock.now() + timedelta(days=2))
            tx.commit()
        before = proposals(world)
        with ThreadPoolExecutor(2) as threads:
            found = sorted(threads.map(race, range(2)))
        assert found in ([201, 201], [201, 409])
        assert proposals(world) == before + 1


def test_what_fails_before_it_is_answered_is_not_done(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr("treaty.registry.api.routes.proposals.presenters.proposal", fail)
        answer = world.call("producer", "POST", "/proposals", KEY, json={"document": document()})
    assert (answer.status_code, proposals(world)) == (500, 0)


def test_what_cannot_be_committed_is_not_answered_as_done(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from sqlalchemy.exc import IntegrityError

    def fail(*_: Any, **__: Any) -> None:
        raise IntegrityError("commit", None, Exception())

    with monkeypatch.context() as patch:
        patch.setattr("treaty.registry.api.http.idempotency.DeferredSession.settle", fail)
        answer = world.call("producer", "POST", "/proposals", KEY, json={"document": document()})
    assert (answer.status_code, answer.json()["title"], proposals(world)) == (409, "Conflict", 0)


def test_a_key_costs_three_questions_at_most(world: World) -> None:
    counts: list[int] = []
    for headers in ({}, KEY):
        with counted_queries(world.engine) as statements:
            world.call("producer", "POST", "/proposals", headers, json={"document": document("a")})
        counts.append(len(statements))
    assert counts[1] - counts[0] <= 3


def bearer(world: World, scopes: frozenset[Permission], who: str = "producer") -> str:
    """The name under which the user's new token of these scopes is called with."""
    secret = world.client(who).issue_token("ci", scopes=scopes).secret
    name = f"{who} by a token of {len(scopes)} scopes"
    world.secrets[name] = secret  # type: ignore[index]
    return name


WRITES = frozenset({Permission.READ, Permission.PROPOSE})


def is_answered_again(world: World, who: str) -> bool:
    """Whether who sends the proposal once more is told what was answered first; else nothing of it."""
    told = world.call(who, "POST", "/proposals", KEY, json={"document": document()})
    if told.status_code == 201:
        return True
    # Who may propose nothing any more is refused before it is looked up what they sent.
    assert told.status_code == 403 or (told.status_code, told.json()["message"]) == (409, idempotency.RIGHTS)
    assert "shop-orders" not in told.text
    return False


def test_an_answer_is_not_given_again_to_whom_a_role_was_taken_away(world: World) -> None:
    token = bearer(world, WRITES)
    assert [is_answered_again(world, token) for _ in range(2)] == [True, True]
    changed = schemas.UserUpdateIn(roles=frozenset({Role.VIEWER}))
    world.client("admin").change_user(world.users["producer"].id, changed)
    assert not is_answered_again(world, token)
    assert proposals(world) == 1


def test_an_answer_is_not_given_again_to_a_token_of_less(world: World) -> None:
    whole, less = bearer(world, WRITES), bearer(world, WRITES - {Permission.READ})
    assert is_answered_again(world, whole)
    assert not is_answered_again(world, less)
    assert is_answered_again(world, whole)
    assert proposals(world) == 1


def test_an_answer_is_not_given_again_once_a_grant_ended(world: World) -> None:
    admin, viewer = world.client("admin"), world.users["viewer"].id
    one = schemas.GrantIn(role=Role.PRODUCER, scope=GrantScope.CONTRACT, target="shop-orders", user_id=viewer)
    granted = admin.grant(one)
    assert is_answered_again(world, "viewer")
    assert is_answered_again(world, "viewer")
    admin.revoke_grant(granted.id)
    assert not is_answered_again(world, "viewer")


HELD = Principal(
    user_id=UUID(int=1), name="ada", roles=frozenset({Role.VIEWER}), permissions=frozenset({Permission.READ}),
    granted=(ScopedGrant(GrantScope.DOMAIN, "shop", WRITES), ScopedGrant(GrantScope.CONTRACT, "orders", WRITES)),
)  # fmt: skip
OTHERS: dict[str, dict[str, Any]] = {
    "roles": {"roles": frozenset({Role.VIEWER, Role.CONSUMER})},
    "permissions": {"permissions": frozenset[Permission]()},
    "parts": {"granted": HELD.granted[:1]},
    "the kind of a part": {"granted": (HELD.granted[0], ScopedGrant(GrantScope.DATASET, "orders", WRITES))},
    "the permissions on a part": {
        "granted": (HELD.granted[0], ScopedGrant(GrantScope.CONTRACT, "orders", frozenset()))
    },
}


def test_rights_are_equal_whatever_token_and_order_they_come_in() -> None:
    same = replace(HELD, token_id=UUID(int=2), granted=HELD.granted[::-1])
    assert same.extent == HELD.extent


@pytest.mark.parametrize("name", OTHERS)
def test_other_rights_are_told_apart(name: str) -> None:
    assert replace(HELD, **OTHERS[name]).extent != HELD.extent
