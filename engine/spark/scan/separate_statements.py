"""Compute components that need their own statement: references, matches, queries and classifiers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from treaty.contracts.document.model import DataObject
from treaty.engine.analyzers.base import NotApplicableToTable, operand_of
from treaty.engine.analyzers.bound import BoundComponent
from treaty.engine.analyzers.key_matching import as_keys, equal
from treaty.engine.checks.dataset_limits import ReferencedMetric, ReferenceValue, referenced_metrics
from treaty.engine.components.operands import NUMERIC, TEXT, Operand
from treaty.engine.components.separate_statement import KeyPairing, MatchCounts, ReferenceCounts
from treaty.engine.core.errors import EngineError, UnreadableTable
from treaty.engine.core.partitions import partition_names
from treaty.engine.protocol.requests import TableSource
from treaty.engine.spark.process.errors import is_cancelled, safe_message
from treaty.engine.spark.scan import classifiers
from treaty.engine.spark.sources.readers import read as read_table
from treaty.engine.spark.sources.readers import resolve_source, schema_of
from treaty.engine.states import bag as bags
from treaty.engine.states.bag import StateBag
from treaty.engine.states.planning.scan_plan import Plan, plan


@dataclass(frozen=True)
class OtherDatasets:
    """Frames of other datasets by name, and the reasons of those that cannot be read."""

    frames: Mapping[str, Any] = field(default_factory=dict)
    unread: Mapping[str, str] = field(default_factory=dict)

    def frame(self, name: str) -> Any:
        """Return the dataset of that name. Raises NotApplicableToTable with the reason if it is missing."""
        if name not in self.frames:
            reason = self.unread.get(name, "it is not available here")
            raise NotApplicableToTable(f"the dataset {name} cannot be read: {reason}")
        return self.frames[name]


NONE = OtherDatasets()


def open_datasets(session: Any, sources: Mapping[str, TableSource]) -> OtherDatasets:
    """Open the datasets that can be read and record why others cannot: only checks that need them fail."""
    frames, unread = {}, {}
    for name, source in sources.items():
        try:
            frames[name] = read_table(session, resolve_source(source))
        except UnreadableTable as error:
            unread[name] = error.reason
    return OtherDatasets(frames, unread)


# Raised by a query's SQL if some part of a row cannot be evaluated.
RAISED = "USER_RAISED_EXCEPTION"
UNEVALUATED = "the query cannot be evaluated for some rows, where a cast, a date or a division fails"


def whole_table_states(frame: Any, plan: Plan, other_datasets: OtherDatasets) -> StateBag | None:
    """Return the bag of components that need all rows at once; None if the plan has none."""
    if not plan.whole_table:
        return None
    values: dict[str, Any] = {}
    failures: dict[str, str] = {}
    for part in plan.whole_table:
        states = read(frame, part, other_datasets)
        if isinstance(states, str):
            failures[part.key] = states
        else:
            values[part.key] = states.get("", part.component.zero)
    return bags.bag_of_plan(Plan(scan=(), separate=plan.whole_table), values, schema_of(frame), failures=failures)


def referents(data_object: DataObject, other_datasets: OtherDatasets) -> dict[str, ReferenceValue]:
    """Measure the bounds of the object that refer to these datasets; others are left out."""
    available = {
        words: each for words, each in referenced_metrics(data_object).items() if each.dataset in other_datasets.frames
    }
    return {words: _referent(each, other_datasets) for words, each in available.items()}


def _referent(metric: ReferencedMetric, other_datasets: OtherDatasets) -> ReferenceValue:
    from treaty.engine.spark.scan.scanner import scan

    frame = other_datasets.frame(metric.dataset)
    try:
        bound = metric.analyzer.bind(schema_of(frame))
        bag = scan(frame, plan([bound]), other_datasets=other_datasets)[""]
        value = bound.value(bag.values)
    except (NotApplicableToTable, EngineError) as error:
        return ReferenceValue(reason=str(error))
    except KeyError as missing:
        return ReferenceValue(reason=bag.failure(str(missing.args[0])))
    return ReferenceValue(value, None if value is not None else "there was nothing to measure", {"measured": "now"})


def read(
    frame: Any,
    part: BoundComponent,
    other_datasets: OtherDatasets,
    *,
    partition_by: Sequence[str] = (),
    names: Sequence[str] = ("",),
) -> dict[str, Any] | str:
    """Return the states of one component by partition name, or the reason why it failed."""
    admitted = frame.where(part.where) if part.where else frame
    try:
        return READERS[part.component.kind](
            PartitionedRows(admitted, tuple(partition_by), tuple(names)), part, other_datasets
        )
    except NotApplicableToTable as reason:
        return str(reason)
    except Exception as error:
        if is_cancelled(error):
            raise
        condition = safe_message(error)
        return UNEVALUATED if condition.startswith(RAISED) else f"Spark could not compute it: {condition}"


@dataclass(frozen=True)
class PartitionedRows:
    """Rows to be read, their partition columns and partition names."""

    frame: Any
    by: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def places(self) -> list[str]:
        """Return the select list of a row's partition values."""
        return [f"{sql} as p{at}" for at, sql in enumerate(partition_names.keys(self.by))]

    @property
    def placed(self) -> list[str]:
        """Return the column names of the partition values."""
        return [f"p{at}" for at in range(len(self.by))]

    def each(self, read: Callable[[Any], Any]) -> dict[str, Any]:
        """Apply `read` to each partition separately."""
        if not self.by:
            return {"": read(self.frame)}
        return {name: read(partition_names.only(self.frame, self.by, [name])) for name in self.names}


