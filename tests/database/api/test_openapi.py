"""The API's description of itself: every route has its name and says how it refuses; what it admits never breaks it."""

import importlib.util
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from sqlalchemy import Engine
from support.api import World, build, cheap_passwords, document
from support.every import every
from support.required import require

from treaty.registry.api.app import create_app
from treaty.registry.core.database import connect
from treaty.registry.core.settings import RegistrySettings

EXAMPLES = 5
# Whoever calls it is nobody afterwards.
SIGNS_OUT = {"sign_out"}
METHODS = {"get", "put", "post", "delete", "patch"}


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    spec = create_app(RegistrySettings(), connect("sqlite://")).openapi()
    for path, methods in spec["paths"].items():
        for method, operation in methods.items():
            assert method in METHODS
            yield method, path, operation


OPERATIONS = list(operations())


def test_every_route_has_a_name_of_its_own() -> None:
    names = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert sorted(names) == sorted(set(names))
    assert [name for name in names if "api_v1" in name] == []


@every(("method", "path", "operation"), OPERATIONS, ids=[each["operationId"] for *_, each in OPERATIONS])
def test_every_route_says_what_it_does_and_how_it_refuses(method: str, path: str, operation: dict[str, Any]) -> None:
    assert operation["summary"]
    assert operation["description"]
    for status in ("4XX", "5XX"):
        assert set(operation["responses"][status]["content"]) == {"application/problem+json"}
    headers = {each["name"] for each in operation.get("parameters", ()) if each["in"] == "header"}
    assert (method == "post") == ("Idempotency-Key" in headers)


def test_the_description_is_of_the_newest_kind_and_complete() -> None:
    spec = create_app(RegistrySettings(), connect("sqlite://")).openapi()
    assert spec["openapi"].startswith("3.1")
    assert {"type", "title", "status", "detail", "faults"} <= set(
        spec["components"]["schemas"]["Problem"]["properties"]
    )
    named = set(_references(spec))
    assert named <= {f"#/components/schemas/{name}" for name in spec["components"]["schemas"]}


def test_every_field_and_every_parameter_is_described() -> None:
    spec = create_app(RegistrySettings(), connect("sqlite://")).openapi()
    fields = [
        f"{name}.{field}"
        for name, schema in spec["components"]["schemas"].items()
        for field, described in schema.get("properties", {}).items()
        if not described.get("description", "").strip()
    ]
    parameters = [
        f"{operation['operationId']}({parameter['name']})"
        for _, _, operation in OPERATIONS
        for parameter in operation.get("parameters", ())
        if not parameter.get("description", "").strip()
    ]
    assert (fields, parameters) == ([], [])


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from ([value["$ref"]] if isinstance(value.get("$ref"), str) else [])
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _references(each)


def test_nothing_that_a_route_admits_breaks_it(engine: Engine, tmp_path: Path) -> None:
    available = importlib.util.find_spec("schemathesis") is not None
    require("schemathesis", available=available, reason="schemathesis is not installed")
    import schemathesis

    world = build(engine, home=tmp_path)
    made = world.client("producer").propose(document())
    owner = world.client("owner")
    owner.approve(made.id, owner.preview(made.id).fingerprint)
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", world.http.app)
    asked: Counter[str] = Counter()
    with cheap_passwords():
        for method, path, operation in OPERATIONS:
            tried(world, schema[path][method.upper()], operation["operationId"], asked)
    assert set(asked) == {operation["operationId"] for *_, operation in OPERATIONS}


def tried(world: World, operation: Any, name: str, asked: Counter[str]) -> None:
    """Asks what the description admits, as who may do most; notes how often."""
    headers = {"Authorization": f"Bearer {world.secrets['admin']}"}

    @seed(20261122)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def answered(case: Any) -> None:
        asked[name] += 1
        answer = case.call(headers=headers if name not in SIGNS_OUT else {})
        assert answer.status_code < 500, f"{name}: {answer.text}"

    answered()
