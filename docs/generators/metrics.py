"""Generate the page of the Prometheus metrics of the API and of workers."""

from collections.abc import Iterable, Iterator
from typing import Any

from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import Metric
from sqlmodel import Session

from docs.generators.markdown import code, phrase, table
from treaty.engine.core import clock
from treaty.registry.api.app import create_app
from treaty.registry.api.http import metrics
from treaty.registry.core.database import connect
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.tables import metadata
from treaty.registry.worker.metrics import WorkerMetrics

INTRODUCTION = """
The API serves its metrics at `GET /api/v1/metrics` in the text format of Prometheus or OpenMetrics. The request needs
a token with `contracts:read`, unless [`TREATY_METRICS_PUBLIC`](settings.md#logs-and-metrics) is `true`. Each worker
serves its own metrics at `GET /metrics` on the port `TREATY_WORKER_METRICS_PORT`.
[Monitor Treaty](../how-to/monitor.md) suggests alerts.

Labels never contain names of contracts, datasets or users.
"""
LABELS = {
    "method": "HTTP method",
    "route": "Template of the route, without ids; `other` for unknown paths",
    "status": "HTTP status",
    "result": "Result of an event: `stored`, which includes duplicates, `rejected` or `overloaded`",
    "state": "State of an event, a task or a message",
    "kind": "Kind of a task",
    "verdict": "Verdict of a run",
    "outcome": "Outcome of an attempt: `done`, `failed` or `released`",
    "request": "Kind of a request to Spark",
}
PROCESS = """
With `TREATY_API_PROCESSES` above 1, each process counts its own requests, and samples have the additional label
`process`.
"""


def page() -> Iterator[str]:
    """Generate the page."""
    yield "# Prometheus metrics"
    yield INTRODUCTION
    yield "## API: requests\n"
    yield from _table(request_metrics())
    yield PROCESS.strip() + "\n"
    yield "## API: work in the database\n\nThe API reads these from the database at each request.\n"
    yield from _table(database_metrics())
    yield "## Worker\n"
    yield from _table(worker_metrics())
    yield "## Labels\n"
    used = {label for _, _, _, labels in all_metrics() for label in labels}
    yield from table(("Label", "Meaning"), ((code(each), LABELS[each]) for each in LABELS if each in used))
    if unknown := used - set(LABELS):
        raise ValueError(f"describe these labels in docs/generators/metrics.py: {sorted(unknown)}")


MetricRow = tuple[str, str, str, tuple[str, ...]]


def all_metrics() -> list[MetricRow]:
    """Return the name, type, description and labels of every metric."""
    return [*request_metrics(), *database_metrics(), *worker_metrics()]


def request_metrics() -> list[MetricRow]:
    """Return the metrics that the API counts itself."""
    app = create_app(RegistrySettings(), connect("sqlite://"))
    return _declared(app.state.figures)


def database_metrics() -> list[MetricRow]:
    """Return the metrics that the API reads from the database."""
    with connect("sqlite://").connect() as connection:
        metadata.create_all(connection)
        session = Session(connection)
        return [_row(each, getattr(each, "_labelnames", ())) for each in metrics.work(session, now=clock.now())]


def worker_metrics() -> list[MetricRow]:
    """Return the metrics of a worker."""
    return _declared(WorkerMetrics().registry)


def _declared(registry: CollectorRegistry) -> list[MetricRow]:
    collectors: Iterable[Any] = list(registry._collector_to_names)
    return [_row(metric, getattr(each, "_labelnames", ())) for each in collectors for metric in each.collect()]


def _row(metric: Metric, labels: Iterable[str]) -> MetricRow:
    suffix = "_total" if metric.type == "counter" and not metric.name.endswith("_total") else ""
    return metric.name + suffix, metric.type, metric.documentation, tuple(labels)


def _table(rows: Iterable[MetricRow]) -> Iterator[str]:
    written = ((code(name), kind, phrase(text), ", ".join(map(code, labels))) for name, kind, text, labels in rows)
    yield from table(("Metric", "Type", "Meaning", "Labels"), written)
