"""Days merged by month: every answer about all of them stays, and days that change are told apart by reading again."""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from sqlmodel import select
from support.databases import sqlite_copy
from support.engines import FakeEngine
from support.orders import check, states
from support.scenes import LOCATION, NOON, Scene, contract_in_force, current, rows
from support.view_texts import viewed

from treaty.contracts.document.reader import read
from treaty.contracts.schema import Column, Schema
from treaty.engine.core.errors import StateError
from treaty.engine.core.results import Verdict
from treaty.engine.evaluation.evaluator import evaluate, missing_states
from treaty.engine.protocol.requests import MeasureRequest, MeasureResult
from treaty.engine.states.state_files import StateFiles
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import TaskKind, TaskState, VersionState
from treaty.registry.core.errors import InvalidRequest
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.measurements.states import compaction
from treaty.registry.measurements.states import state_store as memory
from treaty.registry.tables import (
    CheckResultRow,
    ContractRow,
    ContractVersionRow,
    DatasetRow,
    PartitionStateRow,
    RunRow,
    TaskRow,
)
from treaty.registry.validation import reruns
from treaty.registry.worker.periodic import order_upkeep

TABLE = Schema(
    tuple(map(Column, ("id", "amount", "status", "day", "country"), ("bigint", "double", "string", "date", "string")))
)
VIEWS = {"german": "country = 'DE'", "january": "day BETWEEN '2026-01-01' AND '2026-01-31'"}
CHECKS = [
    check("size", "each", mustBeGreaterThan=0),
    check("size", "all", scope="dataset", mustBeGreaterThan=0),
    check("uniqueness", "unique", scope="dataset", columns=["id"], mustBeGreaterOrEqualTo=0),
    check("count_distinct", "german", scope="german", columns=["id"], mustBeGreaterOrEqualTo=0),
    check("sum", "january", scope="january", column="id", mustBeGreaterOrEqualTo=0),
]
MORE = check("completeness", "more", scope="dataset", column="id", mustBeGreaterOrEqualTo=0)
JANUARY = [f"day=2026-01-{day:02d}/country=DE" for day in range(1, 6)]
MERGED = "day=2026-01-[01-05]/country=DE"


@dataclass
class TableEngine(FakeEngine):
    """A table whose partitions are lists of ids, as text; their states are real ones."""

    files: StateFiles = field(default_factory=lambda: StateFiles(""))
    schema: Schema = TABLE

    def measure(self, request: MeasureRequest) -> MeasureResult:
        """The states of what changed and of what is lacking."""
        told = super().measure(request)
        packed = partial(self._packed, request)
        fresh, added = ({name: packed(text) for name, text in each.items()} for each in (told.states, told.added))
        return replace(told, schema=self.schema if fresh or added else Schema(()), states=fresh, added=added)

    def _packed(self, request: MeasureRequest, text: bytes) -> bytes:
        return states(read(request.contract), {"id": json.loads(text)}, self.schema).pack(self.files)


@dataclass
class Table(Scene):
    """The scene with a real judge over that engine."""

    portion: int = 400

    def __post_init__(self) -> None:
        self.files = StateFiles(self.settings.states)
        self.engine = TableEngine(files=self.files)
        self.engine.tables[LOCATION] = {}
        self.told = 0

    @property
    def settings(self) -> RegistrySettings:
        return RegistrySettings(home=self.home, compaction_delay_days=30, read_batch_partitions=self.portion)

    @property
    def here(self) -> dict[str, str]:
        return self.engine.tables[LOCATION]

    def worker(self, **other: Any) -> Any:
        return super().worker(evaluate=evaluate, missing_states=missing_states, **other)

    def put(self, *names: str, found: list[int] | None = None) -> None:
        """Writes partitions."""
        for name in names:
            self.write(name, json.dumps([1, 2, int(name[12:14])] if found is None else found))

    def validate(self, **payload: Any) -> None:
        self.told += 1
        self.ask(f"validation {self.told}", **payload)
        self.work()

    def compact(self) -> int:
        """Merges what can be merged, as the upkeep does."""
        over = self.clock().date() - timedelta(days=30)
        return sum(
            compaction.compact(self.database, self.files, self.dataset, over=over, clock=self.clock, ids=ids.new)
        )

    @property
    def dataset(self) -> Any:
        return rows(self.database, DatasetRow)[0].id

    @property
    def stored(self) -> list[str]:
        return sorted(row.partition for row in current(self.database))

    @property
    def values(self) -> dict[str, str | None]:
        """What the last run found, by check."""
        found = [
            row for row in rows(self.database, CheckResultRow) if row.run_id == self.runs[-1].id and not row.partition
        ]
        return {row.check_id: row.value for row in found if row.measurement}

    @property
    def truth(self) -> dict[str, str | None]:
        """What the table itself says."""
        each = {name: json.loads(text) for name, text in self.here.items()}
        every = [number for found in each.values() for number in found]
        german = {number for name, found in each.items() if name.endswith("DE") for number in found}
        january = [number for name, found in each.items() if name.startswith("day=2026-01") for number in found]
        alone = sum(every.count(number) == 1 for number in every)
        return {
            "all": str(len(every)),
            "unique": repr(alone / len(set(every))) if every else None,
            "german": str(len(german)) if any(name.endswith("DE") for name in each) else None,
            "january": str(sum(january)) if january else None,
        }

    def asked(self, at: int) -> MeasureRequest:
        request = self.engine.requests[at]
        assert isinstance(request, MeasureRequest)
        return request


