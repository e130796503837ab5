"""Replace an estimate by its exact value, or by that of exact states."""

from dataclasses import dataclass

from treaty.engine.analyzers.bound import MetricValue
from treaty.engine.checks.bound_check import BoundCheck
from treaty.engine.core.results import Value
from treaty.engine.states.bag import StateBag


@dataclass(frozen=True)
class ExactStates:
    """States of rows to compare in place of sketches.

    `before`: of the previous partition; None means that its stored state is compared."""

    now: bytes
    before: bytes | None = None


def precise_metric(
    check: BoundCheck,
    measured: MetricValue | str,
    exact: Value | ExactStates,
    bag: StateBag,
    before: StateBag | None,
) -> MetricValue | str:
    """Return the metric with an exact value in place of the estimate; a metric without bounds is exact already.

    `bag`, `before`: the states of the partition and of the previous one."""
    if isinstance(measured, str) or measured.bounds is None:
        return measured
    return measured.computed(_compared(check, exact, bag, before) if isinstance(exact, ExactStates) else exact)


def _compared(check: BoundCheck, exact: ExactStates, bag: StateBag, before: StateBag | None) -> Value:
    if check.bound is None or check.exact is None or before is None:
        return None
    key = check.bound.parts[check.exact.component or ""].key
    replaced = {**before.values, key: exact.before} if exact.before else before.values
    return check.bound.read({**bag.values, key: exact.now}, before=replaced).value
