"""What a worker counts of itself, and that it answers with it."""

from urllib.request import urlopen

import pytest
from prometheus_client import REGISTRY, Counter, Histogram
from prometheus_client.metrics_core import GaugeMetricFamily
from prometheus_client.parser import text_string_to_metric_families
from support.ports import free_port

from treaty.engine.core import clock
from treaty.registry.core import ids
from treaty.registry.core.prometheus import ProcessRegistry, render
from treaty.registry.tables import TaskRow
from treaty.registry.worker.metrics import DONE, FAILED, RELEASED, WorkerMetrics, served

ENDS = (DONE, FAILED, RELEASED)


def task() -> TaskRow:
    return TaskRow(id=ids.new(), kind="validate", payload={}, key="k", available_at=clock.now(), created_at=clock.now())


def samples(text: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """The numbers of a page, by name and labels."""
    families = text_string_to_metric_families(text)
    return {(each.name, frozenset(each.labels.items())): each.value for family in families for each in family.samples}


@pytest.mark.parametrize("number", [0, 1_234_567.0, 12_345_678_901, 2.0**53 - 1, 0.25])
def test_a_number_is_told_to_its_last_digit(number: float) -> None:
    body, _ = render([GaugeMetricFamily("n", "N.", value=number)], "")
    assert samples(body.decode()) == {("n", frozenset()): number}


def test_a_process_has_its_own_registry_and_labels_and_tells_no_time_of_creation() -> None:
    registries = [ProcessRegistry({"process": "7"}), ProcessRegistry()]
    for registry in registries:
        Counter("treaty_x_total", "X.", ("kind",), registry=registry)
        Histogram("treaty_y", "Y.", buckets=(1.0,), registry=registry).observe(0.5)
    assert [each for each in REGISTRY.collect() if each.name.startswith("treaty")] == []
    told = samples(render(registries[0].collect(), "")[0].decode())
    assert {labels for _, labels in told} == {
        frozenset({("process", "7")}),
        *(frozenset({("process", "7"), ("le", le)}) for le in ("1.0", "+Inf")),
    }
    assert {name for name, _ in told} == {"treaty_y_bucket", "treaty_y_count", "treaty_y_sum"}
    assert ("treaty_y_sum", frozenset()) in samples(render(registries[1].collect(), "")[0].decode())


@pytest.mark.parametrize(
    ("accept", "media_type", "end"),
    [
        ("", "text/plain; version=0.0.4", ""),
        ("text/html", "text/plain; version=0.0.4", ""),
        ("application/openmetrics-text;version=1.0.0,text/plain", "application/openmetrics-text", "# EOF\n"),
    ],
)
def test_the_format_is_one_that_is_accepted(accept: str, media_type: str, end: str) -> None:
    body, told = render([GaugeMetricFamily("n", "N.", value=1)], accept)
    assert told.startswith(media_type)
    assert body.decode() == f"# HELP n N.\n# TYPE n gauge\nn 1.0\n{end}"


def test_attempts_are_counted_by_how_they_ended() -> None:
    figures = WorkerMetrics()
    with figures.attempt(task()):
        pass
    for error in (RuntimeError, KeyboardInterrupt):
        with pytest.raises(error), figures.attempt(task()):
            raise error
    told = samples(render(figures.registry.collect(), "")[0].decode())
    ends = [("treaty_worker_tasks_total", frozenset({("kind", "validate"), ("outcome", each)})) for each in ENDS]
    assert [told[each] for each in ends] == [1, 1, 1]
    assert told[("treaty_worker_cpu_seconds_total", frozenset())] > 0


def test_a_worker_answers_with_its_figures_where_it_is_told_to() -> None:
    figures, port = WorkerMetrics(), free_port()
    figures.spark.labels("measure").inc(1.5)
    with served(figures, "127.0.0.1", port), urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        told = answer.read().decode()
    assert 'treaty_worker_spark_seconds_total{request="measure"} 1.5' in told.splitlines()
    with pytest.raises(OSError, match="refused"):
        urlopen(f"http://127.0.0.1:{port}/metrics")


def test_a_worker_answers_nowhere_unless_told() -> None:
    with served(WorkerMetrics(), "127.0.0.1", 0) as port:
        assert port == 0
