"""Spark in a process of its own: warm between requests, without the registry's secrets, ended when it overruns."""

import multiprocessing
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from threading import Event
from typing import Any

from treaty.contracts.schema import Schema
from treaty.engine.components.frequencies import FrequencySpectrum
from treaty.engine.core import interrupts
from treaty.engine.core.errors import EngineKilled
from treaty.engine.core.results import ViolationSample
from treaty.engine.protocol.gate_requests import (
    CommitRequest,
    FenceRequest,
    LocationRequest,
    TableStatus,
    TableStatusRequest,
)
from treaty.engine.protocol.progress import ProgressMessage, ReportProgress, no_progress
from treaty.engine.protocol.requests import (
    DraftRequest,
    DraftResult,
    LakeRequest,
    MeasureRequest,
    MeasureResult,
    ProfileRequest,
    QuarantineRequest,
    QuarantineResult,
    SampleRequest,
    SpectraRequest,
    StageRequest,
    TableSource,
    TextsRequest,
)
from treaty.engine.spark.process import process_memory
from treaty.engine.spark.process.server import CANCEL, CANCELLED, ServerSettings, serve

LOOK_SECONDS = 0.5
END_SECONDS = 10
TIMES_HEAP = 4


@dataclass(frozen=True, kw_only=True)
class ChildSettings:
    """How the child runs: `memory` of the local JVM's heap, where its log goes, and the limits of a request.

    Raises EngineError where a size of memory is none.

    `limit_seconds` of wall clock; then its Spark jobs are cancelled, and it is killed unless it answers within
    `grace_seconds`. `limit_memory` of all its processes together (None: four times `memory`), where /proc tells it;
    Python's own is held to it by the system too. `plugins` are the packages whose analyzers it loads."""

    limit_seconds: float = 1800
    grace_seconds: float = 10
    memory: str = "2g"
    limit_memory: str | None = None
    remote: str | None = None
    master: str | None = None
    log: str = os.devnull
    plugins: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        assert self.limit_bytes >= 0

    @property
    def limit_bytes(self) -> int:
        """The memory limit in bytes."""
        return (
            process_memory.size(self.limit_memory)
            if self.limit_memory
            else TIMES_HEAP * process_memory.size(self.memory)
        )


