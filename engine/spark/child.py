"""Spark in a process of its own: warm between requests, without the registry's secrets, ended when it overruns."""

import multiprocessing
import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from contracts.logical_types import Schema
from engine.requests import (
    Drafted,
    DraftRequest,
    EngineError,
    EngineKilled,
    Measured,
    MeasureRequest,
    Quarantined,
    QuarantineRequest,
    SampleRequest,
    Source,
)
from engine.results import Sample

KEPT = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "TZ",
    "TMPDIR",
    "JAVA_HOME",
    "SPARK_HOME",
    "HADOOP_CONF_DIR",
    "VIRTUAL_ENV",
    "SSL_CERT_FILE",
)


@dataclass(frozen=True)
class ChildSettings:
    """How the child runs: `limit_seconds` of wall clock a request, `memory` of the local JVM, where its log goes."""

    limit_seconds: float = 1800
    memory: str = "2g"
    remote: str | None = None
    master: str | None = None
    log: str = os.devnull


class SparkChild:
    """The engine behind a pipe. One request at a time; a child that died is started again at the next request."""

    def __init__(self, settings: ChildSettings | None = None) -> None:
        self.settings = settings or ChildSettings()
        self._process: Any = None
        self._pipe: Connection | None = None

    def measure(self, request: MeasureRequest) -> Measured:
        """The states of what changed. Raises EngineError (Unreadable, EngineKilled) or ContractError."""
        return self._ask("measure", request)  # type: ignore[no-any-return]

    def draft(self, request: DraftRequest) -> Drafted:
        """A base document and suggestions. Raises EngineError (Unreadable, EngineKilled)."""
        return self._ask("draft", request)  # type: ignore[no-any-return]

    def sample(self, request: SampleRequest) -> tuple[Sample, ...]:
        """Rows that break failed checks. Raises EngineError (Unreadable, EngineKilled) or ContractError."""
        return self._ask("sample", request)  # type: ignore[no-any-return]

    def quarantine(self, request: QuarantineRequest) -> Quarantined:
        """Writes good and bad rows apart. Raises EngineError (Unreadable, EngineKilled) or ContractError."""
        return self._ask("quarantine", request)  # type: ignore[no-any-return]

    def schema(self, source: Source) -> Schema:
        """The columns of a table. Raises EngineError (Unreadable, EngineKilled)."""
        return self._ask("schema", source)  # type: ignore[no-any-return]

    def close(self) -> None:
        """Ends the child and its JVM; safe to call twice."""
        if self._process is not None:
            _end(self._process)
        self._process = self._pipe = None

    def _ask(self, verb: str, request: Any) -> Any:
        pipe = self._started()
        try:
            pipe.send((verb, request))
            if not pipe.poll(self.settings.limit_seconds):
                raise self._killed(f"it overran its limit of {self.settings.limit_seconds:g} s")
            answer = pipe.recv()
        except (EOFError, BrokenPipeError, ConnectionResetError):
            raise self._killed("its process ended") from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _killed(self, why: str) -> EngineKilled:
        self.close()
        return EngineKilled(f"engine killed: {why}")

    def _started(self) -> Connection:
        if self._process is None or not self._process.is_alive() or self._pipe is None:
            self.close()
            context = multiprocessing.get_context("spawn")
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(
                target=serve, args=(theirs, self.settings), name="treaty-spark", daemon=True
            )
            self._process.start()
            theirs.close()
        return self._pipe


def _end(process: Any) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()
    process.join(10)


def clean_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """What the child may know: where programs lie, and nothing of the registry or of its secrets."""
    return {
        name: value for name, value in environ.items() if name in KEPT or name.startswith(("SPARK_", "AWS_", "LC_"))
    }


def serve(pipe: Connection, settings: ChildSettings) -> None:
    """Answers requests until the other end closes. Runs in the child."""
    os.setpgrp()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _redirect_output(settings.log)
    kept = clean_environment(os.environ)
    os.environ.clear()
    os.environ.update(kept)
    session: Any = None
    while (asked := _next(pipe)) is not None:
        session = session or _session(settings)
        pipe.send(_answer(session, *asked))


def _redirect_output(log: str) -> None:
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    target = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(target, 1)
    os.dup2(target, 2)


def _next(pipe: Connection) -> Any:
    try:
        return pipe.recv()
    except EOFError:
        return None


def _session(settings: ChildSettings) -> Any:
    from engine.spark.session import start

    session = start(remote=settings.remote, master=settings.master, memory=settings.memory)
    if not settings.remote:
        session.sparkContext.setLogLevel("OFF")
    return session


def _answer(session: Any, verb: str, request: Any) -> Any:
    from engine.spark.draft import draft
    from engine.spark.failing import quarantine, sample
    from engine.spark.failures import told
    from engine.spark.measure import measure
    from engine.spark.sources import read, schema_of

    verbs: dict[str, Any] = {
        "measure": measure,
        "draft": draft,
        "sample": sample,
        "quarantine": quarantine,
        "schema": lambda spark, source: schema_of(read(spark, source)),
    }
    try:
        return verbs[verb](session, request)
    except EngineError as error:
        return error
    except Exception as error:
        return _portable(error, told(error))


def _portable(error: Exception, words: str) -> Exception:
    from contracts.errors import ContractError

    return error if isinstance(error, ContractError) else EngineError(f"the engine could not answer: {words}")