def begun(engine: Engine, home: Path) -> Table:
    contract_in_force(engine)
    in_force(engine, "1.1.0", *CHECKS)
    scene = Table(engine, home)
    scene.clock.now = NOON.replace(month=6)
    return scene


def in_force(engine: Engine, version: str, *checks: Any) -> None:
    """Puts a version of the contract in force that has these checks."""
    put_in_force(engine, version, viewed(*checks, **VIEWS).source)


def put_in_force(engine: Engine, version: str, source: bytes) -> None:
    body = source.replace(b"1.0.0", version.encode())
    with transaction(engine) as tx:
        before = tx.exec(select(ContractVersionRow).where(ContractVersionRow.state == VersionState.ACTIVE)).one()
        before.state = VersionState.SUPERSEDED
        kept = before.model_dump(exclude={"id", "version", "body", "fingerprint", "state"})
        state = VersionState.ACTIVE
        tx.add(ContractVersionRow(id=ids.new(), version=version, body=body, fingerprint=version, state=state, **kept))
        tx.get_one(ContractRow, "orders").active_version = version
        tx.commit()


@pytest.fixture
def table(engine: Engine, tmp_path: Path) -> Table:
    """Five days of January, merged."""
    scene = begun(engine, tmp_path)
    scene.put(*JANUARY)
    scene.validate()
    assert scene.compact() == 1
    assert scene.stored == [MERGED]
    scene.engine.requests.clear()
    return scene


def test_what_is_known_of_every_day_stays_known(table: Table) -> None:
    table.validate()
    assert set(table.asked(0).stored_fingerprints) == set(JANUARY)
    assert table.last_task.result == {"note": "no changes"}
    assert len(table.engine.requests) == 1
    assert table.compact() == 0


def test_a_day_that_arrives_is_judged_with_the_merged_ones_and_nothing_else_is_read(table: Table) -> None:
    late, new = "day=2026-01-20/country=DE", "day=2026-05-30/country=FR"
    table.put(late, new, found=[7, 8])
    table.validate()
    assert (table.runs[-1].partitions, len(table.engine.requests)) == ([late, new], 1)
    assert table.values == table.truth
    assert table.compact() == 1
    assert table.stored == ["day=2026-01-[01-05,20]/country=DE", new]


def test_a_day_that_is_replaced_has_the_others_of_its_month_read_again(table: Table) -> None:
    table.put("day=2026-03-01/country=DE")
    table.validate()
    table.put(JANUARY[2], found=[100])
    table.validate()
    assert len(table.engine.requests) == 3
    assert dict(table.asked(2).stored_keys) == {name: frozenset() for name in JANUARY if name != JANUARY[2]}
    assert table.runs[-1].partitions == [JANUARY[2]]
    assert table.stored == [*JANUARY, "day=2026-03-01/country=DE"]
    assert table.values == table.truth


def test_a_day_that_vanishes_has_the_others_of_its_month_read_again(table: Table) -> None:
    del table.here[JANUARY[0]]
    table.validate()
    assert (table.runs[-1].reason, table.runs[-1].partitions) == (f"1 partition no longer exists: {JANUARY[0]}", [])
    assert table.stored == JANUARY[1:]
    assert table.values == table.truth


