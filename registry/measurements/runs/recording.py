"""Store runs, including those that could not evaluate any check."""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.contracts.document.model import Contract, ContractCheck
from treaty.engine.anomaly.series import partition_key
from treaty.engine.core.results import CheckResult, Measurement, Outcome, RunResult, Value
from treaty.engine.protocol.write_hints import DetectionMethod
from treaty.registry.audit import audit_log
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import RunKind
from treaty.registry.tables import CheckResultRow, MeasurementRow, RunRow, RunTagRow

ACTOR = "worker"


@dataclass(frozen=True, kw_only=True)
class RunProvenance:
    """The origin of a run.

    `task_id`: task that did the run. `lineage_run_id`: run that triggered it. `dataset_fingerprint`: fingerprint of all
    partitions; None if no data could be read. `states_version`: version of the dataset's states that was evaluated.
    `reason`: reason why nothing could be evaluated, or a note. `subscription_id`: consumer whose checks were evaluated;
    None means the contract's own. `detection_method`: method that identified the partitions to validate. `version`:
    version of the table that was read; None if its format has none."""

    dataset_id: UUID | None = None
    task_id: UUID | None = None
    lineage_run_id: UUID | None = None
    dataset_fingerprint: str | None = None
    states_version: int | None = None
    reason: str | None = None
    subscription_id: UUID | None = None
    cause: RunKind = RunKind.DATA
    detection_method: DetectionMethod | None = None
    version: int | None = None


def record(
    session: Session, run_id: UUID, result: RunResult, origin: RunProvenance, *, now: datetime, actor: str = ACTOR
) -> RunRow:
    """Store the run with its results, measurements and tags, and an audit entry.

    `actor`: name of the principal that requested the validation."""
    run = _run(run_id, result, origin)
    session.add(run)
    session.add_all(_result(run_id, position, each) for position, each in enumerate(result.results))
    session.add_all(_measurements(run_id, result, origin.subscription_id))
    session.add_all(RunTagRow(run_id=run_id, tag=each) for each in sorted(set(result.tags)))
    details = {"contract": run.contract_id, "version": run.version, "object": run.object, "verdict": run.verdict.value}
    audit_log.record(session, AuditAction.RUN_RECORDED, actor=actor, object_id=run_id, details=details, now=now)
    return run


class RunSeriesKey(NamedTuple):
    """The key of a series of runs: contract object, contract fingerprint and consumer.

    `fingerprint`: fingerprint of the contract document. `subscription_id`: None means the contract's own checks."""

    contract_id: str
    object: str
    fingerprint: str
    subscription_id: UUID | None = None


def last(session: Session, series_key: RunSeriesKey, dataset_id: UUID) -> RunRow | None:
    """Return the latest run of the series that evaluated data of the dataset; None if there is none."""
    conditions = (
        RunRow.dataset_id == dataset_id,
        RunRow.contract_id == series_key.contract_id,
        RunRow.object == series_key.object,
    )
    of_consumer = col(RunRow.subscription_id).is_not_distinct_from(series_key.subscription_id)
    query = select(RunRow).where(
        *conditions,
        RunRow.fingerprint == series_key.fingerprint,
        of_consumer,
        col(RunRow.dataset_fingerprint).is_not(None),
    )
    return session.exec(query.order_by(col(RunRow.id).desc()).limit(1)).first()


def repeats(session: Session, run_id: UUID, result: RunResult) -> bool:
    """Return whether the stored run has the same result for every check."""
    stored = session.exec(
        select(CheckResultRow).where(CheckResultRow.run_id == run_id).order_by(col(CheckResultRow.position))
    )
    rows = (_result(run_id, position, each) for position, each in enumerate(result.results))
    return list(map(_result_fields, stored)) == list(map(_result_fields, rows))


def _result_fields(row: CheckResultRow) -> tuple[str | None, ...]:
    return row.check_id, row.partition, row.outcome, row.value, row.finding, row.reason