class SparkChild:
    """The engine behind a pipe. One request at a time; a child that died is started again at the next request."""

    def __init__(
        self, settings: ChildSettings | None = None, *, note: Callable[[str, float], None] | None = None
    ) -> None:
        """`note` is told what was asked, and how many seconds the answer took, its failure too."""
        self.settings = settings or ChildSettings()
        self._note = note
        self._process: Any = None
        self._pipe: Connection | None = None
        self._folder: str | None = None
        self._told_to_stop = Event()

    def measure(self, request: MeasureRequest) -> MeasureResult:
        """The states of what changed. Raises EngineError (Unreadable, EngineKilled) or ContractError."""
        return self._call("treaty.engine.spark.handlers.measure:measure", request)  # type: ignore[no-any-return]

    def draft(self, request: DraftRequest, tell: ReportProgress = no_progress) -> DraftResult:
        """A base document and suggestions; `tell` hears how far it is. Raises EngineError."""
        return self._call("treaty.engine.spark.handlers.draft:draft", request, tell)  # type: ignore[no-any-return]

    def learn(self, request: LakeRequest, tell: ReportProgress = no_progress) -> Mapping[str, Any]:
        """Brings the index of a lake up to date, and says how large it is. Raises EngineError (EngineKilled)."""
        return self._call("treaty.engine.spark.profile.patterns:learn", request, tell)  # type: ignore[no-any-return]

    def profile(self, request: ProfileRequest, tell: ReportProgress = no_progress) -> Mapping[str, Any]:
        """A profile as a document; `tell` hears how far it is. Raises EngineError (Unreadable, EngineKilled)."""
        return self._call("treaty.engine.spark.profile.profiler:profile", request, tell)  # type: ignore[no-any-return]

    def texts(self, request: TextsRequest) -> Mapping[str, tuple[str | None, ...]]:
        """Values of text columns, a uniform sample. Raises EngineError (Unreadable, EngineKilled)."""
        return self._call("treaty.engine.spark.profile.patterns:texts", request)  # type: ignore[no-any-return]

    def sample(self, request: SampleRequest) -> tuple[ViolationSample, ...]:
        """Rows that break failed checks. Raises EngineError (Unreadable, EngineKilled) or ContractError."""
        return self._call("treaty.engine.spark.handlers.violating_rows:sample", request)  # type: ignore[no-any-return]

    def spectra(self, request: SpectraRequest) -> dict[str, FrequencySpectrum]:
        """Stored frequencies added up by Spark. Raises EngineError (EngineKilled)."""
        return self._call("treaty.engine.spark.scan.spectra:spectra", request)  # type: ignore[no-any-return]

    def quarantine(self, request: QuarantineRequest) -> QuarantineResult:
        """Writes good and bad rows apart. Raises EngineError (Unreadable, EngineKilled) or ContractError."""
        return self._call("treaty.engine.spark.handlers.violating_rows:quarantine", request)  # type: ignore[no-any-return]

    def stage(self, request: StageRequest) -> None:
        """Writes rows where a gate looks for its candidate. Raises EngineError (Unreadable, EngineKilled)."""
        self._call("treaty.engine.spark.handlers.gate_staging:staged", request)

    def look(self, request: TableStatusRequest) -> TableStatus:
        """How a gated table stands. Raises EngineError (Unreadable, EngineKilled)."""
        return self._call("treaty.engine.spark.handlers.gate_tables:look", request)  # type: ignore[no-any-return]

    def commit(self, request: CommitRequest) -> None:
        """One commit to a gated Delta table. Raises Overtaken, EngineError (EngineKilled)."""
        self._call("treaty.engine.spark.sources.delta:commit", request)

    def fence(self, request: FenceRequest) -> None:
        """Shuts a publication out of a gated Delta table. Raises EngineError (EngineKilled)."""
        self._call("treaty.engine.spark.sources.delta:fence", request)

    def place(self, request: LocationRequest) -> None:
        """One change of a partition's folder in the catalog. Raises EngineError (EngineKilled)."""
        self._call("treaty.engine.spark.handlers.gate_tables:place", request)

    def schema(self, source: TableSource) -> Schema:
        """The columns of a table. Raises EngineError (Unreadable, EngineKilled)."""
        return self._call("treaty.engine.spark.sources.readers:schema", source)  # type: ignore[no-any-return]

    def cancel(self) -> None:
        """Has what is under way end as EngineKilled: its jobs are cancelled, and Spark stays warm where it obeys.

        May be called from any thread; called again it ends the child at once. Without a request it does nothing."""
        self._told_to_stop.set()

    def close(self) -> None:
        """Ends the child and its JVM and removes what they left; safe to call twice."""
        if self._process is not None:
            _end(self._process)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._process = self._pipe = self._folder = None

    def _call(self, verb: str, request: Any, tell: ReportProgress | None = None) -> Any:
        began = time.monotonic()
        try:
            return self._answer(verb, request, tell)
        finally:
            if self._note is not None:
                self._note(verb.partition(":")[2], time.monotonic() - began)

    def _answer(self, verb: str, request: Any, tell: ReportProgress | None) -> Any:
        pipe = self._started()
        self._told_to_stop.clear()
        try:
            pipe.send((verb, request, tell is not None))
            answer = self._awaited(pipe, tell or no_progress)
        except (EOFError, BrokenPipeError, ConnectionResetError):
            raise self._killed("its process ended") from None
        except KeyboardInterrupt:
            self.close()
            raise
        if isinstance(answer, EngineKilled):
            raise self._killed(answer.reason)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _awaited(self, pipe: Connection, tell: ReportProgress) -> Any:
        """The answer; past a limit, what the child makes of being told to stop."""
        why, answer = self._waited(pipe, self.settings.limit_seconds, tell)
        if why is None:
            return answer
        self._told_to_stop.clear()
        pipe.send(CANCEL)
        late, answer = self._waited(pipe, self.settings.grace_seconds, no_progress)
        if late or isinstance(answer, EngineKilled):
            raise self._killed(why)
        if answer != CANCELLED:
            return answer
        if not process_memory.comes_to_rest(self._process.pid, within=self.settings.grace_seconds):
            raise self._killed(why)
        raise _error(f"{why}; its jobs were cancelled")

    def _waited(self, pipe: Connection, seconds: float, tell: ReportProgress) -> tuple[str | None, Any]:
        """(why waiting is over or None, the answer), with `tell` hearing what comes before it. Kills where memory is
        overrun."""
        end = time.monotonic() + seconds
        while True:
            if pipe.poll(max(0.0, min(LOOK_SECONDS, end - time.monotonic()))):
                answer = pipe.recv()
                if not isinstance(answer, ProgressMessage):
                    return None, answer
                tell(answer.words)
            if why := self._overran(end, seconds):
                return why, None

    def _overran(self, end: float, seconds: float) -> str | None:
        """Why waiting is over; None: it is not. Kills where memory is overrun."""
        if process_memory.memory(self._process.pid) > self.settings.limit_bytes:
            raise self._killed(f"it overran its memory limit of {_size_text(self.settings.limit_bytes)}")
        if self._told_to_stop.is_set():
            return "it was told to stop"
        return f"it overran its limit of {seconds:g} s" if time.monotonic() >= end else None

    def _killed(self, why: str) -> EngineKilled:
        self.close()
        return _error(why)

    def _started(self) -> Connection:
        # A child that is started by half could neither be asked nor ended.
        with interrupts.defer_interrupts():
            if self._process is None or not self._process.is_alive() or self._pipe is None:
                self.close()
                self._start()
        assert self._pipe is not None
        return self._pipe

    def _start(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="treaty-spark-")
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        process = context.Process(target=serve, args=(theirs, self._serving()), name="treaty-spark", daemon=True)
        process.start()
        # Not before: close() ends a process that runs, and there is none where the system refuses another.
        self._process = process
        theirs.close()

    def _serving(self) -> ServerSettings:
        ours = self.settings
        folder = str(self._folder)
        return ServerSettings(
            remote=ours.remote,
            master=ours.master,
            memory=ours.memory,
            limit_bytes=ours.limit_bytes,
            log=ours.log,
            folder=folder,
            plugins=ours.plugins,
        )


def _error(why: str) -> EngineKilled:
    return EngineKilled(f"engine killed: {why}")


def _size_text(size: int) -> str:
    return f"{size / 1024**3:.3g} GiB"


def _end(process: Any) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()
    process.join(END_SECONDS)
    # Java goes on writing to its folder until it is gone.
    process_memory.ends(process.pid, within=END_SECONDS)
