"""What a check's metric reads from stored states, and how the check comes out with that."""

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
from treaty.engine.states.bag import StateBag

UNLIKE = "the measured value and the limit cannot be compared: one is text, the other a number"
UNFILTERED = "of {} rows the filter cannot say whether they count"
UNKNOWN = "not every partition has a state of this metric; validate all partitions again"


def compares(check: BoundCheck) -> bool:
    """Whether the check's metric is told from the states of an earlier partition, too."""
    return check.bound is not None and check.bound.analyzer.needs_previous


def previous_states(check: BoundCheck, names: Iterable[str], opened: Callable[[str], StateBag]) -> StateBag | None:
    """Of the partitions, newest first, the states of the first that has what the check compares; None: none has."""
    found = (opened(name) for name in names)
    return next((bag for bag in found if check.bound and check.bound.counted(bag.values)), None)


def read_metric(check: BoundCheck, bag: StateBag, now: datetime, before: StateBag | None = None) -> MetricValue | str:
    """What the check's metric reads from these states, beside those of the partition `before` where it compares; in
    words why where it reads nothing."""
    if check.bound is None or check.analyzer is None:
        return check.reason or UNKNOWN
    try:
        return check.bound.read(bag.values, now=now, before=before.values if before else None)
    except KeyError as missing:
        return bag.failure(str(missing.args[0])) or UNKNOWN


def state_value(found: MetricValue | str) -> StateValue:
    """What was read, as detectors learn from it."""
    return StateValue(None, found) if isinstance(found, str) else StateValue(finite(found.value), None, found.details)


def outcome(check: BoundCheck, found: MetricValue | str) -> tuple[Outcome, str | None]:
    """How the check comes out with what was read, and why where that is no verdict."""
    return (Outcome.NOT_EVALUATED, found) if isinstance(found, str) else _outcome(check, found)


def _outcome(check: BoundCheck, reading: MetricValue) -> tuple[Outcome, str | None]:
    if reading.unfiltered:
        return Outcome.NOT_EVALUATED, UNFILTERED.format(reading.unfiltered)
    if reading.value is None:
        return Outcome.NOT_APPLICABLE, unmeasured(check)
    promised = check.promise
    if isinstance(promised, InsufficientHistory):
        return Outcome.NOT_APPLICABLE, promised
    return (Outcome.NOT_EVALUATED, promised) if isinstance(promised, str) else _assertion_outcome(promised, reading)


def _assertion_outcome(assertion: Assertion, reading: MetricValue) -> tuple[Outcome, str | None]:
    by_function = assertion.operator == FUNCTION
    subject = reading.details if by_function and reading.details is not None else reading.value
    try:
        return (Outcome.PASSED if assertion.holds(subject) else Outcome.FAILED), None
    except Exception as error:
        if by_function:
            return Outcome.NOT_EVALUATED, f"the function that judges the value ended with {type(error).__name__}"
        if isinstance(error, TypeError):
            return Outcome.NOT_EVALUATED, UNLIKE
        raise
