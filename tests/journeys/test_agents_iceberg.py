"""OpenLineage's listener in a job that writes Iceberg tables, against a service whose worker reads them.

Iceberg has no runtime for the Spark of the other tests: the job and the worker have the one that it is made for."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import iceberg_job
from support.agents import (
    JARS,
    SPARK_FOR_ICEBERG,
    defaults,
    iceberg,
    listener,
    require_iceberg,
    require_listener,
    running_job,
    together,
)
from support.iceberg_job import COPIED, ICEBERG, SALES, SOLD, WAREHOUSE
from support.loops import services
from support.pages import environment
from support.spark_job import DONE, FAILED
from support.watching import Outcome, Watched, changed, told_of

from treaty.engine.core.results import Verdict
from treaty.registry.access.permissions import GRANTS
from treaty.registry.core.enums import Role
from treaty.registry.serve import local_stack

TESTS = Path(iceberg_job.__file__).parents[1]
# The operation after which a table has a contract.
FIRST = {SALES: "rows are inserted", SOLD: "a table is made of a query"}
# After these the table has a column that its contract does not know.
WIDER = ("a column is added", "rows come with the column", "rows are appended after that")


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    require_listener()
    require_iceberg()
    root = tmp_path_factory.mktemp("job")
    own = iceberg(root / WAREHOUSE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_CONF_DIR", str(defaults(root / "of-the-worker", own)))
        patch.setenv("PYTHONPATH", str(SPARK_FOR_ICEBERG))
        with services(tmp_path_factory.mktemp("service"), makers=(local_stack.api, local_stack.worker)) as service:
            told = together(own, listener(service.settings.api, service.people.token))
            path = (SPARK_FOR_ICEBERG, TESTS)
            with running_job(root, told, program=iceberg_job.__file__, path=path) as job:
                yield Watched(service, job, root, frozenset({COPIED}))


@pytest.fixture(scope="module")
def outcomes(watched: Watched) -> dict[str, Outcome]:
    """What came of every operation, each done once and in order; a table has a contract from its first rows on."""
    found = {}
    for name, operation in ICEBERG.items():
        found[name] = watched.done(name, operation)
        if FIRST.get(operation.table) == name:
            _promise(watched, operation.table)
    return found


def _promise(watched: Watched, table: str) -> None:
    """A contract about the table's folder; of one table about its name in the catalog, which is read by that name."""
    if table != SOLD:
        watched.promise(table)
        return
    named, folder = ("spark", "lake.shop.sold"), ("file", str(watched.root / table))
    aliases = [{"namespace": space, "name": name} for space, name in (named, folder)]
    watched.promise(table, *aliases, location="lake.shop.sold")


@pytest.mark.parametrize("name", ICEBERG)
def test_what_a_job_writes_is_told_by_its_listener(outcomes: dict[str, Outcome], name: str) -> None:
    operation, outcome = ICEBERG[name], outcomes[name]

    assert outcome.ended == (FAILED if operation.fails else DONE)
    assert told_of(outcome) == ({(operation.table, operation.asks)} if operation.asks else set())


@pytest.mark.parametrize(
    "name", [name for name, each in ICEBERG.items() if each.table != COPIED and name not in FIRST.values()]
)
def test_the_partitions_that_changed_are_judged_and_no_others(outcomes: dict[str, Outcome], name: str) -> None:
    operation, outcome = ICEBERG[name], outcomes[name]

    found = [each for run in outcome.judged for each in run.partitions]
    assert sorted(set(found)) == (changed(operation.days) if operation.asks == "data" else [])
    verdict = Verdict.WARNED if name in WIDER else Verdict.PASSED
    assert {each.verdict for each in outcome.judged} <= {verdict}
    assert operation.asks == "data" or len(outcome.judged) <= 1


def test_every_example_of_the_page_runs(watched: Watched, tmp_path: Path) -> None:
    programs = os.pathsep.join(map(str, (Path(sys.executable).parent, SPARK_FOR_ICEBERG / "bin", os.environ["PATH"])))
    modules = os.pathsep.join(map(str, (SPARK_FOR_ICEBERG, TESTS)))
    token = watched.service.people.admin.issue_token("docs", scopes=sorted(GRANTS[Role.ADMIN])).secret
    more = {"JARS": str(JARS), "TREATY_TOKEN": token, "PYTHONPATH": modules, "PATH": programs}
    folder = tmp_path / "page"
    folder.mkdir()
    ran = subprocess.run(
        [sys.executable, "-m", "support.doc_runner", str(TESTS.parent / "docs/how-to/iceberg.md")],
        cwd=folder, env={**environment(watched.service), **more}, capture_output=True, text=True, timeout=600,
        check=False,
    )  # fmt: skip
    assert ran.returncode == 0, f"{ran.stdout[-2000:]}\n{ran.stderr[-6000:]}"
    table = folder.resolve() / "lake/shop/orders"
    assert re.search(rf"^DATASET {table} failed$", ran.stdout, flags=re.MULTILINE)
    assert re.search(r"^JOB load_orders\.", ran.stdout, flags=re.MULTILINE)
