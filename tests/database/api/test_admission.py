"""Nothing of a body is read before its sender is authenticated and permitted, on every route that there is."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from support.api import World, application
from support.every import every

from treaty.registry.api.http import admission
from treaty.registry.api.http.admission import Admission, AdmissionRoute, admission_of, anyone
from treaty.registry.core import request_bodies
from treaty.registry.core.database import connect
from treaty.registry.core.enums import Permission
from treaty.registry.core.settings import RegistrySettings

KIB = 1024
PREFIX = "/api/v1"
SETTINGS = RegistrySettings(home="/nowhere")
# What anyone may call, with a body or without.
PUBLIC = {
    ("POST", "/setup"), ("POST", "/session"), ("POST", "/session/oidc"), ("GET", "/health"), ("GET", "/ready"),
    ("GET", "/lineage/facets/1-0-0/TreatyContractRunFacet.json"),
}  # fmt: skip
# Whose permission depends on the body or on the object alone, or who needs none but to be somebody.
UNSTATED = {
    ("DELETE", "/session"), ("PUT", "/teams/{team_id}/members"), ("DELETE", "/teams/{team_id}/members"),
    ("POST", "/tasks/{task_id}/retry"), ("POST", "/tasks/{task_id}/stop"),
}  # fmt: skip
# What may be larger than a small body, with the setting that says how large.
LARGE = {
    "max_state_bytes": {"/dataset/gate/bag"},
    "max_generation_bytes": {"/dataset/gate/generation"},
    "max_event_bytes": {"/lineage", "/lineage/batch"},
}


def routes() -> dict[tuple[str, str], APIRoute]:
    """Every route of the service, by method and path."""
    found: dict[tuple[str, str], APIRoute] = {}
    app = application(SETTINGS, connect("sqlite://"))
    stack: list[Any] = list(app.router.routes)
    while stack:
        each = stack.pop()
        if hasattr(each, "original_router"):
            stack += each.original_router.routes
        elif isinstance(each, APIRoute):
            found |= {(method, each.path): each for method in each.methods or ()}
    return found


ROUTES = routes()
RULES: dict[tuple[str, str], Admission] = {key: admission_of(each.endpoint) for key, each in ROUTES.items()}


@dataclass
class Connection:
    """A client that sends `parts` as it is asked, and counts how often it was."""

    parts: AsyncIterator[bytes]
    asked: int = 0
    sent: int = 0
    messages: list[Any] = field(default_factory=list)

    async def receive(self) -> dict[str, Any]:
        self.asked += 1 if not self.messages else 0
        part = await anext(self.parts, None)
        self.sent += len(part or b"")
        return {"type": "http.request", "body": part or b"", "more_body": part is not None}

    async def send(self, message: Any) -> None:
        self.messages.append(message)

    @property
    def status(self) -> int:
        return int(self.messages[0]["status"])

    @property
    def headers(self) -> dict[bytes, bytes]:
        return dict(self.messages[0]["headers"])


async def endless(part: bytes = b" " * 64 * KIB) -> AsyncIterator[bytes]:
    while True:
        yield part


async def in_parts(*parts: bytes) -> AsyncIterator[bytes]:
    for each in parts:
        yield each


async def never() -> AsyncIterator[bytes]:
    await asyncio.Event().wait()
    yield b""


def call(
    app: FastAPI, method: str, path: str, parts: AsyncIterator[bytes], headers: Mapping[str, str] | None = None
) -> Connection:
    """What becomes of a request whose body is sent in those parts."""
    given = {"transfer-encoding": "chunked", "content-type": "application/json", **(headers or {})}
    if "content-length" in given:
        del given["transfer-encoding"]
    scope = {
        "type": "http", "method": method, "path": PREFIX + path, "raw_path": (PREFIX + path).encode(),
        "query_string": b"", "http_version": "1.1", "state": {},
        "root_path": "", "scheme": "http", "server": ("testserver", 80), "client": ("203.0.113.7", 4711),
        "headers": [(name.encode(), text.encode()) for name, text in given.items()],
    }  # fmt: skip
    connection = Connection(parts)
    asyncio.run(app(scope, connection.receive, connection.send))
    return connection


def named(path: str) -> str:
    """The path with ids in it."""
    return path.replace("{", "0").replace("}", "0")


@pytest.fixture
def app(world: World) -> FastAPI:
    return world.http.app  # type: ignore[misc]


def bearer(world: World, who: str) -> dict[str, str]:
    return {"authorization": f"Bearer {world.secrets[who]}"}


def test_every_route_admits_its_requests_first() -> None:
    assert {type(each) for each in ROUTES.values()} == {AdmissionRoute}
    assert len(ROUTES) > 120


def test_what_anyone_may_call_is_known_by_name() -> None:
    assert {key for key, rule in RULES.items() if rule.authenticate is anyone} == PUBLIC


def test_every_route_that_changes_something_states_its_permission() -> None:
    changing = {key for key in ROUTES if key[0] != "GET"} - PUBLIC - {("POST", "/lineage"), ("POST", "/lineage/batch")}
    assert {key for key in changing if RULES[key].permission is None} == UNSTATED


def test_a_body_is_small_unless_it_is_documented_to_be_large() -> None:
    limits = {key: rule.body(SETTINGS) for key, rule in RULES.items()}
    large = {path: limit for (_, path), limit in limits.items() if limit > SETTINGS.max_body_bytes}
    assert large == {path: getattr(SETTINGS, setting) for setting, paths in LARGE.items() for path in paths}
    assert all(limits[key] <= 32 * KIB for key in PUBLIC if key[0] == "POST")


@every("key", ROUTES)
def test_of_a_stranger_no_body_is_read(app: FastAPI, key: tuple[str, str]) -> None:
    method, path = key
    for headers in ({}, {"authorization": "Bearer treaty_x_guess"}, {"authorization": "Basic x"}):
        made = call(app, method, named(path), endless(), headers)
        if key in PUBLIC:
            assert made.sent <= 32 * KIB + 64 * KIB + request_bodies.DISCARDED, key
            continue
        assert (made.status, made.asked) == (401, 0), key
        assert made.headers[b"connection"] == b"close"
        assert made.sent <= request_bodies.DISCARDED + 64 * KIB


@every("key", [key for key, rule in RULES.items() if rule.permission is not None])
def test_without_the_permission_no_body_is_read(app: FastAPI, world: World, key: tuple[str, str]) -> None:
    method, path = key
    scope = Permission.SAMPLES if RULES[key].permission is not Permission.SAMPLES else Permission.READ
    secret = world.client("consumer").issue_token("narrow", scopes=[scope]).secret
    made = call(app, method, named(path), endless(), {"authorization": f"Bearer {secret}"})
    assert (made.status, made.asked) == (403, 0)


WITH_JSON = {key: RULES[key].body for key, each in ROUTES.items() if each.body_field is not None}


@every("key", WITH_JSON)
def test_no_more_is_read_than_the_route_takes(app: FastAPI, world: World, key: tuple[str, str]) -> None:
    limit = WITH_JSON[key](SETTINGS)
    who = {} if key in PUBLIC else bearer(world, "owner" if RULES[key].permission is not Permission.USERS else "admin")
    made = call(app, key[0], named(key[1]), endless(), who)
    assert made.status == 413
    assert f"{limit:,} bytes" in made.messages[1]["body"].decode()
    assert made.asked <= limit // (64 * KIB) + 1
    declared = call(app, key[0], named(key[1]), endless(), {**who, "content-length": str(limit + 1)})
    assert (declared.status, declared.asked) == (413, 0)


@every(
    "sent",
    {
        "another media type": ({"content-type": "text/yaml"}, b"x", 415),
        "no media type": ({"content-type": ""}, b"x", 415),
        "a form of parts": ({"content-type": "multipart/form-data; boundary=x"}, b"--x", 415),
        "gzip": ({"content-encoding": "gzip"}, b"\x1f\x8b", 415),
        "gzip twice": ({"content-encoding": "gzip, gzip"}, b"\x1f\x8b", 415),
        "an unknown encoding": ({"content-encoding": "br"}, b"x", 415),
        "deep lists": ({}, b"[" * 50_000, 400),
        "a key twice": ({}, b'{"name": "a", "name": "b"}', 422),
        "many digits": ({}, b'{"name": ' + b"9" * 5_000 + b"}", 400),
        "beyond all numbers": ({}, b'{"name": 1e999}', 422),
        "no number": ({}, b'{"name": NaN}', 422),
        "half of a character": ({}, b'{"name": "\xff"}', 400),
        "two bytes each": ({}, '{"name": "a"}'.encode("utf-16"), 400),
    }.values(),
)
def test_odd_bodies_are_refused_in_words(app: FastAPI, world: World, sent: tuple[dict[str, str], bytes, int]) -> None:
    headers, body, status = sent
    made = call(app, "POST", "/teams", in_parts(body), {**bearer(world, "admin"), **headers})
    problem = json.loads(made.messages[1]["body"])
    assert (made.status, made.headers[b"content-type"]) == (status, b"application/problem+json")
    assert problem["detail"]


def test_a_slow_body_ends(app: FastAPI, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_bodies, "GRACE", 0.05)
    monkeypatch.setattr(request_bodies, "LINGER", 0.05)
    made = call(app, "POST", "/teams", never(), bearer(world, "admin"))
    assert (made.status, made.headers[b"connection"]) == (408, b"close")


def test_who_waits_to_be_told_to_continue_is_answered_at_once(app: FastAPI) -> None:
    made = call(app, "POST", "/proposals", never(), {"expect": "100-continue", "content-length": "10"})
    assert (made.status, made.sent, made.headers[b"connection"]) == (401, 0, b"close")


def test_a_small_body_that_is_not_read_leaves_the_connection_open(app: FastAPI) -> None:
    made = call(app, "POST", "/proposals", in_parts(b"{}"), {"content-length": "2"})
    assert made.status == 401
    assert b"connection" not in made.headers


def test_a_stated_length_beside_chunks_is_not_believed(app: FastAPI, world: World) -> None:
    headers = {**bearer(world, "admin"), "Transfer-Encoding": "chunked"}
    made = call(app, "POST", "/teams", endless(), headers)
    assert made.status == 413


def test_the_default_admits_nobody_unknown() -> None:
    assert admission_of(lambda: None) == Admission()
    assert Admission().authenticate is admission.bearer_principal
