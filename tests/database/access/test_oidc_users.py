"""Who comes with a token of an identity provider: users by their names, with the rights of their teams."""

import logging
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from support.api import World, application, build
from support.provider import AUDIENCE, Issuer, issuing, required

from treaty.engine.core import clock
from treaty.registry import schemas
from treaty.registry.core.enums import GrantScope, Role
from treaty.registry.core.settings import RegistrySettings


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    required()
    with issuing() as made:
        yield made


def served(engine: Engine, issuer: Issuer, **settings: Any) -> World:
    return build(engine, oidc_issuer=issuer.address, oidc_audience=AUDIENCE, oidc_teams="g1=sellers", **settings)


def asked(world: World, token: str, path: str = "/me", method: str = "GET", **sent: Any) -> Any:
    return world.http.request(method, f"/api/v1{path}", headers={"Authorization": f"Bearer {token}"}, **sent)


def test_a_user_whom_the_provider_names_may_what_their_role_permits(engine: Engine, issuer: Issuer) -> None:
    world = served(engine, issuer)
    for key in ("r", "e"):
        token = issuer.token(key, clock.now(), sub="viewer")
        assert asked(world, token).json()["user"]["name"] == "viewer"
        assert asked(world, token, "/contracts").status_code == 200
        assert asked(world, token, "/users").status_code == 403
    assert asked(world, issuer.token("r", clock.now(), sub="viewer", aud="other")).status_code == 401
    assert world.call("viewer", "GET", "/me").status_code == 200


def test_who_is_not_known_or_not_active_is_not_let_in(engine: Engine, issuer: Issuer) -> None:
    world = served(engine, issuer)
    unknown = asked(world, issuer.token("r", clock.now(), sub="zoe"))
    assert (unknown.status_code, "ask an administrator" in unknown.json()["message"]) == (401, True)
    world.client("admin").change_user(world.users["viewer"].id, schemas.UserUpdateIn(active=False))
    assert asked(world, issuer.token("r", clock.now(), sub="viewer")).status_code == 401
    assert {each.name for each in world.client("admin").users()} == set(world.users)


def test_a_setting_has_who_is_not_known_made_a_viewer_once(engine: Engine, issuer: Issuer) -> None:
    world = served(engine, issuer, oidc_create_users=True)
    before = len(world.audited())
    for _ in range(2):
        assert asked(world, issuer.token("r", clock.now(), sub="zoe")).json()["user"]["roles"] == ["viewer"]
    assert world.audited()[before:] == ["user:created"]
    for name in ("Zoe", "no spaces please", "x" * 101, "-"):
        assert asked(world, issuer.token("r", clock.now(), sub=name)).status_code == 401
    assert len(world.audited()) == before + 1


def test_groups_give_the_rights_of_teams_for_as_long_as_the_token_says_so(engine: Engine, issuer: Issuer) -> None:
    world = served(engine, issuer)
    admin = world.client("admin")
    team = admin.create_team("sellers")
    admin.grant(schemas.GrantIn(role=Role.PRODUCER, scope=GrantScope.DOMAIN, target="shop", team_id=team.id))
    within, without = (issuer.token("r", clock.now(), sub="viewer", groups=each) for each in (["g1", "g2"], ["g2"]))
    told = [[each["target"] for each in asked(world, token).json()["grants"]] for token in (within, without)]
    assert told == [["shop"], []]
    assert admin.teams()[0].members == ()


def test_a_token_ends_with_its_time_and_a_provider_that_is_away_is_an_answer(engine: Engine, issuer: Issuer) -> None:
    world = served(engine, issuer)
    old = issuer.token("r", clock.now() - timedelta(minutes=10), sub="viewer")
    assert asked(world, old).status_code == 401
    issuer.away = True
    try:
        away = served_again(world, issuer)
        told = asked(away, issuer.token("r", clock.now(), sub="viewer"))
    finally:
        issuer.away = False
    assert (told.status_code, "is not responding" in told.json()["message"]) == (503, True)
    assert away.call("viewer", "GET", "/me").status_code == 200


def served_again(world: World, issuer: Issuer) -> World:
    """The same users, asked of a process that has no keys yet."""
    from fastapi.testclient import TestClient

    from treaty.registry.api.app import create_app
    from treaty.registry.core.settings import RegistrySettings

    app = create_app(RegistrySettings(oidc_issuer=issuer.address, oidc_audience=AUDIENCE), world.engine)
    return World(world.engine, TestClient(app, raise_server_exceptions=False), world.users, world.secrets)


def test_such_a_token_signs_nobody_out_and_is_in_no_answer_and_no_line_of_the_log(
    engine: Engine, issuer: Issuer, caplog: pytest.LogCaptureFixture
) -> None:
    world = served(engine, issuer)
    now = clock.now()
    tokens = [issuer.token(key, now, sub=sub) for key in ("r", "e") for sub in ("viewer", "admin", "zoe")]
    forged = [each[:-8] + "AAAAAAAA" for each in tokens]
    with caplog.at_level(logging.DEBUG):
        told = [asked(world, each, path).text for each in (*tokens, *forged) for path in ("/me", "/audit", "/nowhere")]
        told += [asked(world, tokens[0], "/session", "DELETE").text]
    kept = "\n".join([*told, caplog.text])
    assert [each for each in (*tokens, *forged) if each in kept or each.split(".")[2] in kept] == []


def opened(world: World, token: str, nonce: str = "n" * 32) -> Any:
    return world.http.post("/api/v1/session/oidc", json={"token": token, "nonce": nonce})


def test_a_session_is_opened_for_whom_the_provider_names_with_the_rights_of_their_teams(
    engine: Engine, issuer: Issuer
) -> None:
    world = served(engine, issuer)
    world.client("admin").create_team("sellers")
    team = world.client("admin").teams()[0]
    world.client("admin").grant(
        schemas.GrantIn(role=Role.OWNER, scope=GrantScope.DOMAIN, target="shop", team_id=team.id)
    )
    token = issuer.token("r", clock.now(), sub="viewer", groups=["g1"], nonce="n" * 32)

    answer = opened(world, token)

    assert answer.status_code == 201
    told = asked(world, answer.json()["secret"]).json()
    assert (told["user"]["name"], [each["target"] for each in told["grants"]]) == ("viewer", ["shop"])
    assert world.call("viewer", "GET", "/me").json()["grants"] == []
    assert world.audited()[-1] == "session:opened"


def test_a_token_of_another_sign_in_or_of_none_opens_nothing(engine: Engine, issuer: Issuer) -> None:
    world = served(engine, issuer)
    now = clock.now()
    mine = issuer.token("r", now, sub="viewer", nonce="n" * 32)
    assert opened(world, mine, "m" * 32).status_code == 401
    assert opened(world, issuer.token("r", now, sub="viewer")).status_code == 401
    assert opened(world, issuer.token("r", now, sub="zoe", nonce="n" * 32)).status_code == 401
    assert opened(world, issuer.token("r", now, sub="viewer", nonce="n" * 32, aud="other")).status_code == 401
    assert opened(world, mine, "short").status_code == 422
    assert opened(build_without(engine, world), mine).status_code == 404


def build_without(engine: Engine, world: World) -> World:
    """The same service without a provider."""
    http = TestClient(application(RegistrySettings(), engine), raise_server_exceptions=False)
    return replace(world, http=http)
