"""The lineage graph over HTTP, as Marquez's clients ask for it: by node, by namespace, by run; what stays hidden."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from threading import Thread
from time import sleep
from typing import Any
from urllib.parse import quote
from uuid import uuid5

import httpx
import pytest
import uvicorn
from sqlmodel import func, select
from support.api import World
from support.flowing import SPACE, ran, step
from support.harms import Fails, Harm
from support.ports import free_port

from treaty.engine.core import clock
from treaty.registry.access import authentication, users
from treaty.registry.client import ClientError
from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import GrantScope, Role
from treaty.registry.tables import LineageEventRow, RoleGrantRow

ORDERS, REPORT = "dataset:file:/lake/orders", "dataset:file:/lake/report"
WAY = [*ran("load", 0, 1, reads=["raw"], writes=["orders"]), *ran("report", 2, 3, reads=["orders"], writes=["report"])]


@pytest.fixture
def harm(world: World) -> Harm:
    made = Harm(world)
    made.promise("orders", domain="shop")
    made.promise("report", domain="people")
    made.events(*WAY)
    return made


def get(harm: Harm, path: str, who: str = "viewer", **query: Any) -> Any:
    return harm.world.call(who, "GET", path, params=query)


def test_the_graph_around_a_dataset_has_nodes_and_edges_as_marquez_has_them(harm: Harm) -> None:
    harm.judge("orders", Fails(), at=4)
    told = get(harm, "/lineage", nodeId=ORDERS).json()
    nodes = {each["id"]: each for each in told["graph"]}
    assert set(nodes) == {"dataset:file:/lake/raw", ORDERS, REPORT, "job:shop:load", "job:shop:report"}
    assert nodes[ORDERS]["inEdges"] == [{"origin": "job:shop:load", "destination": ORDERS}]
    assert nodes[ORDERS]["outEdges"] == [{"origin": ORDERS, "destination": "job:shop:report"}]
    assert (nodes[ORDERS]["type"], nodes[ORDERS]["data"]["name"]) == ("DATASET", "/lake/orders")
    assert nodes[ORDERS]["data"]["contracts"] == [
        {"contract": "orders", "object": "orders", "owner": "owner", "verdict": "failed"}
    ]
    job = nodes["job:shop:load"]
    assert (job["type"], job["data"]["latestRun"]["state"], job["data"]["latestRun"]["durationMs"]) == (
        "JOB",
        "COMPLETED",
        60_000,
    )
    assert (job["inEdges"][0]["origin"], job["outEdges"][0]["destination"]) == ("dataset:file:/lake/raw", ORDERS)


@pytest.mark.parametrize(
    ("node", "depth", "count"),
    [
        (ORDERS, 0, 5),
        ("job:shop:load", 0, 3),
        ("job:shop:load", 1, 5),
        (REPORT, 0, 3),
        ("dataset:file:/lake/raw", 0, 3),
    ],
)
def test_the_graph_goes_as_deep_as_asked(harm: Harm, node: str, depth: int, count: int) -> None:
    assert len(get(harm, "/lineage", nodeId=node, depth=depth).json()["graph"]) == count


@pytest.mark.parametrize(
    ("node", "depth", "status"),
    [
        ("dataset:file:/lake/nothing", 1, 404),
        ("job:shop:nothing", 1, 404),
        ("dataset:nothing", 1, 404),
        ("run:1", 1, 422),
        (ORDERS, 21, 422),
        (ORDERS, -1, 422),
    ],
)
def test_what_is_unknown_is_not_found(harm: Harm, node: str, depth: int, status: int) -> None:
    assert get(harm, "/lineage", nodeId=node, depth=depth).status_code == status


def narrow(harm: Harm, domain: str) -> Harm:
    """Asked by a viewer of one domain alone, by the name of `ann`."""
    with transaction(harm.world.engine) as tx:
        user = users.new_user(ids.new(), name="ann", password=None, roles=[], now=clock.now())
        users.create_user(tx, user, actor="test", now=clock.now())
        grant = RoleGrantRow(
            id=ids.new(),
            user_id=user.id,
            role=Role.VIEWER,
            scope=GrantScope.DOMAIN,
            target=domain,
            created_at=clock.now(),
        )
        tx.add(grant)
        secret, _ = authentication.sign_in(tx, user, session_id=ids.new(), now=clock.now(), lasts=timedelta(hours=1))
        tx.commit()
    return replace(harm, world=replace(harm.world, secrets={**harm.world.secrets, "ann": secret}))


def test_what_somebody_may_not_read_is_no_part_of_the_graph(harm: Harm) -> None:
    asked = narrow(harm, "shop")
    told = {each["id"] for each in get(asked, "/lineage", "ann", nodeId=ORDERS).json()["graph"]}
    assert told == {ORDERS, "job:shop:load", "job:shop:report"}
    hidden, unknown = (get(asked, "/lineage", "ann", nodeId=each) for each in (REPORT, "dataset:file:/lake/none"))
    assert (hidden.status_code, hidden.text) == (404, unknown.text)
    assert get(asked, "/events/lineage", "ann").status_code == 403
    assert [each["name"] for each in get(asked, "/namespaces/file/datasets", "ann").json()["datasets"]] == [
        "/lake/orders"
    ]
    assert get(asked, f"/namespaces/file/datasets/{quote('/lake/report', safe='')}", "ann").status_code == 404


def test_events_are_told_in_the_order_and_portions_asked_for(harm: Harm) -> None:
    told = get(harm, "/events/lineage", limit=3, sortDirection="asc").json()
    assert ([each["eventType"] for each in told["events"]], told["totalCount"]) == (["START", "COMPLETE", "START"], 4)
    last = get(harm, "/events/lineage", limit=1).json()["events"]
    assert last == get(harm, "/events/lineage", limit=1, offset=3, sortDirection="asc").json()["events"]
    with transaction(harm.world.engine) as tx:
        received = tx.exec(select(func.min(LineageEventRow.received_at))).one()
    assert received
    for query, count in (({"after": received}, 3), ({"before": received}, 0), ({}, 4)):
        given = {key: value.isoformat() for key, value in query.items()}
        assert get(harm, "/events/lineage", **given).json()["totalCount"] == count
    assert get(harm, "/events/lineage", before="yesterday").status_code == 422


@contextmanager
def served(harm: Harm) -> Iterator[httpx.Client]:
    """The service over a real connection."""
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(harm.world.http.app, host="127.0.0.1", port=port, log_level="error"))
    running = Thread(target=server.run, daemon=True)
    running.start()
    headers = {"Authorization": f"Bearer {harm.world.secrets['viewer']}"}
    try:
        with httpx.Client(
            base_url=f"http://127.0.0.1:{port}/api/v1",
            headers=headers,
            transport=httpx.HTTPTransport(retries=5),
        ) as client:
            while not server.started:
                sleep(0.01)
            yield client
    finally:
        server.should_exit = True
        running.join()


def test_names_with_slashes_are_one_step_of_a_path_over_a_real_connection(harm: Harm) -> None:
    odd = {"namespace": "s3://bucket", "name": "a b/ü:c"}
    harm.events(*ran("a/b", 0, 1, reads=[odd], writes=["x"], namespace="team/x"))
    bucket, job = quote("s3://bucket", safe=""), quote("a/b", safe="")
    paths = {
        "/namespaces": lambda told: {each["name"] for each in told["namespaces"]} >= {"file", "s3://bucket", "team/x"},
        f"/namespaces/{bucket}": lambda told: told == {"name": "s3://bucket"},
        f"/namespaces/{bucket}/datasets": lambda told: told["totalCount"] == 1,
        f"/namespaces/{bucket}/datasets/{quote(odd['name'], safe='')}": lambda told: told["name"] == odd["name"],
        f"/namespaces/{quote('team/x', safe='')}/jobs": lambda told: [each["name"] for each in told["jobs"]] == ["a/b"],
        f"/namespaces/{quote('team/x', safe='')}/jobs/{job}": lambda told: told["outputs"][0]["name"] == "/lake/x",
        f"/namespaces/{quote('team/x', safe='')}/jobs/{job}/runs": lambda told: len(told["runs"]) == 1,
    }
    with served(harm) as http:
        answers = {path: http.get(path) for path in paths}
        assert {path: each.status_code for path, each in answers.items() if each.status_code != 200} == {}
        assert [path for path, holds in paths.items() if not holds(answers[path].json())] == []
        graph = http.get("/lineage", params={"nodeId": f"dataset:s3://bucket:{odd['name']}", "depth": 1})
        assert {each["type"] for each in graph.json()["graph"]} == {"DATASET", "JOB"}
        for wrong in (
            f"/namespaces/{bucket}/nothing",
            "/namespaces/none/datasets",
            f"/namespaces/{bucket}/jobs/x/runs",
        ):
            assert http.get(wrong).status_code == 404


def test_a_run_is_found_by_its_producers_id(harm: Harm) -> None:
    run_id = str(uuid5(SPACE, "report/1"))
    told = get(harm, f"/jobs/runs/{run_id}").json()
    assert (told["state"], told["job"]["name"], told["inputs"][0]["name"]) == ("COMPLETED", "report", "/lake/orders")
    assert get(harm, "/jobs/runs/unknown").status_code == 404
    assert get(harm, f"/jobs/runs/{run_id}/nothing").status_code == 404


def test_the_facets_of_a_run_and_of_its_job_are_told_as_far_as_they_are_kept(harm: Harm) -> None:
    nominal = {"nominalStartTime": "2026-03-01T00:00:00Z"}
    event = step("nightly", "COMPLETE", 3, reads=["orders"], writes=["night"])
    event["run"] = {"runId": "night/1", "facets": {"nominalTime": nominal, "environmentVariables": {"a": "b"}}}
    event["job"]["facets"] = {"jobType": {"processingType": "BATCH"}}
    harm.events(event)
    path = f"/jobs/runs/{quote('night/1', safe='')}/facets"
    assert get(harm, path).json() == {"runId": "night/1", "facets": {"nominalTime": nominal}}
    of_job = get(harm, path, type="job").json()["facets"]
    assert of_job == {"jobType": {"processingType": "BATCH"}}
    assert get(harm, path, type="all").status_code == 422


def test_the_versions_of_a_dataset_are_what_runs_wrote_newest_first(harm: Harm) -> None:
    def wrote(at: float, run: int, kind: str = "COMPLETE", **facets: Any) -> dict[str, Any]:
        return step(
            "versioned", kind, at, run, writes=[{"namespace": "file", "name": "/lake/v/ds=1", "facets": facets}]
        )

    fields = [{"name": "id", "type": "long"}, {"type": "no name"}]
    harm.events(
        wrote(1, 1, schema={"fields": fields}),
        wrote(2, 2, version={"datasetVersion": "7"}, lifecycleStateChange={"lifecycleStateChange": "OVERWRITE"}),
        wrote(3, 3, "FAIL"),
        step("versioned", "COMPLETE", 4, 4, writes=["elsewhere"]),
        wrote(5, 5),
    )
    path = f"/namespaces/file/datasets/{quote('/lake/v', safe='')}/versions"
    told = get(harm, path).json()
    assert [each["version"] for each in told["versions"]] == [
        str(uuid5(SPACE, "versioned/5")),
        "7",
        str(uuid5(SPACE, "versioned/1")),
    ]
    assert (told["totalCount"], told["versions"][1]["lifecycleState"]) == (4, "OVERWRITE")
    assert told["versions"][2]["fields"] == [{"name": "id", "type": "long", "tags": [], "description": None}]
    assert told["versions"][2]["createdByRun"]["state"] == "COMPLETED"
    assert len(get(harm, path, limit=1).json()["versions"]) == 1
    assert get(harm, f"/namespaces/file/datasets/{quote('/lake/none', safe='')}/versions").status_code == 404


READERS = [
    *ran("load", 0, 1, reads=["raw"], writes=["orders"], namespace="warehouse"),
    *ran("clean", 0, 1, reads=["orders"], writes=["clean"], namespace="warehouse"),
    step("dash", "COMPLETE", 2, reads=["orders"], namespace="growth"),
]


def test_jobs_of_others_that_read_a_contracts_data_are_suggested_and_confirmed_once(world: World) -> None:
    harm = Harm(world)
    harm.promise("orders")
    owned = {"ownership": {"_producer": "x", "_schemaURL": "x", "owners": [{"name": "team:growth"}]}}
    fed = {
        "columnLineage": {
            "_producer": "x",
            "_schemaURL": "x",
            "fields": {"d": {"inputFields": [{"namespace": "file", "name": "/lake/orders", "field": "DAY"}]}},
        }
    }
    written = {"namespace": "file", "name": "/lake/mart", "facets": fed}
    mart = step("mart", "COMPLETE", 2, reads=["orders"], writes=[written], namespace="growth")
    mart["job"]["facets"] = owned
    harm.events(*READERS, mart)
    client = world.client("consumer")
    assert [
        (each.job_name, each.owners, each.reads, each.state.value) for each in client.inferred_consumers("orders")
    ] == [
        ("dash", (), {"orders": ("*",)}, "suggested"),
        ("mart", ("team:growth",), {"orders": ("day",)}, "suggested"),
    ]
    made = client.confirm_inferred_consumer("orders", "growth", "mart")
    assert (made.subscriber, made.purpose, made.contact, made.reads) == (
        "consumer",
        "job growth/mart",
        "team:growth",
        {"orders": ("day",)},
    )
    client.dismiss_inferred_consumer("orders", "growth", "dash")
    harm.events(step("dash", "COMPLETE", 9, 2, reads=["orders"], namespace="growth"))
    found = {each.job_name: (each.state.value, each.subscription_id) for each in client.inferred_consumers("orders")}
    assert found == {"dash": ("dismissed", None), "mart": ("confirmed", str(made.id))}
    for job, status in (("mart", 409), ("dash", 409), ("load", 404), ("clean", 404)):
        with pytest.raises(ClientError) as refused:
            client.confirm_inferred_consumer("orders", "warehouse" if status == 404 else "growth", job)
        assert refused.value.status == status
    assert [each for each in world.audited() if each.startswith("inferred_consumer:")] == [
        "inferred_consumer:confirmed",
        "inferred_consumer:dismissed",
    ]
