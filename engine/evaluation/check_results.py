"""Build the results and measurements of checks."""

from treaty.contracts.document.model import Contract, DataObject
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.bound import MetricValue
from treaty.engine.checks.bound_check import BoundCheck
from treaty.engine.core.number_format import figure
from treaty.engine.core.results import CheckResult, Measurement, Outcome
from treaty.engine.evaluation.sentences import exactness_sentence, finding_sentence, uncertainty_sentence
from treaty.engine.states.bag import StateBag

NOTHING = MetricValue(value=None, rows=0)
# The outcomes of a check whose metric has a value and a threshold.
MEASURED = frozenset({Outcome.PASSED, Outcome.FAILED, Outcome.UNCERTAIN})


def unmeasured(check: BoundCheck) -> str:
    """Return why the check's metric has no value although its states exist."""
    return check.analyzer.no_value_reason if check.analyzer else Analyzer.no_value_reason


def tagged(contract: Contract, of: DataObject) -> tuple[str, ...]:
    """Return the tags of the contract and of the object, without duplicates."""
    tags = contract.document.get("tags")
    words = [each for each in tags if isinstance(each, str)] if isinstance(tags, list) else []
    return tuple(dict.fromkeys([*words, *of.tags]))


def is_gap(measured: Measurement | None) -> bool:
    """Return whether the metric was not read."""
    return measured is None or not measured.sources


def gap(check: BoundCheck, partition: str | None, reason: str) -> Measurement | None:
    """Build a measurement without a value, for that reason; None without an analyzer."""
    if check.analyzer is None:
        return None
    return Measurement(
        analyzer=check.analyzer.name, arguments=check.analyzer.arguments(), partition=partition, value=None,
        reason=reason, identity=check.identity or check.analyzer.identity,
    )  # fmt: skip


def measurement(check: BoundCheck, bag: StateBag, value: MetricValue, partition: str | None) -> Measurement | None:
    """Build the measurement of a check's metric; None if the check cannot be evaluated."""
    if check.analyzer is None or check.bound is None:
        return None
    return Measurement(
        analyzer=check.analyzer.name,
        arguments=check.analyzer.arguments(),
        partition=partition,
        value=value.value,
        reason=unmeasured(check) if value.value is None else None,
        identity=check.identity or check.analyzer.identity,
        row_count=value.counted,
        details=value.details,
        sources=tuple(sorted({bag.entries[part.key].source for part in check.bound.parts.values()})),
    )


def result_of(
    check: BoundCheck, partition: str | None, outcome: Outcome, *, reason: str | None, reading: MetricValue = NOTHING
) -> CheckResult:
    """Build the result of a check on a partition, with its threshold, band and references.

    `partition`: None means all partitions. If the detector evaluates something other than the metric, the result is
    not linked to the metric's history."""
    low, high = (reading.bounds if outcome is Outcome.UNCERTAIN else reading.estimate_bounds) or (None, None)
    return CheckResult(
        check_id=check.check.id,
        name=check.check.name,
        outcome=outcome,
        severity=check.check.severity,
        scope=check.scope,
        partition=partition,
        sentence=check.sentence,
        column=check.column,
        dimension=check.check.dimension,
        value=reading.value,
        reason=reason,
        measurement=None if check.detection and check.detection.elsewhere else check.identity,
        finding=_finding_text(check, outcome, reading),
        row_count=reading.counted,
        violating_rows=reading.broken,
        unevaluated_rows=reading.unevaluated + reading.unfiltered,
        threshold=check.threshold,
        reference=check.sources,
        band=check.band.plain() if check.band else None,
        lower_bound=low,
        upper_bound=high,
    )


def _finding_text(check: BoundCheck, outcome: Outcome, reading: MetricValue) -> str | None:
    if check.analyzer is None or isinstance(check.promise, str) or outcome not in MEASURED:
        return None
    elsewhere = check.detection.elsewhere if check.detection else ""
    if elsewhere and check.band:
        required = f"required: at most {figure(check.band.upper)}"
        return f"{figure(reading.value)} {elsewhere} ({required}); {check.band.description}"
    text = finding_sentence(check.analyzer, check.promise, reading)
    band = check.band.description if check.band else None
    return "; ".join(filter(None, [text, _precision_text(check.analyzer, outcome, reading), band]))


def _precision_text(analyzer: Analyzer, outcome: Outcome, reading: MetricValue) -> str | None:
    """Describe the error of an estimate whose threshold lies within it; None for other values."""
    if outcome is Outcome.UNCERTAIN and reading.bounds:
        return uncertainty_sentence(analyzer, reading.bounds)
    return exactness_sentence(analyzer, reading.estimate_bounds) if reading.estimate_bounds else None
