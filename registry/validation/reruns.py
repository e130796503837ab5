"""Re-evaluate a run with its contract version on its stored states."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.contracts.document.reader import read
from treaty.contracts.fingerprint import fingerprint
from treaty.engine.checks.binding import bind
from treaty.engine.checks.bound_check import BoundChecks
from treaty.engine.checks.dataset_limits import ReferenceValue
from treaty.engine.core.results import CheckResult, MetricKey, RunResult, Value
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.evaluation.violation_samples import redact
from treaty.engine.states.bag import StateFileStore
from treaty.registry.contracts import in_force, lookup
from treaty.registry.core.errors import InvalidRequest, NotFound
from treaty.registry.measurements.anomalies import baselines, fits
from treaty.registry.measurements.runs import recording
from treaty.registry.measurements.runs.recording import RunSeriesKey
from treaty.registry.measurements.states import state_store
from treaty.registry.measurements.states.erasure import erased_since
from treaty.registry.tables import CheckResultRow, RunRow
from treaty.registry.validation.dependencies import EvaluateFunction

CONSUMED = "the run evaluated a consumer's own checks: only runs of a contract version can be re-evaluated"
NOTHING = "the run evaluated no states: it cannot be re-evaluated"
PRUNED = "some states of the run are no longer stored: their retention (state_retention_days) has ended"
ERASED = "the states of the run were erased by {} at {:%Y-%m-%d %H:%M} UTC: it cannot be re-evaluated"


@dataclass(frozen=True, kw_only=True)
class RerunDifference:
    """A check whose result differs in the rerun.

    `before`, `after`: outcome and value of the original run and of the rerun; None means the check was absent.
    `reason`: the rerun's reason."""

    check_id: str
    partition: str | None
    before: tuple[str, str | None] | None
    after: tuple[str, str | None] | None
    reason: str | None = None


@dataclass(frozen=True)
class Rerun:
    """A rerun and its differences; () means every outcome and value is the same."""

    run: RunRow
    result: RunResult
    differences: tuple[RerunDifference, ...]


def again(session: Session, run_id: UUID, judge: EvaluateFunction, *, files: StateFileStore | None = None) -> Rerun:
    """Re-evaluate a run as of its original time.

    Stores nothing and reads no data. Values that the run computed exactly are used again. Checks that need all rows
    at once have no stored states, so they are reported as not evaluated. `files`: store of large states; None means
    there is none. Raises NotFound if the run does not exist, and InvalidRequest if it evaluated a consumer's checks or
    no states, or if its states are no longer all stored."""
    run = session.get(RunRow, run_id)
    if run is None:
        raise NotFound
    if run.subscription_id is not None:
        raise InvalidRequest(CONSUMED)
    if run.dataset_id is None or run.states_version is None:
        raise InvalidRequest(NOTHING)
    stored = state_store.stored_fingerprints(session, run.dataset_id, version=run.states_version)
    if fingerprint(stored) != run.dataset_fingerprint:
        raise InvalidRequest(_gone(session, run, run.dataset_id))
    before = session.exec(
        select(CheckResultRow).where(CheckResultRow.run_id == run_id).order_by(col(CheckResultRow.position))
    ).all()
    checks, request = _request(session, run, run.dataset_id, before, files)
    result = redact(checks, judge(request))
    return Rerun(run, result, tuple(_differences(before, result)))


def _gone(session: Session, run: RunRow, dataset_id: UUID) -> str:
    entry = erased_since(session, dataset_id, run.finished_at)
    return ERASED.format(entry.actor, entry.time) if entry else PRUNED


def _request(
    session: Session, run: RunRow, dataset_id: UUID, before: Sequence[CheckResultRow], files: StateFileStore | None
) -> tuple[BoundChecks, EvaluationRequest]:
    """Return the bound checks and the stored inputs of the run."""
    version = read(lookup.version(session, run.contract_id, run.version).body)
    shared = in_force.with_shared_classifications(session, dataset_id, version, run.object)
    contract = fits.with_named_fits(session, shared, run.object, _fits(before))
    stored = state_store.load(session, dataset_id, version=run.states_version)
    schema = state_store.schema(session, dataset_id, version=run.states_version)
    checks = bind(contract.object(run.object), schema)
    run_key = RunSeriesKey(run.contract_id, run.object, run.fingerprint, run.subscription_id)
    return checks, EvaluationRequest(
        contract=contract,
        object_name=run.object,
        schema=schema,
        states=stored,
        delta=tuple(run.partitions),
        started_at=run.started_at,
        finished_at=run.finished_at,
        files=files,
        reference_values=_referents(before),
        exact_values=_exact_values(before),
        history=baselines.pasts(session, run_key, checks, before=run.finished_at),
    )


def _fits(results: Sequence[CheckResultRow]) -> frozenset[str]:
    """Return the names of the fits that the run used."""
    return frozenset(name for row in results if (name := (row.band or {}).get("fit")))


def _exact_values(results: Sequence[CheckResultRow]) -> dict[MetricKey, Value]:
    """Return the exact values that the run computed where estimates could not decide."""
    return {
        (row.measurement, row.partition): _number(row.value)
        for row in results
        if row.is_exact and row.measurement and row.value is not None
    }


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _referents(results: Sequence[CheckResultRow]) -> dict[str, ReferenceValue]:
    """Return the reference values of other datasets that the run used."""
    items = (each for row in results for each in (row.reference or {}).items())
    return {words: ReferenceValue(_value(reference["value"])) for words, reference in items}


def _value(plain: Any) -> Value:
    """Parse an exact number from its text; other texts are returned unchanged."""
    try:
        return Decimal(plain) if isinstance(plain, str) else plain
    except InvalidOperation:
        return str(plain)


def _differences(before: Sequence[CheckResultRow], result: RunResult) -> list[RerunDifference]:
    then = {_key(row): (row.outcome.value, row.value) for row in before}
    now = {_key(each): each for each in result.results}
    after = {key: _comparable(each) for key, each in now.items()}
    changed = [key for key in dict.fromkeys([*then, *after]) if then.get(key) != after.get(key)]
    return [
        RerunDifference(
            check_id=key[0],
            partition=key[2],
            before=then.get(key),
            after=after.get(key),
            reason=now[key].reason if key in now else None,
        )
        for key in changed
    ]


def _key(result: CheckResultRow | CheckResult) -> tuple[str, str, str | None]:
    return result.check_id, result.sentence, result.partition


def _comparable(result: CheckResult) -> tuple[str, str | None]:
    return result.outcome.value, recording.exact(result.value)
