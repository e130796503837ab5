"""What every route keeps to: problems, portions of lists, states of objects."""

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import Engine
from sqlmodel import Session, select
from support.api import NOW, World, document, drafted, failed_run, remembered, suggestion

from treaty.registry import schemas
from treaty.registry.client import ClientError
from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import AcknowledgementState, GrantScope, IncidentState, Permission, Role
from treaty.registry.tables import AcknowledgementRow, ContractVersionRow, IncidentRow

LISTS = (
    "/contracts", "/proposals", "/runs", "/users", "/tokens", "/audit", "/subscriptions", "/acknowledgements", "/teams",
    "/grants", "/incidents",
)  # fmt: skip


def test_a_refusal_is_a_problem_as_the_standard_has_it(world: World) -> None:
    answer = world.call("viewer", "POST", "/proposals", json={"document": document()})
    assert answer.headers["Content-Type"] == "application/problem+json"
    told = answer.json()
    assert (told["type"], told["title"], told["status"]) == ("urn:treaty:problem:forbidden", "Forbidden", 403)
    assert told["detail"] == told["message"]


def test_a_kind_of_problem_is_named_in_words(world: World) -> None:
    made = world.client("producer").propose(document())
    world.client("producer").withdraw(made.id)
    told = world.call("producer", "POST", f"/proposals/{made.id}/submit", {"If-Match": "*"}).json()
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
        team = world.client("admin").create_team(f"team-{at}")
        held = schemas.GrantIn(role=Role.VIEWER, scope=GrantScope.CONTRACT, target=f"c-{at}", team_id=team.id)
        world.client("admin").grant(held)
        use = {"contract_id": f"c-{at}", "purpose": "reports", "contact": "me"}
        asked = world.client("consumer").subscribe(schemas.SubscriptionIn(**use))
        with transaction(world.engine) as tx:
            tx.add(asking(tx, f"c-{at}", asked.id))
            tx.commit()
    with transaction(world.engine) as tx:
        tx.add_all(failed_run("c-1") for _ in range(5))
        tx.add_all(incident("c-1") for _ in range(5))
        tx.commit()


def asking(session: Session, contract_id: str, subscription_id: UUID) -> AcknowledgementRow:
    version = session.exec(select(ContractVersionRow).where(ContractVersionRow.contract_id == contract_id)).one()
    return AcknowledgementRow(
        id=ids.new(),
        version_id=version.id,
        subscription_id=subscription_id,
        state=AcknowledgementState.NOTIFIED,
        requested_at=NOW,
    )


def incident(contract_id: str) -> IncidentRow:
    return IncidentRow(
        id=ids.new(), contract_id=contract_id, object="orders", state=IncidentState.OPEN, opened_at=NOW, updated_at=NOW,
        started_at=NOW,
    )  # fmt: skip


@pytest.fixture
def full(engine: Engine, tmp_path: Path) -> Iterator[World]:
    """A registry with five of each thing that is listed."""
    made, _ = remembered(engine, filled, home=tmp_path / "home")
    with made.http:
        yield made


@pytest.mark.parametrize("path", LISTS)
def test_a_list_in_portions_is_the_whole_list(full: World, path: str) -> None:
    whole = full.call("admin", "GET", f"{path}?limit=500").json()
    found, cursor = [], ""
    while cursor is not None:
        portion = full.call("admin", "GET", f"{path}?limit=2{cursor and f'&cursor={cursor}'}").json()
        assert len(portion["items"]) <= 2
        found, cursor = [*found, *portion["items"]], portion["next"]
    assert (found, whole["next"]) == (whole["items"], None)
    assert len(found) >= 5


@pytest.mark.parametrize("path", LISTS)
def test_a_cursor_of_another_list_is_refused(world: World, path: str) -> None:
    answer = world.call("admin", "GET", f"{path}?cursor=bm9uZQ")
    assert (answer.status_code, "does not belong to this list" in answer.json()["message"]) == (422, True)


def test_what_comes_meanwhile_does_not_move_the_portions_of_what_was_there(full: World) -> None:
    first = full.call("admin", "GET", "/proposals?limit=2").json()
    full.client("producer").propose(document("later"))
    second = full.call("admin", "GET", f"/proposals?limit=3&cursor={first['next']}").json()
    assert [each["contract_id"] for each in (*first["items"], *second["items"])] == [
        f"c-{at}" for at in (4, 3, 2, 1, 0)
    ]


def test_the_client_reads_as_many_portions_as_are_asked_for(full: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treaty.registry.client.transport.PORTION", 2)
    assert [each.id for each in full.client("viewer").contracts()] == [f"c-{at}" for at in range(5)]
    assert [each.id for each in full.client("viewer").contracts(limit=3)] == ["c-0", "c-1", "c-2"]


def test_a_change_of_what_was_changed_meanwhile_is_refused_and_says_by_whom(world: World) -> None:
    admin = world.client("admin")
    (user,) = [each for each in admin.users() if each.name == "viewer"]
    seen = world.call("admin", "GET", "/users").json()["items"][-1]
    assert seen["etag"] == user.etag
    changed = admin.change_user(user.id, schemas.UserUpdateIn(active=False), etag=user.etag)
    with pytest.raises(ClientError, match="admin: user:changed") as caught:
        admin.change_user(user.id, schemas.UserUpdateIn(active=True), etag=user.etag)
    assert caught.value.status == 412
    assert admin.change_user(user.id, schemas.UserUpdateIn(active=True), etag=changed.etag).active


@pytest.mark.parametrize(
    ("headers", "status"),
    [({}, 428), ({"If-Match": "*"}, 200), ({"If-Match": '"other"'}, 412), ({"If-Match": 'W/"{}", "x"'}, 200)],
)
def test_a_user_is_not_changed_unseen(world: World, headers: dict[str, str], status: int) -> None:
    (user,) = [each for each in world.client("admin").users() if each.name == "viewer"]
    given = {name: value.replace('"{}"', user.etag) for name, value in headers.items()}
    answer = world.call("admin", "PATCH", f"/users/{user.id}", given, json={"active": False})
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
    assert world.call("producer", "POST", f"{path}/decisions", etag, json=decided).status_code == 200
    late = world.call("owner", "POST", f"{path}/reject", etag, json={"reason": "no"})
    assert (late.status_code, late.json()["title"]) == (412, "Precondition failed")
    now = {"If-Match": world.call("owner", "GET", path).headers["ETag"]}
    assert world.call("owner", "POST", f"{path}/reject", now, json={"reason": "no"}).status_code == 200
