"""Files that Treaty stores on this machine are for their owner only, however they came to be."""

import os
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from treaty.engine.core import key_files, private_files
from treaty.engine.core.errors import EngineError
from treaty.engine.states.state_files import StateFiles
from treaty.registry.access import first_admin
from treaty.registry.core import home, ids
from treaty.registry.core.database import connect, migrate, transaction
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.tables import UserRow
from treaty.registry.worker.operations import backup

NOW = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.fixture(autouse=True)
def permissive_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, str]:
    """The access of others to everything below the folder, where there is any."""
    every = [folder, *folder.rglob("*")]
    return {str(each): stat.filemode(each.stat().st_mode) for each in every if each.stat().st_mode & 0o077}


def test_nothing_that_treaty_stores_can_be_read_by_others(tmp_path: Path) -> None:
    settings = RegistrySettings(home=tmp_path / "home")
    first_admin.initialise(settings)
    key_files.make(settings.key)
    StateFiles(settings.states).write(b"state")
    StateFiles(settings.states).probe()
    with private_files.open_log(settings.home / "logs" / "worker.log") as log:
        log.write(b"line")
    database = connect(settings.database)
    with transaction(database) as tx:
        tx.get(UserRow, ids.new())
        assert {each.name for each in settings.home.iterdir()} >= {"treaty.db", "treaty.db-wal", "treaty.db-shm"}
        assert modes(settings.home) == {}
    backup.make(settings, database, tmp_path / "archive", now=NOW)
    database.dispose()
    other = RegistrySettings(home=tmp_path / "restored")
    backup.restore(other, tmp_path / "archive", now=NOW)
    assert modes(other.home) == {}
    assert not (tmp_path / "archive").stat().st_mode & 0o077


def test_what_others_could_read_is_restricted_at_the_start_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = RegistrySettings(home=tmp_path)
    for name in ("states", "logs"):
        (tmp_path / name).mkdir()
    for name in ("treaty.db", "treaty.db-wal", "logs/worker.log"):
        (tmp_path / name).touch()
    tmp_path.chmod(0o755)
    home.prepare(settings)
    migrate(connect(settings.database))
    assert modes(tmp_path) == {str(tmp_path): "drwxr-xr-x"}
    warnings = [each.getMessage() for each in caplog.records]
    for name in ("treaty.db", "treaty.db-wal", "logs/worker.log", "states", "logs"):
        assert f"other users could access {tmp_path / name}; it is restricted to its owner now" in warnings
    assert f"other users can list the folder {tmp_path}; restrict it to its owner (chmod 700)" in warnings


def test_what_cannot_be_restricted_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    (tmp_path / "treaty.db").touch()
    monkeypatch.setattr(Path, "chmod", refuse)
    with pytest.raises(EngineError, match="its mode cannot be changed: Operation not permitted"):
        migrate(connect(f"sqlite:///{tmp_path / 'treaty.db'}"))


def test_a_folder_that_is_missing_is_reported_by_the_database(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="unable to open database file"):
        migrate(connect(f"sqlite:///{tmp_path / 'missing' / 'treaty.db'}"))
