"""API, worker and UI as processes of this machine: started together, watched, and ended together."""

import gc
import math
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import URLError
from urllib.request import urlopen

from treaty.engine.core import interrupts, key_files
from treaty.registry.core.settings import PREFIX, RegistrySettings

if TYPE_CHECKING:
    from fastapi import FastAPI

STARTS_WITHIN = 60.0
STOPS_WITHIN = 10.0
# Seconds: not every producer of lineage tries again where a connection that it kept was closed.
KEPT_OPEN = 75
LOOPBACK = "127.0.0.1"


class StartFailed(Exception):
    """A part did not start, or ended by itself."""


@dataclass(frozen=True)
class ManagedProcess:
    """One process: what to run, and the address that answers once it is ready (None: it is ready when it runs)."""

    name: str
    command: Sequence[str]
    ready: str | None = None


def api(settings: RegistrySettings) -> ManagedProcess:
    return ManagedProcess("api", (sys.executable, "-m", "treaty", "api"), f"{settings.api}/api/v1/ready")


def worker(settings: RegistrySettings) -> ManagedProcess:
    return ManagedProcess("worker", (sys.executable, "-m", "treaty", "worker"))


def ui(settings: RegistrySettings) -> ManagedProcess:
    listen = ("--host", settings.host, "--port", str(settings.ui_port))
    return ManagedProcess("ui", (sys.executable, "-m", "treaty.ui", *listen), f"{settings.ui_url}/ui/ready")


def environment(settings: RegistrySettings, environ: Mapping[str, str]) -> dict[str, str]:
    """The environment of the parts: this one's, with every setting written out and the home as an absolute path."""
    written = {f"{PREFIX}{name.upper()}": str(value) for name, value in settings if value not in (None, "")}
    apart = {"TREATY_HOME": str(settings.home.absolute()), "TREATY_API_URL": settings.api}
    return {**environ, **written, **apart}


@dataclass
class RunningProcess:
    """A part that runs, and where its log lies."""

    part: ManagedProcess
    process: "subprocess.Popen[bytes]"
    log: Path

    def check(self) -> None:
        """Raises NotStarted, with the end of its log, where the process ended."""
        code = self.process.poll()
        if code is not None:
            how = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
            tail = "\n".join(self.log.read_text(errors="replace").splitlines()[-8:])
            raise StartFailed(f"{self.part.name} {how}; the end of {self.log}:\n{tail}")


@contextmanager
def run_processes(
    settings: RegistrySettings, makers: Sequence[Callable[[RegistrySettings], ManagedProcess]]
) -> Iterator[list[RunningProcess]]:
    """Starts the parts in order, each once the one before is ready; ends them all when the block ends.

    Makes the key files, where there are none yet."""
    started: list[RunningProcess] = []
    settings.home.mkdir(parents=True, exist_ok=True)
    key_files.make(settings.key)
    key_files.make(settings.audit_key)
    with _interruptible():
        try:
            for make in makers:
                # A process that is not in the list would outlive this one.
                with interrupts.defer_interrupts():
                    started.append(_start(make(settings), settings))
                _wait(started[-1])
            yield started
        finally:
            _stop(started)


@contextmanager
def _interruptible() -> Iterator[None]:
    """SIGTERM ends the block as Ctrl-C does, so that no part outlives it."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _start(part: ManagedProcess, settings: RegistrySettings) -> RunningProcess:
    log = settings.home.absolute() / "logs" / f"{part.name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    if part.ready is not None:
        _refuse_taken_port(part)
    # A session of its own: Ctrl-C reaches this process only, which then ends the parts in order.
    with log.open("ab") as output:
        process = subprocess.Popen(
            part.command,
            stdout=output,
            stderr=output,
            stdin=subprocess.DEVNULL,
            env=environment(settings, os.environ),
            start_new_session=True,
        )
    return RunningProcess(part, process, log)


def _refuse_taken_port(part: ManagedProcess) -> None:
    port = int(str(part.ready).split(":")[2].split("/")[0])
    with socket.socket() as probe:
        if probe.connect_ex((LOOPBACK, port)) == 0:
            raise StartFailed(f"port {port} is taken: set TREATY_{part.name.upper()}_PORT to a free one")


def _wait(started: RunningProcess) -> None:
    deadline = time.monotonic() + STARTS_WITHIN
    while started.part.ready is not None and not _answers(started.part.ready):
        started.check()
        if time.monotonic() > deadline:
            raise StartFailed(f"{started.part.name} did not answer within {STARTS_WITHIN:.0f} s; see {started.log}")
        time.sleep(0.1)


def _answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=2) as answer:
            return bool(answer.status == 200)
    except (URLError, OSError):
        return False


def _stop(started: Sequence[RunningProcess]) -> None:
    for each in reversed(started):
        if each.process.poll() is None:
            each.process.send_signal(signal.SIGTERM)
    for each in reversed(started):
        try:
            each.process.wait(STOPS_WITHIN)
        except subprocess.TimeoutExpired:
            os.killpg(each.process.pid, signal.SIGKILL)
            each.process.wait()


def watch(started: Sequence[RunningProcess]) -> None:
    """Returns at Ctrl-C or SIGTERM. Raises NotStarted where a part ends by itself."""
    try:
        while True:
            for each in started:
                each.check()
            time.sleep(0.5)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def free_port() -> int:
    """A port of the loopback address that nobody uses now."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def serve_api(settings: RegistrySettings) -> None:
    """Runs the API until it is told to stop: then it takes no more, and answers what it took."""
    from treaty.registry.browse import search
    from treaty.registry.core import logs
    from treaty.registry.core.database import connect, migrate
    from treaty.registry.serve import shared_port

    logs.configure(settings.log_format)
    engine = connect(settings.database)
    migrate(engine)
    search.complete(engine)
    engine.dispose()
    shared_port.serve(
        settings.host,
        settings.api_port,
        app="treaty.registry.serve.local_stack:application",
        factory=True,
        workers=settings.api_processes,
        log_config=None,
        access_log=False,
        timeout_worker_healthcheck=60,
        timeout_keep_alive=KEPT_OPEN,
        timeout_graceful_shutdown=math.ceil(settings.shutdown_timeout_seconds),
    )


def application() -> "FastAPI":
    """What one process of the API serves, by the settings of the environment."""
    from treaty.registry.api.app import create_app
    from treaty.registry.core import logs
    from treaty.registry.core.database import connect
    from treaty.registry.core.settings import load

    settings = load()
    logs.configure(settings.log_format)
    made = create_app(settings, connect(settings.database))
    # What was loaded stays: to look through it for garbage is a fifth of what a long answer takes. What an event is
    # made of is given back by itself.
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    return made
