"""What stands beside a row while it is judged: SQL tests of single rows, and the columns that some of them need."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.analyzers.base import operand_of
from engine.analyzers.bound import BoundAnalyzer
from engine.analyzers.breaking import Breaking, Reference
from engine.checks import BoundCheck, BoundChecks
from engine.spark import partitions
from engine.spark.sources import schema_of

OURS = "__treaty_"
Frames = Mapping[str, Any]


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
    cannot be evaluated there). None: no row does. `breaks` may need the column that `aid` adds to the frame."""

    check: BoundCheck
    breaks: str | None
    opens: str | None
    aid: Window | Lookup | None = None

    @property
    def id(self) -> str:
        return self.check.check.id


def tests_of(checks: BoundChecks, others: Frames, partition_by: Sequence[str]) -> list[RowTest]:
    """The tests of all checks that can be judged, in the contract's order. `others`: the datasets that are at hand."""
    return [_test(each, f"{OURS}{at}", others, partition_by) for at, each in enumerate(checks.checks) if each.bound]


def _test(check: BoundCheck, name: str, others: Frames, partition_by: Sequence[str]) -> RowTest:
    breaking, opens = check.breaking, _opens(check.bound) if check.bound else None
    if breaking is None or not _is_at_hand(breaking.reference, others):
        return RowTest(check, None, opens)
    within = tuple(partitions.keys(partition_by)) if check.scope == "delta" else ()
    aid = _aid(breaking, name, within)
    return RowTest(check, _breaks(breaking, aid), opens, aid)


def _is_at_hand(reference: Reference | None, others: Frames) -> bool:
    if reference is None:
        return True
    other = others.get(reference.dataset)
    return other is not None and all(schema_of(other).find(column) for column in reference.columns)


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


def _aids(tests: Sequence[RowTest]) -> list[Window | Lookup]:
    return [test.aid for test in tests if test.aid]


def added(tests: Sequence[RowTest]) -> list[str]:
    """The names of the columns that a marked frame has beside the table's own."""
    joined = [name for aid in _aids(tests) if isinstance(aid, Lookup) for pair in aid.sides for name in pair]
    return [*(aid.name for aid in _aids(tests)), *joined]


def marked(frame: Any, tests: Sequence[RowTest], others: Frames) -> Any:
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
