"""Metrics of disorder, and of how much one column tells of another."""

from math import sqrt
from typing import Any

from treaty.contracts.schema import Schema
from treaty.engine.analyzers.arguments import ColumnName
from treaty.engine.analyzers.base import Analyzer, operand_of
from treaty.engine.components.comoments import CoMoments
from treaty.engine.components.frequencies import Frequencies, coarser, complete, entropy, most_frequent, occurrences


class Entropy(Analyzer):
    """Entropy of the column's values, the sum of p ln(1 / p) with p = c_v / N, in nats (natural logarithm).

    0 for a constant column, ln(d) for d values that occur as often as each other (Deequ, VLDB 2018, section 3.1). Nulls
    are left out, of N too. -0.0 and 0.0 are one value, all NaN are one. No value for an empty table, for nothing but
    nulls, for a filter that admits no row."""

    name = "entropy"
    unit = "nats"
    column: ColumnName
    frequencies = Frequencies("{column}")

    def value(self, state: Any) -> float | None:
        return entropy(state.frequencies) if state.frequencies else None

    def counted(self, state: Any) -> int:
        return occurrences(state.frequencies)


class MutualInformation(Analyzer):
    """What one column tells of the other, the sum of p(x, y) ln(p(x, y) / (p(x) p(y))), in nats (natural logarithm).

    0 for columns that are independent, the entropy of either for columns that determine each other. Rows in which
    either is null are left out of every probability (Deequ leaves them out of the sum but divides by all; its paper's
    formula, VLDB 2018, section 3.1, lacks an N in the logarithm). Computed as H(x) + H(y) - H(x, y), the same number.
    No value where no row is left: an empty table, nothing but nulls, a filter that admits no row."""

    name = "mutual_information"
    unit = "nats"
    column: ColumnName
    other: ColumnName
    frequencies = Frequencies("{column}", "{other}")

    def value(self, state: Any) -> float | None:
        pairs = complete(state.frequencies)
        if pairs is None:
            return None
        together = entropy(pairs)
        keys = pairs.table.num_columns - 1
        apart = sum(entropy(coarser(pairs, [at])) for at in (0, keys - 1))
        # Rounding alone could make it less than 0, which it never is.
        return max(0.0, apart - together)

    def counted(self, state: Any) -> int:
        return occurrences(complete(state.frequencies))


class Determination(Analyzer):
    """Share of the rows whose `other` is the most frequent one of all rows with their `column`: 1 where the column
    determines the other.

    1 less the measure g3 of a functional dependency (Kivinen and Mannila, Approximate inference of functional
    dependencies, 1995): the least share of rows to leave out for it to hold. Rows in which either is null are left out.
    No value where no row is left: an empty table, nothing but nulls, a filter that admits no row."""

    name = "determination"
    unit = "share"
    scope = "dataset"
    value_template = "{value} of {counted} rows have the {other} that goes with their {column}"
    column: ColumnName
    other: ColumnName
    frequencies = Frequencies("{column}", "{other}")

    def value(self, state: Any) -> float | None:
        pairs = complete(state.frequencies)
        return most_frequent(pairs, self._place(state.schema)) / occurrences(pairs) if pairs is not None else None

    def counted(self, state: Any) -> int:
        return occurrences(complete(state.frequencies))

    def _place(self, schema: Schema) -> int:
        """Where the column stands among the keys, which are in the order of their SQL."""
        own, other = (operand_of(name, schema).canonical() for name in (self.column, self.other))
        return int(own > other)


class Correlation(Analyzer):
    """Pearson's correlation of two columns of numbers, cxy / sqrt(m2x m2y), between -1 and 1; as doubles.

    Rows in which either is null are left out. NaN where a row has NaN or an infinity. No value where a column is
    constant (0 / 0; Deequ: NaN), for an empty table, where no row is left, for a filter that admits no row."""

    name = "correlation"
    unit = "coefficient"
    column: ColumnName
    other: ColumnName
    together = CoMoments("{column}", "{other}")

    def value(self, state: Any) -> float | None:
        _, _, _, m2x, m2y, cxy = state.together
        if not (m2x and m2y):
            return None
        found = cxy / sqrt(m2x) / sqrt(m2y)
        # A comparison keeps NaN, as min and max would not; only rounding leads beyond 1.
        return float(found) if not abs(found) > 1 else float(round(found))

    def counted(self, state: Any) -> int:
        return int(state.together[0])
