"""Metrics of entropy, dependency and correlation of columns."""

from math import sqrt
from typing import Any

from treaty.contracts.schema import Schema
from treaty.engine.analyzers.arguments import ColumnName
from treaty.engine.analyzers.base import Analyzer, operand_of
from treaty.engine.components.comoments import CoMoments
from treaty.engine.components.frequencies import Frequencies, coarser, complete, entropy, most_frequent, occurrences


class Entropy(Analyzer):
    """Entropy of the column's values in nats (natural logarithm).

    The sum of p ln(1 / p) with p = c_v / N: 0 for a constant column, ln(d) for d equally frequent values (Deequ,
    VLDB 2018, section 3.1). Nulls are excluded, also from N. -0.0 equals 0.0, and all NaN are equal. No value for an
    empty table, if all values are null, or if no row matches `where`."""

    name = "entropy"
    unit = "nats"
    column: ColumnName
    frequencies = Frequencies("{column}")

    def value(self, state: Any) -> float | None:
        return entropy(state.frequencies) if state.frequencies else None

    def counted(self, state: Any) -> int:
        return occurrences(state.frequencies)


class MutualInformation(Analyzer):
    """Mutual information of two columns in nats (natural logarithm).

    The sum of p(x, y) ln(p(x, y) / (p(x) p(y))): 0 for independent columns, the entropy of either if each column
    determines the other. Rows in which either value is null are excluded from every probability (Deequ excludes them
    from the sum but divides by all rows; its paper's formula, VLDB 2018, section 3.1, lacks an N in the logarithm).
    Computed as H(x) + H(y) - H(x, y), which is the same number. No value if no row is left: for an empty table, if
    all values are null, or if no row matches `where`."""

    name = "mutual_information"
    unit = "nats"
    column: ColumnName
    other: ColumnName
    frequencies = Frequencies("{column}", "{other}")

    def value(self, state: Any) -> float | None:
        pairs = complete(state.frequencies)
        if pairs is None:
            return None
        joint_entropy = entropy(pairs)
        keys = pairs.table.num_columns - 1
        marginal_entropies = sum(entropy(coarser(pairs, [at])) for at in (0, keys - 1))
        # The exact result is never negative; only rounding can make it so.
        return max(0.0, marginal_entropies - joint_entropy)

    def counted(self, state: Any) -> int:
        return occurrences(complete(state.frequencies))


class Determination(Analyzer):
    """Share of rows with the most frequent `other` value of their `column` value.

    1 means that the column determines the other: a functional dependency. Equals 1 - g3, where g3 is the smallest
    share of rows to remove for the dependency to hold (Kivinen and Mannila, Approximate inference of functional
    dependencies, 1995). Rows in which either value is null are excluded. No value if no row is left: for an empty
    table, if all values are null, or if no row matches `where`."""

    name = "determination"
    unit = "share"
    scope = "dataset"
    value_template = "{value} of {counted} rows have the most frequent {other} of their {column}"
    column: ColumnName
    other: ColumnName
    frequencies = Frequencies("{column}", "{other}")

    def value(self, state: Any) -> float | None:
        pairs = complete(state.frequencies)
        return most_frequent(pairs, self._place(state.schema)) / occurrences(pairs) if pairs is not None else None

    def counted(self, state: Any) -> int:
        return occurrences(complete(state.frequencies))

    def _place(self, schema: Schema) -> int:
        """Return the position of the column among the keys, which are sorted by their SQL."""
        own, other = (operand_of(name, schema).canonical() for name in (self.column, self.other))
        return int(own > other)


class Correlation(Analyzer):
    """Pearson correlation of two numeric columns, cxy / sqrt(m2x m2y), between -1 and 1.

    Computed in doubles. Rows in which either value is null are excluded. NaN if a row has NaN or an infinity. No
    value if a column is constant (0 / 0; Deequ: NaN), for an empty table, if no row is left, or if no row matches
    `where`."""

    name = "correlation"
    unit = "coefficient"
    column: ColumnName
    other: ColumnName
    moments = CoMoments("{column}", "{other}")

    def value(self, state: Any) -> float | None:
        _, _, _, m2x, m2y, cxy = state.moments
        if not (m2x and m2y):
            return None
        coefficient = cxy / sqrt(m2x) / sqrt(m2y)
        # The comparison keeps NaN, unlike min and max; only rounding can exceed 1.
        return float(coefficient) if not abs(coefficient) > 1 else float(round(coefficient))

    def counted(self, state: Any) -> int:
        return int(state.moments[0])