def test_a_worker_that_ends_while_a_month_is_read_again_takes_nothing_along(table: Table) -> None:
    table.portion = 2
    table.put(JANUARY[2], found=[100])
    table.ask("ends")
    calls = iter(range(2))

    def end() -> None:
        if next(calls, None) is None:
            raise KeyboardInterrupt

    table.engine.meanwhile = end
    with pytest.raises(KeyboardInterrupt):
        table.work()
    assert table.stored == [MERGED]
    table.engine.meanwhile = lambda: None
    table.engine.requests.clear()
    table.work()
    assert len(table.engine.requests) == 1
    assert (table.runs[-1].partitions, table.stored) == ([JANUARY[2]], JANUARY)
    assert table.values == table.truth


def test_a_month_that_vanishes_is_forgotten_and_nothing_is_read_again(table: Table) -> None:
    table.here.clear()
    table.put("day=2026-05-30/country=FR")
    table.validate()
    assert (len(table.engine.requests), table.stored) == (1, ["day=2026-05-30/country=FR"])
    assert {name: value for name, value in table.values.items() if name in ("all", "unique")} == {
        name: value for name, value in table.truth.items() if name in ("all", "unique")
    }


def test_a_day_that_changes_while_others_are_read_again_breaks_its_month_too(table: Table) -> None:
    table.put(*(f"day=2026-02-{day:02d}/country=DE" for day in (1, 2, 3)))
    table.validate()
    table.compact()
    table.put(JANUARY[0], found=[100])
    changes = iter([lambda: None, lambda: table.put("day=2026-02-02/country=DE", found=[200])])
    table.engine.meanwhile = lambda: next(changes, lambda: None)()
    table.validate()
    assert table.runs[-1].partitions == [JANUARY[0], "day=2026-02-02/country=DE"]
    assert table.stored == sorted(table.here)
    assert table.values == table.truth


def test_states_of_a_new_check_are_read_of_every_day_and_merged_again(table: Table) -> None:
    in_force(table.database, "1.2.0", *CHECKS, MORE)
    table.put("day=2026-05-30/country=FR", found=[7])
    table.validate()
    assert table.values == {**table.truth, "more": "1.0"}
    assert (table.runs[-1].partitions, len(table.engine.requests)) == (sorted(table.here), 1)
    assert table.compact() == 1
    assert table.stored == [MERGED, "day=2026-05-30/country=FR"]


def test_a_version_that_never_judged_the_data_judges_merged_days_together_and_not_one_by_one(table: Table) -> None:
    in_force(table.database, "1.2.0", *CHECKS)
    table.validate()
    assert (table.runs[-1].verdict, table.runs[-1].partitions) == (Verdict.PASSED, [])
    assert table.values == table.truth


def test_merged_states_that_are_damaged_are_measured_again(table: Table) -> None:
    with transaction(table.database) as tx:
        row = next(row for row in tx.exec(select(PartitionStateRow)) if row.members)
        row.states = row.states[:-1] + b"?"
        tx.commit()
    table.put("day=2026-05-30/country=FR")
    table.validate()
    assert table.stored == [*JANUARY, "day=2026-05-30/country=FR"]
    assert table.values == table.truth


def test_a_run_is_done_again_from_days_while_they_are_kept_and_from_months_ever_after(table: Table) -> None:
    table.put("day=2026-05-30/country=FR")
    table.validate()
    before, since = table.runs

    def again(run: RunRow) -> Any:
        with read_session(table.database) as tx:
            return reruns.again(tx, run.id, evaluate, files=table.files)

    assert again(before).differences == again(since).differences == ()
    with transaction(table.database) as tx:
        memory.prune(tx, table.dataset, before=table.clock() + timedelta(days=1))
        tx.commit()
    assert again(since).differences == ()
    with pytest.raises(InvalidRequest, match="are no longer stored"):
        again(before)


def test_only_months_that_are_over_long_enough_and_of_one_kind_are_merged(engine: Engine, tmp_path: Path) -> None:
    scene = begun(engine, tmp_path)
    scene.clock.now = NOON.replace(month=3, day=3)
    countries = ("DE", "FR", "__HIVE_DEFAULT_PARTITION__")
    lands = [f"day=2026-01-0{day}/country={land}" for day in (1, 2) for land in countries]
    others = [f"day=2026-02-0{day}/country=DE" for day in (1, 2)]
    scene.put(*lands, *others)
    scene.validate()
    assert scene.compact() == 3
    merged = sorted(f"day=2026-01-[01-02]/country={land}" for land in countries)
    assert scene.stored == sorted([*merged, *others])
    assert {row.generation for row in current(scene.database)} == {1}