def unevaluated(
    contract: Contract, object_name: str, reason: str, *, started: datetime, finished: datetime
) -> RunResult:
    """Return a result in which no check could be evaluated, with the reason.

    It contains at least one check result, so its verdict is never passed."""
    contract_object = next((each for each in contract.objects if each.name == object_name), None)
    results = tuple(_not_evaluated(check, reason) for check in (contract_object.checks if contract_object else ()))
    return RunResult(
        contract_id=contract.id,
        contract_version=contract.version,
        contract_fingerprint=contract.fingerprint,
        object=object_name,
        partitions=(),
        rows=None,
        started_at=started,
        finished_at=finished,
        results=results or (_not_evaluated(WHOLE, reason),),
        measurements=(),
    )


WHOLE = ContractCheck(id="table", name="whole table", kind="treaty", severity="error", analyzer="")


def _not_evaluated(check: ContractCheck, reason: str) -> CheckResult:
    return CheckResult(
        check_id=check.id,
        name=check.name,
        outcome=Outcome.NOT_EVALUATED,
        severity=check.severity,
        scope=check.scope or "delta",
        partition=None,
        sentence=f"{check.analyzer or check.name} must {check.assertion.sentence()}" if check.assertion else check.name,
        column=check.column or check.arguments.get("column"),
        dimension=check.dimension,
        reason=reason,
    )


def _run(run_id: UUID, result: RunResult, origin: RunProvenance) -> RunRow:
    return RunRow(
        id=run_id,
        contract_id=result.contract_id,
        version=result.contract_version,
        fingerprint=result.contract_fingerprint,
        object=result.object,
        dataset_id=origin.dataset_id,
        partitions=list(result.partitions),
        verdict=result.verdict,
        outcome_counts=dict(Counter(each.counts_as for each in result.results)),
        rows=result.rows,
        started_at=result.started_at,
        finished_at=result.finished_at,
        task_id=origin.task_id,
        lineage_run_id=origin.lineage_run_id,
        dataset_fingerprint=origin.dataset_fingerprint,
        states_version=origin.states_version,
        reason=_text(origin.reason),
        subscription_id=origin.subscription_id,
        kind=origin.cause,
        detection_method=origin.detection_method,
        read_version=None if origin.version is None else str(origin.version),
    )


def _result(run_id: UUID, position: int, result: CheckResult) -> CheckResultRow:
    json_fields = result.model_dump(mode="json", include={"threshold", "reference", "band"})
    texts = {"value": exact(result.value), "reason": _text(result.reason), "finding": _text(result.finding)}
    return CheckResultRow(run_id=run_id, position=position, **{**result.model_dump(), **json_fields, **texts})


def _measurements(run_id: UUID, result: RunResult, subscription_id: UUID | None) -> Iterator[MeasurementRow]:
    for position, each in enumerate(result.measurements):
        key = partition_key(each.partition)
        yield MeasurementRow(
            run_id=run_id,
            position=position,
            contract_id=result.contract_id,
            object=result.object,
            identity=each.identity,
            analyzer=each.analyzer,
            arguments=each.arguments,
            partition=each.partition,
            value=_number(each),
            exact=exact(each.value),
            reason=_text(each.reason),
            measured_at=result.finished_at,
            row_count=each.row_count,
            details=each.model_dump(mode="json")["details"],
            subscription_id=subscription_id,
            data_at=key.time,
            segment=key.segment,
        )


def _number(measurement: Measurement) -> float | None:
    """Return the value for charts; None for texts, and for numbers that a double cannot represent."""
    try:
        number = None if isinstance(measurement.value, str | None) else float(measurement.value)
    except OverflowError:
        return None
    return number if number is not None and math.isfinite(number) else None


def exact(value: Value) -> str | None:
    """Return the value as text without loss of digits; None if there is no value."""
    return None if value is None else _text(str(value))


def _text(text: str | None) -> str | None:
    """Replace NUL characters, which PostgreSQL rejects."""
    return text.replace("\x00", "\N{REPLACEMENT CHARACTER}") if text else text
