"""Evaluate each target of a validation separately, from states that were read once."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from uuid import UUID

from treaty.contracts.errors import ContractError
from treaty.contracts.schema import Schema
from treaty.engine.checks.binding import bind
from treaty.engine.components.frequencies import FrequencySpectrum
from treaty.engine.core.errors import StateError
from treaty.engine.core.partitions import months
from treaty.engine.core.results import ExactValue, MetricKey, RunResult
from treaty.engine.evaluation import declared_schema as columns
from treaty.engine.evaluation.exact_evaluation import UncertainChecks, evaluate_exactly
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.evaluation.violation_samples import redact
from treaty.engine.protocol.requests import SpectraRequest
from treaty.engine.protocol.row_requests import ExactRequest
from treaty.registry.core.database import read_session
from treaty.registry.core.enums import RunKind
from treaty.registry.datasets import related_datasets
from treaty.registry.measurements.anomalies import baselines, fits
from treaty.registry.measurements.runs import recording
from treaty.registry.measurements.states import state_store
from treaty.registry.validation import sampling
from treaty.registry.validation.dependencies import ValidationDeps
from treaty.registry.validation.plan import ValidationPlan, ValidationTarget
from treaty.registry.validation.state_reading import ReadResult

log = logging.getLogger("treaty.worker")
EMPTY = "the table has no data yet"
REDEFINED = "the columns of the table changed; its data is unchanged"


@dataclass(frozen=True, kw_only=True)
class EvaluationResult:
    """Result of evaluating a target.

    `reason`: why nothing could be evaluated, or a remark about the data. `evaluated`: False means that the same data
    must be evaluated again next time. `cause`: kind of run."""

    target: ValidationTarget
    result: RunResult
    reason: str | None = None
    evaluated: bool = True
    cause: RunKind = RunKind.DATA


@dataclass(frozen=True, kw_only=True)
class EvaluationInputs:
    """Inputs shared by all targets: the scan, the states of all current partitions, and their schema."""

    plan: ValidationPlan
    tools: ValidationDeps
    reading: ReadResult
    started_at: datetime
    states: Mapping[str, bytes] = field(default_factory=dict)
    schema: Schema = field(default_factory=lambda: Schema(()))
    spectra: Mapping[str, FrequencySpectrum] = field(default_factory=dict)


def prepare(plan: ValidationPlan, tools: ValidationDeps, result: ReadResult, started: datetime) -> EvaluationInputs:
    """Return the inputs for evaluating the plan's targets.

    Raises StateError or EngineError."""
    states, schema = _remembered(plan, tools, result)
    files: dict[str, tuple[str, ...]] = {}
    for each in plan.promises:
        with suppress(ContractError):
            files |= tools.large(each.contract, each.object.name, schema, states)
    spectra = tools.engine.spectra(SpectraRequest(tools.state_url or "", files)) if files else {}
    return EvaluationInputs(
        plan=plan, tools=tools, reading=result, started_at=started, states=states, schema=schema, spectra=spectra
    )


def unevaluated_result(
    promise: ValidationTarget, reason: str, *, started: datetime, finished: datetime
) -> EvaluationResult:
    """Return a result in which no check of the target was evaluated, with the reason."""
    result = recording.unevaluated(promise.contract, promise.object.name, reason, started=started, finished=finished)
    return EvaluationResult(target=promise, result=result, reason=reason, evaluated=False)


def evaluate_all(on: EvaluationInputs, *, strict: bool) -> Iterator[EvaluationResult]:
    """Yield the result of every target that has something new.

    A contract that does not fit, a damaged state or an unexpected error only affects its own target. Raises
    StateError for damaged states if `strict`, and unexpected errors of the task's own target."""
    for promise in on.plan.promises:
        if (result := _guarded(on, promise, strict=strict)) is not None:
            yield result


def redefined(on: EvaluationInputs) -> Iterator[EvaluationResult]:
    """Yield the results for a changed schema whose data is unchanged.

    Evaluates schema checks and checks over all data, but none of single partitions. Skips targets whose columns are
    unchanged since their last run, and results that repeat it. Raises StateError for damaged states."""
    declared = on.plan.declared_columns or on.reading.measured.columns
    schema = columns.merge_declared_columns(on.schema, declared, on.plan.source.partition_by)
    for promise in on.plan.promises if on.states else ():
        last = _of_columns(on, promise)
        if schema != on.schema or last is not None:
            result = _evaluate(replace(on, schema=schema), promise, ())
            if result.results and not (last and _repeats(on, last, result)):
                yield EvaluationResult(target=promise, result=result, reason=REDEFINED, cause=RunKind.SCHEMA)


def _of_columns(on: EvaluationInputs, promise: ValidationTarget) -> UUID | None:
    """Return the id of the last run if it evaluated a changed schema, else None."""
    with read_session(on.tools.database) as session:
        run_key = recording.RunSeriesKey(
            *promise.contract_object, promise.contract.fingerprint, promise.subscription_id
        )
        last = recording.last(session, run_key, on.plan.dataset_id)
        return last.id if last is not None and last.kind is RunKind.SCHEMA else None


def _repeats(on: EvaluationInputs, last: UUID, result: RunResult) -> bool:
    with read_session(on.tools.database) as session:
        return recording.repeats(session, last, result)


