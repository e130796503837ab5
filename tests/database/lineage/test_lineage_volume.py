"""Many events, each sent several times and in no order: every effect once. `TREATY_EVENTS=10000` sends as many."""

import os
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx import Response
from sqlalchemy import Engine
from support.api import application
from support.events import event, output
from support.lineages import FILES, marks, promised
from support.scenes import TOKEN, Scene, rows, user

from treaty.registry.core.enums import LineageEventState
from treaty.registry.tables import LineageEventRow, LineageRunRow, SuspectPartitionRow, TaskRow

EVENTS = int(os.environ.get("TREATY_EVENTS", "300"))
COPIES = 3
TABLES = 7


def sent(number: int) -> dict[str, Any]:
    """One event of a run of its own, which writes to one of the tables; one in ten failed."""
    kind = "FAIL" if number % 10 == 0 else "COMPLETE"
    return event(kind, output(f"/data/table_{number % TABLES}"), run=f"run {number}", at="2026-03-01T12:00:00Z")


@pytest.mark.parametrize("seed", [7])
def test_every_event_sent_three_times_in_no_order_has_its_effect_once(
    engine: Engine, tmp_path: Path, seed: int
) -> None:
    for table in range(TABLES):
        promised(engine, f"contract-{table}", (FILES[0], f"/data/table_{table}"))
    user(engine)
    scene = Scene(engine, tmp_path)
    client = TestClient(application(scene.settings, engine), headers={"Authorization": f"Bearer {TOKEN}"})
    numbers = [number for number in range(EVENTS) for _ in range(COPIES)]
    Random(seed).shuffle(numbers)
    assert {post(client, numbers[at : at + 500]).json()["status"] for at in range(0, len(numbers), 500)} == {"success"}
    while scene.worker().take_in():
        pass
    inbox = rows(engine, LineageEventRow)
    assert (len(inbox), sum(row.duplicates for row in inbox)) == (EVENTS, EVENTS * (COPIES - 1))
    assert {row.state for row in inbox} == {LineageEventState.PROCESSED}
    assert len(rows(engine, LineageRunRow)) == EVENTS
    good = [number for number in range(EVENTS) if number % 10]
    counted = {f"contract-{table}": sum(number % TABLES == table for number in good) for table in range(TABLES)}
    assert {name: asked for name, (asked, _) in marks(engine).items()} == counted
    assert len(rows(engine, TaskRow)) == TABLES
    assert len(rows(engine, SuspectPartitionRow)) == EVENTS - len(good)


def post(client: TestClient, numbers: Sequence[int]) -> Response:
    return client.post("/api/v1/lineage/batch", json=[sent(number) for number in numbers])
