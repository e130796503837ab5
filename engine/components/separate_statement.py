"""Components that need their own SQL statement: references to other datasets, reconciliation, queries.

A check of the whole dataset reads all its rows and merges no states of these kinds: the numbers of two queries
cannot be added, and the other dataset may have changed since yesterday."""

from dataclasses import dataclass
from typing import Any, ClassVar

from treaty.contracts.quoting import quote, quote_path
from treaty.engine.components.base import Component, Retention
from treaty.engine.components.hashed_features import describe_features, split_arguments
from treaty.engine.components.operands import COUNTABLE, Operand


class SeparateStatement(Component):
    """A component read by its own statement. `aggregates` describes the statement, for keys and for people."""

    needs_own_statement: ClassVar[bool] = True


class CountTuple(SeparateStatement):
    """A tuple of row counts, added element by element."""

    retention = Retention.NOTHING

    def merge(self, left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(mine + theirs for mine, theirs in zip(left, right, strict=True))


@dataclass(frozen=True, init=False)
class ReferenceCounts(CountTuple):
    """Counts (evaluated, dangling) of a reference to another dataset.

    Evaluated rows have a value in every column; dangling rows are those of them without an equal in `columns` of the
    other dataset."""

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
    """Parameters for comparing the rows of two datasets.

    `dataset`: the other dataset. `keys`: its key columns. `compare`: (own, other) columns that must be equal.
    `tolerance`: maximum difference of two numbers; `relative`: the same as a share of the larger number."""

    dataset: str = ""
    keys: tuple[str, ...] = ()
    compare: tuple[tuple[str, str], ...] = ()
    tolerance: float = 0.0
    relative: float = 0.0

    def __str__(self) -> str:
        keys = ", ".join(map(quote_path, self.keys))
        pairs = "; ".join(f"{quote_path(mine)} as {quote_path(theirs)}" for mine, theirs in self.compare)
        within = f" within {self.tolerance!r}, {self.relative!r} of it" if self.tolerance or self.relative else ""
        return f"{quote(self.dataset)} ({keys})" + (f" comparing {pairs}{within}" if pairs else "")


@dataclass(frozen=True, init=False)
class MatchCounts(CountTuple):
    """Counts (rows, matched, different, duplicated, missing_there, missing_here) of a row-by-row comparison.

    Own rows: all; with exactly one partner that is equal; with one that differs; with keys that occur twice on
    either side; without a partner. `missing_here` counts rows of the other dataset without a partner. The second to
    fifth count add up to the first."""

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
    """Predictions of a Spark classifier for held-out rows: (class, predicted, rows), ascending.

    Over the target, its inputs and, as the last `held_out_count` operands, the columns by whose hash a fifth of the
    rows is held out. A merged state has the predictions of several classifiers, each trained on its own part."""

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
    """The number (or None) that a query returns. It cannot be merged, and it may be a value of a row."""

    kind = "answer"
    accepts = frozenset({"query"})

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        return (operands[0].sql,)

    def merge(self, left: Any, right: Any) -> Any:
        if left is None or right is None:
            return left if right is None else right
        raise TypeError("the results of two queries cannot be merged")
