"""What one worker counts of its work since it started, and the address where Prometheus may ask for it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from treaty.registry.core.prometheus import MEDIA_TYPE, Counts, Labels, family, page
from treaty.registry.tables import Task

PATH = "/metrics"
DONE, FAILED, RELEASED = "done", "failed", "released"


@dataclass
class Figures:
    """Counters of this process. `spark`: seconds of wall clock that Spark was asked something, its start included."""

    events: Counts = field(default_factory=partial(Counts, "treaty_worker_events_total", "Events folded or blamed."))
    tasks: Counts = field(default_factory=partial(Counts, "treaty_worker_tasks_total", "Attempts by how they ended."))
    seconds: Counts = field(default_factory=partial(Counts, "treaty_worker_task_seconds_total", "Seconds of attempts."))
    verdicts: Counts = field(default_factory=partial(Counts, "treaty_worker_verdicts_total", "Verdicts written."))
    spark: Counts = field(default_factory=partial(Counts, "treaty_worker_spark_seconds_total", "Seconds of Spark."))

    @contextmanager
    def attempt(self, task: Task) -> Iterator[None]:
        """Counts the attempt at the task that the block is, by its kind and by how it ends."""
        started, ended = time.monotonic(), FAILED
        try:
            yield
            ended = DONE
        except KeyboardInterrupt:
            ended = RELEASED
            raise
        finally:
            self.tasks.add(kind=task.kind, ended=ended)
            self.seconds.add(time.monotonic() - started, kind=task.kind)

    def asked(self, verb: str, seconds: float) -> None:
        """Counts what Spark was asked, and for how long."""
        self.spark.add(seconds, asked=verb)

    def lines(self) -> Iterator[str]:
        """All counters as lines of the format, and the CPU seconds of this process."""
        for each in (self.events, self.tasks, self.seconds, self.verdicts, self.spark):
            yield from each.lines()
        used: dict[Labels, float] = {(): time.process_time()}
        yield from family("treaty_worker_cpu_seconds_total", "counter", "CPU seconds of the worker, Spark apart.", used)


@contextmanager
def served(figures: Figures, host: str, port: int) -> Iterator[int]:
    """Answers `GET /metrics` with the figures for as long as the block takes; the port. 0: not at all.

    Raises OSError for a port that cannot be had."""
    if not port:
        yield 0
        return
    server = ThreadingHTTPServer((host, port), partial(_Answer, figures))
    server.daemon_threads = True
    Thread(target=server.serve_forever, name="metrics", daemon=True).start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()


class _Answer(BaseHTTPRequestHandler):
    """One request for the figures."""

    def __init__(self, figures: Figures, *given: Any) -> None:
        self.figures = figures
        super().__init__(*given)

    def do_GET(self) -> None:
        """Sends the figures; 404 for any other path."""
        found = self.path.partition("?")[0] == PATH
        body = page(self.figures.lines()).encode() if found else b""
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", MEDIA_TYPE)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Says nothing: it is asked every few seconds."""
