"""Erasing what is remembered of a dataset, on both databases: what goes and stays, who may, what is said later."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, inspect, text
from sqlmodel import select
from support import canaries
from support.api import NOW, World, build, drafted
from support.bags import bag
from support.canaries import CANARIES, OPEN
from support.events import event
from support.scenes import orders, rows

from treaty.contracts.document.model import Contract
from treaty.contracts.document.reader import read
from treaty.contracts.document.writer import write
from treaty.contracts.fingerprint import fingerprint
from treaty.contracts.schema import Column, Schema
from treaty.engine.checks.binding import bind
from treaty.engine.core.results import ViolationSample
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.patterns.lake_index import PatternLake
from treaty.engine.protocol.requests import MeasureResult
from treaty.engine.states.state_files import StateFiles
from treaty.registry.access.authentication import Principal
from treaty.registry.cli.main import _code
from treaty.registry.client import ClientError
from treaty.registry.contracts import lookup
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import Permission, Role
from treaty.registry.measurements.runs import recording, samples
from treaty.registry.measurements.runs.recording import RunProvenance
from treaty.registry.measurements.states import erasure, state_store
from treaty.registry.queue import task_queue
from treaty.registry.tables import AuditEntryRow, DatasetRow, PartitionStateRow, ReadCheckpointRow, RunRow, UserRow

SCHEMA = Schema((Column("id", "int"), *(Column(name, "string") for name in ("who", "mail", "code", "born")),
                 Column("day", "string")))  # fmt: skip
DAYS = ("day=d0", "day=d1")
TEXTS = frozenset({"size", "uniqueness", "minimum", "maximum", "histogram", "count_distinct", "entropy"})
UNTIL = NOW.replace(year=2999)


def contract(contract_id: str = "people") -> Contract:
    """That of the canaries, which classifies none of them: their values are remembered."""
    plain = dict(canaries.contract(OPEN, contract_id, f"/lake/{contract_id}").document)
    (table,) = plain["schema"]
    checks = [each for each in table["quality"] if each["implementation"]["analyzer"] in TEXTS]
    texts = [{**each, "logicalType": "string"} if each["name"] == "born" else each for each in table["properties"]]
    return read(write({**plain, "schema": [{**table, "quality": checks, "properties": texts}]}))


@dataclass
class Remembered:
    """A service that remembers two contracts about tables of the same people, with a run of each."""

    world: World
    home: Path
    runs: dict[str, UUID]

    @property
    def files(self) -> StateFiles:
        return StateFiles(str(self.home / "states"))

    def erase(self, who: str = "owner", name: str = "people", **more: Any) -> Any:
        return self.world.client(who).erase(name, **more)

    def canaries(self, *skipped: str) -> dict[str, set[str]]:
        """The canaries in each table of the database, in each file of the home, and in those of SQLite themselves."""
        with self.world.engine.connect() as connection:
            names = [each for each in inspect(connection).get_table_names() if each not in skipped]
            tables = {name: list(map(_cells, connection.execute(text(f'select * from "{name}"')))) for name in names}
            connection.rollback()
        return canaries.in_tables(tables) | canaries.in_files(self.home.parent)


def _cells(row: Any) -> list[Any]:
    """The cells as they are, and packed states opened: what lies in files is searched there."""
    opened = [canaries.shown(bytes(cell), _Nowhere()) for cell in row if _is_bag(cell)]
    return [*row, *opened]


class _Nowhere:
    """Files of which each is one without rows."""

    def write(self, content: bytes) -> str:
        raise AssertionError

    def read(self, name: str) -> bytes:
        return b""


def _is_bag(cell: Any) -> bool:
    return isinstance(cell, bytes | memoryview) and bytes(cell).startswith(b"TRTY")


def approved(world: World, given: Contract) -> None:
    made = world.client("producer").propose(given.source.decode())
    world.client("owner").approve(made.id, world.client("owner").preview(made.id).fingerprint)


def suggestion(kind: str, column: str, values: Iterable[str], **patch: Any) -> dict[str, Any]:
    """A suggestion as a draft makes it of values."""
    told = list(values)
    return {
        "id": f"{kind}-{column}", "kind": kind, "object": "people", "column": column, "severity": "error",
        "sentence": f"{column} is one of {len(told)} known values", "expression": f"{column} in ({', '.join(told)})",
        "patch": patch,
        "evidence": {
            "rows": 28, "partitions": 2, "held": 2, "history": [[DAYS[0], 1.0], [DAYS[1], 1.0]],
            "details": {"values": told} if told else {},
        },
    }  # fmt: skip


def remember(world: World, home: Path, name: str) -> UUID:
    """States in both places, a run with samples, and a draft under review, of the contract of that name."""
    given, files = contract(name), StateFiles(str(home / "states"))
    approved(world, given)
    data = canaries.rows()
    packed = {
        day: bag(
            bind(given.object("people"), SCHEMA).plan, SCHEMA,
            {each: [row[at] for row in data if f"day={row[5]}" == day] for at, each in enumerate(SCHEMA.names)},
        ).pack(files) for day in DAYS
    }  # fmt: skip
    measured = MeasureResult(schema=SCHEMA, fingerprints={day: f"marker of {day}" for day in DAYS}, states=packed)
    with transaction(world.engine) as tx:
        ((dataset, _),) = lookup.datasets(tx, name)
        for _ in range(2):
            version = state_store.save(tx, dataset.id, measured, now=NOW, ids=ids.new)
        result = evaluate(
            EvaluationRequest(
                contract=given,
                object_name="people",
                schema=SCHEMA,
                states=packed,
                delta=DAYS,
                started_at=NOW,
                finished_at=NOW,
                files=files,
            )
        )
        origin = RunProvenance(
            dataset_id=dataset.id,
            dataset_fingerprint=fingerprint(state_store.stored_fingerprints(tx, dataset.id)),
            states_version=version,
        )
        run = recording.record(tx, ids.new(), result, origin, now=NOW)
        shown = ViolationSample(check_id="c", columns=("mail",), masked=(), rows=tuple((each,) for each in CANARIES))
        samples.keep(tx, run.id, [shown], until=UNTIL, now=NOW)
        proposed = suggestion("categorical", "who", canaries.PEOPLE, quality={"predicate": "who IN ('a')"})
        born = suggestion("categorical", "born", [*canaries.BORN, *canaries.MAILS], quality={"id": canaries.BORN[0]})
        whole = suggestion("complete", "id", (), required=True)
        drafted(tx, tx.get_one(UserRow, world.users["producer"].id), proposed, born, whole, base=given.source.decode())
        tx.commit()
        return run.id


@pytest.fixture
def remembered(engine: Engine, tmp_path: Path) -> Remembered:
    home = tmp_path / "home"
    world = build(engine, home=home)
    return Remembered(world, home, {name: remember(world, home, name) for name in ("people", "others")})


@pytest.mark.parametrize("who", ["owner", "admin"])
def test_all_that_holds_values_goes_and_runs_keep_their_verdicts(remembered: Remembered, who: str) -> None:
    held = remembered.canaries()
    assert {
        "partition_state",
        "violation_sample",
        "measurement",
        "check_result",
        "proposal_suggestion",
    } <= held.keys(), "the search finds them"
    before = {each.id: (each.verdict, each.outcome_counts, each.rows) for each in rows(remembered.world.engine, RunRow)}
    done = remembered.erase(who, "people")
    assert (done.generations, done.files, done.samples, done.suggestions) == (4, 0, 1, 3)
    assert done.measurements > 2 < done.results
    remembered.erase(who, "others")
    assert remembered.canaries() == {}
    assert {
        each.id: (each.verdict, each.outcome_counts, each.rows) for each in rows(remembered.world.engine, RunRow)
    } == before
    report = remembered.world.client("viewer").run(remembered.runs["people"])
    assert {each.value for each in report.results if each.check_id == "size"} == {"14"}
    assert {each.finding for each in report.results if each.check_id == "minimum-mail"} == {erasure.GONE}


def test_files_that_another_dataset_names_stay_until_nobody_does(remembered: Remembered) -> None:
    there = {each.name for each in Path(remembered.files.url).iterdir()}
    assert remembered.erase().files == 0
    assert {each.name for each in Path(remembered.files.url).iterdir()} == there
    again = remembered.erase(name="others")
    assert (again.files, list(Path(remembered.files.url).iterdir())) == (len(there), [])


def test_of_a_partition_only_its_own_goes_and_what_cannot_be_told_apart(remembered: Remembered) -> None:
    client = remembered.world.client("viewer")
    assert remembered.erase(partitions=[DAYS[0]]).generations == 2
    left = [row for row in rows(remembered.world.engine, PartitionStateRow) if row.until_version is None]
    assert sorted(row.partition for row in left) == [DAYS[0], DAYS[1], DAYS[1]]
    found = client.run(remembered.runs["people"])
    told = {(each.check_id, each.partition): each.value for each in found.results}
    assert told["minimum-mail", DAYS[0]] is None
    assert told["minimum-mail", DAYS[1]] == min(each[2] for each in canaries.rows() if each[5] == "d1")
    (proposal,) = [each for each in client.proposals(contract_id="people") if each.pending]
    for each in remembered.world.client("producer").proposal(proposal.id).suggestions:
        assert each.content["evidence"]["history"] == [[DAYS[1], 1.0]]
        assert each.content["evidence"]["details"] == {}
    assert client.metrics("people", metrics=["size"]).metrics[0].value == "14"


def test_the_erasure_is_audited_and_a_rerun_says_who_did_it(remembered: Remembered) -> None:
    client = remembered.world.client("viewer")
    assert client.rerun(remembered.runs["people"]).differences == ()
    done = remembered.erase()
    (entry,) = [each for each in rows(remembered.world.engine, AuditEntryRow) if each.action == "states:erased"]
    assert (entry.actor, entry.details["generations"], entry.details["of"]) == ("owner", done.generations, "all")
    assert canaries.found(f"{entry.details}".encode()) == set()
    with pytest.raises(ClientError, match=r"were erased by owner at \d{4}-"):
        client.rerun(remembered.runs["people"])
    assert client.rerun(remembered.runs["others"]).differences == ()
    assert remembered.world.client("admin").audit_chain().broken_at is None


def test_an_open_proposal_is_at_another_revision_and_can_still_be_previewed(remembered: Remembered) -> None:
    (proposal,) = [each for each in remembered.world.client("owner").proposals(contract_id="people") if each.pending]
    remembered.erase()
    found = remembered.world.client("owner").proposal(proposal.id)
    assert found.revision == proposal.revision + 1
    assert [each.content["patch"] for each in found.suggestions] == [{}, {}, {"required": True}]
    assert remembered.world.client("owner").preview(proposal.id).fingerprint


@pytest.mark.parametrize("who", ["viewer", "consumer", "producer", "service"])
def test_only_owners_and_administrators_may(remembered: Remembered, who: str) -> None:
    with pytest.raises(ClientError, match="states:erase") as refused:
        remembered.erase(who)
    assert refused.value.status == 403
    assert len(rows(remembered.world.engine, PartitionStateRow)) == 8


@pytest.mark.parametrize(
    ("name", "partitions", "told"),
    [("nobody", [], "Dataset nobody does not exist"), ("people", ["day=d9"], "No data is stored for partition day=d9")],
)
def test_what_is_not_remembered_is_told(remembered: Remembered, name: str, partitions: list[str], told: str) -> None:
    with pytest.raises(ClientError, match=told):
        remembered.erase(name=name, partitions=partitions)


def test_what_a_task_has_read_so_far_is_dropped(remembered: Remembered) -> None:
    payload = {"contract_id": "people", "object": "people"}
    kept = {}
    with transaction(remembered.world.engine) as tx:
        for name in ("people", "others"):
            task = task_queue.enqueue(
                tx, kind="validate", payload={**payload, "contract_id": name}, key=f"read/{name}", now=NOW,
                task_id=ids.new(),
            )  # fmt: skip
            kept[name] = task.id
            tx.add_all(
                ReadCheckpointRow(task_id=task.id, partition=day, fingerprint="f", states=b"TRTY") for day in DAYS
            )
            tx.flush()
        tx.commit()
    remembered.erase(partitions=[DAYS[0]])
    left = {(each.task_id, each.partition) for each in _parts(remembered)}
    assert left == {(kept["people"], DAYS[1]), *((kept["others"], day) for day in DAYS)}
    remembered.erase()
    assert {each.task_id for each in _parts(remembered)} == {kept["others"]}


def _parts(remembered: Remembered) -> list[ReadCheckpointRow]:
    with read_session(remembered.world.engine) as tx:
        return list(tx.exec(select(ReadCheckpointRow)))


def test_erasing_twice_finds_nothing_more(remembered: Remembered) -> None:
    remembered.erase()
    again = remembered.erase()
    assert (again.generations, again.files, again.samples, again.measurements, again.results) == (0, 0, 0, 0, 0)


def test_what_was_learned_of_its_texts_goes_at_once(remembered: Remembered) -> None:
    lake, texts = PatternLake(remembered.home / "patterns"), [f"AB-{n:04d}" for n in range(40)]
    lake.add({"/lake/people": {"code": texts, "mail": texts}, "/lake/orders": {"code": texts[3:]}})
    before = lake.forgotten()
    assert remembered.erase(partitions=[DAYS[0]]).columns == 2, "a sample of a table knows no partitions"
    assert (lake.tables(), lake.index().sums.size) == (["/lake/orders"], 1)
    lake.add({"/lake/people": {"code": texts}}, since=before)
    assert lake.tables() == ["/lake/orders"], "what was read before is not added after"
    assert remembered.erase().columns == 0


def test_a_validation_under_way_begins_anew(engine: Engine, tmp_path: Path) -> None:
    scene = orders(engine, tmp_path)
    scene.send(event(run="a"))
    scene.work()
    by = Principal(
        user_id=ids.new(), name="owner", roles=frozenset({Role.OWNER}), permissions=frozenset({Permission.ERASE})
    )

    def erased() -> None:
        scene.engine.meanwhile = lambda: None
        with transaction(engine) as tx:
            asked = erasure.erasure(tx, "orders", None, ())
            files, patterns = StateFiles(str(tmp_path / "states")), PatternLake(tmp_path / "patterns")
            erasure.erase(tx, asked, files, patterns, by=by, now=scene.clock())
            tx.commit()

    scene.engine.meanwhile = erased
    scene.write("ds=2", "better")
    scene.send(event(run="b"))
    scene.work()
    scene.clock.advance(3600)
    scene.work()
    assert scene.runs[-1].partitions == ["ds=1", "ds=2"], "all of it arrived anew"
    with read_session(engine) as tx:
        assert sorted(state_store.stored_fingerprints(tx, tx.exec(select(DatasetRow.id)).one())) == ["ds=1", "ds=2"]


@pytest.mark.parametrize(
    ("given", "answer", "code"),
    [(["--yes"], "", 0), ([], "y\n", 0), ([], "n\n", 130), (["--partition", DAYS[0], "--yes", "--json"], "", 0)],
)
def test_the_command_asks_first(
    remembered: Remembered, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    given: list[str], answer: str, code: int,
) -> None:  # fmt: skip
    import io

    monkeypatch.setenv("TREATY_TOKEN", remembered.world.secrets["owner"])
    monkeypatch.setattr("sys.stdin", io.StringIO(answer))
    monkeypatch.setattr(
        "treaty.registry.client.transport.httpx.Client", lambda **_: TestClient(remembered.world.http.app)
    )
    assert _code(["erase", "people", *given]) == code
    printed = capsys.readouterr().out
    left = {"--partition" in given: 6}.get(True, 8 if code else 4)
    assert len(rows(remembered.world.engine, PartitionStateRow)) == left
    assert ("generations" in printed) is (code == 0)
