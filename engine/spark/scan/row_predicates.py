"""Build SQL tests of single rows, and the helper columns that some of them need."""

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
    """Number of rows that share `keys`, in the column `name`.

    `conditions`: further partitioning SQL. `where`: filter of the counted rows; None counts all."""

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
    """A lookup of each row in `dataset`: column `name` is true if found, else null.

    `pairs`: SQL of the keys in this table and in the dataset."""

    name: str
    dataset: str
    pairs: tuple[tuple[str, str], ...]

    @property
    def sides(self) -> list[tuple[str, str]]:
        """Return the names of the key columns in this table and in the dataset."""
        return [(f"{self.name}_l{at}", f"{self.name}_r{at}") for at in range(len(self.pairs))]


@dataclass(frozen=True, kw_only=True)
class RowTest:
    """A check on single rows, as SQL that is never null.

    `breaks`: whether the row violates the check; None means no row does. `opens`: whether the check cannot be
    evaluated on the row; None means never. `aid`: the column that `breaks` needs in the frame. `reason`: why no row
    can be evaluated although the check could be elsewhere: another dataset is missing."""

    check: BoundCheck
    breaks: str | None
    opens: str | None
    aid: RowWindow | RowLookup | None = None
    reason: str | None = None

    @property
    def id(self) -> str:
        return self.check.check.id


def row_tests(checks: BoundChecks, other_datasets: OtherDatasets, partition_by: Sequence[str]) -> list[RowTest]:
    """Return the tests of all bound checks, in the contract's order. `other_datasets`: the available datasets."""
    within = tuple(partition_names.keys(partition_by))
    return [
        _test(bound, each, _Place(f"{OURS}{at}", checks, other_datasets, within))
        for at, each in enumerate(checks.checks)
        if (bound := each.bound)
    ]


@dataclass(frozen=True)
class _Place:
    """Context of a check: name of its helper column, table columns, other datasets, partition SQL."""

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
    """Yield the keys as the check compares them.

    Raises NotApplicableToTable if the dataset is missing or has keys of another kind."""
    other_schema = schema_of(place.datasets.frame(reference.dataset))
    columns = check.analyzer.columns_read if check.analyzer else ()
    for own_column, other_column in zip(columns, reference.columns, strict=True):
        yield as_keys(operand_of(own_column, place.checks.schema), operand_of(other_column, other_schema))


def _breaks(breaking: ViolatingRows, aid: RowWindow | RowLookup | None) -> str:
    conditions = [f"({breaking.condition})"] if breaking.condition else []
    if aid:
        present = " OR ".join(f"{key} IS NOT NULL" for key in breaking.keys)
        violates = f"{aid.name} IS NULL" if isinstance(aid, RowLookup) else f"{aid.name} > 1"
        conditions.append(f"(({present}) AND {violates})")
    return _sure(" OR ".join(f"coalesce({each}, false)" for each in conditions), breaking.where)


def _sure(condition: str, where: str | None) -> str:
    return f"coalesce(({where}) AND ({condition}), false)" if where else f"({condition})"


def _opens(bound: BoundAnalyzer) -> str | None:
    """Return the SQL of rows on which the check cannot be evaluated.

    Like the analyzer, it counts rows on which a condition or the filter fails."""
    own = [f"({each.errs})" for operands in bound.operands.values() for each in operands if each.errs]
    filter_predicate = bound.where
    conditions = [_sure(" OR ".join(own), filter_predicate.sql if filter_predicate else None)] if own else []
    return (
        " OR ".join(
            [*conditions, *([f"({filter_predicate.errs})"] if filter_predicate and filter_predicate.errs else [])]
        )
        or None
    )


def _aids(tests: Sequence[RowTest]) -> list[RowWindow | RowLookup]:
    return [test.aid for test in tests if test.aid]


def added(tests: Sequence[RowTest]) -> list[str]:
    """Return the names of the helper columns of a marked frame."""
    joined = [name for aid in _aids(tests) if isinstance(aid, RowLookup) for pair in aid.sides for name in pair]
    return [*(aid.name for aid in _aids(tests)), *joined]


def marked(frame: Any, tests: Sequence[RowTest], other_datasets: OtherDatasets) -> Any:
    """Return the frame with the columns that the tests need; Spark computes equal windows once."""
    from pyspark.sql import functions

    for aid in _aids(tests):
        if isinstance(aid, RowLookup):
            frame = _looked_up(frame, aid, other_datasets.frame(aid.dataset))
    windows = [functions.expr(aid.sql).alias(aid.name) for aid in _aids(tests) if isinstance(aid, RowWindow)]
    return frame.select("*", *windows) if windows else frame


def _looked_up(frame: Any, aid: RowLookup, other: Any) -> Any:
    """Left-join the distinct rows of the other dataset, which keeps the number of rows."""
    from pyspark.sql import functions

    sides = list(zip(aid.pairs, aid.sides, strict=True))
    own_keys = [functions.expr(sql).alias(name) for (sql, _), (name, _) in sides]
    other_keys = [functions.expr(sql).alias(name) for (_, sql), (_, name) in sides]
    distinct = other.select(*other_keys).distinct().select("*", functions.lit(True).alias(aid.name))
    same = functions.expr(" AND ".join(f"{mine} = {theirs}" for mine, theirs in aid.sides))
    return frame.select("*", *own_keys).join(distinct, same, "left")
