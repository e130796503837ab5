"""Events over HTTP: what is accepted is kept before it is answered, what is not is answered with the reason."""

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx import Response
from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError
from sqlmodel import select
from starlette.requests import ClientDisconnect, Request
from support.api import application
from support.events import body, event, output, real
from support.scenes import NOON, TOKEN, Scene, orders, rows, user

from treaty.engine.core.results import Verdict
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import LineageEventState, Permission, Role
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.lineage.events import event_store
from treaty.registry.lineage.events.run_state import FoldedRun
from treaty.registry.tables import (
    ApiTokenRow,
    LineageEventRow,
    LineageRunRow,
    RejectedLineageEventRow,
    RunRow,
    TaskRow,
    UserRow,
)

LIMIT = 60_000
URL = "/api/v1/lineage"
READER = "treaty_ro1_0123456789"


@pytest.fixture
def client(engine: Engine, tmp_path: Path) -> TestClient:
    user(engine)
    settings = RegistrySettings(home=tmp_path, max_event_bytes=LIMIT, max_batch_events=3)
    return TestClient(application(settings, engine), headers={"Authorization": f"Bearer {TOKEN}"})


def post(client: TestClient, sent: Any, url: str = URL, **headers: str) -> Response:
    content = sent if isinstance(sent, bytes) else body(sent)
    return client.post(url, content=content, headers={"Content-Type": "application/json"} | headers)


def zipped(client: TestClient, content: bytes) -> Response:
    return post(client, content, **{"Content-Encoding": "gzip"})


def kept(engine: Engine) -> list[LineageEventRow]:
    return rows(engine, LineageEventRow)


def refused(engine: Engine) -> list[RejectedLineageEventRow]:
    return rows(engine, RejectedLineageEventRow)


def test_an_accepted_event_is_kept_and_answered_with_nothing(engine: Engine, client: TestClient) -> None:
    answer = post(client, event())
    assert (answer.status_code, answer.content) == (201, b"")
    (row,) = kept(engine)
    assert (row.state, row.producer, json.loads(row.body)) == (LineageEventState.NEW, f"producer-{TOKEN[-4:]}", event())
    assert row.original_size == len(body(event()))


def test_a_repeated_event_is_counted(engine: Engine, client: TestClient) -> None:
    pretty = json.dumps(event(), indent=2).encode()
    assert [post(client, sent).status_code for sent in (event(), event(), pretty)] == [201, 201, 201]
    assert [row.duplicates for row in kept(engine)] == [2]


@pytest.mark.parametrize("parts", [[body(event())], [body(event())[:50], body(event())[50:]]])
def test_gzip_is_accepted(engine: Engine, client: TestClient, parts: list[bytes]) -> None:
    assert zipped(client, b"".join(map(gzip.compress, parts))).status_code == 201
    assert len(kept(engine)) == 1


LONG = body(event("COMPLETE", output(long={"text": "x" * LIMIT})))


@pytest.mark.parametrize(
    ("content", "encoding", "status", "reason"),
    [
        pytest.param(b"{", "", 400, "not valid JSON", id="not json"),
        pytest.param(b"", "", 400, "not valid JSON", id="nothing"),
        pytest.param(b"\xff", "", 400, "not valid JSON", id="no text"),
        pytest.param(body({"eventTime": "2026-03-01T12:00:00Z"}), "", 422, "job", id="no event"),
        pytest.param(body(event(at="2021-11-03")), "", 422, "eventTime", id="no time"),
        pytest.param(body([event()]), "", 422, "one event per request", id="a batch"),
        pytest.param(LONG, "", 413, "60,000 bytes", id="long"),
        pytest.param(gzip.compress(LONG), "gzip", 413, "60,000 bytes", id="long when unpacked"),
        pytest.param(gzip.compress(b"0" * 50_000_000), "gzip", 413, "60,000 bytes", id="bomb"),
        pytest.param(body(event()), "gzip", 400, "not valid gzip", id="not gzip"),
        pytest.param(gzip.compress(body(event()))[:-9], "gzip", 400, "not valid gzip", id="cut off"),
        pytest.param(zlib.compress(body(event())), "deflate", 415, "uncompressed or as gzip", id="another encoding"),
    ],
)
def test_a_bad_body_is_refused_with_the_reason_and_kept_to_look_at(
    engine: Engine, client: TestClient, content: bytes, encoding: str, status: int, reason: str
) -> None:
    answer = post(client, content, **{"Content-Encoding": encoding})
    assert (answer.status_code, kept(engine)) == (status, [])
    assert reason in answer.text
    (row,) = refused(engine)
    assert (row.status, len(row.body) <= event_store.KEPT_BYTES) == (status, True)
    assert reason in row.reason


def test_all_faults_of_an_event_are_named(client: TestClient) -> None:
    answer = post(client, event() | {"eventTime": "now", "run": {}, "job": {}})
    where = {fault["where"] for fault in answer.json()["faults"]}
    assert where == {"eventTime", "run.runId", "job.namespace", "job.name"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer treaty_abc_wrong"}, 401),
        ({"Authorization": "Basic abc"}, 401),
        ({"Authorization": f"Bearer {READER}"}, 403),
    ],
)
def test_only_a_token_for_lineage_may_send(
    engine: Engine, client: TestClient, headers: dict[str, str], status: int
) -> None:
    user(engine, Role.VIEWER, token=READER, scopes=(Permission.READ,))
    for url in (URL, f"{URL}/batch"):
        assert post(client, b"{", url, **headers).status_code == status
    assert (kept(engine), refused(engine)) == ([], [])


