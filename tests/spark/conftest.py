"""One Spark session for the whole run: all tests that have it are in one process, the others go beside it.

TREATY_TEST_REMOTE=local runs them on a Spark Connect server of their own, sc://host:port on one that is there."""

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.agents import delta
from support.commands import Commands, commands
from support.connect import connect_server
from support.required import require

REMOTE = os.environ.get("TREATY_TEST_REMOTE", "")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "classic(reason): has no meaning on Spark Connect")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.spark)
            if group := _group(getattr(item, "fixturenames", ())):
                item.add_marker(pytest.mark.xdist_group(group))
            if REMOTE and (classic := item.get_closest_marker("classic")):
                item.add_marker(pytest.mark.skip(reason=f"not on Spark Connect: {classic.args[0]}"))


def _group(fixtures: Collection[str]) -> str | None:
    """Which tests it stays with: with those that have the same Spark; None: with those of its file."""
    if REMOTE or "spark" in fixtures:
        return "spark"
    return "commands" if "treaty" in fixtures else None


@pytest.fixture(scope="session")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str | None]:
    """The address of the Spark Connect server that these tests run on; None: on a Spark of their own process."""
    if REMOTE != "local":
        yield REMOTE or None
        return
    with connect_server(tmp_path_factory.mktemp("server")) as address:
        yield address


@pytest.fixture(scope="session")
def spark(remote: str | None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    import shutil

    require("java", available=shutil.which("java") is not None, reason="there is no Java")
    opened = _remote(remote) if remote else _classic(tmp_path_factory.mktemp("warehouse"))
    with opened as session:
        yield session


@pytest.fixture(scope="session")
def treaty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    """Commands, given one after the other in one folder to one Spark that is warm."""
    import shutil

    require("java", available=shutil.which("java") is not None, reason="there is no Java")
    with commands(tmp_path_factory.mktemp("commands")) as given:
        yield given


@contextmanager
def _remote(address: str) -> Iterator[Any]:
    from treaty.engine.spark.process.session import start

    session = start(remote=address)
    yield session
    session.stop()


@contextmanager
def _classic(warehouse: Path) -> Iterator[Any]:
    from treaty.engine.spark.process.session import start

    session = start(memory="2g", extra={"spark.sql.warehouse.dir": str(warehouse), **delta()})
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
