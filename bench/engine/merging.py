"""Merge synthetic states of many partitions without Spark: the cost of a metric over a long history."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from treaty.contracts.schema import Column, Schema
from treaty.engine.analyzers.nulls import Completeness
from treaty.engine.analyzers.numbers import Maximum, Mean, Minimum, StandardDeviation
from treaty.engine.evaluation import state_queries
from treaty.engine.evaluation.state_queries import MetricQuery
from treaty.engine.states import bag as bags
from treaty.engine.states.planning.scan_plan import Plan, plan

COLUMNS = 40
KINDS = (Completeness, Mean, Minimum, Maximum, StandardDeviation)
SCHEMA = Schema(tuple(Column(f"c{at}", "bigint") for at in range(COLUMNS)))
NOW = datetime(2026, 11, 21, tzinfo=UTC)


@dataclass(frozen=True)
class Metrics:
    """Metrics of a synthetic table, and the keys of the states they need."""

    queries: tuple[MetricQuery, ...]
    keys: frozenset[str]


def bags_of(partitions: int) -> tuple[Metrics, Mapping[str, bytes]]:
    """Return five metrics of forty columns, and packed states of `partitions` partitions."""
    queries = tuple(state_queries.bind_metric(kind(column=column.name), SCHEMA) for column in SCHEMA for kind in KINDS)
    scan_plan = plan(each.bound for each in queries if each.bound)
    packed = {
        f"day={at}": bags.bag_of_plan(scan_plan, _values(scan_plan, at), SCHEMA).pack()
        for at in range(min(partitions, 100))
    }
    names = list(packed)
    return Metrics(queries, scan_plan.keys), {f"day={at}": packed[names[at % len(names)]] for at in range(partitions)}


def _values(plan: Plan, at: int) -> dict[str, Any]:
    values = {"count": 1000 + at, "sum": 10_000 * at, "min": -at, "max": at, "moments": (1000, 5.0 + at, 17.0)}
    return {part.key: values[part.component.kind] for part in plan.scan}


def merged(metrics: Metrics, packed: Mapping[str, bytes]) -> None:
    """Merge all states and compute every metric. Raises AssertionError if one has no value."""
    answers = state_queries.answers(metrics.queries, iter(packed.items()), now=NOW)
    assert all(each.reading for each in answers), [each.reason for each in answers][:3]
