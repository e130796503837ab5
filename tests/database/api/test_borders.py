"""Values at the borders of their types, on every route: they are accepted or refused, and nothing fails."""

import itertools
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from support.api import World
from support.api_calls import JSON
from support.border_requests import operations
from support.border_run import search
from support.databases import empty, sqlite_copy

from treaty.registry.api.app import create_app
from treaty.registry.core.database import connect
from treaty.registry.core.settings import RegistrySettings

# On each kind of database; `make fuzz-api` sends more, with another seed.
REQUESTS, SEED = int(os.environ.get("FUZZ_API", "400")), int(os.environ.get("FUZZ_API_SEED", "20261125"))
HALF, NUL = "\ud800", "a\x00b"
BEYOND, EARLY, LATE = 2**63, "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"
JUDGED = {"decision": "accepted", "revision": BEYOND}
PATCHED = {"decision": "accepted", "revision": 1}
# Texts that readers of documents refuse themselves, with a fault that names the line.
DOCUMENTS = {"document", "text"}


@pytest.fixture
def fresh(request: pytest.FixtureRequest, kind: str, tmp_path: Path) -> Callable[[], Engine]:
    """Return a maker of migrated, empty databases."""
    if kind == "postgres":
        engine = request.getfixturevalue("postgres")
        return lambda: empty(engine) or engine
    template, numbers = request.getfixturevalue("template"), itertools.count()

    def copied() -> Engine:
        folder = tmp_path / str(next(numbers))
        folder.mkdir()
        return sqlite_copy(template, folder)

    return copied


def test_no_request_at_a_border_fails(fresh: Callable[[], Engine], tmp_path: Path) -> None:
    findings = search(fresh, REQUESTS, SEED, home=tmp_path / "home")
    assert findings.failures == {}
    assert findings.sent >= REQUESTS
    # Most of what is sent gets past the door, and some of it is accepted.
    assert findings.statuses[401] < findings.sent / 10
    assert sum(number for status, number in findings.statuses.items() if status < 300) > findings.sent / 10


@pytest.mark.parametrize(
    ("who", "method", "path", "body"),
    [
        ("producer", "PUT", "/proposals/{id}/suggestions/{id}", JUDGED),
        ("producer", "POST", "/proposals/{id}/decisions", {**JUDGED, "suggestions": ["{id}"]}),
        ("producer", "PUT", "/proposals/{id}/document", {"document": "x", "revision": 10**30}),
        ("owner", "POST", "/proposals/{id}/request-changes", {"text": "why", "revision": BEYOND}),
        ("owner", "POST", "/proposals/{id}/approve", {"fingerprint": "x", "revision": BEYOND}),
        ("consumer", "PUT", "/subscriptions/{id}", {"purpose": "x", "contact": "x", "revision": BEYOND}),
        ("admin", "GET", f"/audit/export?after={BEYOND}", None),
        ("admin", "GET", f"/audit/export?after={2**31}", None),
        ("producer", "POST", "/proposals/{id}/snooze", {"snoozed_until": LATE}),
        ("viewer", "GET", f"/lineage/events?since={EARLY.replace('+', '%2B')}", None),
        ("viewer", "GET", f"/events/lineage?before={LATE}", None),
        ("viewer", "GET", f"/gate?dataset=known&as_of={EARLY.replace('+', '%2B')}", None),
        ("viewer", "GET", f"/history/checks?contract_id=known&object=o&check_id=c&since={LATE}", None),
        (None, "POST", "/session", {"name": "viewer", "password": HALF}),
        ("viewer", "GET", "/runs?contract_id=%00", None),
        ("producer", "PUT", "/proposals/{id}/suggestions/{id}", {**PATCHED, "patch": {NUL: 1}}),
        ("producer", "PUT", "/proposals/{id}/suggestions/{id}", {**PATCHED, "patch": {"a": [NUL]}}),
    ],
)  # fmt: skip
def test_a_value_that_no_database_can_store_is_refused(
    world: World, who: str | None, method: str, path: str, body: Any
) -> None:
    known = "00000000-0000-7000-8000-000000000000"
    content = None if body is None else json.dumps(body).replace("{id}", known).encode()
    answer = world.call(who, method, path.replace("{id}", known), JSON, content=content)
    assert (answer.status_code, answer.json()["error"]) == (422, "InvalidRequest")
    assert answer.json()["faults"]


def test_every_value_that_a_request_takes_is_bounded() -> None:
    assert [fault for place, schema in taken() for fault in _unbounded(place, schema)] == []


def _unbounded(place: str, schema: dict[str, Any]) -> Iterator[str]:
    ends = [{"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"}]
    if schema.get("type") in {"integer", "number"} and not all(each & schema.keys() for each in ends):
        yield f"{place}: a number without borders"
    is_free = schema.get("type") == "string" and not {"enum", "const"} & schema.keys()
    if is_free and schema.get("format") not in {"uuid", "date-time"}:
        if "maxLength" not in schema:
            yield f"{place}: a text without a limit of its length"
        if "pattern" not in schema and schema.get("format") != "password" and place.rpartition(".")[2] not in DOCUMENTS:
            yield f"{place}: a text that may hold NUL"


def taken() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each place of each request with the schema of what it takes."""
    document = create_app(RegistrySettings(), connect("sqlite://")).openapi()
    for each in operations(document):
        for parameter in each.schema.get("parameters", ()):
            yield from _within(f"{each.name}({parameter['name']})", parameter["schema"], document)
        for content in each.schema.get("requestBody", {}).get("content", {}).values():
            yield from _within(each.name, content["schema"], document)


def _within(place: str, schema: dict[str, Any], document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    yield place, schema
    for each in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from _within(place, each, document)
    for name, each in schema.get("properties", {}).items():
        yield from _within(f"{place}.{name}", each, document)
    for name in ("items", "additionalProperties", "propertyNames"):
        if isinstance(schema.get(name), dict):
            yield from _within(place, schema[name], document)
