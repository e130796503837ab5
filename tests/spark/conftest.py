"""One Spark session for the whole run; all its tests in one process."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.required import require


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.spark)
            item.add_marker(pytest.mark.xdist_group("spark"))


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    import shutil

    require("java", available=shutil.which("java") is not None, reason="there is no Java")
    from engine.spark.session import start

    warehouse = tmp_path_factory.mktemp("warehouse")
    session = start(memory="2g", extra={"spark.sql.warehouse.dir": str(warehouse)})
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
