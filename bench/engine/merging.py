"""States of many partitions made up without Spark, and merged: what a question over a long history costs."""

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
    """Metrics of a made-up table, and the keys of the states that they are read from."""

    asked: tuple[MetricQuery, ...]
    keys: frozenset[str]


def bags_of(partitions: int) -> tuple[Metrics, Mapping[str, bytes]]:
    """Five metrics of forty columns, and the packed states of so many partitions with other values each."""
    asked = tuple(state_queries.bind_metric(kind(column=column.name), SCHEMA) for column in SCHEMA for kind in KINDS)
    wanted = plan(each.bound for each in asked if each.bound)
    packed = {
        f"day={at}": bags.bag_of_plan(wanted, _values(wanted, at), SCHEMA).pack() for at in range(min(partitions, 100))
    }
    names = list(packed)
    return Metrics(asked, wanted.keys), {f"day={at}": packed[names[at % len(names)]] for at in range(partitions)}


def _values(wanted: Plan, at: int) -> dict[str, Any]:
    made = {"count": 1000 + at, "sum": 10_000 * at, "min": -at, "max": at, "moments": (1000, 5.0 + at, 17.0)}
    return {part.key: made[part.component.kind] for part in wanted.scan}


def merged(metrics: Metrics, packed: Mapping[str, bytes]) -> None:
    """Merges them all and reads every metric. Raises AssertionError where one has no value."""
    found = state_queries.answers(metrics.asked, iter(packed.items()), now=NOW)
    assert all(each.reading for each in found), [each.reason for each in found][:3]
