"""What one worker counts of its work since it started, and the address where Prometheus may ask for it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from prometheus_client import Counter, start_http_server
from prometheus_client.metrics_core import CounterMetricFamily
from prometheus_client.registry import Collector

from treaty.registry.core.prometheus import ProcessRegistry
from treaty.registry.tables import TaskRow

DONE, FAILED, RELEASED = "done", "failed", "released"


class CpuSeconds(Collector):
    """The CPU seconds of this process."""

    def collect(self) -> Iterator[CounterMetricFamily]:
        """Yield the counter as it stands."""
        description = "CPU seconds of the worker, Spark apart."
        yield CounterMetricFamily("treaty_worker_cpu_seconds_total", description, value=time.process_time())


class WorkerMetrics:
    """Counters of one worker. `spark`: seconds of wall clock that Spark was asked something, its start included."""

    def __init__(self) -> None:
        self.registry = ProcessRegistry()
        counter = partial(Counter, registry=self.registry)
        self.events = counter("treaty_worker_events_total", "Events folded or blamed.", ("state",))
        self.tasks = counter("treaty_worker_tasks_total", "Attempts by how they ended.", ("kind", "ended"))
        self.seconds = counter("treaty_worker_task_seconds_total", "Seconds of attempts.", ("kind",))
        self.verdicts = counter("treaty_worker_verdicts_total", "Verdicts written.", ("verdict",))
        self.spark = counter("treaty_worker_spark_seconds_total", "Seconds of Spark.", ("asked",))
        self.registry.register(CpuSeconds())

    @contextmanager
    def attempt(self, task: TaskRow) -> Iterator[None]:
        """Counts the attempt at the task that the block is, by its kind and by how it ends."""
        started, ended = time.monotonic(), FAILED
        try:
            yield
            ended = DONE
        except KeyboardInterrupt:
            ended = RELEASED
            raise
        finally:
            self.tasks.labels(task.kind, ended).inc()
            self.seconds.labels(task.kind).inc(time.monotonic() - started)

    def count_request(self, verb: str, seconds: float) -> None:
        """Counts what Spark was asked, and for how long."""
        self.spark.labels(verb).inc(seconds)


@contextmanager
def served(figures: WorkerMetrics, host: str, port: int) -> Iterator[int]:
    """Answers `GET /metrics` with the figures for as long as the block takes; the port. 0: not at all.

    Raises OSError for a port that cannot be had."""
    if not port:
        yield 0
        return
    server, _ = start_http_server(port, host, figures.registry)
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
