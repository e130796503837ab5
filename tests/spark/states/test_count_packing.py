"""Counts asked together are those asked one by one, whatever Spark's tasks put together."""

from typing import Any

import pytest

from treaty.contracts.schema import Column, Schema
from treaty.engine.analyzers.nulls import Completeness
from treaty.engine.analyzers.quantiles import ApproxQuantile
from treaty.engine.analyzers.rows import Compliance
from treaty.engine.analyzers.types import DataType
from treaty.engine.spark.scan.scanner import scan
from treaty.engine.states.planning.count_packing import NUMBERS, words
from treaty.engine.states.planning.scan_plan import plan

ROWS, TASKS, FLAGS = 40_000, 40, 18


@pytest.mark.parametrize("by", [(), ("part",)])
def test_every_count_is_exact_after_many_tasks(spark: Any, by: tuple[str, ...]) -> None:
    flags = [f"if(hash(id, {at}) % 10 < {at % 9 + 1}, {at}, null) as c{at}" for at in range(FLAGS)]
    text = "element_at(array('1', '2.5', '1e3', 'true', '2026-01-01', 'x', null), 1 + pmod(hash(id, 'k'), 7)) as text"
    frame = spark.range(ROWS).selectExpr(
        "id", "cast(pmod(id, 3) as string) as part", "cast(id as double) as x", text, *flags
    )
    frame = frame.repartition(TASKS)
    schema = Schema(tuple(Column(name, kind) for name, kind in frame.dtypes))
    counts = [
        *(Completeness(column=f"c{at}").bind(schema) for at in range(FLAGS)),
        *(Completeness(column=f"c{at}", where="id > 777").bind(schema) for at in range(3)),
        Compliance(predicate="c3 IS NULL OR id < 1000").bind(schema),
        DataType(column="text", type="integer").bind(schema),
    ]
    asked = plan([*counts, ApproxQuantile(column="x", quantile=0.5).bind(schema)])
    told = words(asked.scan)
    assert sum(len(word.parts) for word in told) == len(counts) + 1
    # So many numbers occur that tasks have to put bins together.
    assert frame.selectExpr(f"{told[0].sql} as n").distinct().count() > NUMBERS / 2
    one_by_one = scan(frame, plan(counts), partition_by=by)
    for name, bag in scan(frame, asked, partition_by=by).items():
        assert {key: bag.values[key] for key in one_by_one[name].values} == one_by_one[name].values
