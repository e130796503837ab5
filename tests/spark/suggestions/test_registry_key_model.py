"""A registry whose owners name keys as nobody else does: after a training, its drafts suggest keys by these names."""

import json
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from support.approved import approve
from support.commands import Commands, Here
from support.scenes import Scene, rows, user
from support.unusual_keys import KEY, SUBJECTS, contract_of, unusual_tables

from treaty.registry.core import ids
from treaty.registry.core.database import connect, migrate, transaction
from treaty.registry.core.enums import TaskKind
from treaty.registry.drafting.keys import key_models
from treaty.registry.queue import task_queue
from treaty.registry.tables import ProposalSuggestionRow, TaskRow, UserRow


@pytest.fixture
def scene(spark: Any, tmp_path: Path) -> Iterator[Scene]:
    database = connect(f"sqlite:///{tmp_path}/treaty.db")
    migrate(database)
    yield Scene(database, tmp_path / "home", engine=Here(spark))  # type: ignore[arg-type]
    database.dispose()


@pytest.fixture
def table(spark: Any, tmp_path: Path) -> str:
    """A table that is no part of the registry: the key is a decimal, which is counted only if its name suggests it."""
    data = [(at % 7, at % 5, Decimal(10_000 + at), f"s{at % 3}", date(2026, 1, 1), at % 9 / 2) for at in range(60)]
    schema = (
        f"id_tour bigint, tour_id bigint, {KEY} decimal(20,0), art_zugang string, dat_sorte date, wert_zugang double"
    )
    path = str(tmp_path / "zugang")
    spark.createDataFrame(data, schema).write.parquet(path)
    return path


def enqueue(scene: Scene, kind: TaskKind, **payload: Any) -> dict[str, Any]:
    with transaction(scene.database) as tx:
        task = task_queue.enqueue(
            tx, kind=kind, payload=payload, key=str(ids.new()), now=scene.clock(), task_id=ids.new()
        )
        tx.commit()
    scene.work()
    done = next(each for each in rows(scene.database, TaskRow) if task and each.id == task.id)
    assert done.error is None
    return done.result or {}


def draft(scene: Scene, table: str, author: UserRow) -> tuple[dict[str, Any], dict[str, Any]]:
    """The result of a draft, and its suggested keys: the evidence by column."""
    result = enqueue(
        scene, TaskKind.DRAFT, contract_id=f"zugang-{ids.new()}", object="zugang", author=str(author.id),
        source={"location": table},
    )  # fmt: skip
    content = [
        each.content
        for each in rows(scene.database, ProposalSuggestionRow)
        if str(each.proposal_id) == result["proposal_id"]
    ]
    return result, {each["column"]: each["evidence"] for each in content if each["kind"] == "unique"}


def test_the_next_draft_suggests_keys_by_the_names_of_the_registry(scene: Scene, table: str) -> None:
    author = user(scene.database)
    assert draft(scene, table, author)[1] == {}
    approve(scene.database, map(contract_of, unusual_tables()))
    trained = enqueue(scene, TaskKind.TRAIN)
    assert (trained["version"], trained["tables"]) == (1, len(SUBJECTS))
    result, keys = draft(scene, table, author)
    assert "notes" not in result
    assert list(keys) == [KEY]
    assert keys[KEY]["likely_by"] == f"model of 2026-03-01 trained on {len(SUBJECTS)} tables"
    assert keys[KEY]["likely"] > 0.5
    assert keys[KEY]["confirmed"]
    path = key_models.store(scene.settings).path(1)
    path.write_bytes(b"damaged")
    result, keys = draft(scene, table, author)
    assert keys == {}
    assert "The shipped key-name model was used." in result["notes"][-1]


def test_a_draft_without_a_registry_takes_a_model_as_a_file(
    scene: Scene, table: str, treaty: Commands, tmp_path: Path
) -> None:
    approve(scene.database, map(contract_of, unusual_tables()))
    enqueue(scene, TaskKind.TRAIN)
    models = key_models.store(scene.settings)
    for words in ([], ["--key-model", models.path(1)], ["--key-model", models.folder]):
        done = treaty("draft", table, "--json", *words)
        suggested = [each["column"] for each in json.loads(done.stdout)["suggestions"] if each["kind"] == "unique"]
        assert suggested == ([KEY] if words else [])
    for given, reason in ((tmp_path / "nothing", "does not exist"), (table, "contains no key-name models")):
        refused = treaty("draft", table, "--key-model", given)
        assert refused.returncode == 3
        assert f"{given} {reason}" in refused.stderr
