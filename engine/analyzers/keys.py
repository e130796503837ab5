"""Metric of the number of keys; two of its states also give their overlap."""

from typing import Any

from treaty.engine.analyzers.arguments import ColumnNames
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.bound import Operands
from treaty.engine.analyzers.exact import ExactMetric, distinct_count
from treaty.engine.components.theta_sketch import ThetaSketch


class ApproxCountKeys(Analyzer):
    """Number of distinct keys of one or several columns, estimated by a theta sketch; 0 for none.

    Standard error 1.6 %, exact up to 4,096 keys; bounds of two standard errors. Rows in which all columns are null are
    excluded; a partly null key counts as a key. -0.0 equals 0.0, and all NaN are equal; text is compared byte for
    byte. From two states (up to 28 KiB each; those of `approx_count_distinct` take 4 KiB) the number of keys that two
    partitions or two datasets share can be estimated. No value if no row matches `where`."""

    name = "approx_count_keys"
    unit = "values"
    value_template = "{subject} has about {value} distinct keys"
    columns: ColumnNames
    keys = ThetaSketch("{columns}")

    def value(self, state: Any) -> int:
        return round(ThetaSketch.estimate(state.keys).value)

    def bounds(self, state: Any) -> tuple[float, float] | None:
        return ThetaSketch.estimate(state.keys).rounded

    def exact(self, operands: Operands) -> ExactMetric:
        return distinct_count(*operands["columns"])
