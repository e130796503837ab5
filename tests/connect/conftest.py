"""One Spark Connect server for the whole run, and one process that speaks to it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.connect import connect_server
from support.connected import connected


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.spark)
            item.add_marker(pytest.mark.xdist_group("connect"))


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The server's address."""
    with connect_server(tmp_path_factory.mktemp("server")) as address:
        yield address


@pytest.fixture(scope="session")
def client(server: str) -> Iterator[Callable[..., Any]]:
    """Calls functions of `support.connected` in the process that has the session."""
    with connected(server) as asked:
        yield asked