def test_months_that_a_view_of_the_contract_takes_in_part_stay_days(engine: Engine, tmp_path: Path) -> None:
    scene = begun(engine, tmp_path)
    scene.put(*JANUARY, "day=2026-02-01/country=DE", "day=2026-02-02/country=DE")
    scene.validate()
    body = viewed(*CHECKS, **{**VIEWS, "january": "day <= '2026-01-03'"})
    put_in_force(engine, "1.2.0", body.source)
    assert scene.compact() == 1
    assert scene.stored == [*JANUARY, "day=2026-02-[01-02]/country=DE"]
    scene.validate()
    assert (scene.runs[-1].verdict, scene.values["january"]) == (Verdict.PASSED, "15")


def test_days_of_other_columns_are_merged_apart(engine: Engine, tmp_path: Path) -> None:
    scene = begun(engine, tmp_path)
    scene.put(*JANUARY[:2])
    scene.validate()
    assert isinstance(scene.engine, TableEngine)
    scene.engine.schema = Schema((*TABLE.columns, Column("new", "string")))
    scene.put(*JANUARY[2:])
    scene.validate()
    assert scene.compact() == 2
    assert scene.stored == ["day=2026-01-[01-02]/country=DE", "day=2026-01-[03-05]/country=DE"]
    assert scene.compact() == 0
    with read_session(scene.database) as tx:
        assert memory.schema(tx, scene.dataset) == scene.engine.schema
        assert memory.schema(tx, scene.dataset, version=1) == TABLE


def test_a_validation_during_which_days_are_merged_looks_again(table: Table) -> None:
    days = [f"day=2026-02-{day:02d}/country=DE" for day in (1, 2, 3)]
    table.put(*days)
    table.validate()
    table.put(days[0], found=[100])
    merges = iter([table.compact])
    table.engine.meanwhile = lambda: [merge() for merge in merges] and None
    table.validate()
    assert table.stored == [MERGED, "day=2026-02-[01-03]/country=DE"]
    assert table.last_task.state is TaskState.QUEUED
    table.clock.advance(3600)
    table.work()
    assert table.stored == [MERGED, *days]
    assert table.values == table.truth


