"""Signing in, sessions, tokens, the one-time link: what lets somebody in, and what no longer does."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from threading import Barrier
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Engine
from sqlmodel import select
from support.api import NOW, PASSWORD, World, build, cheap_passwords

from treaty.registry.access import authentication, first_admin, users
from treaty.registry.access.authentication import GRANTS
from treaty.registry.core import ids
from treaty.registry.core.database import connect, read_session, transaction
from treaty.registry.core.enums import Permission, Role
from treaty.registry.core.errors import Conflict, Forbidden, Unauthenticated
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.schemas import UserUpdateIn
from treaty.registry.tables import ApiTokenRow, SetupTokenRow, UserRow, WebSessionRow

HOUR = timedelta(hours=1)


@pytest.fixture(autouse=True)
def _cheap():
    with cheap_passwords():
        yield


def principal(engine: Engine, secret: str, *, after: timedelta = timedelta(0)) -> authentication.Principal:
    with read_session(engine) as tx:
        return authentication.principal_of(tx, secret, now=NOW + after)


def added(engine: Engine, *roles: Role, password: str | None = PASSWORD) -> UserRow:
    with transaction(engine) as tx:
        user = users.new_user(ids.new(), name="ada", password=password, roles=roles, now=NOW)
        users.create_user(tx, user, actor="test", now=NOW)
        tx.commit()
    return user


def session_of(engine: Engine, user: UserRow) -> str:
    with transaction(engine) as tx:
        secret, _ = authentication.sign_in(tx, user, session_id=ids.new(), now=NOW, lasts=HOUR)
        tx.commit()
    return secret


def token_of(engine: Engine, user: UserRow, *scopes: Permission, expires: timedelta | None = HOUR) -> tuple[str, UUID]:
    by = authentication.Principal(
        user_id=user.id, name=user.name, roles=frozenset({Role.ADMIN}), permissions=frozenset(Permission)
    )
    with transaction(engine) as tx:
        token = users.new_token(ids.new(), user_id=user.id, name="ci", scopes=scopes, now=NOW)
        token.expires_at = NOW + expires if expires else None
        secret = users.issue_token(tx, token, by=by, now=NOW)
        tx.commit()
    return secret, token.id


def changed(engine: Engine, kind: type[Any], row_id: UUID, **values: Any) -> None:
    with transaction(engine) as tx:
        tx.get_one(kind, row_id).sqlmodel_update(values)
        tx.commit()


@pytest.mark.parametrize(
    ("name", "password", "enters"),
    [
        ("ada", PASSWORD, True),
        (" ADA ", PASSWORD, True),
        ("ada", PASSWORD + " ", False),
        ("ada", "", False),
        ("bob", PASSWORD, False),
        ("", "", False),
    ],
)
def test_only_the_right_name_with_the_right_password_enters(
    engine: Engine, name: str, password: str, enters: bool
) -> None:
    user = added(engine, Role.VIEWER)
    with read_session(engine) as tx:
        if enters:
            assert authentication.authenticate(tx, name, password).id == user.id
        else:
            with pytest.raises(Unauthenticated, match="Invalid name or password"):
                authentication.authenticate(tx, name, password)


@pytest.mark.parametrize("state", [{"active": False}, {"password_hash": None}])
def test_users_without_a_password_or_no_longer_active_do_not_enter(engine: Engine, state: dict[str, Any]) -> None:
    user = added(engine, Role.VIEWER)
    changed(engine, UserRow, user.id, **state)
    with read_session(engine) as tx, pytest.raises(Unauthenticated):
        authentication.authenticate(tx, "ada", PASSWORD)


def test_a_name_that_nobody_has_is_checked_as_dearly_as_one_that_somebody_has(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    added(engine, Role.VIEWER)
    checked: list[str] = []
    hasher = authentication.HASHER
    monkeypatch.setattr(type(hasher), "verify", lambda _, known, __: checked.append(known) or False)
    for name in ("ada", "bob"):
        with read_session(engine) as tx, pytest.raises(Unauthenticated):
            authentication.authenticate(tx, name, "wrong")
    known, unknown = (each.split("$")[1:4] for each in checked)
    assert known == unknown


def test_the_stand_in_for_unknown_names_is_a_real_hash_of_the_dear_kind() -> None:
    assert authentication.HASHER.check_needs_rehash(authentication._nobody()) is False
    assert not authentication._matches(None, "anything")


def test_a_session_ends_after_its_time(engine: Engine) -> None:
    secret = session_of(engine, added(engine, Role.VIEWER))
    assert principal(engine, secret, after=HOUR - timedelta(seconds=1)).name == "ada"
    with pytest.raises(Unauthenticated):
        principal(engine, secret, after=HOUR)


def test_a_session_ends_with_signing_out(engine: Engine) -> None:
    secret = session_of(engine, added(engine, Role.VIEWER))
    with transaction(engine) as tx:
        authentication.sign_out(tx, secret, now=NOW)
        tx.commit()
    with pytest.raises(Unauthenticated):
        principal(engine, secret)


def test_sessions_that_ended_are_swept_by_the_next_sign_in(engine: Engine) -> None:
    user = added(engine, Role.VIEWER)
    session_of(engine, user)
    with transaction(engine) as tx:
        authentication.sign_in(tx, user, session_id=ids.new(), now=NOW + 2 * HOUR, lasts=HOUR)
        tx.commit()
    with read_session(engine) as tx:
        assert len(tx.exec(select(WebSessionRow)).all()) == 1


@pytest.mark.parametrize("role", Role)
def test_a_session_permits_what_the_role_grants(engine: Engine, role: Role) -> None:
    assert principal(engine, session_of(engine, added(engine, role))).permissions == GRANTS[role]


def test_roles_add_up(engine: Engine) -> None:
    secret = session_of(engine, added(engine, Role.VIEWER, Role.OWNER))
    assert principal(engine, secret).permissions == GRANTS[Role.VIEWER] | GRANTS[Role.OWNER]


def test_a_change_of_role_is_seen_by_the_next_request_of_a_token(engine: Engine) -> None:
    user = added(engine, Role.PRODUCER)
    secret, _ = token_of(engine, user, Permission.LINEAGE, Permission.READ)
    changed(engine, UserRow, user.id, roles=["viewer"])
    assert principal(engine, secret).permissions == {Permission.READ}


@pytest.mark.parametrize(
    ("kind", "state"),
    [(ApiTokenRow, {"revoked_at": NOW}), (ApiTokenRow, {"expires_at": NOW}), (UserRow, {"active": False})],
)
def test_a_token_ends_when_revoked_when_expired_and_with_its_user(
    engine: Engine, kind: type[Any], state: dict[str, Any]
) -> None:
    user = added(engine, Role.PRODUCER)
    secret, token_id = token_of(engine, user, Permission.LINEAGE)
    assert principal(engine, secret).permissions == {Permission.LINEAGE}
    changed(engine, kind, user.id if kind is UserRow else token_id, **state)
    with pytest.raises(Unauthenticated):
        principal(engine, secret)


@pytest.mark.parametrize(
    "alter",
    [
        lambda secret: secret[:-1],
        lambda secret: secret + "x",
        lambda secret: secret.replace("treaty_", "treaty_0", 1),
        lambda _: "treaty_",
        lambda _: "treaty_a_b_c",
        lambda _: "",
        lambda _: "ä" * 10_000,
    ],
)
def test_nothing_near_a_token_is_taken_for_it(engine: Engine, alter: Callable[[str], str]) -> None:
    secret, _ = token_of(engine, added(engine, Role.PRODUCER), Permission.LINEAGE)
    with pytest.raises(Unauthenticated):
        principal(engine, alter(secret))


def test_no_secret_is_stored(engine: Engine) -> None:
    user = added(engine, Role.PRODUCER)
    secrets = [PASSWORD, session_of(engine, user), token_of(engine, user, Permission.READ)[0].split("_", 2)[2]]
    with engine.connect() as connection:
        kept = " ".join(str(connection.execute(table.select()).all()) for table in UserRow.metadata.sorted_tables)
    assert [secret for secret in secrets if secret in kept] == []


def test_the_use_of_a_token_is_noted_at_most_every_ten_minutes(engine: Engine) -> None:
    secret, token_id = token_of(engine, added(engine, Role.PRODUCER), Permission.READ)
    who = principal(engine, secret)
    assert authentication.needs_usage_update(who, now=NOW)
    with transaction(engine) as tx:
        authentication.mark_used(tx, who, now=NOW)
        tx.commit()
    who = principal(engine, secret)
    assert [authentication.needs_usage_update(who, now=NOW + timedelta(minutes=each)) for each in (9, 10)] == [
        False,
        True,
    ]
    with read_session(engine) as tx:
        assert tx.get_one(ApiTokenRow, token_id).last_used_at == NOW


@pytest.mark.parametrize(
    ("who", "scopes", "status"),
    [
        ("producer", ["lineage:write"], 201),
        ("viewer", ["lineage:write"], 403),
        ("owner", ["users:manage"], 403),
        ("producer", [], 422),
        ("producer", ["everything"], 422),
    ],
)
def test_nobody_issues_a_token_that_can_more_than_they_can(
    world: World, who: str, scopes: list[str], status: int
) -> None:
    assert world.call(who, "POST", "/tokens", json={"name": "t", "scopes": scopes}).status_code == status


def test_a_token_cannot_issue_one_with_more_than_its_own_scopes(world: World) -> None:
    narrow = world.client("producer").issue_token("narrow", scopes=[Permission.TOKENS, Permission.READ]).secret
    headers = {"Authorization": f"Bearer {narrow}"}
    for scope, status in (("contracts:read", 201), ("lineage:write", 403)):
        body = {"name": "wide", "scopes": [scope]}
        assert world.http.post("/api/v1/tokens", json=body, headers=headers).status_code == status


def test_an_administrator_issues_tokens_for_services_within_their_roles(world: World) -> None:
    service, body = str(world.users["service"].id), {"name": "spark", "scopes": ["lineage:write"]}
    assert world.call("owner", "POST", "/tokens", json={**body, "user_id": service}).status_code == 403
    secret = world.call("admin", "POST", "/tokens", json={**body, "user_id": service}).json()["secret"]
    me = world.http.get("/api/v1/me", headers={"Authorization": f"Bearer {secret}"}).json()
    assert (me["user"]["name"], me["permissions"]) == ("service", ["lineage:write"])
    wide = {"name": "spark", "scopes": ["users:manage"], "user_id": service}
    assert world.call("admin", "POST", "/tokens", json=wide).status_code == 403


def test_another_s_token_is_revoked_by_administrators_alone(world: World) -> None:
    token = world.client("producer").issue_token("t", scopes=[Permission.READ]).token
    assert world.call("owner", "DELETE", f"/tokens/{token.id}", {"If-Match": "*"}).status_code == 404
    assert world.client("owner").tokens() == []
    world.client("admin").revoke_token(token.id)
    assert [each.revoked_at is not None for each in world.client("producer").tokens()] == [True]


def test_a_token_may_be_issued_without_an_end(world: World) -> None:
    assert (
        world.client("producer").issue_token("t", scopes=[Permission.READ], expires_days=None).token.expires_at is None
    )


def test_a_changed_user_must_sign_in_again(world: World) -> None:
    user = world.users["viewer"]
    world.client("admin").change_user(user.id, UserUpdateIn(roles=[Role.OWNER]))
    assert world.call("viewer", "GET", "/me").status_code == 401


def test_the_last_administrator_cannot_be_lost(world: World) -> None:
    admin = world.users["admin"].id
    for change in ({"roles": ["viewer"]}, {"active": False}):
        assert world.call("admin", "PATCH", f"/users/{admin}", given={"If-Match": "*"}, json=change).status_code == 409
    assert world.client("admin").me().user.roles == (Role.ADMIN,)


def link(engine: Engine) -> str:
    with transaction(engine) as tx:
        secret = first_admin.issue(tx, token_id=ids.new(), now=NOW, lasts=HOUR)
        tx.commit()
    return secret


def completed(engine: Engine, secret: str, *, name: str = "ada", after: timedelta = timedelta(0)) -> UserRow:
    with transaction(engine) as tx:
        user = users.new_user(ids.new(), name=name, password=PASSWORD, roles=[Role.ADMIN], now=NOW)
        first_admin.complete(tx, secret, user, now=NOW + after)
        tx.commit()
    return user


def test_the_one_time_link_makes_the_first_administrator_once(engine: Engine) -> None:
    secret = link(engine)
    assert completed(engine, secret).roles == ["admin"]
    with pytest.raises(Unauthenticated, match="This link is not valid"):
        completed(engine, secret, name="eve")


def test_the_one_time_link_ends_after_its_time_and_with_the_next_one(engine: Engine) -> None:
    first = link(engine)
    second = link(engine)
    for secret, after in ((first, timedelta(0)), (second, HOUR), ("guessed", timedelta(0))):
        with pytest.raises(Unauthenticated):
            completed(engine, secret, after=after)
    assert completed(engine, second)


def test_of_two_who_use_the_link_at_once_one_wins(engine: Engine) -> None:
    secret, start = link(engine), Barrier(2)

    def race(name: str) -> bool:
        start.wait()
        try:
            return bool(completed(engine, secret, name=name))
        except Unauthenticated:
            return False

    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(race, ["ada", "eve"])) == [False, True]


def test_no_link_is_made_once_there_is_an_administrator(engine: Engine) -> None:
    added(engine, Role.ADMIN)
    with pytest.raises(Conflict, match="already has an administrator"):
        link(engine)


def test_init_makes_the_database_and_prints_a_link_that_works(tmp_path: Path) -> None:
    settings = RegistrySettings(home=tmp_path / "new")
    address, _, token = first_admin.initialise(settings).partition("?token=")
    assert address == "http://127.0.0.1:8701/setup"
    engine = connect(settings.database)
    assert completed_now(engine, token) == 201
    engine.dispose()


def test_the_link_leads_to_the_public_address_of_the_pages(tmp_path: Path) -> None:
    settings = RegistrySettings(home=tmp_path / "new", public_url="https://treaty.example.com/")
    assert first_admin.initialise(settings).startswith("https://treaty.example.com/setup?token=")


def completed_now(engine: Engine, token: str) -> int:
    with transaction(engine) as tx:
        assert tx.exec(select(SetupTokenRow)).one().used_at is None
    app = build_app(engine)
    body = {"token": token, "name": "ada", "password": PASSWORD}
    return int(app.post("/api/v1/setup", json=body).status_code)


def build_app(engine: Engine) -> Any:
    from fastapi.testclient import TestClient

    from treaty.registry.api.app import create_app

    return TestClient(create_app(RegistrySettings(), engine))


def test_signing_in_over_http_answers_wrong_names_and_wrong_passwords_alike(engine: Engine) -> None:
    http = build(engine).http
    answers = [
        http.post("/api/v1/session", json={"name": name, "password": "wrong"}) for name in ("owner", "nobody-at-all")
    ]
    assert {(each.status_code, each.text) for each in answers} == {(401, answers[0].text)}
    good = http.post("/api/v1/session", json={"name": "Owner", "password": PASSWORD})
    assert (good.status_code, good.json()["user"]["name"]) == (201, "owner")


def test_forbidden_names_the_permission_that_is_missing() -> None:
    nobody = authentication.Principal(user_id=ids.new(), name="ada", roles=frozenset(), permissions=frozenset())
    with pytest.raises(Forbidden, match="requires the permission users:manage, which ada does not have"):
        authentication.require_permission(nobody, Permission.USERS)
