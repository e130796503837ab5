"""Prometheus metrics of one worker, and the endpoint that serves them."""

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
    """CPU seconds of this process, as a Prometheus collector."""

    def collect(self) -> Iterator[CounterMetricFamily]:
        """Yield the counter with its current value."""
        description = "CPU seconds of the worker, excluding Spark."
        yield CounterMetricFamily("treaty_worker_cpu_seconds_total", description, value=time.process_time())


class WorkerMetrics:
    """Counters of one worker since its start.

    `spark`: wall-clock seconds of requests to Spark, including its start."""

    def __init__(self) -> None:
        self.registry = ProcessRegistry()
        counter = partial(Counter, registry=self.registry)
        self.events = counter("treaty_worker_events_total", "Lineage events processed or failed, by state.", ("state",))
        self.tasks = counter("treaty_worker_tasks_total", "Task attempts by kind and outcome.", ("kind", "outcome"))
        self.seconds = counter(
            "treaty_worker_task_seconds_total", "Wall-clock seconds of task attempts by kind.", ("kind",)
        )
        self.verdicts = counter("treaty_worker_verdicts_total", "Stored runs by verdict.", ("verdict",))
        self.crashes = counter(
            "treaty_worker_crashes_total", "Attempts that ended the previous process of the worker, by kind.", ("kind",)
        )
        self.spark = counter("treaty_worker_spark_seconds_total", "Wall-clock seconds of Spark requests.", ("request",))
        self.registry.register(CpuSeconds())

    @contextmanager
    def attempt(self, task: TaskRow) -> Iterator[None]:
        """Count the block as an attempt at the task, by task kind and outcome."""
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

    @contextmanager
    def request(self, verb: str) -> Iterator[None]:
        """Count the seconds of the block as those of a request to Spark."""
        started = time.monotonic()
        try:
            yield
        finally:
            self.spark.labels(verb).inc(time.monotonic() - started)


@contextmanager
def served(figures: WorkerMetrics, host: str, port: int) -> Iterator[int]:
    """Serve the metrics at `GET /metrics` while the block runs; yield the port.

    `port`: 0 disables the endpoint. Raises OSError if the port is not available."""
    if not port:
        yield 0
        return
    server, _ = start_http_server(port, host, figures.registry)
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
