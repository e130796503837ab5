"""Components that a statement of their own reads: references to other datasets, reconciliation, queries.

A check of the whole dataset reads all its rows and merges no states of these kinds: a query's number cannot be added to
another one, and what was found in another dataset yesterday may not be there today."""

from dataclasses import dataclass
from typing import Any, ClassVar

from treaty.contracts.quoting import quote, quote_path
from treaty.engine.components.base import Component, Retention
from treaty.engine.components.hashed_features import describe_features, split_arguments
from treaty.engine.components.operands import COUNTABLE, Operand


class SeparateStatement(Component):
    """What is read by a statement of its own. `aggregates` says in words what is read, for keys and for people."""

    needs_own_statement: ClassVar[bool] = True


class CountTuple(SeparateStatement):
    """Rows counted in several ways: a tuple of counts."""

    retention = Retention.NOTHING

    def merge(self, left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(mine + theirs for mine, theirs in zip(left, right, strict=True))


@dataclass(frozen=True, init=False)
class ReferenceCounts(CountTuple):
    """(judged, dangling): the rows that have a value in every column, and those of them that `columns` of the other
    dataset have no equal of. Rows without one of the values are not judged."""

    kind = "references"
    accepts = COUNTABLE
    zero = (0, 0)
    dataset: str
    columns: tuple[str, ...]

    def __init__(self, *templates: str, dataset: str = "", columns: tuple[str, ...] = ()) -> None:
        super().__init__(*templates)
        object.__setattr__(self, "dataset", dataset)
        object.__setattr__(self, "columns", columns)

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        keys = ", ".join(each.sql for each in operands)
        return (f"rows whose ({keys}) is in {quote(self.dataset)} ({', '.join(map(quote_path, self.columns))})",)


@dataclass(frozen=True, kw_only=True)
class KeyPairing:
    """How rows of two datasets are compared: columns of ours with their partners of the other, and how far numbers may
    lie apart: `tolerance` as such, `relative` as a share of the larger one."""

    dataset: str = ""
    keys: tuple[str, ...] = ()
    compare: tuple[tuple[str, str], ...] = ()
    tolerance: float = 0.0
    relative: float = 0.0

    def __str__(self) -> str:
        named = ", ".join(map(quote_path, self.keys))
        pairs = "; ".join(f"{quote_path(mine)} as {quote_path(theirs)}" for mine, theirs in self.compare)
        within = f" within {self.tolerance!r}, {self.relative!r} of it" if self.tolerance or self.relative else ""
        return f"{quote(self.dataset)} ({named})" + (f" comparing {pairs}{within}" if pairs else "")


@dataclass(frozen=True, init=False)
class MatchCounts(CountTuple):
    """(rows, matched, different, duplicated, missing_there, missing_here): of our rows, those with exactly one partner,
    which is equal; with one that differs; whose keys occur twice on either side; without a partner. The last are rows
    of the other dataset without one here. All but the last add up to the first."""

    kind = "matches"
    accepts = COUNTABLE
    zero = (0, 0, 0, 0, 0, 0)
    pairing: KeyPairing

    def __init__(self, *templates: str, pairing: KeyPairing | None = None) -> None:
        super().__init__(*templates)
        object.__setattr__(self, "pairing", pairing or KeyPairing())

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        keys = ", ".join(each.sql for each in operands[: len(self.pairing.keys)])
        return (f"rows whose ({keys}) is matched with {self.pairing}",)


@dataclass(frozen=True, init=False)
class ConfusionCounts(SeparateStatement):
    """How a classifier of Spark's predicts held-out rows: (class, predicted, rows) of each pair that occurs, ascending.

    Over the target, its inputs and, the last `held_out_count` of the operands, the columns by whose hash a fifth is
    held out. Those of several parts are what as many classifiers predict, each learned of its own part."""

    kind = "confusion"
    zero = ()
    held_out_count: int
    classifier: str

    def __init__(self, *templates: str, held_out_count: int = 0, classifier: str = "") -> None:
        super().__init__(*templates)
        object.__setattr__(self, "held_out_count", held_out_count)
        object.__setattr__(self, "classifier", classifier)

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        return (
            f"{describe_features(*split_arguments(operands, self.held_out_count))}, predicted by {self.classifier}",
        )

    def merge(self, left: tuple[Any, ...], right: tuple[Any, ...]) -> tuple[Any, ...]:
        pairs: dict[tuple[str, str], int] = {}
        for truth, predicted, rows in (*left, *right):
            pairs[truth, predicted] = pairs.get((truth, predicted), 0) + rows
        return tuple((*pair, rows) for pair, rows in sorted(pairs.items()))


class QueryNumber(SeparateStatement):
    """The one number (or None) that a query gives for the rows; it cannot be merged. It may be a value of a row."""

    kind = "answer"
    accepts = frozenset({"query"})

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        return (operands[0].sql,)

    def merge(self, left: Any, right: Any) -> Any:
        if left is None or right is None:
            return left if right is None else right
        raise TypeError("the answers of two queries cannot be added")
