"""A table that is given other columns, dropped or renamed: judged anew, told to people, and ended when it is back."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from sqlmodel import select
from support.events import PRODUCER, event, output
from support.lineages import promised, tasks
from support.redefining import Structural
from support.scenes import LOCATION, NOON, Scene, add, rows

from treaty.engine.core.results import Verdict
from treaty.registry.access.authentication import Principal, permissions_of
from treaty.registry.browse import contract_list
from treaty.registry.core import ids
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.database import read_session
from treaty.registry.core.enums import (
    ChannelKind,
    GateAnswer,
    IncidentState,
    NotificationKind,
    Resolution,
    Role,
    RunKind,
)
from treaty.registry.core.pagination import PageRequest
from treaty.registry.datasets import related_datasets
from treaty.registry.tables import AuditEntryRow, ChannelRow, DatasetRow, IncidentRow, OutboxMessageRow, RunRow, UserRow
from treaty.registry.validation.gate import gate_answer, staleness
from treaty.registry.validation.gate.staleness import ReadinessQuery

ID, AMOUNT = {"name": "id", "type": "long"}, {"name": "amount", "type": "double"}


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    """The orders are promised and were judged once; their files stay as they are."""
    promised(engine)
    made = Structural(engine, tmp_path)
    made.write("ds=1", "good")
    made.write("ds=2", "good")
    made.send(event(run="first"))
    made.work()
    made.clock.advance(60)
    return made


def told(seconds: float) -> str:
    return (NOON + timedelta(seconds=seconds)).isoformat()


def altered(*columns: Mapping[str, Any], change: str = "ALTER", seconds: float = 50, run: str = "alter") -> Any:
    facets = {"lifecycleStateChange": {"lifecycleStateChange": change}, "schema": {"fields": list(columns)}}
    return event("COMPLETE", output(**facets), run=run, at=told(seconds))


def of_dataset(*columns: Mapping[str, Any], seconds: float = 50) -> dict[str, Any]:
    return {"eventTime": told(seconds), "producer": PRODUCER, "dataset": output(schema={"fields": list(columns)})}


def became(*facets: Any, path: str = LOCATION, seconds: float = 50, run: str = "drop", **change: Any) -> dict[str, Any]:
    return event("COMPLETE", output(path, lifecycleStateChange=change), run=run, at=told(seconds))


def dropped(seconds: float = 50, run: str = "drop") -> dict[str, Any]:
    return became(lifecycleStateChange="DROP", seconds=seconds, run=run)


def renamed(old: str, new: str, seconds: float = 50) -> dict[str, Any]:
    before = {"namespace": "file", "name": old}
    return became(path=new, lifecycleStateChange="RENAME", previousIdentifier=before, seconds=seconds, run="rename")


def gate(scene: Scene, partition: str | None = None) -> tuple[GateAnswer, str | None]:
    with read_session(scene.database) as tx:
        dataset = tx.exec(select(DatasetRow)).first()
        assert dataset is not None
        (answer,) = gate_answer.contract_statuses(
            tx, related_datasets.exactly(tx, dataset.namespace, dataset.name), ReadinessQuery(partition)
        )
    return answer.answer, answer.reason


def listed(scene: Scene) -> tuple[Verdict, RunKind] | None:
    """What the catalog says of the orders."""
    admin = Principal(
        user_id=ids.new(), name="admin", roles=frozenset({Role.ADMIN}), permissions=permissions_of([Role.ADMIN])
    )
    with read_session(scene.database) as tx:
        (found,) = contract_list.contracts(tx, admin, PageRequest(10)).rows
    return (found.last_run.verdict, found.last_run.kind) if found.last_run else None


def heard(scene: Scene) -> list[str]:
    """The kinds of the notices that went out, oldest first."""
    return [each.payload["notice"]["kind"] for each in rows(scene.database, OutboxMessageRow)]


def listen(scene: Scene) -> None:
    """Gives the owner a channel."""
    (owner,) = rows(scene.database, UserRow)
    channel = {"kind": ChannelKind.SLACK, "target": "https://chat.example/x", "user_id": owner.id}
    add(scene.database, ChannelRow(id=ids.new(), created_at=NOON, **channel))


def incidents(scene: Scene) -> list[tuple[IncidentState, Resolution | None]]:
    return [(each.state, each.resolution) for each in rows(scene.database, IncidentRow)]


MISSING = (GateAnswer.BLOCK, "schema-columns failed (all declared columns exist)")


@pytest.mark.parametrize("document", [altered(ID), of_dataset(ID)], ids=["a run that alters it", "the dataset itself"])
def test_a_column_that_is_gone_is_judged_though_no_file_changed(scene: Scene, document: dict[str, Any]) -> None:
    listen(scene)
    scene.send(document)
    scene.work()
    run = scene.runs[-1]
    assert (run.kind, run.verdict, run.partitions, run.reason) == (
        RunKind.SCHEMA,
        Verdict.FAILED,
        [],
        "the columns of the table changed; its data is unchanged",
    )
    assert (gate(scene), gate(scene, "ds=1")) == (MISSING, MISSING)
    assert listed(scene) == (Verdict.FAILED, RunKind.SCHEMA)
    assert incidents(scene) == [(IncidentState.OPEN, None)]
    assert heard(scene) == [NotificationKind.VIOLATION]


def unsaid(seconds: float = 50, run: str = "alter") -> dict[str, Any]:
    """The table was altered, and nobody says to which columns."""
    return became(lifecycleStateChange="ALTER", path=LOCATION, seconds=seconds, run=run)


UNSAID = {
    "a run that alters it": [unsaid()],
    "the dataset itself": [{**of_dataset(), "dataset": output()}],
    "said of an earlier time": [altered(ID, AMOUNT, seconds=45, run="before"), unsaid()],
    "and then of an earlier time": [unsaid(), altered(ID, AMOUNT, seconds=45, run="before")],
}


@pytest.mark.parametrize("documents", UNSAID.values(), ids=UNSAID)
def test_where_nobody_says_which_columns_a_table_was_given_it_is_asked(
    scene: Scene, documents: list[dict[str, Any]]
) -> None:
    scene.engine.columns = (("id", "bigint"),)
    scene.send(*documents)
    scene.work()
    assert (scene.runs[-1].kind, gate(scene)) == (RunKind.SCHEMA, MISSING)


def test_a_table_that_is_asked_and_has_its_columns_is_not_judged_again(scene: Scene) -> None:
    scene.send(unsaid())
    scene.work()
    assert [run.kind for run in scene.runs] == [RunKind.DATA]


@pytest.mark.parametrize("again", [altered(ID, seconds=110, run="again"), unsaid(110, "again")], ids=["said", "asked"])
def test_columns_that_were_judged_once_are_not_judged_again(scene: Scene, again: dict[str, Any]) -> None:
    scene.engine.columns = (("id", "bigint"),)
    scene.send(altered(ID))
    scene.work()
    scene.clock.advance(60)
    scene.send(again)
    scene.work()
    first, second = scene.runs
    assert (first.kind, second.kind) == (RunKind.DATA, RunKind.SCHEMA)
    assert scene.last_task.result == {"note": "no changes", "covered_by": str(second.id)}
    assert gate(scene) == MISSING


def test_a_table_whose_columns_are_said_later_is_not_asked(scene: Scene) -> None:
    scene.engine.columns = (("id", "bigint"),)
    scene.send(unsaid(), altered(ID, AMOUNT, seconds=55, run="after"))
    scene.work()
    assert [run.kind for run in scene.runs] == [RunKind.DATA]


def test_a_column_that_is_back_ends_what_its_loss_began(scene: Scene) -> None:
    listen(scene)
    scene.send(altered(ID))
    scene.work()
    scene.clock.advance(60)
    scene.send(altered(ID, AMOUNT, seconds=110, run="back"))
    scene.work()
    assert gate(scene) == (GateAnswer.ALLOW, None)
    assert incidents(scene) == [(IncidentState.RESOLVED, Resolution.RECOVERED)]
    assert heard(scene) == [NotificationKind.VIOLATION, NotificationKind.RECOVERY]


SAME = {
    "the same columns": [ID, AMOUNT],
    "in other words": [{"name": "ID", "type": "BIGINT"}, {"name": "amount", "type": "float64"}],
    "without types": [{"name": "id"}, {"name": "amount", "type": None}],
    "what is no list of columns": [{"type": "long"}, {"name": ""}],
}


@pytest.mark.parametrize("columns", SAME.values(), ids=SAME.keys())
def test_columns_that_are_as_they_were_are_not_judged_again(scene: Scene, columns: list[dict[str, Any]]) -> None:
    scene.send(altered(*columns))
    scene.work()
    assert [run.kind for run in scene.runs] == [RunKind.DATA]
    assert scene.last_task.result is not None
    assert scene.last_task.result["note"] == "no changes"


def test_what_was_told_of_a_later_time_stands_whichever_comes_first(scene: Scene) -> None:
    scene.send(altered(ID, AMOUNT, seconds=55, run="later"))
    while scene.worker().take_in():
        pass
    scene.send(altered(ID, seconds=50, run="earlier"))
    scene.work()
    assert [run.kind for run in scene.runs] == [RunKind.DATA]


def test_a_failing_check_of_all_data_still_fails_when_a_column_is_added(scene: Scene) -> None:
    scene.write("ds=3", "bad")
    scene.send(event(run="bad", at=told(40)))
    scene.work()
    before = gate(scene)
    scene.clock.advance(60)
    scene.send(altered(ID, AMOUNT, {"name": "city", "type": "string"}, seconds=110))
    scene.work()
    assert scene.runs[-1].kind is RunKind.SCHEMA
    assert before[0] is gate(scene)[0] is GateAnswer.BLOCK


def test_what_a_task_shows_does_not_hold_all_columns(scene: Scene) -> None:
    scene.send(altered(*({"name": f"c{at}", "type": "string"} for at in range(2000))))
    scene.work()
    assert not {"columns", "at"} & tasks(scene.database)[-1].payload.keys()
    assert scene.runs[-1].verdict is Verdict.FAILED


@pytest.mark.parametrize("document", [dropped(), renamed(LOCATION, "/data/elsewhere")], ids=["dropped", "renamed"])
def test_people_hear_that_a_promised_dataset_is_gone(scene: Scene, document: dict[str, Any]) -> None:
    listen(scene)
    scene.send(document, document)
    scene.work()
    assert gate(scene) == (GateAnswer.UNKNOWN, staleness.GONE)
    assert listed(scene) == (Verdict.FAILED, RunKind.PRESENCE)
    assert incidents(scene) == [(IncidentState.OPEN, None)]
    (notice,) = rows(scene.database, OutboxMessageRow)
    assert notice.payload["notice"]["details"][0].startswith("the dataset exists failed")
    actions = [each.action for each in rows(scene.database, AuditEntryRow)]
    assert actions.count(AuditAction.DATASET_DROPPED) == 1


def test_what_took_the_name_of_a_promised_dataset_is_not_gone(scene: Scene) -> None:
    scene.send(renamed("/data/staged", LOCATION))
    scene.work()
    assert incidents(scene) == []
    assert gate(scene) == (GateAnswer.ALLOW, None)


def test_a_dataset_that_is_read_again_is_back(scene: Scene) -> None:
    listen(scene)
    scene.send(dropped())
    scene.work()
    scene.clock.advance(60)
    scene.send(event(run="again", at=told(110)))
    scene.work()
    assert gate(scene) == (GateAnswer.ALLOW, None)
    assert listed(scene) == (Verdict.PASSED, RunKind.DATA)
    assert incidents(scene) == [(IncidentState.RESOLVED, Resolution.RECOVERED)]
    assert heard(scene) == [NotificationKind.VIOLATION, NotificationKind.RECOVERY]


def test_a_drop_that_is_told_after_the_dataset_was_written_anew_alarms_nobody(scene: Scene) -> None:
    scene.send(event(run="again", at=told(55)))
    scene.work()
    scene.send(dropped(seconds=45))
    scene.work()
    assert incidents(scene) == []
    assert gate(scene) == (GateAnswer.ALLOW, None)


def test_every_contract_about_a_dropped_dataset_hears_of_it(scene: Scene) -> None:
    promised(scene.database, "sales")
    scene.send(dropped(), dropped(seconds=52, run="once more"))
    scene.work()
    found = [each.contract_id for each in rows(scene.database, RunRow) if each.kind is RunKind.PRESENCE]
    assert sorted(set(found)) == ["orders", "sales"]
    assert len(rows(scene.database, IncidentRow)) == 2
