"""Runs: what a verification found, kept as rows, and the runs that could find nothing."""

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
from treaty.registry.core.enums import AuditAction, RunKind
from treaty.registry.tables import CheckResultRow, MeasurementRow, RunRow, RunTagRow

ACTOR = "worker"


@dataclass(frozen=True, kw_only=True)
class RunProvenance:
    """Where a run comes from: the dataset and marker that were read, the task, the lineage run that triggered it.

    `dataset_fingerprint` None: no data could be read. `states_version`: that of the dataset's states, as judged.
    `reason`: why nothing could be judged, or what else people should know. `subscription_id`: of the consumer whose
    checks these are; None: the contract's own. `detection_method`: by what it was told which partitions to judge.
    `version`: the one of the table's format that was read; None: it has none."""

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
    """Stores the run with its results and measurements, and the audit row that says so, of who had it judged."""
    run = _run(run_id, result, origin)
    session.add(run)
    session.add_all(_result(run_id, position, each) for position, each in enumerate(result.results))
    session.add_all(_measurements(run_id, result, origin.subscription_id))
    session.add_all(RunTagRow(run_id=run_id, tag=each) for each in sorted(set(result.tags)))
    details = {"contract": run.contract_id, "version": run.version, "object": run.object, "verdict": run.verdict.value}
    audit_log.record(session, AuditAction.RUN_RECORDED, actor=actor, object_id=run_id, details=details, now=now)
    return run


class RunSeriesKey(NamedTuple):
    """Whose runs: a contract's object, by the document with that fingerprint; `subscription_id` of which consumer."""

    contract_id: str
    object: str
    fingerprint: str
    subscription_id: UUID | None = None


def last(session: Session, whose: RunSeriesKey, dataset_id: UUID) -> RunRow | None:
    """The newest of these runs that judged data of the dataset; None where none could read it."""
    mine = RunRow.dataset_id == dataset_id, RunRow.contract_id == whose.contract_id, RunRow.object == whose.object
    by = col(RunRow.subscription_id).is_not_distinct_from(whose.subscription_id)
    query = select(RunRow).where(
        *mine, RunRow.fingerprint == whose.fingerprint, by, col(RunRow.dataset_fingerprint).is_not(None)
    )
    return session.exec(query.order_by(col(RunRow.id).desc()).limit(1)).first()


def repeats(session: Session, run_id: UUID, result: RunResult) -> bool:
    """Whether the run, which is stored, found just what the result says: of every check the same."""
    stored = session.exec(
        select(CheckResultRow).where(CheckResultRow.run_id == run_id).order_by(col(CheckResultRow.position))
    )
    new = (_result(run_id, position, each) for position, each in enumerate(result.results))
    return list(map(_result_fields, stored)) == list(map(_result_fields, new))


def _result_fields(row: CheckResultRow) -> tuple[str | None, ...]:
    return row.check_id, row.partition, row.outcome, row.value, row.finding, row.reason


def unevaluated(
    contract: Contract, object_name: str, reason: str, *, started: datetime, finished: datetime
) -> RunResult:
    """The run in which no check could be evaluated, each with that reason; at least one result, so it never passes."""
    found = next((each for each in contract.objects if each.name == object_name), None)
    results = tuple(_not_evaluated(check, reason) for check in (found.checks if found else ()))
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


WHOLE = ContractCheck(id="table", name="the table as a whole", kind="treaty", severity="error", analyzer="")


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
    plain = result.model_dump(mode="json", include={"threshold", "reference", "band"})
    texts = {"value": exact(result.value), "reason": _text(result.reason), "finding": _text(result.finding)}
    return CheckResultRow(run_id=run_id, position=position, **{**result.model_dump(), **plain, **texts})


def _measurements(run_id: UUID, result: RunResult, subscription_id: UUID | None) -> Iterator[MeasurementRow]:
    for position, each in enumerate(result.measurements):
        place = partition_key(each.partition)
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
            data_at=place.time,
            segment=place.segment,
        )


def _number(measurement: Measurement) -> float | None:
    """The value for charts; None for texts, and for numbers that no double can hold."""
    try:
        number = None if isinstance(measurement.value, str | None) else float(measurement.value)
    except OverflowError:
        return None
    return number if number is not None and math.isfinite(number) else None


def exact(value: Value) -> str | None:
    """The value as text, every digit of it. None for no value."""
    return None if value is None else _text(str(value))


def _text(text: str | None) -> str | None:
    """The text as both databases can keep it: PostgreSQL refuses the zero character."""
    return text.replace("\x00", "\N{REPLACEMENT CHARACTER}") if text else text
