"""The door: who tries to sign in too often waits, before a password is hashed, whichever process they ask."""

import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from threading import Barrier
from typing import Any
from unittest.mock import patch

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from sqlmodel import col, select
from support.api import NOW, PASSWORD, World, build, cheap_passwords, counted_queries

from treaty.registry.access import authentication, first_admin, sign_in_throttle
from treaty.registry.access.password_queue import MOST, MOST_OF_ADDRESS, PasswordQueue
from treaty.registry.core import ids
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.errors import RateLimited, ServiceBusy
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.tables import AuditEntryRow, SignInWindowRow

TRIES, BY_ADDRESS = 3, 5
WITHIN = timedelta(minutes=15)
SETTINGS = {"sign_in_attempts_per_name_and_address": TRIES, "sign_in_attempts_per_address": BY_ADDRESS}


@pytest.fixture
def door(engine: Engine) -> Iterator[World]:
    with cheap_passwords():
        yield build(engine, **SETTINGS)


def tried(world: World, name: str, password: str = "wrong", **headers: str) -> Any:
    return world.http.post("/api/v1/session", json={"name": name, "password": password}, headers=headers)


@contextmanager
def hashed() -> Iterator[list[str]]:
    """Which names' passwords are looked at meanwhile."""
    asked: list[str] = []
    authenticate = authentication.authenticate

    def noting(session: Any, name: str, password: str) -> Any:
        asked.append(name)
        return authenticate(session, name, password)

    with patch.object(authentication, "authenticate", noting):
        yield asked


@pytest.mark.parametrize("name", ["owner", "nobody-at-all"])
def test_after_some_failures_a_name_is_refused_before_a_password_is_hashed(door: World, name: str) -> None:
    with hashed() as asked:
        told = [tried(door, name) for _ in range(TRIES + 2)]
    assert [each.status_code for each in told] == [401] * TRIES + [429] * 2
    assert asked == [name] * TRIES
    assert 0 < int(told[-1].headers["Retry-After"]) <= WITHIN.total_seconds()
    assert tried(door, name.upper(), PASSWORD).status_code == 429
    assert tried(door, "viewer", PASSWORD).status_code == 201


def test_known_and_unknown_names_are_refused_alike(door: World) -> None:
    told = []
    for name, address in (("owner", "203.0.113.1"), ("nobody-at-all", "203.0.113.2")):
        client = TestClient(door.http.app, client=(address, 1))
        sent = {"name": name, "password": "wrong"}
        told.append([client.post("/api/v1/session", json=sent) for _ in range(TRIES + 1)][-1])
    assert [told[0].status_code, told[0].json()] == [429, told[1].json()]


def test_who_signs_in_rightly_does_not_come_nearer_to_a_limit(door: World) -> None:
    told = [tried(door, "owner", PASSWORD).status_code for _ in range(BY_ADDRESS + 3)]
    assert set(told) == {201}


def test_an_address_is_refused_whatever_names_it_tries(door: World) -> None:
    told = [tried(door, f"name-{each}").status_code for each in range(BY_ADDRESS + 1)]
    assert told == [401] * BY_ADDRESS + [429]
    assert tried(door, "owner", PASSWORD).status_code == 429


def test_the_one_time_link_is_not_guessed_either(door: World) -> None:
    body = {"token": "guessed", "name": "eve", "password": PASSWORD}
    told = [door.http.post("/api/v1/setup", json=body).status_code for _ in range(BY_ADDRESS + 1)]
    assert told == [401] * BY_ADDRESS + [429]


def test_a_limit_that_is_reached_is_audited_once_and_then_only_read(door: World) -> None:
    for name in ("owner", "my secret password"):
        for _ in range(TRIES + 3):
            tried(door, name, **{"X-Forwarded-For": name})
    with read_session(door.engine) as tx:
        refused = select(AuditEntryRow).where(AuditEntryRow.action == AuditAction.SESSION_REFUSED)
        entries = tx.exec(refused.order_by(col(AuditEntryRow.position))).all()
        kept = [each.model_dump_json() for each in (*entries, *tx.exec(select(SignInWindowRow)))]
    assert [each.details for each in entries] == [
        {"by": "name", "attempts": TRIES, "user": "owner", "address": "testclient"},
        {"by": "address", "attempts": BY_ADDRESS, "address": "testclient"},
    ]
    assert [each for each in kept if "secret" in each] == []
    with counted_queries(door.engine) as statements:
        tried(door, "owner")
    assert [each for each in statements if each != "begin" and not each.lower().startswith("select")] == []


def limit(engine: Engine, name: str = "ada") -> tuple[sign_in_throttle.RateLimit, ...]:
    settings = RegistrySettings(**SETTINGS)  # type: ignore[arg-type]
    with read_session(engine) as tx:
        return sign_in_throttle.limits(tx, settings, address=None, name=name)


def counted(engine: Engine, *, after: timedelta = timedelta(0)) -> bool:
    """Whether an attempt may go on."""
    with transaction(engine) as tx:
        refused = sign_in_throttle.count(tx, limit(engine), now=NOW + after)
        tx.commit()
    return refused is None


