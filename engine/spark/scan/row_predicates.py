"""What stands beside a row while it is judged: SQL tests of single rows, and the columns that some of them need."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from treaty.engine.analyzers.base import NotApplicableToTable, operand_of
from treaty.engine.analyzers.bound import BoundAnalyzer
from treaty.engine.analyzers.key_matching import as_keys
from treaty.engine.analyzers.violating_rows import KeyReference, ViolatingRows
from treaty.engine.checks.bound_check import BoundCheck, BoundChecks
from treaty.engine.core.partitions import partition_names
from treaty.engine.spark.scan.separate_statements import OtherDatasets
from treaty.engine.spark.sources.readers import schema_of

OURS = "__treaty_"


@dataclass(frozen=True)
class RowWindow:
    """How many rows share `keys`, counted among those that `where` admits, in the column `name`."""

    name: str
    keys: tuple[str, ...]
    conditions: tuple[str, ...]
    where: str | None

    @property
    def sql(self) -> str:
        admitted = f"CASE WHEN {self.where} THEN 1 END" if self.where else "1"
        return f"count({admitted}) OVER (PARTITION BY {', '.join((*self.keys, *self.conditions))})"


@dataclass(frozen=True)
class RowLookup:
    """Whether a row is found in `dataset`: then the column `name` is true, else null. `pairs`: its keys as SQL here,
    and their counterparts there."""

    name: str
    dataset: str
    pairs: tuple[tuple[str, str], ...]

    @property
    def sides(self) -> list[tuple[str, str]]:
        """The names of the key columns, here and there."""
        return [(f"{self.name}_l{at}", f"{self.name}_r{at}") for at in range(len(self.pairs))]


@dataclass(frozen=True, kw_only=True)
class RowTest:
    """A check on a single row: SQL, never null, that says whether the row `breaks` it, and whether it `opens` it (it
    cannot be evaluated there). None: no row does. `breaks` may need the column that `aid` adds to the frame.
    `reason` says why rows cannot be judged that could be elsewhere: another dataset is not at hand."""

    check: BoundCheck
    breaks: str | None
    opens: str | None
    aid: RowWindow | RowLookup | None = None
    reason: str | None = None

    @property
    def id(self) -> str:
        return self.check.check.id


def row_tests(checks: BoundChecks, others: OtherDatasets, partition_by: Sequence[str]) -> list[RowTest]:
    """The tests of all checks that can be judged, in the contract's order. `others`: the datasets that are at hand."""
    within = tuple(partition_names.keys(partition_by))
    return [
        _test(bound, each, _Place(f"{OURS}{at}", checks, others, within))
        for at, each in enumerate(checks.checks)
        if (bound := each.bound)
    ]


@dataclass(frozen=True)
class _Place:
    """Where a check is judged: the name of its column, the table's columns, the other datasets, a row's partition."""

    name: str
    checks: BoundChecks
    datasets: OtherDatasets
    partition: tuple[str, ...]


def _test(bound: BoundAnalyzer, check: BoundCheck, place: _Place) -> RowTest:
    breaking, opens = check.breaking, _opens(bound)
    if breaking is None:
        return RowTest(check=check, breaks=None, opens=opens)
    try:
        aid = _aid(check, breaking, place)
    except NotApplicableToTable as reason:
        return RowTest(check=check, breaks=None, opens=opens, reason=str(reason))
    return RowTest(check=check, breaks=_breaks(breaking, aid), opens=opens, aid=aid)


def _aid(check: BoundCheck, breaking: ViolatingRows, place: _Place) -> RowWindow | RowLookup | None:
    if not breaking.keys:
        return None
    if breaking.reference:
        return RowLookup(place.name, breaking.reference.dataset, tuple(_pairs(check, breaking.reference, place)))
    within = place.partition if check.scope == "delta" else ()
    return RowWindow(place.name, breaking.keys, within, breaking.where)


def _pairs(check: BoundCheck, reference: KeyReference, place: _Place) -> Iterator[tuple[str, str]]:
    """The keys as the check itself compares them. Raises Unbindable where the dataset is not there or another kind."""
    theirs = schema_of(place.datasets.frame(reference.dataset))
    mine = check.analyzer.columns_read if check.analyzer else ()
    for here, there in zip(mine, reference.columns, strict=True):
        yield as_keys(operand_of(here, place.checks.schema), operand_of(there, theirs))


def _breaks(breaking: ViolatingRows, aid: RowWindow | RowLookup | None) -> str:
    found = [f"({breaking.condition})"] if breaking.condition else []
    if aid:
        present = " OR ".join(f"{key} IS NOT NULL" for key in breaking.keys)
        alone = f"{aid.name} IS NULL" if isinstance(aid, RowLookup) else f"{aid.name} > 1"
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


def _aids(tests: Sequence[RowTest]) -> list[RowWindow | RowLookup]:
    return [test.aid for test in tests if test.aid]


def added(tests: Sequence[RowTest]) -> list[str]:
    """The names of the columns that a marked frame has beside the table's own."""
    joined = [name for aid in _aids(tests) if isinstance(aid, RowLookup) for pair in aid.sides for name in pair]
    return [*(aid.name for aid in _aids(tests)), *joined]


def marked(frame: Any, tests: Sequence[RowTest], others: OtherDatasets) -> Any:
    """The frame with the columns that the tests need: equal windows are computed by Spark once."""
    from pyspark.sql import functions

    for aid in _aids(tests):
        if isinstance(aid, RowLookup):
            frame = _looked_up(frame, aid, others.frame(aid.dataset))
    windows = [functions.expr(aid.sql).alias(aid.name) for aid in _aids(tests) if isinstance(aid, RowWindow)]
    return frame.select("*", *windows) if windows else frame


def _looked_up(frame: Any, aid: RowLookup, other: Any) -> Any:
    """A left join with the distinct rows of the other side: as many rows as before."""
    from pyspark.sql import functions

    sides = list(zip(aid.pairs, aid.sides, strict=True))
    here = [functions.expr(sql).alias(name) for (sql, _), (name, _) in sides]
    there = [functions.expr(sql).alias(name) for (_, sql), (_, name) in sides]
    distinct = other.select(*there).distinct().select("*", functions.lit(True).alias(aid.name))
    same = functions.expr(" AND ".join(f"{mine} = {theirs}" for mine, theirs in aid.sides))
    return frame.select("*", *here).join(distinct, same, "left")
