"""Rows that fail: every row with the checks that it breaks, and samples of them, without a function over rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from contracts.predicates import literal
from engine.analyzers.base import operand_of
from engine.analyzers.bound import BoundAnalyzer
from engine.analyzers.breaking import Breaking, Reference
from engine.checks import BoundCheck, BoundChecks
from engine.requests import EngineError, Unreadable
from engine.results import Sample
from engine.samples import LONGEST, MASK, Shown, shown
from engine.spark import partitions
from engine.spark.failures import told
from engine.spark.sources import schema_of

BROKEN, UNEVALUATED = "broken_checks", "unevaluated_checks"
OURS = "__treaty_"
Frames = Mapping[str, Any]


def flagged(frame: Any, checks: BoundChecks, *, others: Frames | None = None, partition_by: Sequence[str] = ()) -> Any:
    """The frame, row for row, with two more columns: the ids of the checks that a row breaks, and of those that cannot
    be evaluated on it. Both list them in the contract's order, may be empty and are never null.

    A check names the rows that break it whether or not it fails as a whole: of a promise that 0.95 of the rows have a
    status, those that have none. Checks that no single row breaks (a mean, a number of rows) are in no list. Rows are
    compared with each other over the frame; for checks of scope delta within its partitions. `others` holds the frames
    of other datasets by name: a check that needs one which is not there is left out.

    Raises EngineError where the frame has a column of these names."""
    _refuse_taken(frame, (BROKEN, UNEVALUATED))
    tests = _tests(checks, others or {}, partition_by)
    marked = _marked(frame, tests, others or {})
    return marked.select("*", _ids(BROKEN, tests, "breaks"), _ids(UNEVALUATED, tests, "opens")).drop(*_added(tests))


def sample(
    frame: Any,
    checks: BoundChecks,
    only: Mapping[str, Sequence[str]],
    *,
    limit: int = 5,
    others: Frames | None = None,
    partition_by: Sequence[str] = (),
) -> tuple[Sample, ...]:
    """Up to `limit` rows that break each check of `only`, masked and cut by Spark itself, in one reading of the frame.

    `only` holds partitions by check id: rows of these alone are shown, of all where none is named. Which rows are
    chosen depends on the values shown alone, not on how they lie in files. Checks without such rows have no sample.
    Raises Unreadable where Spark cannot compute them."""
    tests = [each for each in _tests(checks, others or {}, partition_by) if each.id in only and each.breaks]
    views = [shown(each.check, checks, partition_by) for each in tests]
    if not tests:
        return ()
    chosen = [
        _chosen(each, view, checks, _within(partition_by, only[each.id]), limit)
        for each, view in zip(tests, views, strict=True)
    ]
    try:
        (found,) = _marked(frame, tests, others or {}).agg(*_expressions(chosen)).collect()
    except Exception as error:
        raise Unreadable(f"the rows that break checks cannot be read: {told(error)}") from error
    pairs = zip(tests, views, found, strict=True)
    return tuple(_sample(each.id, view, rows) for each, view, rows in pairs if rows)


def _sample(check_id: str, view: Sequence[Shown], rows: Any) -> Sample:
    return Sample(
        check_id=check_id,
        columns=tuple(each.path for each in view),
        masked=tuple(each.path for each in view if each.masked),
        rows=tuple(tuple(row) for row in rows),
    )


@dataclass(frozen=True)
class Window:
    """How many rows share `keys`, counted among those that `where` admits, in the column `name`."""

    name: str
    keys: tuple[str, ...]
    within: tuple[str, ...]
    where: str | None

    @property
    def sql(self) -> str:
        admitted = f"CASE WHEN {self.where} THEN 1 END" if self.where else "1"
        return f"count({admitted}) OVER (PARTITION BY {', '.join((*self.keys, *self.within))})"


@dataclass(frozen=True)
class Lookup:
    """Whether `keys` are found in another dataset: then the column `name` is true, else null."""

    name: str
    keys: tuple[str, ...]
    reference: Reference

    @property
    def sides(self) -> list[tuple[str, str]]:
        """The names of the key columns, here and there."""
        return [(f"{self.name}_l{at}", f"{self.name}_r{at}") for at in range(len(self.keys))]


@dataclass(frozen=True)
class RowTest:
    """A check on a single row: SQL, never null, that says whether the row `breaks` it, and whether it `opens` it (it
    cannot be evaluated there). None: no row does. Both may need a column that `aids` add to the frame."""

    check: BoundCheck
    breaks: str | None
    opens: str | None
    aids: tuple[Window | Lookup, ...] = ()

    @property
    def id(self) -> str:
        return self.check.check.id


def _tests(checks: BoundChecks, others: Frames, partition_by: Sequence[str]) -> list[RowTest]:
    return [_test(each, f"{OURS}{at}", others, partition_by) for at, each in enumerate(checks.checks) if each.bound]


def _test(check: BoundCheck, name: str, others: Frames, partition_by: Sequence[str]) -> RowTest:
    breaking, opens = check.breaking, _opens(check.bound) if check.bound else None
    if breaking is None or (breaking.reference and breaking.reference.dataset not in others):
        return RowTest(check, None, opens)
    within = tuple(partitions.keys(partition_by)) if check.scope == "delta" else ()
    aid = _aid(breaking, name, within)
    return RowTest(check, _breaks(breaking, aid), opens, (aid,) if aid else ())


def _aid(breaking: Breaking, name: str, within: tuple[str, ...]) -> Window | Lookup | None:
    if not breaking.keys:
        return None
    if breaking.reference:
        return Lookup(name, breaking.keys, breaking.reference)
    return Window(name, breaking.keys, within, breaking.where)


def _breaks(breaking: Breaking, aid: Window | Lookup | None) -> str:
    found = [f"({breaking.condition})"] if breaking.condition else []
    if aid:
        present = " OR ".join(f"{key} IS NOT NULL" for key in breaking.keys)
        alone = f"{aid.name} IS NULL" if isinstance(aid, Lookup) else f"{aid.name} > 1"
        found.append(f"(({present}) AND {alone})")
    return _sure(" OR ".join(f"coalesce({each}, false)" for each in found), breaking.where)


def _sure(condition: str, where: str | None) -> str:
    return f"coalesce(({where}) AND ({condition}), false)" if where else f"({condition})"


def _opens(bound: BoundAnalyzer) -> str | None:
    """As the analyzer counts them: rows its own conditions leave open, and rows that its filter does."""
    own = [f"({each.errs})" for given in bound.operands.values() for each in given if each.errs]
    where = bound.where
    found = [_sure(" OR ".join(own), where.sql if where else None)] if own else []
    return " OR ".join([*found, *([f"({where.errs})"] if where and where.errs else [])]) or None


def _refuse_taken(frame: Any, names: Sequence[str]) -> None:
    taken = sorted({each.casefold() for each in frame.columns} & set(names))
    if taken:
        raise EngineError(f"the table has a column {', '.join(taken)} already: rename or drop it first", retry=False)


def _aids(tests: Sequence[RowTest]) -> list[Window | Lookup]:
    return [aid for test in tests for aid in test.aids]


def _added(tests: Sequence[RowTest]) -> list[str]:
    """The columns that stand in the marked frame beside the table's own."""
    joined = [name for aid in _aids(tests) if isinstance(aid, Lookup) for pair in aid.sides for name in pair]
    return [*(aid.name for aid in _aids(tests)), *joined]


