"""The Spark process itself: answers requests from a pipe, and lets itself be told to stop meanwhile."""

import os
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
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
OUT_OF_MEMORY = 3  # the exit code of Java's ExitOnOutOfMemoryError
INHERITED_VARIABLES = (
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
# Tells that the process which set it is a client of Spark Connect: this one is another process.
OF_A_CLIENT = "SPARK_CONNECT_MODE_ENABLED"


@dataclass(frozen=True, kw_only=True)
class ServerSettings:
    """What the process is started with. `folder` is for its temporary files, and goes when it ends."""

    remote: str | None
    master: str | None
    memory: str
    limit_bytes: int
    log: str
    folder: str
    plugins: tuple[str, ...] = ()


@dataclass(kw_only=True)
class RequestLoop:
    """One request at a time, while a second thread listens for being told to stop."""

    pipe: Connection
    session: Any = None
    request_queue: "SimpleQueue[tuple[str, Any, bool]]" = field(default_factory=SimpleQueue)
    busy: Event = field(default_factory=Event)
    cancelled: Event = field(default_factory=Event)
    idle_lock: Any = field(default_factory=Lock)

    def listen(self) -> None:
        """Hands requests on and cancels. When the other end is gone, nobody waits: the process and its Java end."""
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
        """Has no further job cancelled: what runs from now on is not the request."""
        with self.idle_lock:
            self.busy.clear()

    def answer(self, outcome: Any) -> None:
        """Sends what came of the request; CANCELLED where it was told to stop, as jobs may have been cut off."""
        cut_off = self.cancelled.is_set() and not isinstance(outcome, EngineKilled)
        self.pipe.send(CANCELLED if cut_off else outcome)

    def report_progress(self, words: str) -> None:
        """Sends how far the request is; nothing once it was told to stop."""
        if not self.cancelled.is_set():
            self.pipe.send(ProgressMessage(words))

    def _cancel(self) -> None:
        """Cancels jobs until the request has come to its end: one that fails may be followed by others."""
        self.cancelled.set()
        while self._interrupted() and not self.pipe.poll(PAUSE_SECONDS):
            pass

    def _interrupted(self) -> bool:
        with self.idle_lock, suppress(Exception):
            if self.busy.is_set():
                self.session.interruptAll()
        return self.busy.is_set()


def serve(pipe: Connection, serving: ServerSettings) -> None:
    """Answers requests until the other end closes, or Spark is gone. Runs in the child."""
    _settle(serving)
    desk = RequestLoop(pipe=pipe)
    Thread(target=desk.listen, name="listener", daemon=True).start()
    outcome: Any = None
    while not isinstance(outcome, EngineKilled):
        verb, request, telling = desk.request_queue.get()
        outcome = _outcome(desk, serving, verb, (request, desk.report_progress) if telling else (request,))
        desk.rest()
        if not (isinstance(outcome, EngineKilled) or _lives(desk.session)):
            outcome = EngineKilled(_end_of_spark(serving))
        desk.answer(outcome)


def clean_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """What the child may know: where programs lie, and nothing of the registry or of its secrets."""
    return {
        name: value
        for name, value in environ.items()
        if (name in INHERITED_VARIABLES or name.startswith(("SPARK_", "AWS_", "LC_"))) and name != OF_A_CLIENT
    }


def _settle(serving: ServerSettings) -> None:
    """Makes the process the first of a group of its own, quiet and ignorant of secrets."""
    os.setpgrp()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _redirect_output(serving.log)
    kept = clean_environment(os.environ)
    os.environ.clear()
    os.environ.update(kept)


def _redirect_output(log: str) -> None:
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    target = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(target, 1)
    os.dup2(target, 2)


def _outcome(desk: RequestLoop, serving: ServerSettings, verb: str, given: tuple[Any, ...]) -> Any:
    """The answer, or the error that is to be raised; EngineKilled where this process is of no use any more."""
    from treaty.engine.spark.process.errors import safe_message

    try:
        desk.session = desk.session or _session(serving)
        return resolve_name(verb)(desk.session, *given)
    except (EngineError, ContractError) as error:
        return error
    except MemoryError:
        return EngineKilled(f"Python overran its memory limit of {serving.limit_bytes // 1024**2} MiB")
    except Exception as error:
        return EngineError(f"the engine could not answer: {safe_message(error)}")


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
    """Java without memory ends rather than go on half-way; what it writes goes with the folder."""
    folder = quote(serving.folder)
    options = ("-XX:+ExitOnOutOfMemoryError", f"-XX:ErrorFile={folder}/java.log", f"-Djava.io.tmpdir={folder}")
    return {
        "spark.driver.extraJavaOptions": " ".join(options),
        "spark.local.dir": serving.folder,
    }


def _limit_memory(size: int) -> None:
    """Holds Python to the limit. Not Java, which was started before: it breaks where the system refuses it memory."""
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (size if most == resource.RLIM_INFINITY else min(size, most), most))


def _lives(session: Any) -> bool:
    """Whether Spark still answers: Java may be there with a Spark that was stopped within it."""
    if session is None:
        return True
    try:
        session.range(0).collect()
    except Exception:
        return False
    return True


def _end_of_spark(serving: ServerSettings) -> str:
    """Why Spark is gone. Java's exit code is looked at and left for who started Java to collect."""
    end = time.monotonic() + PAUSE_SECONDS * 10
    while hasattr(os, "waitid") and time.monotonic() < end and not serving.remote:
        with suppress(ChildProcessError):
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is not None and ended.si_status == OUT_OF_MEMORY:
                return f"its Java overran its memory of {serving.memory}"
        time.sleep(PAUSE_SECONDS)
    return "its Spark session ended"
