"""Processes that migrate a database and are killed on the way: run as a program, it forks one for each request.

Each line on its standard input is JSON: `url`, `revision` (None: the newest) and `kill`, the number of the statement
before which the process is killed (None: it is not; AT_COMMIT: before the transaction is committed). It answers with a
line: how many statements were run, and the signal that ended it."""

import json
import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

TESTS = Path(__file__).parents[1]
AT_COMMIT = -1


@dataclass(frozen=True)
class Ended:
    """How a migration ended: the statements that were begun, and the signal that killed it; 0: it came to its end."""

    statements: int
    signal: int


@dataclass(frozen=True)
class Migrations:
    """A process that forks migrations."""

    process: "subprocess.Popen[str]"

    def run(self, url: str, *, revision: str | None = None, kill: int | None = None) -> Ended:
        """How a migration of that database ended."""
        assert self.process.stdin
        assert self.process.stdout
        print(json.dumps({"url": url, "revision": revision, "kill": kill}), file=self.process.stdin, flush=True)
        return Ended(**json.loads(self.process.stdout.readline()))


@contextmanager
def migrations() -> Iterator[Migrations]:
    """A process that forks migrations, ended with the block."""
    process = subprocess.Popen(
        [sys.executable, "-m", "support.migration_kill"],
        cwd=TESTS.parent,
        env={**os.environ, "PYTHONPATH": f"{TESTS}:{TESTS.parent}"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Migrations(process)
    finally:
        process.communicate("")


def _forked(asked: dict[str, Any]) -> Ended:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _end(asked, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as told:
        begun = len(told.read())
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return Ended(begun, os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0)


def _end(asked: dict[str, Any], told: int) -> NoReturn:
    """Migrates, and leaves nothing of this process behind, whatever comes of it."""
    try:
        _migrate(asked, told)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _migrate(asked: dict[str, Any], told: int) -> None:
    from alembic import command
    from sqlalchemy import event

    from treaty.registry.core.database import connect, migrate, migration_config

    engine, begun = connect(asked["url"]), 0

    def count(*_: Any) -> None:
        nonlocal begun
        if begun == asked["kill"]:
            os.kill(os.getpid(), signal.SIGKILL)
        begun += 1
        os.write(told, b".")

    def commit(_: Any) -> None:
        if asked["kill"] == AT_COMMIT:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(engine, "before_cursor_execute", count)
    event.listen(engine, "commit", commit)
    if asked["revision"] is None:
        migrate(engine)
        return
    with engine.begin() as connection:
        command.downgrade(migration_config(connection), asked["revision"])


def main() -> None:
    """Answers until its standard input ends."""
    import alembic.command
    import sqlmodel  # noqa: F401 - loaded once, for all that are forked

    import treaty.registry.tables  # noqa: F401

    assert alembic.command
    for line in sys.stdin:
        ended = _forked(json.loads(line))
        print(json.dumps({"statements": ended.statements, "signal": ended.signal}), flush=True)


if __name__ == "__main__":
    main()
