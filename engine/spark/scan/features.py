"""Count hashed tokens by class, and select the test rows, in one Spark statement."""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from treaty.engine.analyzers.base import NotApplicableToTable
from treaty.engine.analyzers.bound import BoundComponent
from treaty.engine.components.hashed_features import BUCKETS, ROW, content, held_out, label, split_arguments, tokens
from treaty.engine.components.naive_bayes import MAX_TEST_ROWS
from treaty.engine.core.hash_key import HashKey
from treaty.engine.core.partitions import partition_names
from treaty.engine.spark.scan.frequencies import split

# Pairs of class and feature, over all partitions read together: they are collected by this process.
MOST_PAIRS = 4_000_000
TOO_MANY = f"the target and its inputs have more than {MOST_PAIRS:,} pairs of class and feature: too many to learn from"


def group(frame: Any, part: BoundComponent, partition_by: Sequence[str], key: HashKey) -> dict[str, Any]:
    """Return the component's state by partition name. Partitions without a target are absent.

    Raises NotApplicableToTable."""
    by = [f"p{at}" for at in range(len(partition_by))]
    rows = _rows(frame, part, partition_by)
    bags = _bags(part)
    training = _counted(rows.where("not held") if _holds_out(part) else rows, bags, [*by, "t"]).limit(MOST_PAIRS + 1)
    test = _counted(_fewest(rows.where("held") if _holds_out(part) else rows, by), bags, [*by, "h", "t"])
    table = training.unionByName(test, allowMissingColumns=True).select(*by, "h", "t", "f", "n").toArrow()
    if table["h"].null_count > MOST_PAIRS:
        raise NotApplicableToTable(TOO_MANY)
    return split(table, part, partition_by)


def _holds_out(part: BoundComponent) -> bool:
    return bool(part.component.held_out_count)  # type: ignore[attr-defined]


def _rows(frame: Any, part: BoundComponent, partition_by: Sequence[str]) -> Any:
    """Return partition p0, ..., class t, content h, whether held out, and inputs x0, ..."""
    target, inputs, split_by = split_arguments(part.operands, part.component.held_out_count)  # type: ignore[attr-defined]
    by = [f"{sql} as p{at}" for at, sql in enumerate(partition_names.keys(partition_by))]
    present = f"{target.sql} IS NOT NULL"
    chosen = frame.where(f"({part.where}) AND {present}" if part.where else present)
    held_flag = f"{held_out(split_by) if split_by else 'true'} as held"
    named = (f"{label(target)} as t", f"{content((target, *inputs))} as h", held_flag)
    return chosen.selectExpr(*by, *named, *(f"{each.sql} as x{at}" for at, each in enumerate(inputs)))


def _bags(part: BoundComponent) -> Sequence[str]:
    """Return the SQL of each input's tokens, then one that stands for the row itself.

    Texts are tokenized only in rows that are counted."""
    _, inputs, _ = split_arguments(part.operands, part.component.held_out_count)  # type: ignore[attr-defined]
    named = (replace(each, sql=f"x{at}") for at, each in enumerate(inputs))
    return [*map(tokens, named), "array(cast(null as string))"]


def _counted(rows: Any, bags: Sequence[str], keys: Sequence[str]) -> Any:
    """Count each feature (n) by the keys: a feature is a bucket of an input's position and a token."""
    each = rows.selectExpr(*keys, f"posexplode(array({', '.join(bags)})) as (at, tokens)")
    words = each.selectExpr(*keys, "at", "explode(tokens) as token")
    bucket = f"cast(xxhash64(at, token) & {BUCKETS - 1} as int)"
    feature = f"if(at = {len(bags) - 1}, {ROW}, {bucket}) as f"
    return words.selectExpr(*keys, feature).groupBy(*keys, "f").count().withColumnRenamed("count", "n")


def _fewest(rows: Any, by: Sequence[str]) -> Any:
    """Return the test rows of each partition: those whose contents have the lowest hashes.

    At most MAX_TEST_ROWS contents are chosen, with all their copies."""
    from pyspark.sql import Window, functions

    window = Window.partitionBy(*(by or [functions.lit(1)])).orderBy("h")
    ranked = rows.select(*by, "h").distinct().withColumn("rank", functions.row_number().over(window))
    cut = ranked.where(f"rank <= {MAX_TEST_ROWS}").groupBy(*(functions.col(each).alias(f"of_{each}") for each in by))
    edges = cut.agg(functions.max("h").alias("edge"))
    same = (functions.col(each).eqNullSafe(functions.col(f"of_{each}")) for each in by)
    within = reduce(lambda one, other: one & other, same, functions.expr("h <= edge"))
    return rows.join(functions.broadcast(edges), within, "left_semi")
