"""Render metrics with prometheus-client, from one registry per application or worker.

No registry is global. Labels are routes, states, kinds and verdicts, all from fixed sets, and never the name of a
contract, a dataset or a person."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

Family = TypeVar("Family", CounterMetricFamily, GaugeMetricFamily)


class ProcessRegistry(CollectorRegistry):
    """The counters of one process.

    `labels`: added to every sample to distinguish this process from others."""

    def __init__(self, labels: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self.labels = dict(labels or {})

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics without the `_created` series that the library adds to counters and histograms."""
        for metric in super().collect():
            samples = (each for each in metric.samples if not each.name.endswith("_created"))
            metric.samples = [each._replace(labels={**self.labels, **each.labels}) for each in samples]
            yield metric


@dataclass(frozen=True)
class MetricList(Collector):
    """Metrics that are already collected."""

    metrics: Iterable[Metric]

    def collect(self) -> Iterable[Metric]:
        """Return the metrics."""
        return self.metrics


def render(metrics: Iterable[Metric], accept: str) -> tuple[bytes, str]:
    """Return the encoded metrics and their media type.

    `accept`: the Accept header; the default format is Prometheus text."""
    encode, media_type = choose_encoder(accept)
    return encode(MetricList(metrics)), media_type


def fill(family: Family, counts: Mapping[Any, float]) -> Family:
    """Add one sample per label value, or tuple of them, and return the family."""
    for values, count in counts.items():
        family.add_metric(values if isinstance(values, tuple) else (str(values),), count)
    return family
