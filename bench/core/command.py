"""Shared parts of the benchmark commands: arguments, session and table."""

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.engine.table import write_table
from treaty.engine.spark.process.session import start


@dataclass(frozen=True)
class Setting:
    """The environment of a benchmark. `path`: the table in the folder."""

    session: Any
    folder: Path
    path: Path
    rows: int
    rounds: int
    only: Sequence[str]


@contextmanager
def begun(description: str | None, parts: Mapping[str, Any], argv: Sequence[str] | None) -> Iterator[Setting]:
    """Yield the environment for the command's arguments; the table is created if missing."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--rounds", type=int, default=5, help="number of runs of each median")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "treaty-bench")
    parser.add_argument("--only", nargs="*", choices=parts, default=list(parts))
    options = parser.parse_args(argv)
    session = start(memory="4g")
    session.sparkContext.setLogLevel("OFF")
    try:
        path = write_table(session, options.folder, options.rows)
        yield Setting(session, options.folder, path, options.rows, options.rounds, options.only)
    finally:
        session.stop()
