"""`treaty` in the process of the tests: what commands print and how they end, without a Java for each of them."""

import io
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, chdir, contextmanager, nullcontext, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any
from unittest.mock import patch

from treaty.engine.cli import commands as cli_commands
from treaty.engine.cli import draft, gate, patterns
from treaty.engine.protocol.progress import ReportProgress
from treaty.engine.spark.process.child import ChildSettings, SparkChild
from treaty.registry.cli.commands import profile
from treaty.registry.cli.main import main

# The modules whose commands start Spark.
OPENING = (cli_commands, draft, gate, patterns, profile)


class Here(SparkChild):
    """The engine on a session of this process."""

    def __init__(self, session: Any) -> None:
        super().__init__()
        self._session = session

    def _call(self, verb: str, request: Any, tell: ReportProgress | None = None) -> Any:
        return resolve_name(verb)(self._session, request, *filter(None, (tell,)))


@dataclass(frozen=True)
class Commands:
    """Commands that are given in one folder, one after the other, to one Spark."""

    folder: Path
    spark: SparkChild

    def __call__(self, *arguments: str | Path) -> "subprocess.CompletedProcess[str]":
        """What the command printed, and its exit code, as if it had been a process."""
        given, out, errors = [str(each) for each in arguments], io.StringIO(), io.StringIO()
        with ExitStack() as stack:
            for module in OPENING:
                stack.enter_context(patch.object(module, "in_spark", lambda remote, memory: nullcontext(self.spark)))
            for context in (chdir(self.folder), redirect_stdout(out), redirect_stderr(errors)):
                stack.enter_context(context)
            code = _code(given)
        return subprocess.CompletedProcess(given, code, out.getvalue(), errors.getvalue())


def _code(arguments: list[str]) -> int:
    try:
        main(arguments)
    except SystemExit as ended:
        return int(ended.code or 0)
    raise AssertionError("the command did not exit")


@contextmanager
def commands(folder: Path, remote: str | None = None) -> Iterator[Commands]:
    """Commands in that folder, with a Spark of their own in a process of its own, which ends with the block."""
    spark = SparkChild(ChildSettings(remote=remote))
    try:
        yield Commands(folder, spark)
    finally:
        spark.close()
