"""What every route keeps to: problems, portions of lists, states of objects, requests done once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text
from sqlmodel import Session, select
from support.api import NOW, PASSWORD, World, cheap_passwords, counted_queries, document, drafted, suggestion

from engine.results import Verdict
from registry import clock, idempotency, ids
from registry.api import schemas
from registry.client import ClientError
from registry.database import transaction
from registry.tables import AcknowledgementRow, ContractVersion, DoneRequest, Incident, Run
from registry.words import Answer, IncidentState, Permission

KEY = {"Idempotency-Key": "0190a000-0000-7000-8000-000000000000"}
LISTS = (
    "/contracts", "/proposals", "/runs", "/users", "/tokens", "/audit", "/subscriptions", "/acknowledgements",
    "/incidents",
)  # fmt: skip


def sent(world: World, who: str, method: str, path: str, *, headers: dict[str, str], **given: Any) -> Any:
    signed = {"Authorization": f"Bearer {world.secrets[who]}", **headers}
    return world.http.request(method, f"/api/v1{path}", headers=signed, **given)


def test_a_refusal_is_a_problem_as_the_standard_has_it(world: World) -> None:
    answer = world.call("viewer", "POST", "/proposals", json={"document": document()})
    assert answer.headers["Content-Type"] == "application/problem+json"
    told = answer.json()
    assert (told["type"], told["title"], told["status"]) == ("urn:treaty:problem:forbidden", "Forbidden", 403)
    assert told["detail"] == told["message"]


def test_a_kind_of_problem_is_named_in_words(world: World) -> None:
    made = world.client("producer").propose(document())
    world.client("producer").withdraw(made.id)
    told = world.call("producer", "POST", f"/proposals/{made.id}/submit").json()
    assert (told["type"], told["title"]) == ("urn:treaty:problem:illegal-transition", "Illegal transition")


def test_a_problem_names_the_field_and_what_is_wrong_with_it(world: World) -> None:
    told = world.call("admin", "POST", "/users", json={"name": "a b", "roles": [], "password": "short"}).json()
    assert {each["where"] for each in told["faults"]} == {"body.name", "body.password"}
    assert all(each["message"] for each in told["faults"])


def test_the_ways_that_there_are_stay_in_a_refusal_of_another(world: World) -> None:
    assert "GET" in world.call("viewer", "DELETE", "/me").headers["Allow"]


def filled(world: World) -> None:
    """Five of each thing that is listed."""
    owner = world.client("owner")
    for at in range(5):
        made = world.client("producer").propose(document(f"c-{at}", physical=f"/lake/{at}"))
        owner.approve(made.id, owner.preview(made.id).fingerprint)
        world.client("admin").issue_token(f"t{at}", scopes=[Permission.READ])
        use = {"contract_id": f"c-{at}", "purpose": "reports", "contact": "me"}
        asked = world.client("consumer").subscribe(schemas.SubscriptionIn(**use))
        with transaction(world.engine) as tx:
            tx.add(asking(tx, f"c-{at}", asked.id))
            tx.commit()
    with transaction(world.engine) as tx:
        tx.add_all(run("c-1") for _ in range(5))
        tx.add_all(incident("c-1") for _ in range(5))
        tx.commit()


def asking(session: Session, contract_id: str, subscription_id: UUID) -> AcknowledgementRow:
    version = session.exec(select(ContractVersion).where(ContractVersion.contract_id == contract_id)).one()
    return AcknowledgementRow(
        id=ids.new(), version_id=version.id, subscription_id=subscription_id, answer=Answer.TOLD, asked=NOW
    )


def run(contract_id: str) -> Run:
    return Run(
        id=ids.new(),
        contract_id=contract_id,
        version="1.0.0",
        fingerprint="f",
        object="orders",
        partitions=[],
        verdict=Verdict.FAILED,
        counts={},
        started=NOW,
        finished=NOW,
    )


def incident(contract_id: str) -> Incident:
    return Incident(
        id=ids.new(), contract_id=contract_id, object="orders", state=IncidentState.OPEN, opened=NOW, changed=NOW,
        since=NOW,
    )  # fmt: skip


@pytest.mark.parametrize("path", LISTS)
def test_a_list_in_portions_is_the_whole_list(world: World, path: str) -> None:
    filled(world)
    whole = world.call("admin", "GET", f"{path}?limit=500").json()
    found, cursor = [], ""
    while cursor is not None:
        portion = world.call("admin", "GET", f"{path}?limit=2{cursor and f'&cursor={cursor}'}").json()
        assert len(portion["items"]) <= 2
        found, cursor = [*found, *portion["items"]], portion["next"]
    assert (found, whole["next"]) == (whole["items"], None)
    assert len(found) >= 5


@pytest.mark.parametrize("path", LISTS)
def test_a_cursor_of_another_list_is_refused(world: World, path: str) -> None:
    answer = world.call("admin", "GET", f"{path}?cursor=bm9uZQ")
    assert (answer.status_code, "none of this list" in answer.json()["message"]) == (422, True)


def test_what_comes_meanwhile_does_not_move_the_portions_of_what_was_there(world: World) -> None:
    filled(world)
    first = world.call("admin", "GET", "/proposals?limit=2").json()
    world.client("producer").propose(document("later"))
    second = world.call("admin", "GET", f"/proposals?limit=3&cursor={first['next']}").json()
    assert [each["contract_id"] for each in (*first["items"], *second["items"])] == [
        f"c-{at}" for at in (4, 3, 2, 1, 0)
    ]


def test_the_client_reads_as_many_portions_as_are_asked_for(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(world)
    monkeypatch.setattr("registry.client.calls.PORTION", 2)
    assert [each.id for each in world.client("viewer").contracts()] == [f"c-{at}" for at in range(5)]
    assert [each.id for each in world.client("viewer").contracts(limit=3)] == ["c-0", "c-1", "c-2"]


def test_a_change_of_what_was_changed_meanwhile_is_refused_and_says_by_whom(world: World) -> None:
    admin = world.client("admin")
    (user,) = [each for each in admin.users() if each.name == "viewer"]
    seen = world.call("admin", "GET", "/users").json()["items"][-1]
    assert seen["etag"] == user.etag
    changed = admin.change_user(user.id, schemas.UserChange(active=False), seen=user.etag)
    with pytest.raises(ClientError, match="admin did user:changed") as caught:
        admin.change_user(user.id, schemas.UserChange(active=True), seen=user.etag)
    assert caught.value.status == 412
    assert admin.change_user(user.id, schemas.UserChange(active=True), seen=changed.etag).active


@pytest.mark.parametrize(
    ("headers", "status"),
    [({}, 428), ({"If-Match": "*"}, 200), ({"If-Match": '"other"'}, 412), ({"If-Match": 'W/"{}", "x"'}, 200)],
)
def test_a_user_is_not_changed_unseen(world: World, headers: dict[str, str], status: int) -> None:
    (user,) = [each for each in world.client("admin").users() if each.name == "viewer"]
    given = {name: value.replace('"{}"', user.etag) for name, value in headers.items()}
    answer = sent(world, "admin", "PATCH", f"/users/{user.id}", headers=given, json={"active": False})
    assert answer.status_code == status
    if status == 200:
        assert answer.headers["ETag"] == answer.json()["etag"] != user.etag


def test_a_proposal_is_changed_as_it_was_seen_or_not_at_all(world: World) -> None:
    with transaction(world.engine) as tx:
        made = drafted(tx, world.users["producer"], suggestion(), base=document("drafted"))
        tx.commit()
    path = f"/proposals/{made.id}"
    shown = world.call("producer", "GET", path)
    etag = {"If-Match": shown.headers["ETag"]}
    first = shown.json()["suggestions"][0]["id"]
    decided = {"decision": "accepted", "revision": 1, "suggestions": [first]}
    assert sent(world, "producer", "POST", f"{path}/decisions", headers=etag, json=decided).status_code == 200
    late = sent(world, "owner", "POST", f"{path}/reject", headers=etag, json={"reason": "no"})
    assert (late.status_code, late.json()["title"]) == (412, "Changed")
    now = {"If-Match": world.call("owner", "GET", path).headers["ETag"]}
    assert sent(world, "owner", "POST", f"{path}/reject", headers=now, json={"reason": "no"}).status_code == 200


def proposals(world: World) -> int:
    with world.engine.connect() as connection:
        return int(connection.scalar(text("select count(*) from proposal")) or 0)


def test_a_request_that_is_sent_again_is_done_once_and_answered_as_before(world: World) -> None:
    body = {"document": document()}
    first = sent(world, "producer", "POST", "/proposals", headers=KEY, json=body)
    again = sent(world, "producer", "POST", "/proposals", headers=KEY, json=body)
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
    sent(world, "producer", "POST", "/proposals", headers=KEY, json={"document": document()})
    assert sent(world, who, "POST", path, headers=KEY, json=body).status_code == status


def test_a_key_lasts_a_day(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    body, now = {"document": document()}, clock.now()
    sent(world, "producer", "POST", "/proposals", headers=KEY, json=body)
    with monkeypatch.context() as patch:
        patch.setattr("registry.api.dependencies.clock.now", lambda: now + timedelta(minutes=30))
        sent(world, "producer", "POST", "/proposals", headers=KEY, json=body)
    assert proposals(world) == 1
    with transaction(world.engine) as tx:
        tx.exec(select(DoneRequest)).one().created = now - idempotency.KEPT
        tx.commit()
    sent(world, "producer", "POST", "/proposals", headers=KEY, json=body)
    assert proposals(world) == 2
    with transaction(world.engine) as tx:
        idempotency.forget(tx, now=now + timedelta(hours=1))
        assert len(tx.exec(select(DoneRequest)).all()) == 1
        idempotency.forget(tx, now=now + timedelta(hours=25))
        assert tx.exec(select(DoneRequest)).all() == []


def test_a_request_that_was_refused_may_be_sent_again_under_its_key(world: World) -> None:
    made = world.client("producer").propose(document("unsent"), submit=False)
    path = f"/proposals/{made.id}/reject"
    refused = sent(world, "owner", "POST", path, headers=KEY, json={"reason": "no"})
    world.client("producer").submit(made.id)
    assert refused.status_code in {404, 409}
    assert sent(world, "owner", "POST", path, headers=KEY, json={"reason": "no"}).status_code == 200


def test_an_answer_with_a_secret_is_not_kept_but_what_it_was_about_is_not_done_again(world: World) -> None:
    body = {"name": "ci", "scopes": ["contracts:read"]}
    first = sent(world, "producer", "POST", "/tokens", headers=KEY, json=body)
    again = sent(world, "producer", "POST", "/tokens", headers=KEY, json=body)
    assert (first.status_code, again.status_code) == (201, 409)
    assert "shown once" in again.json()["message"]
    assert len(world.client("producer").tokens()) == 1
    with world.engine.connect() as connection:
        kept = str(connection.execute(DoneRequest.__table__.select()).all())  # type: ignore[attr-defined]
    assert first.json()["secret"] not in kept


def test_nothing_that_is_kept_of_a_request_tells_its_password(world: World) -> None:
    body = {"name": "new", "roles": ["viewer"], "password": PASSWORD}
    with cheap_passwords():
        assert sent(world, "admin", "POST", "/users", headers=KEY, json=body).status_code == 201
    with transaction(world.engine) as tx:
        (row,) = tx.exec(select(DoneRequest)).all()
    assert KEY["Idempotency-Key"] not in str(row)
    assert PASSWORD not in str(row)


@pytest.mark.parametrize("key", ["", "x" * 201, "a\tb"])
def test_what_is_no_key_is_refused(world: World, key: str) -> None:
    answer = sent(
        world, "producer", "POST", "/proposals", headers={"Idempotency-Key": key}, json={"document": document()}
    )
    assert (answer.status_code, answer.json()["faults"][0]["where"]) == (422, "header.idempotency-key")
    assert proposals(world) == 0


def test_of_two_who_send_the_same_at_once_one_does_it(world: World) -> None:
    start, body = Barrier(2), {"document": document()}

    def race(_: int) -> int:
        start.wait()
        return int(sent(world, "producer", "POST", "/proposals", headers=KEY, json=body).status_code)

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
        patch.setattr("registry.api.proposals.views.proposal", fail)
        answer = sent(world, "producer", "POST", "/proposals", headers=KEY, json={"document": document()})
    assert (answer.status_code, proposals(world)) == (500, 0)


def test_what_cannot_be_committed_is_not_answered_as_done(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from sqlalchemy.exc import IntegrityError

    def fail(*_: Any, **__: Any) -> None:
        raise IntegrityError("commit", None, Exception())

    with monkeypatch.context() as patch:
        patch.setattr("registry.api.once.Waiting.settle", fail)
        answer = sent(world, "producer", "POST", "/proposals", headers=KEY, json={"document": document()})
    assert (answer.status_code, answer.json()["title"], proposals(world)) == (409, "Conflict", 0)


def test_a_key_costs_three_questions_at_most(world: World) -> None:
    counts: list[int] = []
    for headers in ({}, KEY):
        with counted_queries(world.engine) as statements:
            sent(world, "producer", "POST", "/proposals", headers=headers, json={"document": document("a")})
        counts.append(len(statements))
    assert counts[1] - counts[0] <= 3
