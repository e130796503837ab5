"""OpenLineage's own Python client, and events as dbt and Airflow send them, against the service's real processes."""

import gzip
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
import requests
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.serde import Serde
from support.events import real
from support.lineage import kept, runs, written
from support.loops import Services, awaited, services

from treaty.engine.core import clock
from treaty.registry.serve import local_stack

BUCKET = "gs://mock-bucket"
TRANSPORTS: dict[str, Mapping[str, Any]] = {
    "plain": {"type": "http"},
    "gzip": {"type": "http", "compression": "gzip"},
    "asynchronous": {"type": "async_http"},
    "asynchronous, gzip": {"type": "async_http", "compression": "gzip"},
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    with services(tmp_path_factory.mktemp("receiver"), makers=(local_stack.api, local_stack.worker)) as started:
        yield started


def client(service: Services, transport: Mapping[str, Any], token: str) -> OpenLineageClient:
    """The client as its users set it up."""
    key = {"type": "api_key", "apiKey": token}
    return OpenLineageClient(config={"transport": {**transport, "url": service.settings.api, "auth": key}})


def told(state: RunState, run: str, table: str) -> RunEvent:
    """What a job says of its run, which writes one table."""
    return RunEvent(
        eventType=state,
        eventTime=clock.now().isoformat(),
        run=Run(runId=run),
        job=Job(namespace="shop", name=f"load {table}"),
        producer="https://example.org/loader",
        outputs=[OutputDataset(namespace="file", name=f"/lake/{table}")],
    )


def send(to: OpenLineageClient, *events: RunEvent) -> None:
    """Sends them, and waits until they are sent."""
    for each in events:
        to.emit(each)
    assert to.close(timeout=30)


def types_of(service: Services, run: str) -> list[str]:
    """What the service was told of a run, in the order in which it came."""
    return [each["eventType"] for each in kept(service) if each.get("run", {}).get("runId") == run]


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_run_is_told_by_each_transport_of_the_client(service: Services, transport: str) -> None:
    run, table = str(uuid4()), f"by {transport}"

    send(
        client(service, TRANSPORTS[transport], service.people.token),
        told(RunState.START, run, table),
        told(RunState.COMPLETE, run, table),
    )

    assert types_of(service, run) == ["START", "COMPLETE"]
    service.settle()
    assert ("file", f"/lake/{table}") in written(runs(service))


def test_the_client_is_set_up_by_the_environment_alone(service: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENLINEAGE_URL", service.settings.api)
    monkeypatch.setenv("OPENLINEAGE_API_KEY", service.people.token)
    run = str(uuid4())

    send(OpenLineageClient(), told(RunState.COMPLETE, run, "by the environment"))

    assert types_of(service, run) == ["COMPLETE"]


def test_a_key_that_is_none_is_refused_at_once(service: Services) -> None:
    run = str(uuid4())

    with pytest.raises(requests.HTTPError, match="401"):
        client(service, TRANSPORTS["plain"], "not a token").emit(told(RunState.COMPLETE, run, "orders"))

    assert types_of(service, run) == []


def posted(service: Services, path: str, body: Any, **headers: str) -> httpx.Response:
    """The answer to a body that is sent as gzip."""
    sent = gzip.compress(json.dumps(body).encode())
    given = {"Authorization": f"Bearer {service.people.token}", "Content-Encoding": "gzip", **headers}
    return httpx.post(f"{service.settings.api}/api/v1{path}", content=sent, headers=given)


def events_of(producer: str) -> list[Any]:
    """The real events of a producer in the shared data."""
    return [json.loads(body) for name, body in real() if name.startswith(f"{producer}/")]


# What the runs in these events wrote, told by hand: neither what only failed runs name, nor what was only begun.
WRITTEN = {
    "dbt": [
        ("bigquery", "random-gcp-project.dbt_test1.test_model"),
        ("duckdb:///database/jaffle_shop.duckdb", "jaffle_shop.main.customers"),
    ],
    "airflow": [
        ("file", "/files/temp/downloaded_file.txt"),
        (BUCKET, "compose_result.txt"),
        (BUCKET, "copy_of_uploaded_data.txt"),
        (BUCKET, "copy_of_uploaded_file.txt"),
        (BUCKET, "to_be_deleted.txt"),
        (BUCKET, "uploaded_data.txt"),
        (BUCKET, "uploaded_file.txt"),
    ],
}


@pytest.mark.parametrize("producer", WRITTEN)
@pytest.mark.parametrize("batch", [False, True], ids=["one by one", "as a batch"])
def test_what_dbt_and_airflow_write_is_found_once(service: Services, producer: str, batch: bool) -> None:
    events = events_of(producer)
    names = {each["job"]["name"] for each in events}

    if batch:
        answer = posted(service, "/lineage/batch", events)
        assert answer.status_code == 200, answer.text
        assert answer.json()["summary"]["successful"] == len(events)
    else:
        # The last first, and each three times: what a producer that tries again may do.
        statuses = {posted(service, "/lineage", each).status_code for each in [*reversed(events)] * 3}
        assert statuses == {201}

    service.settle()
    assert {each.job_name for each in runs(service)} >= names
    assert written(each for each in runs(service) if each.job_name in names) == WRITTEN[producer]


def test_the_client_tries_again_where_the_inbox_is_full(tmp_path: Path) -> None:
    with services(tmp_path, makers=(local_stack.api,), intake_limit_events=1) as full:
        answer = awaited(lambda: refusal(full), within=30)
        every = [str(uuid4()) for _ in range(3)]

        # One at most is taken a second: of those that follow at once, some must come again.
        own = client(full, TRANSPORTS["plain"], full.people.token)
        send(own, *(told(RunState.COMPLETE, run, "orders") for run in every))

        assert answer.headers["Retry-After"].isdigit()
        assert [types_of(full, run) for run in every] == [["COMPLETE"]] * 3
        log = (full.settings.home / "logs" / "api.log").read_text()
        assert log.count("route=/lineage status=503") > 1


def refusal(service: Services) -> httpx.Response | None:
    """The answer to an event that is not taken for now; None where it is taken."""
    event = Serde.to_dict(told(RunState.START, str(uuid4()), "orders"))
    answer = posted(service, "/lineage", event)
    return answer if answer.status_code == 503 else None
