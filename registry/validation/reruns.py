"""A run done again, by its version of the contract on the states that it judged, and what comes out otherwise."""

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
from treaty.engine.core.results import CheckResult, RunResult, Value
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

CONSUMED = "the run judged a consumer's own checks, which are no version of a contract: it is not done again"
NOTHING = "the run judged no states: there is nothing to do again"
PRUNED = "the states that the run judged are no longer all kept: state_retention_days says for how long they are"
ERASED = "the states that the run judged were erased by {} at {:%Y-%m-%d %H:%M} UTC: it cannot be done again"


@dataclass(frozen=True, kw_only=True)
class RerunDifference:
    """A check that comes out otherwise: its outcome and value, then and now. `reason`: what is said of it now."""

    check_id: str
    partition: str | None
    before: tuple[str, str | None] | None
    after: tuple[str, str | None] | None
    reason: str | None = None


@dataclass(frozen=True)
class Rerun:
    """The run done again; without differences every outcome and every value is what it was."""

    run: RunRow
    result: RunResult
    differences: tuple[RerunDifference, ...]


def again(session: Session, run_id: UUID, judge: EvaluateFunction, *, files: StateFileStore | None = None) -> Rerun:
    """The run of that id, done again at the time that it was done. Nothing is stored, and no data is read.

    `files`: where large states lie; None means nowhere.

    What must be read of all rows at once is not kept, so such checks cannot be evaluated again, and are told. Raises
    NotFound where there is no such run, Invalid where it judged no states, or where not all of them are kept."""
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
    """What the run was judged from, as far as it is stored, with the checks that it binds."""
    version = read(lookup.version(session, run.contract_id, run.version).body)
    shared = in_force.with_shared_classifications(session, dataset_id, version, run.object)
    contract = fits.with_named_fits(session, shared, run.object, _fits(before))
    stored = state_store.load(session, dataset_id, version=run.states_version)
    schema = state_store.schema(session, dataset_id, version=run.states_version)
    checks = bind(contract.object(run.object), schema)
    whose = RunSeriesKey(run.contract_id, run.object, run.fingerprint, run.subscription_id)
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
        history=baselines.pasts(session, whose, checks, before=run.finished_at),
    )


def _fits(results: Sequence[CheckResultRow]) -> frozenset[str]:
    """The names of the fits that the run judged by."""
    return frozenset(name for row in results if (name := (row.band or {}).get("fit")))


def _referents(results: Sequence[CheckResultRow]) -> dict[str, ReferenceValue]:
    """The limits that referred to other datasets, with the values that were found then."""
    found = (each for row in results for each in (row.reference or {}).items())
    return {words: ReferenceValue(_value(given["value"])) for words, given in found}


def _value(plain: Any) -> Value:
    """An exact number from its text; other texts as they are."""
    try:
        return Decimal(plain) if isinstance(plain, str) else plain
    except InvalidOperation:
        return str(plain)


def _differences(before: Sequence[CheckResultRow], result: RunResult) -> list[RerunDifference]:
    then = {_key(row): (row.outcome.value, row.value) for row in before}
    now = {_key(each): each for each in result.results}
    told = {key: _comparable(each) for key, each in now.items()}
    changed = [key for key in dict.fromkeys([*then, *told]) if then.get(key) != told.get(key)]
    return [
        RerunDifference(
            check_id=key[0],
            partition=key[2],
            before=then.get(key),
            after=told.get(key),
            reason=now[key].reason if key in now else None,
        )
        for key in changed
    ]


def _key(result: CheckResultRow | CheckResult) -> tuple[str, str, str | None]:
    return result.check_id, result.sentence, result.partition


def _comparable(result: CheckResult) -> tuple[str, str | None]:
    return result.outcome.value, recording.exact(result.value)
