"""Results of a verification: measurements, check results and the verdict of the run.

Plain values that convert to JSON and back."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict

# Source of a number: a scan of the rows, or the statistics that files declare.
SCANNED, STATED, MIXED = "scan", "statistics", "scan and statistics"
Value = int | float | Decimal | str | None


class Outcome(StrEnum):
    """Outcome of a check. `not_evaluated` never counts as passed."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_APPLICABLE = "not_applicable"
    NOT_EVALUATED = "not_evaluated"


class Runner(StrEnum):
    """Executor of a check: Treaty, another engine, or people."""

    HERE = "here"
    ELSEWHERE = "elsewhere"
    PEOPLE = "people"


class Verdict(StrEnum):
    """Verdict of a run, worst first: failed > not_evaluated > warned > passed."""

    FAILED = "failed"
    NOT_EVALUATED = "not_evaluated"
    WARNED = "warned"
    PASSED = "passed"


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
    if result.outcome is Outcome.FAILED:
        return Verdict.FAILED if result.severity == "error" else Verdict.WARNED
    return Verdict.PASSED
