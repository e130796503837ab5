"""Read a check's metric from stored states and derive the check's outcome."""

from collections.abc import Callable, Iterable
from datetime import datetime

from treaty.contracts.assertions import FUNCTION, Assertion
from treaty.engine.analyzers.bound import MetricValue
from treaty.engine.anomaly.baselines import StateValue
from treaty.engine.anomaly.detector import InsufficientHistory
from treaty.engine.anomaly.series import finite
from treaty.engine.checks.bound_check import BoundCheck
from treaty.engine.core.results import Outcome
from treaty.engine.evaluation.check_results import unmeasured
from treaty.engine.evaluation.uncertainty import border_bounds
from treaty.engine.states.bag import StateBag

UNLIKE = "the measured value and the limit cannot be compared: one is text, the other a number"
UNFILTERED = "the filter cannot be evaluated on some rows ({})"
UNKNOWN = "some partitions have no state of this metric; validate all partitions again"


def compares(check: BoundCheck) -> bool:
    """Return whether the check's metric also needs the states of an earlier partition."""
    return check.bound is not None and check.bound.analyzer.needs_previous


def previous_partition(check: BoundCheck, names: Iterable[str], opened: Callable[[str], StateBag]) -> str | None:
    """Return the newest partition that has what the check compares; None if none has.

    `names`: partitions, newest first."""
    return next((name for name in names if check.bound and check.bound.counted(opened(name).values)), None)


def previous_states(check: BoundCheck, names: Iterable[str], opened: Callable[[str], StateBag]) -> StateBag | None:
    """Return the states of the partition that the check compares with; None if there is none.

    `names`: partitions, newest first."""
    previous = previous_partition(check, names, opened)
    return None if previous is None else opened(previous)


def read_metric(
    check: BoundCheck, bag: StateBag, now: datetime, before: StateBag | None = None, *, bounded: bool = True
) -> MetricValue | str:
    """Read the check's metric from the states; return the reason as text if it has no reading.

    `before`: states of the previous partition, for checks that compare. `bounded`: also compute the bounds."""
    if check.bound is None or check.analyzer is None:
        return check.reason or UNKNOWN
    try:
        previous = before.values if before else None
        return check.bound.read(bag.values, now=now, before=previous, bounded=bounded)
    except KeyError as missing:
        return bag.failure(str(missing.args[0])) or UNKNOWN


def state_value(reading: MetricValue | str) -> StateValue:
    """Convert a reading to the form that detectors learn from."""
    return (
        StateValue(None, reading)
        if isinstance(reading, str)
        else StateValue(finite(reading.value), None, reading.details)
    )


def outcome(check: BoundCheck, reading: MetricValue | str, *, has_rows: bool = False) -> tuple[Outcome, str | None]:
    """Return the check's outcome, with the reason if it has one.

    `has_rows`: the rows are at hand, so that an uncertain check can be computed exactly."""
    if isinstance(reading, str):
        return Outcome.NOT_EVALUATED, reading
    final, reason = _outcome(check, reading)
    decided = final in (Outcome.PASSED, Outcome.FAILED)
    is_border = decided and border_bounds(check, reading, has_rows=has_rows) is not None
    return (Outcome.UNCERTAIN, None) if is_border else (final, reason)


def _outcome(check: BoundCheck, reading: MetricValue) -> tuple[Outcome, str | None]:
    if reading.unfiltered:
        return Outcome.NOT_EVALUATED, UNFILTERED.format(reading.unfiltered)
    if reading.value is None:
        return Outcome.NOT_APPLICABLE, unmeasured(check)
    assertion = check.promise
    if isinstance(assertion, InsufficientHistory):
        return Outcome.NOT_APPLICABLE, assertion
    return (Outcome.NOT_EVALUATED, assertion) if isinstance(assertion, str) else _assertion_outcome(assertion, reading)


def _assertion_outcome(assertion: Assertion, reading: MetricValue) -> tuple[Outcome, str | None]:
    by_function = assertion.operator == FUNCTION
    subject = reading.details if by_function and reading.details is not None else reading.value
    try:
        return (Outcome.PASSED if assertion.holds(subject) else Outcome.FAILED), None
    except Exception as error:
        if by_function:
            return Outcome.NOT_EVALUATED, f"the function that evaluates the value raised {type(error).__name__}"
        if isinstance(error, TypeError):
            return Outcome.NOT_EVALUATED, UNLIKE
        raise
