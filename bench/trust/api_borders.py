"""Send requests with values at the borders of their types to every route.

It does so on SQLite and on PostgreSQL. Each is a call that succeeds, changed in one to three places; a server error is
a status of 500 or more."""

import itertools
import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine

from bench.core.figures import Line

TESTS = Path(__file__).parents[2] / "tests"
REQUESTS, SEED = int(os.environ.get("FUZZ_API", "10000")), int(os.environ.get("FUZZ_API_SEED", "1"))
Fresh = Callable[[], Engine]


def main() -> None:
    """Print the requests, server errors and CPU seconds for each database."""
    sys.path.insert(0, str(TESTS))
    from support.border_run import search

    logging.lastResort = None
    for kind, database in (("SQLite", _sqlite), ("PostgreSQL", _postgres)):
        with tempfile.TemporaryDirectory() as folder, database(Path(folder)) as fresh:
            before = time.process_time()
            findings = search(fresh, REQUESTS, SEED, home=Path(folder, "home"))
            spent = time.process_time() - before
        accepted = sum(count for status, count in findings.statuses.items() if status < 300)
        errors = sum(count for status, count in findings.statuses.items() if status >= 500)
        print(Line(f"{kind}: requests", findings.sent, None, "").text, flush=True)
        print(Line(f"{kind}: accepted", 100 * accepted / findings.sent, None, "%").text, flush=True)
        print(Line(f"{kind}: server errors", errors, 0, "").text, flush=True)
        print(Line(f"{kind}: CPU of service and sender", spent, None, "CPU s").text, flush=True)
        print(*(f"  {count} x {failure}" for failure, count in findings.failures.items()), sep="\n", end="")


@contextmanager
def _sqlite(folder: Path) -> Iterator[Fresh]:
    from support.databases import sqlite_copy, sqlite_template

    template, numbers = sqlite_template(folder), itertools.count()

    def fresh() -> Engine:
        copy = folder / f"copy-{next(numbers)}"
        copy.mkdir()
        return sqlite_copy(template, copy)

    yield fresh


@contextmanager
def _postgres(_: Path) -> Iterator[Fresh]:
    from support.databases import empty, postgres_server

    from treaty.registry.core.database import connect, migrate

    with postgres_server() as url:
        engine = connect(url)
        migrate(engine)

        def fresh() -> Engine:
            empty(engine)
            return engine

        yield fresh
        engine.dispose()


if __name__ == "__main__":
    main()
