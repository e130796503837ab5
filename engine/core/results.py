"""What a verification found: measurements, check results and the verdict of the run. Plain values, JSON both ways."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict

# Where a number comes from: a scan of the rows, or what files state of themselves.
SCANNED, STATED, MIXED = "scan", "statistics", "scan and statistics"
Value = int | float | Decimal | str | None


class Outcome(StrEnum):
    """How a check ended. `not_evaluated` is never counted as a pass."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_APPLICABLE = "not_applicable"
    NOT_EVALUATED = "not_evaluated"


class Runner(StrEnum):
    """Who judges a check."""

    HERE = "here"
    ELSEWHERE = "elsewhere"
    PEOPLE = "people"


class Verdict(StrEnum):
    """How a run ended, worst first: failed > not_evaluated > warned > passed."""

    FAILED = "failed"
    NOT_EVALUATED = "not_evaluated"
    WARNED = "warned"
    PASSED = "passed"


class FrozenRecord(BaseModel):
    model_config = ConfigDict(frozen=True)


class Measurement(FrozenRecord):
    """One metric of one partition (None: of the whole dataset). `value` None means: no value, see `reason`.

    `row_count`: the rows it was measured on. `details`: the distribution behind the value, as plain data. `sources`:
    what its numbers were read from: a scan of the rows, the files' own statistics, or both."""

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
    """What is said of one check on one partition (`partition` None: the whole dataset): the one declaration of it.

    Results, their rows in the store and answers of the API derive from it.

    `sentence` is the promise, `finding` what was found of it, in words, with the threshold and by how much it was
    missed. `row_count`: the rows that the value was measured on. `violating_rows`: those that break the promise; None
    where single rows do not. `unevaluated_rows`: rows whose conditions could not be evaluated; they never count as
    keeping it.

    `threshold`: what the value was held against, as plain data. `reference`: if it is another dataset's metric, by its
    words, the value that it had and where that comes from. `band`: of a detector, what it admits, expects and promises
    (`treaty.engine.anomaly.detector.DetectorBand`)."""

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
        """How it is counted: by its outcome, and as `warned` where it failed and is of severity warning."""
        return "warned" if self.outcome is Outcome.FAILED and self.severity == "warning" else self.outcome.value


class CheckResult(ResultFields, FrozenRecord):
    """One check on one partition, as it was judged."""


class ViolationSample(FrozenRecord):
    """Rows that break a check, as text: a value of each of `columns`, None for null; values of `masked` ones masked.

    A text that was too long to show ends in an ellipsis."""

    check_id: str
    columns: tuple[str, ...]
    masked: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]


class RunResult(FrozenRecord):
    """One verification of one schema object of a contract version.

    `samples`: of failed checks, where they were asked for and single rows break them. `tags`: those of the contract and
    of the object."""

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
    """The verdict of the results; `passed` for none."""
    found = {_verdict(result) for result in results}
    return next((verdict for verdict in Verdict if verdict in found), Verdict.PASSED)


def _verdict(result: CheckResult) -> Verdict:
    if result.outcome is Outcome.NOT_EVALUATED:
        return Verdict.NOT_EVALUATED
    if result.outcome is Outcome.FAILED:
        return Verdict.FAILED if result.severity == "error" else Verdict.WARNED
    return Verdict.PASSED
