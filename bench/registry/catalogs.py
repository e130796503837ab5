"""Measure the reading of catalogs: `python -m bench.registry.catalogs [--tables N]`.

A fake Iceberg REST catalog of the tests answers in a separate process. Prints the time, the requests and the memory of
the worker for the first read, for one without changes, and for one after 1 % of the tables changed."""

import argparse
import logging
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.core.figures import Line

TESTS = Path(__file__).parents[2] / "tests"
NAMESPACES, COLUMNS = 20, 20
UNITS = ("s", "CPU s", "requests", "MiB")
# Listings of Iceberg REST have no version tokens: the goal of requests is for catalogs that have them.
GOALS, NO_GOALS = (30, None, 300, 300), (None, None, None, 300)


def main(argv: list[str] | None = None) -> None:
    """Print the figures of the three reads."""
    sys.path.insert(0, str(TESTS))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=10_000, help="Number of tables")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.serve:
        _serve(options.tables)
    else:
        _measure(options.tables)


def _measure(tables: int) -> None:
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder, _catalog(tables) as catalog:
        scene = _scene(Path(folder), catalog.address)
        for name in ("first read", "nothing changed", "1 % changed"):
            requests = catalog.send(name)
            began, cpu = time.monotonic(), time.process_time()
            _read(scene)
            seconds, spent = time.monotonic() - began, time.process_time() - cpu
            goals = GOALS if name == "1 % changed" else NO_GOALS
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            figures = seconds, spent, catalog.send("count") - requests, memory
            for figure, goal, unit in zip(figures, goals, UNITS, strict=True):
                print(Line(name, figure, goal, unit).text, flush=True)


def _scene(folder: Path, address: str) -> Any:
    from support.catalogs import connect
    from support.scenes import Scene

    from treaty.registry.core import database

    engine = database.connect(f"sqlite:///{folder / 'treaty.db'}")
    database.migrate(engine)
    scene = Scene(engine, folder)
    connect(scene, address)
    return scene


def _read(scene: Any) -> None:
    from support.catalogs import connection, read

    read(scene, hours=1)
    assert connection(scene).state == "healthy", connection(scene).error


class _Process:
    """The process of the catalog."""

    def __init__(self, tables: int) -> None:
        command = [sys.executable, "-m", "bench.registry.catalogs", "--serve", "--tables", str(tables)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.address = self._line()

    def send(self, words: str) -> int:
        """Return the number of requests so far, after the change that the words name."""
        assert self.process.stdin
        self.process.stdin.write(f"{words}\n")
        self.process.stdin.flush()
        return int(self._line())

    def _line(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()


@contextmanager
def _catalog(tables: int) -> Iterator[_Process]:
    catalog = _Process(tables)
    try:
        yield catalog
    finally:
        catalog.process.kill()
        catalog.process.wait()


def _serve(tables: int) -> None:
    from support.iceberg_rest import IcebergCatalog, column, serving

    columns = [column(at, f"c{at}", doc="a column") for at in range(1, COLUMNS + 1)]
    catalog = IcebergCatalog()
    for at in range(tables):
        catalog.put(f"n{at % NAMESPACES}", f"t{at}", columns=columns, location=f"s3://lake/t{at}")
    with serving(catalog) as url:
        print(url, flush=True)
        for words in sys.stdin:
            for at in range(0, tables, 100) if words.startswith("1 %") else ():
                catalog.put(f"n{at % NAMESPACES}", f"t{at}", columns=columns[1:], location=f"s3://lake/t{at}")
            print(len(catalog.requests), flush=True)


if __name__ == "__main__":
    main()