def _references(rows: PartitionedRows, part: BoundComponent, other_datasets: OtherDatasets) -> dict[str, Any]:
    """Count references with one join on the other dataset's distinct values.

    Equal rows are counted together first."""
    component: ReferenceCounts = part.component  # type: ignore[assignment]
    other = other_datasets.frame(component.dataset)
    pairs = _keys(part.operands, other, component.columns)
    own_sql, other_sql = ([f"{sql} as k{at}" for at, sql in enumerate(side)] for side in zip(*pairs, strict=True))
    keys = [f"k{at}" for at in range(len(pairs))]
    present = " and ".join(f"{key} is not null" for key in keys)
    counted = rows.frame.selectExpr(*rows.places, *own_sql).where(present).groupBy(*rows.placed, *keys).count()
    other_keys = other.selectExpr(*other_sql).where(present).distinct().selectExpr("*", "true as known")
    joined = counted.withColumnRenamed("count", "n").join(other_keys, keys, "left")
    sums = _expressions("coalesce(sum(n), 0)", "coalesce(sum(if(known, 0, n)), 0)")
    counts = [tuple(row) for row in joined.groupBy(*rows.placed).agg(*sums).collect()]
    return {partition_names.name(rows.by, row[:-2]): (int(row[-2]), int(row[-1])) for row in counts}


def _keys(mine: Sequence[Operand], other: Any, columns: Sequence[str]) -> list[tuple[str, str]]:
    """Return our key columns and the other dataset's as comparable SQL.

    Raises NotApplicableToTable if they cannot be compared."""
    schema = schema_of(other)
    return [as_keys(each, operand_of(name, schema)) for each, name in zip(mine, columns, strict=True)]


def _matches(rows: PartitionedRows, part: BoundComponent, other_datasets: OtherDatasets) -> dict[str, Any]:
    component: MatchCounts = part.component  # type: ignore[assignment]
    pairing = component.pairing
    other = other_datasets.frame(pairing.dataset)
    keys = _keys(part.operands[: len(pairing.keys)], other, pairing.keys)
    mine = part.operands[len(pairing.keys) :]
    other_operands = [operand_of(name, schema_of(other)) for _, name in pairing.compare]
    same, right = (
        _agreement(mine, other_operands, pairing),
        _sides(other, [key for _, key in keys], other_operands, "r"),
    )
    return rows.each(lambda frame: _matched(_sides(frame, [key for key, _ in keys], mine, "l"), right, len(keys), same))


def _sides(frame: Any, keys: Sequence[str], values: Sequence[Operand], side: str) -> Any:
    """Return one row per key: how many rows have it, and the compared values of its first row.

    Values are used only for keys with a single row."""
    named = [f"{sql} as {side}k{at}" for at, sql in enumerate(keys)]
    compared = [f"{value.sql} as {side}v{at}" for at, value in enumerate(values)]
    firsts = (f"first({side}v{at}) as {side}v{at}" for at in range(len(values)))
    grouped = frame.selectExpr(*named, *compared).groupBy(*(f"{side}k{at}" for at in range(len(keys))))
    return grouped.agg(*_expressions(f"count(1) as {side}n", *firsts))


def _agreement(mine: Sequence[Operand], theirs: Sequence[Operand], pairing: KeyPairing) -> str:
    """Return SQL, never null, for whether the compared values of a pair agree."""
    named = [
        (replace(left, sql=f"lv{at}"), replace(right, sql=f"rv{at}"))
        for at, (left, right) in enumerate(zip(mine, theirs, strict=True))
    ]
    tests = [equal(*pair, tolerance=pairing.tolerance, relative=pairing.relative) for pair in named]
    return " and ".join(tests) or "true"


def _matched(left: Any, right: Any, keys: int, same: str) -> tuple[int, ...]:
    from pyspark.sql import functions

    on = functions.expr(" and ".join(f"lk{at} <=> rk{at}" for at in range(keys)))
    pair = "ln = 1 and rn = 1"
    sums = _expressions(
        "sum(ln)",
        f"count_if({pair} and {same})",
        f"count_if({pair} and not ({same}))",
        "sum(if(rn is not null and (ln > 1 or rn > 1), ln, 0))",
        "sum(if(rn is null, ln, 0))",
        "sum(if(ln is null, rn, 0))",
    )
    (row,) = left.join(right, on, "full_outer").agg(*sums).collect()
    return tuple(int(count or 0) for count in row)


def _answer(rows: PartitionedRows, part: BoundComponent, other_datasets: OtherDatasets) -> dict[str, Any]:
    query = part.operands[0].sql
    return rows.each(lambda frame: _number(frame, query))


def _number(frame: Any, query: str) -> Any:
    """Return the single value of the query's single row.

    Raises NotApplicableToTable if it is neither a number nor a text."""
    result = frame.sparkSession.sql(query, rows=frame)
    (column,) = schema_of(result)
    if column.base_type not in NUMERIC | TEXT | {"boolean", "void"}:
        raise NotApplicableToTable(
            f"the query returns a value of type {column.type}, but a check needs a number or a text"
        )
    (row,) = result.collect()
    return int(row[0]) if isinstance(row[0], bool) else row[0]


def _expressions(*sqls: str) -> list[Any]:
    from pyspark.sql import functions

    return [functions.expr(sql) for sql in sqls]


READERS: dict[str, Callable[[PartitionedRows, BoundComponent, OtherDatasets], dict[str, Any]]] = {
    "references": _references,
    "matches": _matches,
    "answer": _answer,
    "confusion": classifiers.confusion,
}
