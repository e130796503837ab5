"""Journeys: what most of them need is started once, with one Spark to write data with, for one process of the test
run; the others may go beside them, file by file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.databases import postgres_server
from support.loops import Services
from support.loops import services as run_services
from support.required import require

HERE = Path(__file__).parent
SHARED = {"services", "producer_spark"}


# First: xdist reads the groups in the same step.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    ours = [item for item in items if HERE in item.path.parents]
    sharing = {item.path for item in ours if SHARED & set(getattr(item, "fixturenames", ()))}
    for item in ours:
        item.add_marker(pytest.mark.journey)
        if item.path in sharing and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group("journeys"))


@pytest.fixture(scope="session")
def producer_spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The Spark of the pipelines; that of the worker is another one."""
    import shutil

    require("java", available=shutil.which("java") is not None, reason="there is no Java")
    from treaty.registry.demo.producer import spark

    with spark(tmp_path_factory.mktemp("producer") / "spark.log") as session:
        yield session


@pytest.fixture(scope="session")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """API, worker with Spark, and pages, over a PostgreSQL of their own."""
    with (
        postgres_server() as url,
        run_services(tmp_path_factory.mktemp("services"), url) as started,
    ):
        yield started
