"""Run Spark in a child process without the registry's secrets.

The child stays warm between requests and is killed when it exceeds its limits."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe
from threading import Event
from typing import IO, Any

from treaty.contracts.schema import Schema
from treaty.engine.components.frequencies import FrequencySpectrum
from treaty.engine.core import interrupts, private_files
from treaty.engine.core.errors import EngineKilled
from treaty.engine.core.results import ExactValue, MetricKey, ViolationSample
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
    SpectraRequest,
    StageRequest,
    TableSource,
    TextsRequest,
)
from treaty.engine.protocol.row_requests import ExactRequest, QuarantineRequest, QuarantineResult, SampleRequest
from treaty.engine.spark.process import process_memory
from treaty.engine.spark.process.environment import CLOUDS, process_environment
from treaty.engine.spark.process.server import CANCEL, CANCELLED, ServerSettings

LOOK_SECONDS = 0.5
END_SECONDS = 10
MODULE = "treaty.engine.spark.process"
TIMES_HEAP = 4


@dataclass(frozen=True, kw_only=True)
class ChildSettings:
    """Settings of the Spark child: memory, log file and limits per request.

    `limit_seconds`: wall-clock time per request. After it the Spark jobs are canceled, and the child is killed
    unless it answers within `grace_seconds`. `memory`: heap of the local JVM. `limit_memory`: memory of all
    processes of the child; None means four times `memory`. It is enforced only where /proc exists; the operating
    system also limits Python to it. `remote`, `master`: see `session.start`. `plugins`: packages whose analyzers the
    child loads. `environment`: names of variables that the child receives in addition to those that Spark needs;
    `*` stands for any text. Raises EngineError if a memory size is invalid."""

    limit_seconds: float = 1800
    grace_seconds: float = 10
    memory: str = "2g"
    limit_memory: str | None = None
    remote: str | None = None
    master: str | None = None
    log: str = os.devnull
    plugins: tuple[str, ...] = ()
    environment: tuple[str, ...] = CLOUDS

    def __post_init__(self) -> None:
        assert self.limit_bytes >= 0

    @property
    def limit_bytes(self) -> int:
        """Return the memory limit in bytes."""
        return (
            process_memory.size(self.limit_memory)
            if self.limit_memory
            else TIMES_HEAP * process_memory.size(self.memory)
        )


class SparkChild:
    """A client of the Spark process, connected by a pipe.

    Serves one request at a time. A child that died is restarted at the next request."""

    def __init__(
        self,
        settings: ChildSettings | None = None,
        *,
        around: Callable[[str], AbstractContextManager[None]] | None = None,
    ) -> None:
        """Create the client; the process starts at the first request.

        `around`: context in which every request is made, from the handler's name; None means none."""
        self.settings = settings or ChildSettings()
        self._around = around or (lambda _: nullcontext())
        self._process: Any = None
        self._pipe: Connection | None = None
        self._folder: str | None = None
        self._told_to_stop = Event()

    def measure(self, request: MeasureRequest) -> MeasureResult:
        """Compute the states of the changed partitions.

        Raises EngineError (UnreadableTable, EngineKilled) or ContractError."""
        return self._call("treaty.engine.spark.handlers.measure:measure", request)  # type: ignore[no-any-return]

    def draft(self, request: DraftRequest, report_progress: ReportProgress = no_progress) -> DraftResult:
        """Draft a base document with suggestions; `report_progress` receives progress. Raises EngineError."""
        return self._call("treaty.engine.spark.handlers.draft:draft", request, report_progress)  # type: ignore[no-any-return]

    def learn(self, request: LakeRequest, report_progress: ReportProgress = no_progress) -> Mapping[str, Any]:
        """Update the pattern index of a lake and return its size. Raises EngineError (EngineKilled)."""
        return self._call("treaty.engine.spark.profile.patterns:learn", request, report_progress)  # type: ignore[no-any-return]

    def profile(self, request: ProfileRequest, report_progress: ReportProgress = no_progress) -> Mapping[str, Any]:
        """Return a profile as a document; `report_progress` receives progress.

        Raises EngineError (UnreadableTable, EngineKilled)."""
        return self._call("treaty.engine.spark.profile.profiler:profile", request, report_progress)  # type: ignore[no-any-return]

    def texts(self, request: TextsRequest) -> Mapping[str, tuple[str | None, ...]]:
        """Return a uniform sample of the values of text columns.

        Raises EngineError (UnreadableTable, EngineKilled)."""
        return self._call("treaty.engine.spark.profile.patterns:texts", request)  # type: ignore[no-any-return]

    def sample(self, request: SampleRequest) -> tuple[ViolationSample, ...]:
        """Return rows that violate failed checks.

        Raises EngineError (UnreadableTable, EngineKilled) or ContractError."""
        return self._call("treaty.engine.spark.handlers.violating_rows:sample", request)  # type: ignore[no-any-return]

    def exact_values(self, request: ExactRequest) -> Mapping[MetricKey, ExactValue]:
        """Return the exact metrics of uncertain checks; those without an exact form are left out.

        Raises EngineError (UnreadableTable, EngineKilled) or ContractError."""
        return self._call("treaty.engine.spark.handlers.exact_values:exact_values", request)  # type: ignore[no-any-return]

    def spectra(self, request: SpectraRequest) -> dict[str, FrequencySpectrum]:
        """Merge stored frequencies with Spark. Raises EngineError (EngineKilled)."""
        return self._call("treaty.engine.spark.scan.spectra:spectra", request)  # type: ignore[no-any-return]

    def quarantine(self, request: QuarantineRequest) -> QuarantineResult:
        """Write good and violating rows to separate folders.

        Raises EngineError (UnreadableTable, EngineKilled) or ContractError."""
        return self._call("treaty.engine.spark.handlers.violating_rows:quarantine", request)  # type: ignore[no-any-return]

    def stage(self, request: StageRequest) -> None:
        """Write rows to the staging folder of a gate. Raises EngineError (UnreadableTable, EngineKilled)."""
        self._call("treaty.engine.spark.handlers.gate_staging:staged", request)

    def look(self, request: TableStatusRequest) -> TableStatus:
        """Return the status of a gated table. Raises EngineError (UnreadableTable, EngineKilled)."""
        return self._call("treaty.engine.spark.handlers.gate_tables:look", request)  # type: ignore[no-any-return]

    def commit(self, request: CommitRequest) -> None:
        """Make one commit to a gated Delta table. Raises GenerationConflict, EngineError (EngineKilled)."""
        self._call("treaty.engine.spark.sources.delta:commit", request)

    def fence(self, request: FenceRequest) -> None:
        """Block a pending publication to a gated Delta table. Raises EngineError (EngineKilled)."""
        self._call("treaty.engine.spark.sources.delta:fence", request)

    def place(self, request: LocationRequest) -> None:
        """Change the folder of one partition in the catalog. Raises EngineError (EngineKilled)."""
        self._call("treaty.engine.spark.handlers.gate_tables:place", request)

    def schema(self, source: TableSource) -> Schema:
        """Return the columns of a table. Raises EngineError (UnreadableTable, EngineKilled)."""
        return self._call("treaty.engine.spark.sources.readers:schema", source)  # type: ignore[no-any-return]

    def cancel(self) -> None:
        """Cancel the current request, which then raises EngineKilled.

        Its jobs are canceled; Spark stays warm if it stops in time. May be called from any thread. A second call
        kills the child at once. Without a request it does nothing."""
        self._told_to_stop.set()

    def close(self) -> None:
        """End the child and its JVM and remove their files; safe to call twice."""
        if self._process is not None:
            _end(self._process)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._process = self._pipe = self._folder = None

    def _call(self, verb: str, request: Any, report_progress: ReportProgress | None = None) -> Any:
        with self._around(verb.partition(":")[2]):
            return self._answer(verb, request, report_progress)

    def _answer(self, verb: str, request: Any, report_progress: ReportProgress | None) -> Any:
        try:
            pipe = self._started()
            self._told_to_stop.clear()
            pipe.send((verb, request, report_progress is not None))
            answer = self._awaited(pipe, report_progress or no_progress)
        except (EOFError, BrokenPipeError, ConnectionResetError):
            raise self._killed("the Spark process ended") from None
        except KeyboardInterrupt:
            self.close()
            raise
        if isinstance(answer, EngineKilled):
            raise self._killed(answer.reason)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _awaited(self, pipe: Connection, report_progress: ReportProgress) -> Any:
        """Return the answer; after a limit, cancel the request and raise or return the child's last answer."""
        reason, answer = self._waited(pipe, self.settings.limit_seconds, report_progress)
        if reason is None:
            return answer
        self._told_to_stop.clear()
        pipe.send(CANCEL)
        late, answer = self._waited(pipe, self.settings.grace_seconds, no_progress)
        if late or isinstance(answer, EngineKilled):
            raise self._killed(reason)
        if answer != CANCELLED:
            return answer
        if not process_memory.comes_to_rest(self._process.pid, within=self.settings.grace_seconds):
            raise self._killed(reason)
        raise _error(f"{reason}; its Spark jobs were cancelled")

    def _waited(self, pipe: Connection, seconds: float, report_progress: ReportProgress) -> tuple[str | None, Any]:
        """Wait for the answer and return (reason for giving up or None, answer).

        Progress messages go to `report_progress`. Kills the child if it exceeds its memory limit."""
        end = time.monotonic() + seconds
        while True:
            if pipe.poll(max(0.0, min(LOOK_SECONDS, end - time.monotonic()))):
                answer = pipe.recv()
                if not isinstance(answer, ProgressMessage):
                    return None, answer
                report_progress(answer.words)
            if why := self._overran(end, seconds):
                return why, None

    def _overran(self, end: float, seconds: float) -> str | None:
        """Return the reason to stop waiting; None means go on. Kills the child if it exceeds its memory limit."""
        if process_memory.memory(self._process.pid) > self.settings.limit_bytes:
            raise self._killed(
                f"the Spark process exceeded its memory limit of {_size_text(self.settings.limit_bytes)}"
            )
        if self._told_to_stop.is_set():
            return "the request was cancelled"
        return f"the request exceeded its limit of {seconds:g} s" if time.monotonic() >= end else None

    def _killed(self, why: str) -> EngineKilled:
        self.close()
        return _error(why)

    def _started(self) -> Connection:
        # An interrupt halfway would leave a child that can neither be used nor ended.
        with interrupts.defer_interrupts():
            if self._process is None or self._process.poll() is not None or self._pipe is None:
                self.close()
                self._start()
        assert self._pipe is not None
        return self._pipe

    def _start(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="treaty-spark-")
        self._pipe, end = Pipe()
        # Set only now: close() ends the process, and none exists if the system refuses to start one.
        with end, private_files.open_log(self.settings.log) as log:
            self._process = _process(end, log, process_environment(os.environ, self.settings.environment))
        self._pipe.send(self._serving())

    def _serving(self) -> ServerSettings:
        settings = self.settings
        folder = str(self._folder)
        return ServerSettings(
            remote=settings.remote,
            master=settings.master,
            memory=settings.memory,
            limit_bytes=settings.limit_bytes,
            folder=folder,
            plugins=settings.plugins,
        )


def _error(why: str) -> EngineKilled:
    return EngineKilled(f"engine killed: {why}")


def _size_text(size: int) -> str:
    return f"{size / 1024**3:.3g} GiB"


def _process(end: Connection, log: IO[bytes], environment: Mapping[str, str]) -> "subprocess.Popen[bytes]":
    """Start the child in a process group of its own.

    Neither its environment nor its command line contains secrets: other processes of the user can read both."""
    number = end.fileno()
    return subprocess.Popen(
        (sys.executable, "-m", MODULE, str(number)),
        env=environment,
        pass_fds=[number],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        process_group=0,
    )


def _end(process: "subprocess.Popen[bytes]") -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()
    with suppress(subprocess.TimeoutExpired):
        process.wait(END_SECONDS)
    # Java writes to its folder until it has ended.
    process_memory.ends(process.pid, within=END_SECONDS)
