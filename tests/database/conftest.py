"""The `engine` fixture: each test that takes it runs on SQLite and on PostgreSQL, with an empty, migrated database."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine
from support.api import World, remembered, with_people_alone
from support.databases import KINDS, empty, postgres_server, sqlite_copy, sqlite_template
from support.memories import DAYS, Memory

from treaty.registry.core.database import connect, migrate

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.database)


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sqlite_template(tmp_path_factory.mktemp("sqlite"))


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    with postgres_server() as url:
        yield url


@pytest.fixture(scope="session")
def postgres(postgres_url: str) -> Iterator[Engine]:
    engine = connect(postgres_url)
    migrate(engine)
    yield engine
    engine.dispose()


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def engine(request: pytest.FixtureRequest, kind: str, tmp_path: Path) -> Iterator[Engine]:
    if kind == "postgres":
        engine = request.getfixturevalue("postgres")
        empty(engine)
        yield engine
        return
    engine = sqlite_copy(request.getfixturevalue("template"), tmp_path)
    yield engine
    engine.dispose()


@pytest.fixture
def world(engine: Engine, tmp_path: Path) -> Iterator[World]:
    """The service over the database, with a user of each role signed in."""
    made, _ = remembered(engine, with_people_alone, home=tmp_path / "home")
    with made.http:
        yield made


@pytest.fixture
def memory(engine: Engine, tmp_path: Path) -> Memory:
    """A service that remembers six partitions of one table."""
    made = Memory(engine, tmp_path)
    made.save(*DAYS)
    return made
