"""Results of a verification: measurements, check results and the verdict of the run.

Plain values that convert to JSON and back."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict

# Source of a number: a scan of the rows, or the statistics that files declare.
SCANNED, STATED, MIXED = "scan", "statistics", "scan and statistics"
Value = int | float | Decimal | str | None
# A metric on a partition: the metric's identity, and the partition's name; None means all rows.
MetricKey = tuple[str, str | None]
# An exact metric, or the state of its rows that a comparison uses in place of a sketch.
ExactValue = Value | bytes


class Outcome(StrEnum):
    """Outcome of a check. `not_evaluated` never counts as passed.

    `uncertain`: the metric is an estimate, and values within its error differ in outcome."""

    PASSED = "passed"
    FAILED = "failed"
    UNCERTAIN = "uncertain"
    NOT_APPLICABLE = "not_applicable"
    NOT_EVALUATED = "not_evaluated"


# Outcomes that say neither that the data satisfies a check nor that it violates it.
UNDECIDED = frozenset({Outcome.NOT_EVALUATED, Outcome.UNCERTAIN})
# Outcomes that need attention.
AMISS = UNDECIDED | {Outcome.FAILED}


class Runner(StrEnum):
    """Executor of a check: Treaty, another engine, or people."""

    HERE = "here"
    ELSEWHERE = "elsewhere"
    PEOPLE = "people"


class Verdict(StrEnum):
    """Verdict of a run, worst first: failed > not_evaluated > uncertain > warned > passed."""

    FAILED = "failed"
    NOT_EVALUATED = "not_evaluated"
    UNCERTAIN = "uncertain"
    WARNED = "warned"
    PASSED = "passed"


# Verdicts with which data is used and published, unless a contract or a caller says otherwise.
ADMITTED = frozenset({Verdict.PASSED, Verdict.WARNED})


class FrozenRecord(BaseModel):
    model_config = ConfigDict(frozen=True)


class Measurement(FrozenRecord):
    """The value of one metric on one partition, or on the whole dataset (`partition` None).

    `value`: None means no value, for the `reason`. `identity`: 16 hex digits that identify analyzer and arguments.
    `row_count`: rows that it was measured on. `details`: distribution behind the value, as plain data. `sources`:
    source of its numbers: a scan of the rows, the files' statistics, or both."""

    analyzer: str
    arguments: dict[str, Any]
    partition: str | None
    value: Value
    reason: str | None = None
    identity: str
    row_count: int | None = None
    details: Mapping[str, Any] | None = None
    sources: tuple[str, ...] = ()


class ResultFields(BaseModel):
    """Fields of a check result on one partition, or on the whole dataset (`partition` None).

    Results, their rows in the store and the responses of the API derive from this class.

    `sentence`: the requirement of the check. `finding`: what was found, in words, with the threshold and the
    deviation. `row_count`: rows that the value was measured on. `violating_rows`: rows that violate the check; None
    means that violations cannot be attributed to rows. `unevaluated_rows`: rows whose conditions could not be
    evaluated; they never count as valid.

    `lower_bound`, `upper_bound`: bounds of an estimate whose error includes the threshold; None otherwise. Unless the
    outcome is uncertain, `value` was then computed exactly.

    `threshold`: what the value was compared with, as plain data. `reference`: for a threshold that is another
    dataset's metric, its description, its value and the source of the value. `band`: for a detector, its band, as
    plain data (`treaty.engine.anomaly.detector.DetectorBand`)."""

    check_id: str
    name: str
    outcome: Outcome
    severity: str
    scope: str
    partition: str | None
    sentence: str
    column: str | None = None
    dimension: str | None = None
    value: Value = None
    reason: str | None = None
    measurement: str | None = None
    finding: str | None = None
    row_count: int | None = None
    violating_rows: int | None = None
    unevaluated_rows: int = 0
    threshold: Any = None
    reference: Mapping[str, Any] | None = None
    band: Mapping[str, Any] | None = None
    lower_bound: float | None = None
    upper_bound: float | None = None

    @property
    def is_exact(self) -> bool:
        """Return whether the value was computed exactly because its estimate could not decide."""
        return self.lower_bound is not None and self.outcome is not Outcome.UNCERTAIN

    @property
    def counts_as(self) -> str:
        """Return the outcome for counting; `warned` for a failed check of severity warning."""
        return "warned" if self.outcome is Outcome.FAILED and self.severity == "warning" else self.outcome.value


class CheckResult(ResultFields, FrozenRecord):
    """The result of one check on one partition."""


class ViolationSample(FrozenRecord):
    """Sample of the rows that violate a check, as text.

    `columns`: the columns shown; `masked`: those whose values are masked. `rows`: a text for each column; None means
    null, and a shortened text ends in an ellipsis."""

    check_id: str
    columns: tuple[str, ...]
    masked: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]


class RunResult(FrozenRecord):
    """One verification of one schema object of a contract version.

    `samples`: violating rows of failed checks, if they were requested and can be attributed to rows. `tags`: tags of
    the contract and of the object."""

    contract_id: str
    contract_version: str
    contract_fingerprint: str
    object: str
    partitions: tuple[str, ...]
    rows: int | None
    started_at: datetime
    finished_at: datetime
    results: tuple[CheckResult, ...]
    measurements: tuple[Measurement, ...]
    plugins: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    samples: tuple[ViolationSample, ...] = ()

    @property
    def verdict(self) -> Verdict:
        return fold(self.results)


def fold(results: Iterable[CheckResult]) -> Verdict:
    """Return the verdict of the results; `passed` for none."""
    verdicts = {_verdict(result) for result in results}
    return next((verdict for verdict in Verdict if verdict in verdicts), Verdict.PASSED)


def _verdict(result: CheckResult) -> Verdict:
    if result.outcome is Outcome.NOT_EVALUATED:
        return Verdict.NOT_EVALUATED
    if result.outcome in _WITH_SEVERITY:
        return _WITH_SEVERITY[result.outcome] if result.severity == "error" else Verdict.WARNED
    return Verdict.PASSED


_WITH_SEVERITY = {Outcome.FAILED: Verdict.FAILED, Outcome.UNCERTAIN: Verdict.UNCERTAIN}


def gate_verdict(results: Collection[CheckResult], on_uncertain: str) -> Verdict:
    """Return the verdict for a gate.

    `on_uncertain`: the contract's answer for uncertain checks: `allow`, `warn` or `block`."""
    certain = [result for result in results if result.outcome is not Outcome.UNCERTAIN]
    uncertain = [result for result in results if result.outcome is Outcome.UNCERTAIN]
    if on_uncertain == "block":
        return fold([*certain, *uncertain])
    warned = uncertain and on_uncertain == "warn" and fold(certain) is Verdict.PASSED
    return Verdict.WARNED if warned else fold(certain)