def test_a_token_that_was_just_used_and_is_taken_back_sends_nothing_more(engine: Engine, client: TestClient) -> None:
    assert post(client, event(run="a")).status_code == 201
    with transaction(engine) as tx:
        tx.exec(select(ApiTokenRow)).one().revoked_at = NOON
        tx.commit()
    assert post(client, event(run="b")).status_code == 401
    assert len(kept(engine)) == 1


def test_a_right_that_is_taken_away_is_missed_with_the_next_event(engine: Engine, client: TestClient) -> None:
    assert post(client, event(run="a")).status_code == 201
    with transaction(engine) as tx:
        tx.exec(select(UserRow)).one().roles = ["viewer"]
        tx.commit()
    assert post(client, event(run="b")).status_code == 403
    assert len(kept(engine)) == 1


def test_a_full_inbox_asks_for_the_event_again(engine: Engine, tmp_path: Path) -> None:
    user(engine)
    app = application(RegistrySettings(home=tmp_path, intake_limit_events=1), engine)
    client = TestClient(app, headers={"Authorization": f"Bearer {TOKEN}"})
    answers = [post(client, event(run=f"{number}")) for number in range(2)]
    app.state.receiver._looked = 0.0
    answers += [post(client, event(run=f"{number}")) for number in range(2, 4)]
    assert [each.status_code for each in answers] == [201, 201, 201, 503]
    assert answers[-1].headers["Retry-After"] == "5"


def test_what_was_taken_otherwise_than_it_was_sent_is_kept_with_the_event(engine: Engine, client: TestClient) -> None:
    bad = event("COMPLETE", output()) | {"eventTime": "2026-03-01T12:00:00", "run": {"runId": "run 7"}}
    assert post(client, bad | {"outputs": [output(), {"no": "name"}]}).status_code == 201
    (row,) = kept(engine)
    assert row.diagnostics == [
        "eventTime has no time zone; UTC was assumed",
        "run.runId is not a UUID; it was accepted unchanged",
        "outputs[1] lacks a namespace or name; it was ignored",
    ]


@pytest.mark.parametrize("url", [URL, f"{URL}/batch"])
def test_an_inbox_that_cannot_be_written_asks_for_the_event_again(
    engine: Engine, client: TestClient, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OperationalError("insert", {}, OSError("disk full"))

    monkeypatch.setattr(event_store, "keep", full)
    answer = post(client, event() if url == URL else [event()], url)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    monkeypatch.undo()
    assert kept(engine) == []


def test_a_sender_that_goes_away_leaves_nothing(
    engine: Engine, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(_: Request) -> Any:
        raise ClientDisconnect

    monkeypatch.setattr(Request, "stream", gone)
    assert post(client, event()).status_code == 400
    assert (kept(engine), refused(engine)) == ([], [])


def test_a_batch_keeps_the_good_ones_and_names_the_others(engine: Engine, client: TestClient) -> None:
    answer = post(client, [event(run="a"), {"no": "event"}, event(run="b")], f"{URL}/batch")
    told = answer.json()
    assert (answer.status_code, told["status"]) == (200, "partial_success")
    assert told["summary"] == {"received": 3, "successful": 2, "failed": 1, "retriable": 0, "non_retriable": 1}
    assert [(each["index"], each["retriable"]) for each in told["failed_events"]] == [(1, False)]
    assert (len(kept(engine)), [row.status for row in refused(engine)]) == (2, [422])


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ([], 200),
        ([event(), event()], 200),
        (event(), 422),
        (b"[", 400),
        ([event()] * 4, 413),
        (b"[" + LONG + b"]", 413),
    ],
)
def test_a_batch_is_an_array_of_limited_length(client: TestClient, sent: Any, status: int) -> None:
    answer = post(client, sent, f"{URL}/batch")
    assert answer.status_code == status
    assert status != 200 or answer.json()["status"] == "success"


def test_an_event_over_http_becomes_a_verdict(engine: Engine, client: TestClient, tmp_path: Path) -> None:
    scene: Scene = orders(engine, tmp_path)
    for kind in ("START", "COMPLETE", "COMPLETE"):
        assert post(client, event(kind)).status_code == 201
    scene.work()
    assert [run.verdict for run in rows(engine, RunRow)] == [Verdict.PASSED]


def test_every_real_event_is_answered_as_it_deserves_and_folds(engine: Engine, tmp_path: Path) -> None:
    user(engine)
    scene = Scene(engine, tmp_path)
    client = TestClient(application(scene.settings, engine), headers={"Authorization": f"Bearer {TOKEN}"})
    answers = {name: post(client, raw).status_code for name, raw in real()}
    refusals = {name: status for name, status in answers.items() if status != 201}
    assert refusals == {"spark-databricks/sample-156fa71d-complete.json": 422}
    while scene.worker().take_in():
        pass
    assert {row.state for row in kept(engine)} == {LineageEventState.PROCESSED}
    assert rows(engine, TaskRow) == []


def test_what_no_text_column_can_keep_is_kept_as_it_came(engine: Engine, client: TestClient, tmp_path: Path) -> None:
    odd = event("COMPLETE", output(note={"text": "a\x00b \N{SNOWMAN} \N{PILE OF POO}", "big": 2**80}))
    assert post(client, odd).status_code == 201
    Scene(engine, tmp_path).work()
    (run,) = rows(engine, LineageRunRow)
    assert FoldedRun.model_validate(run.state).outputs[0].facet("note") == odd["outputs"][0]["facets"]["note"]
