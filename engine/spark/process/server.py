"""Serve requests from a pipe in the Spark process, with cancellation while a request runs."""

import os
import resource
import signal
import time
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pkgutil import resolve_name
from queue import SimpleQueue
from shlex import quote
from threading import Event, Lock, Thread
from typing import Any

from treaty.contracts.errors import ContractError
from treaty.engine.core.errors import EngineError, EngineKilled
from treaty.engine.protocol.progress import ProgressMessage

CANCEL, CANCELLED = "cancel", "cancelled"
PAUSE_SECONDS = 0.2
OUT_OF_MEMORY = 3  # Exit code of Java's ExitOnOutOfMemoryError.


@dataclass(frozen=True, kw_only=True)
class ServerSettings:
    """Settings of the Spark process.

    `folder`: its temporary files; the client deletes it when the process ends. `limit_bytes`: memory limit of
    Python."""

    remote: str | None
    master: str | None
    memory: str
    limit_bytes: int
    folder: str
    plugins: tuple[str, ...] = ()


@dataclass(kw_only=True)
class RequestLoop:
    """Serve one request at a time while a second thread receives cancellations."""

    pipe: Connection
    session: Any = None
    request_queue: "SimpleQueue[tuple[str, Any, bool]]" = field(default_factory=SimpleQueue)
    busy: Event = field(default_factory=Event)
    cancelled: Event = field(default_factory=Event)
    idle_lock: Any = field(default_factory=Lock)

    def listen(self) -> None:
        """Queue requests and cancel the current one. Kills the process and its Java when the pipe closes."""
        while True:
            try:
                message = self.pipe.recv()
            except (EOFError, OSError):
                os.killpg(0, signal.SIGKILL)
            if message == CANCEL:
                self._cancel()
            else:
                self.cancelled.clear()
                self.busy.set()
                self.request_queue.put(message)

    def rest(self) -> None:
        """Stop canceling jobs: those that run from now on do not belong to the request."""
        with self.idle_lock:
            self.busy.clear()

    def answer(self, outcome: Any) -> None:
        """Send the outcome; CANCELLED if the request was canceled, because jobs may have been cut off."""
        cut_off = self.cancelled.is_set() and not isinstance(outcome, EngineKilled)
        self.pipe.send(CANCELLED if cut_off else outcome)

    def report_progress(self, words: str) -> None:
        """Send the progress of the request; nothing after a cancellation."""
        if not self.cancelled.is_set():
            self.pipe.send(ProgressMessage(words))

    def _cancel(self) -> None:
        """Cancel jobs until the request has ended: after one fails, the request may start others."""
        self.cancelled.set()
        while self._interrupted() and not self.pipe.poll(PAUSE_SECONDS):
            pass

    def _interrupted(self) -> bool:
        with self.idle_lock, suppress(Exception):
            if self.busy.is_set():
                self.session.interruptAll()
        return self.busy.is_set()


def serve(pipe: Connection, serving: ServerSettings) -> None:
    """Answer requests until the pipe closes or Spark ends. Runs in the child."""
    _settle()
    loop = RequestLoop(pipe=pipe)
    Thread(target=loop.listen, name="listener", daemon=True).start()
    outcome: Any = None
    while not isinstance(outcome, EngineKilled):
        verb, request, wants_progress = loop.request_queue.get()
        outcome = _outcome(loop, serving, verb, (request, loop.report_progress) if wants_progress else (request,))
        loop.rest()
        if not (isinstance(outcome, EngineKilled) or _lives(loop.session)):
            outcome = EngineKilled(_end_of_spark(serving))
        loop.answer(outcome)


def _settle() -> None:
    """Ignore interrupts of the terminal, and write no core dump, which would contain data."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, most))


def _outcome(loop: RequestLoop, serving: ServerSettings, verb: str, arguments: tuple[Any, ...]) -> Any:
    """Return the answer or the error to be raised; EngineKilled if this process is no longer usable."""
    from treaty.engine.spark.process.errors import safe_message

    try:
        loop.session = loop.session or _session(serving)
        return resolve_name(verb)(loop.session, *arguments)
    except (EngineError, ContractError) as error:
        return error
    except MemoryError:
        return EngineKilled(f"Python exceeded its memory limit of {serving.limit_bytes // 1024**2:,} MiB")
    except Exception as error:
        return EngineError(f"the engine request failed: {safe_message(error)}")


def _session(serving: ServerSettings) -> Any:
    from treaty.engine.checks import plugins
    from treaty.engine.spark.process.session import start

    plugins.load(serving.plugins)
    extra = {} if serving.remote or serving.master else _local(serving)
    session = start(remote=serving.remote, master=serving.master, memory=serving.memory, extra=extra)
    if not serving.remote:
        session.sparkContext.setLogLevel("OFF")
    _limit_memory(serving.limit_bytes)
    return session


def _local(serving: ServerSettings) -> dict[str, str]:
    """Return settings that end Java when it is out of memory.

    Java writes its files to the process's own folder."""
    folder = quote(serving.folder)
    options = (
        "-XX:+ExitOnOutOfMemoryError",
        "-XX:-CreateCoredumpOnCrash",
        f"-XX:ErrorFile={folder}/java.log",
        f"-Djava.io.tmpdir={folder}",
    )
    return {
        "spark.driver.extraJavaOptions": " ".join(options),
        "spark.local.dir": serving.folder,
    }


def _limit_memory(size: int) -> None:
    """Limit the memory of Python. Not that of Java, which started before and would break if memory were refused."""
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (size if most == resource.RLIM_INFINITY else min(size, most), most))


def _lives(session: Any) -> bool:
    """Return True if Spark answers: Java may run although its Spark context was stopped."""
    if session is None:
        return True
    try:
        session.range(0).collect()
    except Exception:
        return False
    return True


def _end_of_spark(serving: ServerSettings) -> str:
    """Return why Spark ended. Java's exit code is read but left for its parent to collect."""
    end = time.monotonic() + PAUSE_SECONDS * 10
    while hasattr(os, "waitid") and time.monotonic() < end and not serving.remote:
        with suppress(ChildProcessError):
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is not None and ended.si_status == OUT_OF_MEMORY:
                return f"Java exceeded its memory limit of {serving.memory}"
        time.sleep(PAUSE_SECONDS)
    return "the Spark session ended"
