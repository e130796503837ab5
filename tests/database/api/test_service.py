"""The service about itself: alive, ready, and what it counts."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from support.api import World, build, document

from treaty.registry.api.app import create_app
from treaty.registry.core.database import connect
from treaty.registry.core.settings import RegistrySettings

LINE = re.compile(r'[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+-]+')


def told(world: World, who: str | None = "viewer") -> dict[str, float]:
    """What the service tells, by name and labels."""
    answer = world.call(who, "GET", "/metrics")
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    lines = [each for each in answer.text.splitlines() if not each.startswith("# ")]
    assert [each for each in lines if not LINE.fullmatch(each)] == []
    return {name: float(value) for name, value in (each.rsplit(" ", 1) for each in lines)}


def test_is_alive_without_a_database(tmp_path: Path) -> None:
    engine = connect(f"sqlite:///{tmp_path / 'nowhere' / 'none.db'}")
    http = TestClient(create_app(RegistrySettings(), engine), raise_server_exceptions=False)
    assert http.get("/api/v1/health").json() == {"status": "alive"}
    assert http.get("/api/v1/ready").status_code == 503
    engine.dispose()


def test_is_ready_where_states_can_be_written_and_leaves_nothing_there(engine: Engine, tmp_path: Path) -> None:
    world = build(engine, home=tmp_path)
    assert world.call(None, "GET", "/ready").json()["status"] == "ready"
    assert list((tmp_path / "states").iterdir()) == []


def test_is_not_ready_where_no_state_can_be_written(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "states").write_text("a file")
    answer = build(engine, home=tmp_path).call(None, "GET", "/ready")
    assert (answer.status_code, "cannot be written" in answer.json()["message"]) == (503, True)
    assert str(tmp_path) not in answer.text


def test_requests_are_counted_by_route_and_status(world: World) -> None:
    for path, times in (
        ("/contracts", 3),
        ("/contract?contract_id=unknown", 2),
        ("/runs/not-an-id", 1),
        ("/nowhere", 1),
    ):
        for _ in range(times):
            world.call("viewer", "GET", path)
    found = told(world)
    counted = {
        (route, status): found[f'treaty_requests_total{{method="GET",route="{route}",status="{status}"}}']
        for route, status in (("/contracts", 200), ("/contract", 404), ("/runs/{run_id}", 422), ("other", 404))
    }
    assert list(counted.values()) == [3, 2, 1, 1]
    of = 'method="GET",route="/contracts"'
    buckets = [
        value for name, value in found.items() if name.startswith("treaty_request_seconds_bucket") and of in name
    ]
    assert buckets == sorted(buckets)
    assert (buckets[-1], found[f"treaty_request_seconds_count{{{of}}}"]) == (3, 3)
    assert found[f"treaty_request_seconds_sum{{{of}}}"] > 0


def test_applications_of_one_process_count_apart(engine: Engine) -> None:
    first = build(engine)
    second = replace(first, http=TestClient(create_app(RegistrySettings(), engine)))
    first.call("viewer", "GET", "/contracts")
    of = 'treaty_requests_total{method="GET",route="/contracts",status="200"}'
    assert [told(first)[of], told(second).get(of)] == [1, None]


def test_a_request_that_fails_unexpectedly_is_counted(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr("treaty.registry.api.routes.contracts.contract_list.contracts", fail)
        world.call("viewer", "GET", "/contracts")
    assert told(world)['treaty_requests_total{method="GET",route="/contracts",status="500"}'] == 1


def test_work_is_told_as_it_stands(world: World) -> None:
    found = told(world)
    assert (found['treaty_tasks{state="queued"}'], found["treaty_oldest_queued_task_seconds"]) == (0, 0)
    made = world.client("producer").propose(document("very-secret-name"))
    owner = world.client("owner")
    owner.approve(made.id, owner.preview(made.id).fingerprint)
    found = told(world)
    assert (found['treaty_tasks{state="queued"}'], found['treaty_runs_total{verdict="failed"}']) == (1, 0)
    assert found["treaty_oldest_queued_task_seconds"] > 0
    assert "very-secret-name" not in world.call("viewer", "GET", "/metrics").text


def test_metrics_need_a_token_unless_they_are_open(engine: Engine) -> None:
    world = build(engine)
    assert world.call(None, "GET", "/metrics").status_code == 401
    world.http = TestClient(create_app(RegistrySettings(metrics_public=True), engine))
    assert "treaty_runs_total" in "".join(told(world, None))
