"""What the benchmarks' commands share: their arguments, the session, the table, and figures beside their goals."""

import argparse
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.engine.table import write_table
from treaty.engine.spark.process.session import start


@dataclass(frozen=True)
class Line:
    """A figure: what it is held against (`goal` None: nothing), and in which unit."""

    name: str
    figure: float
    goal: float | None
    unit: str

    @property
    def text(self) -> str:
        """The figure beside its goal."""
        judged = "" if self.goal is None else f"; goal <= {self.goal:g}: {self._verdict}"
        return f"{self.name:48} {self.figure:9.3f} {self.unit}{judged}"

    @property
    def _verdict(self) -> str:
        return "met" if self.goal is not None and self.figure <= self.goal else "MISSED"


@dataclass(frozen=True)
class Setting:
    """What a benchmark works with. `path` is that of the table in the folder."""

    session: Any
    folder: Path
    path: Path
    rows: int
    rounds: int
    only: Sequence[str]


@contextmanager
def begun(told: str | None, parts: Mapping[str, Any], given: Sequence[str] | None) -> Iterator[Setting]:
    """The setting that the command's arguments ask for; the table is made when it is not there yet."""
    parser = argparse.ArgumentParser(description=told, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--rounds", type=int, default=5, help="the medians are of so many")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "treaty-bench")
    parser.add_argument("--only", nargs="*", choices=parts, default=list(parts))
    asked = parser.parse_args(given)
    session = start(memory="4g")
    session.sparkContext.setLogLevel("OFF")
    try:
        path = write_table(session, asked.folder, asked.rows)
        yield Setting(session, asked.folder, path, asked.rows, asked.rounds, asked.only)
    finally:
        session.stop()


def lines(parts: Mapping[str, Callable[..., Iterator[Line]]], only: Sequence[str], *given: Any) -> list[Line]:
    """The figures of the parts that were asked for, each printed as it is found."""
    found = []
    for name in only:
        for line in parts[name](*given):
            print(line.text, flush=True)
            found.append(line)
    return found
