"""OpenLineage's own Spark listener in real jobs, against the running service: what was written is found and judged.

One job does all operations, one after the other, and knows of each what it wrote; so much must the service find out."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from support.agents import Job, defaults, delta, listener, require_delta, require_listener, running_job, together
from support.events import real
from support.lineage import asked, runs
from support.loops import Services, services
from support.orders import check
from support.spark_job import DONE, FAILED, OPERATIONS, Operation

from contracts import writing
from engine.results import Verdict
from registry import clock, up
from registry.api.schemas import RunSummary

PROPERTIES = [
    {"name": "id", "logicalType": "integer"},
    {"name": "amount", "logicalType": "number"},
    {"name": "day", "logicalType": "string", "partitioned": True},
]
# Two Sparks start first, with Delta: on a crowded machine that takes minutes.
COLD = 400.0
# Tables that nobody promised anything about.
WITHOUT = frozenset({"warehouse/copied", "streamed"})
FIRST = {"paths": "a folder is written", "warehouse/listed": "a partition is inserted"}
FIRST |= {"delta": "a Delta table is written", "batched": "a stream writes by batches"}


@dataclass(frozen=True)
class Outcome:
    """What came of an operation: how it ended, what lineage asked to be looked at, and the runs that judged."""

    ended: str
    asked: frozenset[tuple[str, str]]
    judged: tuple[RunSummary, ...]


@dataclass
class Watched:
    """A service, a job, and what of it was seen already."""

    service: Services
    job: Job
    root: Path

    def done(self, name: str, operation: Operation) -> Outcome:
        """Has the job do it, and waits until nothing is left to be done about it."""
        told, before = {each.key for each in runs(self.service)}, self._runs(operation)
        ended = self.job.do(name)
        self.service.settle(within=COLD)
        news = [each for each in runs(self.service) if each.key not in told]
        new = [each for each in self._runs(operation) if each not in before]
        return Outcome(ended, frozenset(one for each in news for one in asked(each)), tuple(new))

    def promise(self, table: str, *aliases: Mapping[str, str]) -> None:
        """Puts a contract in force about the table, which judges all of it at once."""
        people, name = self.service.people, contract_of(table)
        document = writing.write(promised(name, str(self.root / table), aliases)).decode()
        proposal = people.producer.propose(document)
        people.owner.approve(proposal.id, people.owner.preview(proposal.id).fingerprint)
        self.service.settle(within=COLD)

    def _runs(self, operation: Operation) -> list[RunSummary]:
        if operation.table in WITHOUT:
            return []
        return self.service.runs(contract_of(operation.table))


def contract_of(table: str) -> str:
    """The id of the contract about that table."""
    return Path(table).name


def promised(name: str, location: str, aliases: Sequence[Mapping[str, str]] = ()) -> dict[str, Any]:
    """A contract that asks for rows in every partition, and holds. `aliases`: what else lineage calls the table."""
    some = check("size", "some", scope="delta", mustBeGreaterThan=0)
    table = {"name": name, "physicalName": location, "properties": PROPERTIES, "quality": [some]}
    head = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": name, "name": name, "version": "1.0.0"}
    known = [{"object": name, "namespace": "file", "name": location}, *({"object": name, **each} for each in aliases)]
    # Each operation is judged by itself: nothing waits for more to come.
    terms = {"aliases": known, "lineage": {"quiet": 0, "stream_interval": 0.001}}
    return {**head, "status": "draft", "schema": [table], "customProperties": [{"property": "treaty", "value": terms}]}


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    require_listener()
    require_delta()
    root = tmp_path_factory.mktemp("job")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_CONF_DIR", str(defaults(root / "of-the-worker", delta())))
        with services(tmp_path_factory.mktemp("service"), makers=(up.api, up.worker)) as service:
            told = listener(service.settings.api, service.people.token)
            with running_job(root, together(delta(), told)) as job:
                yield Watched(service, job, root)


@pytest.fixture(scope="module")
def outcomes(watched: Watched) -> dict[str, Outcome]:
    """What came of every operation, each done once and in order; a table has a contract from its first rows on."""
    found = {}
    for name, operation in OPERATIONS.items():
        found[name] = watched.done(name, operation)
        if FIRST.get(operation.table) == name:
            watched.promise(operation.table)
    return found


def changed(days: Sequence[str]) -> list[str]:
    """The partitions of these days, as runs name them."""
    return [f"day={each}" for each in days]


@pytest.mark.parametrize("name", OPERATIONS)
def test_what_a_job_writes_is_told_by_its_listener(outcomes: dict[str, Outcome], name: str) -> None:
    operation, outcome = OPERATIONS[name], outcomes[name]

    assert outcome.ended == (FAILED if operation.fails else DONE)
    every = {(name.rpartition("/job0/")[2], reads) for name, reads in outcome.asked}
    found = {each for each in every if not each[0].startswith("incoming")}
    assert found == ({(operation.table, operation.asks)} if operation.asks else set())


@pytest.mark.parametrize(
    "name", [name for name, each in OPERATIONS.items() if each.table not in WITHOUT and name not in FIRST.values()]
)
def test_the_partitions_that_changed_are_judged_and_no_others(outcomes: dict[str, Outcome], name: str) -> None:
    operation, outcome = OPERATIONS[name], outcomes[name]

    found = [each for run in outcome.judged for each in run.partitions]
    assert sorted(found) == (changed(operation.days) if operation.asks == "data" else [])
    assert {each.verdict for each in outcome.judged} <= {Verdict.PASSED}


# A table as producers other than Spark name it, and a real event of theirs that names another one.
NAMED = {
    "dbt": ("dbt/golden-filled-fc75953e-complete.json", "spark://thrift:10000", "sales.modelled"),
    "airflow": ("airflow/captured-0ee56daf-complete.json", "hive://metastore:9083", "sales.loaded"),
}


def land(root: Path, table: str, day: str, *ids: int) -> None:
    """Writes a day of the table, with no Spark and no event."""
    import pyarrow
    import pyarrow.parquet

    folder = root / table / f"day={day}"
    folder.mkdir(parents=True, exist_ok=True)
    rows = pyarrow.table({"id": list(ids), "amount": [each / 2 for each in ids]})
    pyarrow.parquet.write_table(rows, folder / "part-0.parquet")


def real_event(name: str, output: Mapping[str, str]) -> dict[str, Any]:
    """The event of the shared data, of a new run, that wrote the output now."""
    event = json.loads(dict(real())[name])
    (written,) = event["outputs"]
    run = {**event["run"], "runId": str(uuid4())}
    return {**event, "eventTime": clock.now().isoformat(), "run": run, "outputs": [{**written, **output}]}


@pytest.mark.parametrize("producer", NAMED)
def test_a_table_that_others_name_by_an_alias_is_judged_where_it_lies(watched: Watched, producer: str) -> None:
    (name, *called), service, table = NAMED[producer], watched.service, f"by_{producer}"
    alias = dict(zip(("namespace", "name"), called, strict=True))
    land(watched.root, table, "01", 1, 2)
    watched.promise(table, alias)
    before = service.runs(table)
    land(watched.root, table, "02", 3)

    with service.pipeline() as pipeline:
        pipeline.send_event(real_event(name, alias))

    assert service.next_run(table, before).partitions == ("day=02",)