def _marked(frame: Any, tests: Sequence[RowTest], others: Frames) -> Any:
    """The frame with the columns that the tests need: equal windows are computed by Spark once."""
    from pyspark.sql import functions

    for aid in _aids(tests):
        if isinstance(aid, Lookup):
            frame = _looked_up(frame, aid, others[aid.reference.dataset])
    windows = [functions.expr(aid.sql).alias(aid.name) for aid in _aids(tests) if isinstance(aid, Window)]
    return frame.select("*", *windows) if windows else frame


def _looked_up(frame: Any, aid: Lookup, other: Any) -> Any:
    """A left join with the distinct rows of the other side: as many rows as before; null keys are equal."""
    from pyspark.sql import functions

    schema = schema_of(other)
    theirs = [operand_of(column, schema).canonical() for column in aid.reference.columns]
    here = _texts(aid.keys, [name for name, _ in aid.sides])
    there = _texts(theirs, [name for _, name in aid.sides])
    distinct = other.select(*there).distinct().select("*", functions.lit(True).alias(aid.name))
    same = functions.expr(" AND ".join(f"{mine} <=> {other}" for mine, other in aid.sides))
    return frame.select("*", *here).join(distinct, same, "left")


def _texts(sqls: Sequence[str], names: Sequence[str]) -> list[Any]:
    from pyspark.sql import functions

    return [functions.expr(f"cast({sql} as string)").alias(name) for sql, name in zip(sqls, names, strict=True)]


def _ids(name: str, tests: Sequence[RowTest], what: str) -> Any:
    """The array of the ids of the checks whose test holds, by the name of the test's field."""
    from pyspark.sql import functions

    told_by = [(each.id, getattr(each, what)) for each in tests]
    cases = ", ".join(f"CASE WHEN {sql} THEN {literal(check_id)} END" for check_id, sql in told_by if sql)
    array = f"array_compact(array({cases}))" if cases else "cast(array() as array<string>)"
    return functions.expr(array).alias(name)


def _within(partition_by: Sequence[str], names: Sequence[str]) -> str | None:
    return partitions.condition(partition_by, names) if names and partition_by else None


def _chosen(test: RowTest, view: Sequence[Shown], checks: BoundChecks, within: str | None, limit: int) -> str:
    """The aggregate that keeps the first rows in the order of a hash of what is shown of them."""
    full = [_text(each, checks) for each in view]
    cells = ", ".join(_cell(each, text) for each, text in zip(view, full, strict=True))
    where = f"{test.breaks} AND {within}" if within else test.breaks
    return f"min_by(array({cells}), xxhash64({', '.join(full)}), {limit}) FILTER (WHERE {where})"


def _text(column: Shown, checks: BoundChecks) -> str:
    operand = operand_of(column.path, checks.schema)
    return _WRITTEN.get(operand.base_type, "cast({0} as string)").format(operand.sql)


_WRITTEN = {**dict.fromkeys(("struct", "array", "map", "variant"), "to_json({0})"), "binary": "base64({0})"}


def _cell(column: Shown, text: str) -> str:
    if column.masked:
        return f"CASE WHEN {text} IS NOT NULL THEN {literal(MASK)} END"
    return f"CASE WHEN char_length({text}) > {LONGEST} THEN concat(left({text}, {LONGEST - 1}), '…') ELSE {text} END"


def _expressions(sqls: Sequence[str]) -> Iterator[Any]:
    from pyspark.sql import functions

    return (functions.expr(sql).alias(f"c{at}") for at, sql in enumerate(sqls))
