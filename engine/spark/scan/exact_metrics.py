"""Compute exact values of metrics whose estimates leave their checks uncertain."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from treaty.engine.analyzers.exact import ExactMetric
from treaty.engine.checks.bound_check import BoundCheck, BoundChecks
from treaty.engine.core.errors import UnreadableTable
from treaty.engine.core.partitions import partition_names
from treaty.engine.core.results import ExactValue, MetricKey
from treaty.engine.spark.process.errors import is_cancelled, safe_message

VALUE, COUNT = "value", "n"


def exact_values(
    frame: Any, checks: BoundChecks, uncertain: Mapping[str, Sequence[str | None]], partition_by: Sequence[str] = ()
) -> dict[MetricKey, ExactValue]:
    """Return the exact metrics of these checks: one statement for all partitions, and one for all rows together.

    Metrics of counted values take a statement per column, because its values are grouped first.
    `uncertain`: by check id, the partitions; None means all rows. Checks whose metric has no exact form are left out.
    Raises UnreadableTable if Spark cannot compute them."""
    chosen = [each for each in checks.checks if each.check.id in uncertain and each.exact]
    names = sorted({name for each in chosen for name in uncertain[each.check.id] if name is not None})
    alone = [each for each in chosen if set(uncertain[each.check.id]) & set(names)]
    over_all = [each for each in chosen if None in uncertain[each.check.id]]
    rows = partition_names.only(frame, partition_by, names) if partition_by and names else frame
    try:
        values = dict(_values(rows, _metrics(alone), partition_by))
        of_all = dict(_values(frame, _metrics(over_all), ()))
    except Exception as error:
        if is_cancelled(error):
            raise
        raise UnreadableTable(f"the exact values cannot be computed: {safe_message(error)}") from error
    return values | {(identity, None): value for (identity, _), value in of_all.items()}


def _metrics(checks: Iterable[BoundCheck]) -> dict[str, ExactMetric]:
    """Return the exact metrics by identity; those over a view only count the view's rows."""
    return {each.identity or "": each.exact for each in checks if each.exact}


def _values(
    frame: Any, metrics: Mapping[str, ExactMetric], partition_by: Sequence[str]
) -> Iterator[tuple[MetricKey, ExactValue]]:
    """Yield the metrics; those of a second statement take one for each partition."""
    seconds: dict[str, dict[str, ExactMetric]] = {}
    for (key, name), row in _results(frame, metrics, partition_by):
        second = metrics[key].second
        if second is None:
            yield (key, name), metrics[key].value(row)
        elif metric := second(row):
            seconds.setdefault(name, {})[key] = metric
    for name, following in seconds.items():
        rows = partition_names.only(frame, partition_by, [name]) if partition_by else frame
        yield from _values(rows, following, partition_by)


def _results(
    frame: Any, metrics: Mapping[str, ExactMetric], partition_by: Sequence[str]
) -> Iterator[tuple[tuple[str, str], Sequence[Any]]]:
    plain = {key: metric for key, metric in metrics.items() if metric.groups is None}
    by = [f"{sql} AS p{at}" for at, sql in enumerate(partition_names.keys(partition_by))]
    if plain:
        yield from _read(frame, plain, partition_by, by)
    for groups in dict.fromkeys(metric.groups for metric in metrics.values() if metric.groups is not None):
        same = {key: metric for key, metric in metrics.items() if metric.groups == groups}
        columns = [f"p{at}" for at in range(len(by))]
        # Equal SQL over the same rows has equal constants.
        joined = _with_constants(frame, next(iter(same.values())).constants)
        yield from _read(_counted(joined, groups, by, columns), same, partition_by, columns)


def _with_constants(frame: Any, constants: Mapping[str, Sequence[float]]) -> Any:
    """Join the constants to each row, so that they appear in no plan."""
    if not constants:
        return frame
    import pyarrow
    from pyspark.sql import functions

    row = pyarrow.table({name: [list(numbers)] for name, numbers in constants.items()})
    return frame.crossJoin(functions.broadcast(frame.sparkSession.createDataFrame(row)))


def _counted(frame: Any, groups: str, by: Sequence[str], columns: Sequence[str]) -> Any:
    """Return each value with its count and columns for aggregates; Spark computes only those used."""
    values = frame.selectExpr(*by, f"{groups} AS {VALUE}").where(f"{VALUE} IS NOT NULL")
    counts = values.groupBy(*columns, VALUE).count().withColumnRenamed("count", COUNT)
    part = f"PARTITION BY {', '.join(columns)}" if columns else ""
    windows = {
        "running": f"sum({COUNT}) OVER ({part} ORDER BY {VALUE})",
        "place": f"row_number() OVER ({part} ORDER BY {COUNT} DESC, {VALUE})",
        "distinct": f"count(*) OVER ({part})",
        "total": f"sum({COUNT}) OVER ({part})",
    }
    return counts.selectExpr("*", *(f"{sql} AS {name}" for name, sql in windows.items()))


def _read(
    frame: Any, metrics: Mapping[str, ExactMetric], partition_by: Sequence[str], by: Sequence[str]
) -> Iterator[tuple[tuple[str, str], Sequence[Any]]]:
    from pyspark.sql import functions

    sqls = [sql for metric in metrics.values() for sql in metric.aggregates]
    aggregates = [functions.expr(sql).alias(f"c{at}") for at, sql in enumerate(sqls)]
    # Not collected at once: the state of a partition has thousands of values.
    rows = frame.groupBy(*map(functions.expr, by)).agg(*aggregates).toLocalIterator()
    for row in map(tuple, rows):
        name = partition_names.name(partition_by, row[: len(by)])
        numbers = iter(row[len(by) :])
        for key, metric in metrics.items():
            yield (key, name), [next(numbers) for _ in metric.aggregates]
