"""`treaty keys`: a model is trained, shown, written, chosen and returned from, by those who may."""

import json
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import Engine
from support.api import World
from support.approved import approve
from support.scenes import NOON, Clock, Scene, rows
from support.unusual_keys import contract_of, unusual_tables
from typer.testing import CliRunner

from treaty.engine.core import clock
from treaty.engine.suggestions.keys import model_file
from treaty.registry.cli import main
from treaty.registry.cli.commands import tasks
from treaty.registry.client import Client
from treaty.registry.core.enums import TaskKind, TaskState
from treaty.registry.drafting.keys import key_models
from treaty.registry.tables import TaskRow
from treaty.registry.worker.periodic import order_training

NIGHT = NOON + timedelta(hours=14, minutes=30)
COUNT = 24


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    return Scene(engine, tmp_path / "home", Clock(clock.now()))


@pytest.fixture
def run(world: World, scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs a command as a user while a worker works; its exit code and what it prints."""
    # Not the module `time` itself: threads of a Spark in this process sleep, too.
    monkeypatch.setattr(tasks, "time", SimpleNamespace(sleep=lambda _: work()))
    monkeypatch.setattr(
        "treaty.registry.client.Client", lambda _, token: Client("http://testserver", token, http=world.http)
    )
    monkeypatch.setattr(Client, "close", lambda _: None)

    def work() -> None:
        scene.clock.now = clock.now()
        assert scene.work()

    def result(*words: str, who: str = "admin") -> tuple[int, str]:
        monkeypatch.setenv("TREATY_TOKEN", world.secrets[who])
        done = CliRunner().invoke(main.app, ["keys", *words])
        return done.exit_code, done.stdout.strip() or str(done.exception or "")

    return result


def test_a_model_is_trained_used_written_and_returned_from(run: Any, world: World, tmp_path: Path) -> None:
    approve(world.engine, map(contract_of, unusual_tables(COUNT)))
    out = tmp_path / "model.json"
    code, text = run("train", "--out", str(out))
    assert (code, text.splitlines()[0]) == (0, f"In use: model of {clock.now().date()} trained on {COUNT} tables")
    assert "area on unseen families 1.0000, shipped 0." in text
    card, _ = model_file.load(out)
    assert (card.version, card.tables, card.families, card.keys) == (1, COUNT, COUNT, COUNT)
    assert run("use", "shipped")[1].startswith("In use: shipped model of ")
    assert "trainings do not replace it" in run("show", who="viewer")[1]
    assert run("use", "1")[1].startswith("In use: model of ")
    assert run("use", "auto")[0] == 0
    shown = json.loads(run("show", "--json")[1])
    assert (shown["version"], shown["pinned"], [each["version"] for each in shown["versions"]]) == (1, False, [1])
    actions = [each for each in world.audited() if each.startswith("key_model")]
    assert actions == ["key_model:requested", "key_model:trained", *["key_model:chosen"] * 3]


def test_a_small_registry_is_told_what_it_lacks_and_gets_no_file(run: Any, world: World, tmp_path: Path) -> None:
    approve(world.engine, map(contract_of, unusual_tables(3)))
    out = tmp_path / "model.json"
    code, text = run("train", "--out", str(out))
    assert code == 2
    assert "3 families of tables with declared keys; at least 20 are needed" in text
    assert not out.exists()
    code, text = run("train", "--json")
    result = json.loads(text)
    assert (code, result["version"], result["note"]) == (0, None, key_models.UNCHANGED)
    assert result["comparison"]["families"] == 3


@pytest.mark.parametrize("words", [["train"], ["use", "shipped"]])
def test_only_administrators_train_and_choose(words: list[str], run: Any) -> None:
    code, text = run(*words, who="owner")
    assert code != 0
    assert "users:manage" in text


@pytest.mark.parametrize(
    ("version", "reason"),
    [("7", "There is no version 7"), ("0", "0 is not a version"), ("x", "x is not a version"), ("-1", "")],
)
def test_a_version_that_is_none_is_refused(version: str, reason: str, run: Any) -> None:
    code, text = run("use", version)
    assert code != 0
    assert reason in text


def test_a_damaged_version_is_shown_not_used_and_trained_again(run: Any, world: World, scene: Scene) -> None:
    approve(world.engine, map(contract_of, unusual_tables(COUNT)))
    run("train")
    path = key_models.store(scene.settings).path(1)
    path.write_bytes(path.read_bytes()[:-9])
    code, text = run("show")
    assert (code, text.splitlines()[0][:22]) == (0, "In use: shipped model ")
    assert f"{path} is not a key-name model, or is damaged" in text
    assert "is damaged" in run("use", "1")[1]
    assert "version" not in run("train")[1].splitlines()[0]
    assert json.loads(run("show", "--json")[1])["version"] == 2


def test_every_night_it_is_trained_once_if_anything_changed(scene: Scene) -> None:
    approve(scene.database, map(contract_of, unusual_tables(COUNT)))
    results = []
    for night in range(2):
        scene.clock.now = NIGHT + timedelta(days=night)
        assert [order_training(scene.worker()) for _ in range(2)] == [1, 0]
        scene.work()
        task = [each for each in rows(scene.database, TaskRow) if each.kind == TaskKind.TRAIN][-1]
        assert task.state is TaskState.DONE
        results.append(task.result or {})
    assert (results[0]["version"], results[0]["tables"], results[1]["note"]) == (1, COUNT, key_models.UNCHANGED)
    scene.clock.now = NIGHT + timedelta(hours=2)
    assert order_training(scene.worker()) == 0
