"""OpenLineage's own Spark listener in real jobs, against the running service: what was written is found and judged.

One job does all operations, one after the other, and knows of each what it wrote; so much must the service find out."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from support.agents import defaults, delta, listener, require_delta, require_listener, running_job, together
from support.events import real
from support.loops import services
from support.spark_job import DONE, FAILED, OPERATIONS
from support.watching import Outcome, Watched, changed, told_of

from treaty.engine.core import clock
from treaty.engine.core.results import Verdict
from treaty.registry.serve import local_stack

# Tables that nobody promised anything about.
WITHOUT = frozenset({"warehouse/copied", "streamed"})
FIRST = {"paths": "a folder is written", "warehouse/listed": "a partition is inserted"}
FIRST |= {"delta": "a Delta table is written", "batched": "a stream writes by batches"}


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    require_listener()
    require_delta()
    root = tmp_path_factory.mktemp("job")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_CONF_DIR", str(defaults(root / "of-the-worker", delta())))
        with services(tmp_path_factory.mktemp("service"), makers=(local_stack.api, local_stack.worker)) as service:
            told = listener(service.settings.api, service.people.token)
            with running_job(root, together(delta(), told)) as job:
                yield Watched(service, job, root, WITHOUT)


@pytest.fixture(scope="module")
def outcomes(watched: Watched) -> dict[str, Outcome]:
    """What came of every operation, each done once and in order; a table has a contract from its first rows on."""
    found = {}
    for name, operation in OPERATIONS.items():
        found[name] = watched.done(name, operation)
        if FIRST.get(operation.table) == name:
            watched.promise(operation.table)
    return found


@pytest.mark.parametrize("name", OPERATIONS)
def test_what_a_job_writes_is_told_by_its_listener(outcomes: dict[str, Outcome], name: str) -> None:
    operation, outcome = OPERATIONS[name], outcomes[name]

    assert outcome.ended == (FAILED if operation.fails else DONE)
    assert told_of(outcome) == ({(operation.table, operation.asks)} if operation.asks else set())


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