def test_a_window_ends_after_its_time(engine: Engine) -> None:
    assert [counted(engine) for _ in range(TRIES + 1)] == [True] * TRIES + [False]
    with read_session(engine) as tx, pytest.raises(RateLimited, match="Try again in 5 min") as error:
        sign_in_throttle.refuse(tx, limit(engine), now=NOW)
    assert error.value.seconds == WITHIN.total_seconds() / TRIES
    assert not counted(engine, after=WITHIN / TRIES - timedelta(seconds=1))
    assert counted(engine, after=WITHIN)
    with transaction(engine) as tx:
        assert sign_in_throttle.forget(tx, before=NOW + WITHIN) == 0
        assert sign_in_throttle.forget(tx, before=NOW + 3 * WITHIN) == 1


def test_of_many_attempts_at_once_no_more_than_the_limit_go_on(engine: Engine) -> None:
    start = Barrier(8)

    def attempt(_: int) -> bool:
        start.wait()
        return counted(engine)

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(attempt, range(8))) == TRIES


def test_nothing_that_somebody_typed_or_was_given_is_logged_or_told(
    engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    with transaction(engine) as tx:
        link = first_admin.issue(tx, token_id=ids.new(), now=NOW, lasts=timedelta(days=36500))
        tx.commit()
    told: list[str] = []
    with caplog.at_level(logging.DEBUG), cheap_passwords():
        world = build(engine, **SETTINGS)
        given = [world.client("producer").issue_token(f"t{each}", scopes=["contracts:read"]) for each in range(5)]  # type: ignore[list-item]
        rotated = [world.client("producer").rotate_token(each.token.id) for each in given]
        typed = [f"canary-password-{each}" for each in range(5)]
        for each in typed:
            told += [tried(world, "owner", each).text, tried(world, each, each).text]
        told.append(world.http.post("/api/v1/setup", json={"token": link, "name": "x y", "password": typed[0]}).text)
        secrets = [*typed, link, *(each.secret for each in (*given, *rotated)), *world.secrets.values()]
        for each in secrets:
            headers = {"Authorization": f"Bearer {each}"}
            told += [world.http.get(path, headers=headers).text for path in ("/api/v1/tokens", "/api/v1/nowhere")]
        told += [world.call("admin", "GET", path).text for path in ("/audit", "/tokens", "/users", "/grants")]
    kept = "\n".join([*told, caplog.text])
    assert len(secrets) >= 20
    assert [each for each in secrets if each in kept] == []


def test_a_service_behind_the_pages_counts_the_addresses_of_those_who_use_them() -> None:
    from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

    seen: list[Any] = []

    async def app(scope: Any, *_: Any) -> None:
        seen.append(scope["client"])

    client = TestClient(ProxyHeadersMiddleware(app, trusted_hosts="127.0.0.1"), client=("127.0.0.1", 1))  # type: ignore[arg-type]
    with pytest.raises(AssertionError):
        client.get("/", headers={"X-Forwarded-For": "203.0.113.9"})
    assert [each[0] for each in seen] == ["203.0.113.9"]


def from_address(world: World, address: str, name: str, password: str = "wrong") -> int:
    client = TestClient(world.http.app, client=(address, 1))
    return client.post("/api/v1/session", json={"name": name, "password": password}).status_code


@pytest.mark.parametrize("name", ["owner", "nobody-at-all"])
def test_nobody_keeps_another_out_by_their_name(door: World, name: str) -> None:
    assert [from_address(door, "203.0.113.1", name) for _ in range(TRIES + 1)] == [401] * TRIES + [429]
    assert from_address(door, "203.0.113.2", name) == 401
    if name == "owner":
        assert from_address(door, "203.0.113.3", name, PASSWORD) == 201


def test_addresses_of_one_ipv6_network_are_one_client(door: World) -> None:
    told = [from_address(door, f"2001:db8::{each + 1:x}", "owner") for each in range(TRIES + 1)]
    assert told == [401] * TRIES + [429]
    assert from_address(door, "2001:db8:0:1::1", "owner") == 401


def test_attempts_are_slowed_down_and_not_stopped(engine: Engine) -> None:
    pause = WITHIN / TRIES
    assert [counted(engine) for _ in range(TRIES + 1)] == [True] * TRIES + [False]
    assert [counted(engine, after=pause) for _ in range(2)] == [True, False]
    assert [counted(engine, after=2 * pause) for _ in range(2)] == [True, False]


def test_few_attempts_wait_and_of_an_address_fewer() -> None:
    queue = PasswordQueue()
    with ExitStack() as places:
        for _ in range(MOST_OF_ADDRESS):
            places.enter_context(queue.place("203.0.113.1"))
        with pytest.raises(RateLimited, match="at once"), queue.place("203.0.113.1"):
            pass
        for each in range(MOST - MOST_OF_ADDRESS):
            places.enter_context(queue.place(f"203.0.113.{each + 10}"))
        with pytest.raises(ServiceBusy), queue.place("203.0.113.2"):
            pass
    with queue.place("203.0.113.1"):
        assert queue.run(lambda: 1) == 1


def test_no_password_is_hashed_for_a_guessed_link(door: World) -> None:
    with patch.object(authentication, "HASHER", None):
        body = {"token": "guessed", "name": "eve", "password": PASSWORD}
        assert door.http.post("/api/v1/setup", json=body).status_code == 401
