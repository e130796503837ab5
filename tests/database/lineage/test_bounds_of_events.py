"""Events as large and as odd as they may be: the documented answer, what is wrong kept in words, and the good part."""

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx import Response
from sqlalchemy import Engine
from support.api import application
from support.events import body, event, output
from support.lineages import marks, promised
from support.scenes import TOKEN, Scene, rows, user

from treaty.registry.core.enums import LineageEventState
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.lineage.events.run_state import FoldedRun
from treaty.registry.tables import LineageEventRow, LineageRunRow, RejectedLineageEventRow

MOST = 32 * 1024 * 1024
NOISE = random.Random(7).randbytes(MOST // 2 + 1).hex().encode()


@pytest.fixture
def client(engine: Engine, tmp_path: Path) -> TestClient:
    user(engine)
    promised(engine)
    return TestClient(
        application(RegistrySettings(home=tmp_path), engine), headers={"Authorization": f"Bearer {TOKEN}"}
    )


def post(client: TestClient, sent: bytes, *, packed: bool = False) -> Response:
    headers = {"Content-Type": "application/json"} | ({"Content-Encoding": "gzip"} if packed else {})
    return client.post("/api/v1/lineage", content=gzip.compress(sent, 1) if packed else sent, headers=headers)


def folded(engine: Engine, home: Path) -> FoldedRun:
    """The one run, once the event is folded."""
    worker = Scene(engine, home).worker()
    while worker.take_in():
        pass
    assert [each.state for each in rows(engine, LineageEventRow)] == [LineageEventState.PROCESSED]
    (row,) = rows(engine, LineageRunRow)
    return FoldedRun.model_validate(row.state)


def of_size(size: int) -> bytes:
    """An event of exactly so many bytes, most of them in a facet that nobody reads, and hard to compress."""
    facets = {"debug": {"_producer": "x", "_schemaURL": "x", "text": ""}}
    whole = body({**event(), "run": {"runId": "large", "facets": facets}})
    return whole.replace(b'"text": ""', b'"text": "' + NOISE[: size - len(whole)] + b'"')


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize(("beyond", "status"), [(0, 201), (1, 413)], ids=["at the bound", "a byte more"])
def test_an_event_of_32_mib_is_taken_and_a_larger_one_is_not(
    engine: Engine, client: TestClient, packed: bool, beyond: int, status: int
) -> None:
    sent = of_size(MOST + beyond)
    assert len(sent) == MOST + beyond
    assert post(client, sent, packed=packed).status_code == status
    kept, refused = rows(engine, LineageEventRow), rows(engine, RejectedLineageEventRow)
    assert ([(each.original_size, len(each.body) < 2000) for each in kept], len(refused)) == (
        ([(MOST, True)], 0) if status == 201 else ([], 1)
    )


# To fold it takes long: once is enough.
@pytest.mark.parametrize("kind", ["sqlite"])
def test_ten_thousand_outputs_are_one_event_and_each_is_seen(
    engine: Engine, client: TestClient, tmp_path: Path
) -> None:
    outputs = [output(f"/data/other/{at}") for at in range(9_999)]
    assert post(client, body(event("COMPLETE", output(), *outputs))).status_code == 201
    assert len(folded(engine, tmp_path).outputs) == 10_000
    assert marks(engine) == {"orders": (1, 0)}


def test_a_schema_of_two_thousand_columns_is_kept_whole(engine: Engine, client: TestClient, tmp_path: Path) -> None:
    fields = [{"name": f"column_{at}", "type": "string", "description": "x" * 200} for at in range(2_000)]
    schema = {"_producer": "x", "_schemaURL": "x", "fields": fields}
    assert post(client, body(event("COMPLETE", output(schema=schema)))).status_code == 201
    (told,) = folded(engine, tmp_path).outputs
    assert told.facet("schema")["fields"] == fields


def changed(change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    document = event()
    change(document)
    return document


LONG_ID = 2**63 - 1
ODD = {
    "a time without a zone": (lambda e: e.update(eventTime="2026-03-01T12:00:00"), "has no time zone"),
    "no facets at all": (lambda e: [e[part].pop("facets") for part in ("run", "job")], None),
    "facets that are null": (lambda e: [e[part].update(facets=None) for part in ("run", "job")], None),
    "a facet that is null": (lambda e: e["outputs"][0].update(facets={"schema": None}), "is not an object"),
    "a facet without its words": (
        lambda e: e["outputs"][0].update(facets={"schema": {"fields": []}}), "lacks _producer",
    ),
    "inputs that are null": (lambda e: e.update(inputs=None), None),
    "outputs that name nothing": (lambda e: e["outputs"].extend([None, {}, {"name": ""}]), "lacks a namespace or name"),
    "a type that nobody knows": (lambda e: e.update(eventType="PAUSE"), "not defined by OpenLineage"),
    "a run's id that is no UUID": (lambda e: e["run"].update(runId="scheduled__2026/1"), "is not a UUID"),
    "a schemaURL of something else": (
        lambda e: e.update(schemaURL="https://x.example/#/JobEvent"),
        "schemaURL names another type",
    ),
    "no schemaURL": (lambda e: e.pop("schemaURL"), "schemaURL is missing"),
    "a snapshot of 64 bits": (
        lambda e: e["outputs"][0].update(outputFacets={"icebergCommitReport": {"snapshotId": LONG_ID}}),
        "lacks _producer",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("change", "said"), ODD.values(), ids=ODD.keys())
def test_what_is_odd_is_taken_told_in_words_and_spoils_nothing_else(
    engine: Engine, client: TestClient, tmp_path: Path, change: Callable[[dict[str, Any]], Any], said: str | None
) -> None:
    assert post(client, body(changed(change))).status_code == 201
    (row,) = rows(engine, LineageEventRow)
    assert any(said in each for each in row.diagnostics) if said else row.diagnostics == []
    (told,) = folded(engine, tmp_path).outputs
    assert told.name == "/data/orders"
    assert told.own_facet("icebergCommitReport").get("snapshotId", LONG_ID) == LONG_ID
    assert json.loads(rows(engine, LineageEventRow)[0].body)["outputs"][0]["name"] == "/data/orders"
