"""Find violating rows: flag every row with the checks it violates, and draw samples, without UDFs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from treaty.contracts.predicates.parser import literal
from treaty.engine.analyzers.base import operand_of
from treaty.engine.checks.bound_check import BoundChecks
from treaty.engine.core.errors import EngineError, UnreadableTable
from treaty.engine.core.partitions import partition_names
from treaty.engine.core.results import ViolationSample
from treaty.engine.evaluation.violation_samples import LONGEST, MASK, SampleColumn, sample_columns
from treaty.engine.spark.process.errors import is_cancelled, safe_message
from treaty.engine.spark.scan.row_predicates import RowTest, added, marked, row_tests
from treaty.engine.spark.scan.separate_statements import NONE, OtherDatasets

BROKEN, UNEVALUATED = "broken_checks", "unevaluated_checks"


def flag_rows(
    frame: Any, checks: BoundChecks, *, other_datasets: OtherDatasets = NONE, partition_by: Sequence[str] = ()
) -> Any:
    """Return the frame with two more columns: the checks a row violates and those not evaluated on it.

    Both list check ids in the contract's order, may be empty and are never null. A check lists the rows that violate
    it whether or not it fails as a whole: if 0.95 of the rows must have a status, the rows without one. Checks that
    no single row can violate (a mean, a number of rows) are in no list. Rows are compared over the whole frame; for
    checks of scope delta within their partitions. `other_datasets`: frames of other datasets by name; a check whose
    dataset is missing is left out. Raises EngineError if the frame has a column of these names."""
    refuse_taken(frame, (BROKEN, UNEVALUATED))
    tests = row_tests(checks, other_datasets, partition_by)
    flagged = marked(frame, tests, other_datasets)
    return flagged.select("*", _ids(BROKEN, tests, "breaks"), _ids(UNEVALUATED, tests, "opens")).drop(*added(tests))


def sample(
    frame: Any,
    checks: BoundChecks,
    only: Mapping[str, Sequence[str]],
    *,
    limit: int = 5,
    other_datasets: OtherDatasets = NONE,
    partition_by: Sequence[str] = (),
) -> tuple[ViolationSample, ...]:
    """Return up to `limit` violating rows of each check, in one scan.

    Spark itself masks and truncates the values. `only`: partitions by check id; rows are taken from these, or from all
    partitions if the list is empty. The choice of rows depends only on the values shown, not on their order in files.
    Checks without such rows have no sample. Raises UnreadableTable if Spark cannot compute them."""
    tests = [each for each in row_tests(checks, other_datasets, partition_by) if each.id in only and each.breaks]
    views = [sample_columns(each.check, checks, partition_by) for each in tests]
    if not tests:
        return ()
    chosen = [
        _chosen(each, [_cell(column, checks) for column in view], _within(partition_by, only[each.id]), limit)
        for each, view in zip(tests, views, strict=True)
    ]
    try:
        (samples,) = marked(frame, tests, other_datasets).agg(*_expressions(chosen)).collect()
    except Exception as error:
        if is_cancelled(error):
            raise
        raise UnreadableTable(f"the violating rows cannot be read: {safe_message(error)}") from error
    pairs = zip(tests, views, samples, strict=True)
    return tuple(_sample(each.id, view, rows) for each, view, rows in pairs if rows)


def _sample(check_id: str, view: Sequence[SampleColumn], rows: Any) -> ViolationSample:
    return ViolationSample(
        check_id=check_id,
        columns=tuple(each.path for each in view),
        masked=tuple(each.path for each in view if each.masked),
        rows=tuple(tuple(row) for row in rows),
    )


def refuse_taken(frame: Any, names: Sequence[str]) -> None:
    conflicts = sorted({each.casefold() for each in frame.columns} & set(names))
    if conflicts:
        raise EngineError(
            f"the table already has a column {', '.join(conflicts)}: rename or drop it first", retry=False
        )


def _ids(name: str, tests: Sequence[RowTest], what: str) -> Any:
    """Return the array of the ids of checks whose test is true; `what` is the test's field."""
    from pyspark.sql import functions

    conditions = [(each.id, getattr(each, what)) for each in tests]
    cases = ", ".join(f"CASE WHEN {sql} THEN {literal(check_id)} END" for check_id, sql in conditions if sql)
    array = f"array_compact(array({cases}))" if cases else "cast(array() as array<string>)"
    return functions.expr(array).alias(name)


def _within(partition_by: Sequence[str], names: Sequence[str]) -> str | None:
    return partition_names.condition(partition_by, names) if names and partition_by else None


def _chosen(test: RowTest, cells: Sequence[tuple[str, str]], within: str | None, limit: int) -> str:
    """Return the aggregate that takes the first rows by a hash of the shown columns."""
    condition = f"{test.breaks} AND {within}" if within else test.breaks
    shown, full = (", ".join(each) for each in zip(*cells, strict=True))
    return f"min_by(array({shown}), xxhash64({full}), {limit}) FILTER (WHERE {condition})"


def _cell(column: SampleColumn, checks: BoundChecks) -> tuple[str, str]:
    """Return the SQL of a value as shown, and in full."""
    operand = operand_of(column.path, checks.schema)
    text = _WRITTEN.get(operand.base_type, "cast({0} as string)").format(operand.sql)
    if column.masked:
        return f"CASE WHEN {text} IS NOT NULL THEN {literal(MASK)} END", text
    cut = f"CASE WHEN char_length({text}) > {LONGEST} THEN concat(left({text}, {LONGEST - 1}), '…') ELSE {text} END"
    return cut, text


_WRITTEN = {**dict.fromkeys(("struct", "array", "map", "variant"), "to_json({0})"), "binary": "base64({0})"}


def _expressions(sqls: Sequence[str]) -> Iterator[Any]:
    from pyspark.sql import functions

    return (functions.expr(sql).alias(f"c{at}") for at, sql in enumerate(sqls))