def one(on: EvaluationInputs, promise: ValidationTarget) -> EvaluationResult | None:
    """Return the result of the target; None if nothing is new for it.

    Raises ContractError or StateError."""
    delta, removed = on.reading.arrived(promise.validated_fingerprints), on.reading.lost(promise.validated_fingerprints)
    is_first = promise.validated_fingerprints is None and on.reading.measured.fingerprints
    if not (delta or removed or is_first):
        return _of_nothing(on, promise, EMPTY) if promise.validated_fingerprints is None else None
    reason = _loss(removed)
    if not on.states:
        result = _of_nothing(on, promise, f"{reason}; no data is left")
        return EvaluationResult(target=promise, result=result.result, reason=reason)
    return EvaluationResult(target=promise, result=_evaluate(on, promise, delta), reason=reason)


def _guarded(on: EvaluationInputs, promise: ValidationTarget, *, strict: bool) -> EvaluationResult | None:
    try:
        return one(on, promise)
    except (ContractError, StateError) as error:
        if strict and isinstance(error, StateError):
            raise
        return _of_nothing(on, promise, str(error))
    except Exception as error:
        if promise is on.plan.primary:
            raise
        log.exception("another contract or consumer of the dataset could not be evaluated")
        return _of_nothing(on, promise, f"unexpected {type(error).__name__}; see the worker log for details")


def _of_nothing(on: EvaluationInputs, promise: ValidationTarget, reason: str) -> EvaluationResult:
    return unevaluated_result(promise, reason, started=on.started_at, finished=on.tools.clock())


def _evaluate(on: EvaluationInputs, promise: ValidationTarget, delta: tuple[str, ...]) -> RunResult:
    checks = bind(promise.object, on.schema)
    run_key = recording.RunSeriesKey(*promise.contract_object, promise.contract.fingerprint, promise.subscription_id)
    large = on.tools.large(promise.contract, promise.object.name, on.schema, on.states)
    with read_session(on.tools.database) as session:
        referents = related_datasets.referents(session, promise.contract, promise.object)
        history = baselines.pasts(session, run_key, checks)
        # Fits adapt the contract's own checks, not those of consumers.
        own = promise.subscription_id is None
        contract = fits.with_active_fits(session, promise.contract, promise.object.name) if own else promise.contract
    request = EvaluationRequest(
        contract=contract,
        object_name=promise.object.name,
        schema=on.schema,
        states=on.states,
        delta=delta,
        started_at=on.started_at,
        finished_at=on.tools.clock(),
        files=on.tools.files,
        whole_table_states=on.reading.measured.whole_table_states,
        reference_values=referents,
        spectra={key: on.spectra[key] for key in large},
        history=history,
    )
    run = evaluate_exactly(request, partial(_exact_values, on, promise), on.tools.evaluate)
    return _sampled(on, promise, redact(checks, run), delta)


def _exact_values(
    on: EvaluationInputs, promise: ValidationTarget, uncertain: UncertainChecks
) -> Mapping[MetricKey, ExactValue]:
    """Compute uncertain checks exactly on the version of the table that was evaluated.

    Raises EngineError or ContractError."""
    measured = on.reading.measured
    by_arrival = bool(on.plan.arrivals) and not on.plan.source.partition_by
    request = ExactRequest(
        source=replace(on.plan.source, version=measured.version),
        contract=promise.contract.source,
        object=promise.object.name,
        uncertain_checks=uncertain,
        fingerprints={} if by_arrival else measured.fingerprints,
        arrivals=measured.fingerprints if by_arrival else {},
    )
    return on.tools.engine.exact_values(request)


def _sampled(on: EvaluationInputs, promise: ValidationTarget, result: RunResult, delta: tuple[str, ...]) -> RunResult:
    """Return the result with violating rows; consumers' checks do not cause another read of the table."""
    limit = on.tools.sampling.rows
    if not (limit and delta) or promise.subscription_id is not None:
        return result
    fingerprints = {name: on.reading.measured.fingerprints[name] for name in delta}
    request = sampling.request(on.plan, promise, limit, fingerprints, on.reading.measured.version)
    return sampling.sampled(on.tools.engine, request, bind(promise.object, on.schema), result)


def _remembered(plan: ValidationPlan, tools: ValidationDeps, result: ReadResult) -> tuple[dict[str, bytes], Schema]:
    """Return the states of all current partitions and the schema.

    The schema is that of the arrived data, else the stored one."""
    current, read = result.measured.fingerprints, result.measured.states
    current_stored = {
        name: packed for name, packed in result.stored.items() if current.keys() >= set(months.members(name))
    }
    states = dict(
        sorted({**current_stored, **{name: packed for name, packed in read.items() if name in current}}.items())
    )
    if read:
        return result.measured.evaluated_states(states), result.measured.schema
    with read_session(tools.database) as session:
        return result.measured.evaluated_states(states), state_store.schema(session, plan.dataset_id)


def _loss(vanished: tuple[str, ...]) -> str | None:
    if not vanished:
        return None
    names = [name or "the whole table" for name in vanished[:5]]
    shown = ", ".join(names) + (", ..." if len(vanished) > 5 else "")
    return (
        f"{len(vanished):,} partition{'s' * (len(vanished) > 1)} no longer exist{'s' * (len(vanished) == 1)}: {shown}"
    )
