"""Start, watch and stop API, worker and pages as processes of this machine."""

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

from treaty.engine.core import interrupts, key_files, private_files
from treaty.engine.core.locations.spelling import UnusableLocation, normalise
from treaty.registry.core import home
from treaty.registry.core.settings import PREFIX, RegistrySettings

if TYPE_CHECKING:
    from fastapi import FastAPI

STARTS_WITHIN = 60.0
STOPS_WITHIN = 10.0
# Seconds. Some lineage producers do not retry when a persistent connection was closed.
KEPT_OPEN = 75
LOOPBACK = "127.0.0.1"


class StartFailed(Exception):
    """A process did not start, or ended unexpectedly."""


@dataclass(frozen=True)
class ManagedProcess:
    """A process to run.

    `ready`: URL that answers when the process is ready; None means ready as soon as it runs."""

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
    """Return the environment of the processes, with every setting explicit and an absolute home."""
    values = {f"{PREFIX}{name.upper()}": str(value) for name, value in settings if value not in (None, "")}
    overrides = {"TREATY_HOME": str(settings.home.absolute()), "TREATY_API_URL": settings.api}
    return {**environ, **values, **overrides}


def with_start_folder(settings: RegistrySettings, folder: Path) -> RegistrySettings:
    """Return the settings that allow the folder, unless they name locations.

    Not the root of the file system, nor a folder whose name a list of locations cannot contain."""
    if settings.locations is not None or folder == Path(folder.anchor) or "," in str(folder):
        return settings
    try:
        return settings.model_copy(update={"locations": normalise(str(folder))})
    except UnusableLocation:
        return settings


@dataclass
class RunningProcess:
    """A running process and its log file."""

    part: ManagedProcess
    process: "subprocess.Popen[bytes]"
    log: Path

    def check(self) -> None:
        """Raise StartFailed with the end of the log if the process has ended."""
        code = self.process.poll()
        if code is not None:
            outcome = f"was terminated by signal {-code}" if code < 0 else f"exited with code {code}"
            tail = "\n".join(self.log.read_text(errors="replace").splitlines()[-8:])
            raise StartFailed(f"{self.part.name} {outcome}. Last lines of {self.log}:\n{tail}")


@contextmanager
def run_processes(
    settings: RegistrySettings, makers: Sequence[Callable[[RegistrySettings], ManagedProcess]]
) -> Iterator[list[RunningProcess]]:
    """Start the processes one after the other, and stop all of them on exit.

    Each starts when the previous one is ready. Creates missing key files."""
    started: list[RunningProcess] = []
    home.prepare(settings)
    key_files.make(settings.key)
    key_files.make(settings.audit_key)
    with _interruptible():
        try:
            for make in makers:
                # A process that is missing from the list would outlive this one.
                with interrupts.defer_interrupts():
                    started.append(_start(make(settings), settings))
                _wait(started[-1])
            yield started
        finally:
            _stop(started)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Handle SIGTERM like Ctrl-C, so that no process outlives this one."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _start(part: ManagedProcess, settings: RegistrySettings) -> RunningProcess:
    log = settings.home.absolute() / "logs" / f"{part.name}.log"
    if part.ready is not None:
        _refuse_taken_port(part)
    # A separate session: Ctrl-C reaches only this process, which then stops the others in order.
    with private_files.open_log(log) as output:
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
            raise StartFailed(f"Port {port} is in use. Set TREATY_{part.name.upper()}_PORT to a free port.")


def _wait(started: RunningProcess) -> None:
    deadline = time.monotonic() + STARTS_WITHIN
    while started.part.ready is not None and not _answers(started.part.ready):
        started.check()
        if time.monotonic() > deadline:
            raise StartFailed(f"{started.part.name} did not start within {STARTS_WITHIN:.0f} s. See {started.log}.")
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
    """Block until Ctrl-C or SIGTERM. Raises StartFailed if a process ends."""
    try:
        while True:
            for each in started:
                each.check()
            time.sleep(0.5)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def free_port() -> int:
    """Return a free port of the loopback address."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def serve_api(settings: RegistrySettings) -> None:
    """Run the API until it is stopped; open requests are completed first."""
    from treaty.registry.browse import search
    from treaty.registry.core import logs
    from treaty.registry.core.database import connect, migrate
    from treaty.registry.core.server_protocol import BoundedHttpProtocol
    from treaty.registry.serve import shared_port

    logs.configure(settings.log_format)
    home.prepare(settings)
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
        http=BoundedHttpProtocol,
        forwarded_allow_ips=settings.trusted_proxies,
        timeout_worker_healthcheck=60,
        timeout_keep_alive=KEPT_OPEN,
        timeout_graceful_shutdown=math.ceil(settings.shutdown_timeout_seconds),
    )


def application() -> "FastAPI":
    """Create the application of one API process from the settings of the environment."""
    from treaty.registry.api.app import create_app
    from treaty.registry.core import logs
    from treaty.registry.core.database import connect
    from treaty.registry.core.settings import load

    settings = load()
    logs.configure(settings.log_format)
    app = create_app(settings, connect(settings.database))
    # Exclude loaded modules from garbage collection: traversing them takes a fifth of the time of a long response.
    # Objects of a lineage event are freed by reference counting, so collections can be rare.
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    return app
