"""The number of keys, with a state of which two tell how many keys they share."""

from typing import Any

from treaty.engine.analyzers.arguments import ColumnNames
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.components.theta_sketch import ThetaSketch


class ApproxCountKeys(Analyzer):
    """Number of distinct keys of one or several columns, by a theta sketch (standard error 1.6 %, exact to 4,096).

    0 for none. Rows whose columns are all null are left out; a key that is partly null is one of its own. -0.0 and 0.0
    are one value, all NaN are one; text is compared byte for byte. Its states (up to 28 KiB, those of
    `approx_count_distinct` 4) tell how many keys two partitions, or two datasets, share. No value for a filter that
    admits no row."""

    name = "approx_count_keys"
    unit = "values"
    value_template = "{subject} has about {value} distinct keys"
    columns: ColumnNames
    keys = ThetaSketch("{columns}")

    def value(self, state: Any) -> int:
        return round(ThetaSketch.estimate(state.keys).value)