def test_days_that_change_while_they_are_merged_are_left_as_they_are(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    days = [f"day=2026-02-{day:02d}/country=DE" for day in (1, 2, 3)]
    table.put(*days)
    table.validate()
    fold = memory.fold

    def later(*arguments: Any, **options: Any) -> Any:
        arguments[0].rollback()
        table.put(days[1], found=[100])
        table.validate()
        return fold(*arguments, **options)

    monkeypatch.setattr(memory, "fold", later)
    assert table.compact() == 0
    assert table.stored == [MERGED, *days]
    assert table.values == table.truth


def test_a_merge_that_was_interrupted_goes_on_where_it_ended(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = begun(engine, tmp_path)
    scene.put(*(f"day=2026-0{month}-0{day}/country=DE" for month in (1, 2, 3) for day in (1, 2)))
    scene.validate()
    fold, calls = memory.fold, iter(range(1))

    def end(*arguments: Any, **options: Any) -> Any:
        if next(calls, None) is None:
            raise KeyboardInterrupt
        return fold(*arguments, **options)

    worker = scene.worker()
    order_upkeep(worker)
    with monkeypatch.context() as patch:
        patch.setattr(memory, "fold", end)
        with pytest.raises(KeyboardInterrupt):
            worker.step()
    assert scene.stored[0] == "day=2026-01-[01-02]/country=DE"
    assert len(scene.stored) == 5
    scene.work()
    assert len(scene.stored) == 3
    assert scene.last_task.kind == TaskKind.UPKEEP
    assert scene.last_task.result["merged"] == 2  # type: ignore[index]
    scene.put("day=2026-05-30/country=FR")
    scene.validate()
    assert scene.values == scene.truth


def test_validations_have_their_turn_between_months(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = begun(engine, tmp_path)
    scene.put(*(f"day=2026-0{month}-0{day}/country=DE" for month in (1, 2, 3) for day in (1, 2)))
    scene.validate()
    fold, worker = memory.fold, scene.worker()

    def slow(*arguments: Any, **options: Any) -> Any:
        scene.clock.advance(90)
        return fold(*arguments, **options)

    monkeypatch.setattr(memory, "fold", slow)
    order_upkeep(worker)
    scene.put("day=2026-05-30/country=FR")
    assert worker.step()
    scene.ask("while it goes on")
    assert worker.step()
    assert len(scene.runs) == 2
    assert len(scene.stored) == 6
    scene.work()
    assert len(scene.stored) == 4
    told = [task.result for task in rows(scene.database, TaskRow) if task.kind == TaskKind.UPKEEP]
    assert [(each["merged"], "more" in each) for each in told if each] == [(1, True), (1, True), (1, True), (0, False)]


def test_months_that_cannot_be_merged_are_not_tried_over_and_over(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = begun(engine, tmp_path)
    scene.put(*JANUARY)
    scene.validate()

    def slow(*_: Any, **__: Any) -> Any:
        scene.clock.advance(90)
        raise memory.StateConflict

    monkeypatch.setattr(memory, "fold", slow)
    order_upkeep(scene.worker())
    assert scene.work() == 1
    assert scene.stored == JANUARY


def test_a_file_that_is_gone_leaves_the_days_as_they_are(engine: Engine, tmp_path: Path) -> None:
    scene = begun(engine, tmp_path)
    scene.put(*JANUARY)
    scene.validate()
    min(Path(scene.files.url).iterdir()).unlink()
    assert scene.compact() == 0
    assert scene.stored == JANUARY


@pytest.fixture
def on_sqlite(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    engine = sqlite_copy(request.getfixturevalue("template"), tmp_path)
    yield engine
    engine.dispose()


@pytest.mark.parametrize("seed", range(3))
def test_whatever_comes_in_whatever_order_the_table_is_judged_as_it_is(
    seed: int, on_sqlite: Engine, tmp_path: Path
) -> None:
    rng, scene = random.Random(seed), begun(on_sqlite, tmp_path)
    scene.portion = (400, 3, 1)[seed]
    every = [
        f"day={date(2026, month, day)}/country={land}"
        for month in (1, 2, 5)
        for day in range(1, 7)
        for land in ("DE", "FR")
    ]
    scene.put("day=2026-01-31/country=DE")
    for _ in range(24):
        for _ in range(rng.randrange(4)):
            scene.put(rng.choice(every), found=[rng.randrange(40) for _ in range(rng.randrange(1, 5))])
        if rng.random() < 0.3 and len(scene.here) > 2:
            del scene.here[rng.choice(sorted(scene.here.keys() - {"day=2026-01-31/country=DE"}))]
        if rng.random() < 0.5:
            scene.compact()
        scene.validate(all=rng.random() < 0.1)
        assert scene.values == scene.truth
        with read_session(scene.database) as tx:
            known = memory.stored_fingerprints(tx, scene.dataset)
            assert known.keys() == scene.here.keys()
    assert any("[" in row.partition for row in rows(scene.database, PartitionStateRow))
    with read_session(scene.database) as tx:
        assert [run.id for run in scene.runs if reruns.again(tx, run.id, evaluate, files=scene.files).differences] == []


def test_a_month_of_more_combinations_than_can_be_loaded_is_left(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = begun(engine, tmp_path)
    scene.put(*JANUARY, found=[1, 2, 3])
    scene.validate()
    monkeypatch.setattr(compaction, "MOST_COMBINATIONS", 14)
    assert scene.compact() == 0
    monkeypatch.setattr(compaction, "MOST_COMBINATIONS", 15)
    assert scene.compact() == 1


def test_damaged_states_of_a_day_are_not_merged(engine: Engine, tmp_path: Path) -> None:
    scene = begun(engine, tmp_path)
    scene.put(*JANUARY)
    scene.validate()
    with transaction(scene.database) as tx:
        row = next(row for row in tx.exec(select(PartitionStateRow)) if row.partition == JANUARY[0])
        row.states = b"damaged"
        tx.commit()
    assert scene.compact() == 1
    assert scene.stored == [JANUARY[0], "day=2026-01-[02-05]/country=DE"]
    with pytest.raises(StateError):
        memory.inventory(b"damaged")
