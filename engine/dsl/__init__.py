"""Python API for checks in code, equivalent to the checks of contracts.

from treaty.engine.dsl import Check, at_least

check = Check.error("orders").is_complete("id").is_unique("id").has_completeness("status", at_least(0.95))
run = check.verify(orders)"""

from treaty.engine.dsl.check import Check
from treaty.engine.dsl.limits import (
    at_least,
    at_most,
    between,
    equal_to,
    less_than,
    more_than,
    no_anomalies,
    outside,
    satisfying,
    unlike,
)

__all__ = [
    "Check", "at_least", "at_most", "between", "equal_to", "less_than", "more_than", "no_anomalies", "outside",
    "satisfying", "unlike",
]  # fmt: skip
