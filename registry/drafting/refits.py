"""Refit programs every night and after feedback: clauses in force get bounds from newer stored states.

Bounds that the version's recipe admits apply from the next run on; others are proposed to the owners."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.contracts.document.model import Contract, ContractCheck
from treaty.contracts.editing.schema_drift import Drift
from treaty.contracts.fingerprint import fingerprint, short_fingerprint
from treaty.contracts.schema import Schema
from treaty.engine.anomaly.fits import refittable_clauses
from treaty.engine.checks.binding import bind
from treaty.engine.core.partitions.months import members
from treaty.engine.programs.newest_partitions import newest
from treaty.engine.programs.refitting import suggestion as refit_suggestion
from treaty.engine.programs.refitting.refits import Refit, WatchedClause, of_states, refits, watched_clauses
from treaty.engine.programs.suggestions import TableHistory
from treaty.engine.states.state_files import StateFiles
from treaty.registry.audit import audit_log
from treaty.registry.contracts import in_force
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import FitReason, TaskKind
from treaty.registry.core.ids import Ids
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.core.state_machines import IN_FORCE
from treaty.registry.datasets import contract_datasets
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.drafting import nightly_redraft
from treaty.registry.measurements.anomalies import baselines, fits
from treaty.registry.measurements.runs.recording import RunSeriesKey
from treaty.registry.measurements.states import state_store
from treaty.registry.queue import task_queue
from treaty.registry.review.proposals import proposals, rejected_suggestions
from treaty.registry.tables import ContractVersionRow, DatasetRow, FitRow, TaskRow

NOTHING = "no program clause to refit"
UNMOVED = "no limit changed"


@dataclass(frozen=True, kw_only=True)
class RefitResult:
    """The refitted clauses of an object in one version.

    `contents`: fingerprint of each partition's states, by name."""

    contract: Contract
    about: ContractObject
    refits: tuple[Refit, ...]
    contents: Mapping[str, str]
    states_version: int


def order(session: Session, *, now: datetime, ids: Ids) -> int:
    """Enqueue a nightly refit of every program in force, and count the new tasks."""
    tasks = [
        enqueue(session, each, FitReason.NIGHTLY, key=f"{each}/{now.date()}", now=now, task_id=ids())
        for each in _refitted(session)
    ]
    return sum(task is not None for task in tasks)


def refit_after_feedback(session: Session, about: ContractObject, *, now: datetime, task_id: UUID) -> TaskRow | None:
    """Enqueue a refit of the object's programs after feedback; None if it has none to refit."""
    if about not in set(_of(session, about.contract_id)):
        return None
    return enqueue(session, about, FitReason.FEEDBACK, key=str(task_id), now=now, task_id=task_id)


def enqueue(
    session: Session, about: ContractObject, reason: FitReason, *, key: str, now: datetime, task_id: UUID
) -> TaskRow | None:
    """Enqueue the task; None if a task of that key exists."""
    payload = {"contract_id": about.contract_id, "object": about.object, "reason": reason.value}
    return task_queue.enqueue(
        session, kind=TaskKind.REFIT, payload=payload, key=f"{TaskKind.REFIT}/{key}", now=now, task_id=task_id,
        priority=task_queue.Priority.UPKEEP,
    )  # fmt: skip


def _refitted(session: Session) -> Iterator[ContractObject]:
    row = ContractVersionRow
    query = select(row.contract_id).where(col(row.state).in_(IN_FORCE)).distinct().order_by(row.contract_id)
    for contract_id in session.exec(query).all():
        yield from _of(session, contract_id)


def _of(session: Session, contract_id: str) -> Iterator[ContractObject]:
    """Yield the contract's objects with clauses to refit, without duplicates."""
    contracts = in_force.versions(session, contract_id)
    names = [each.name for contract in contracts for each in contract.objects if refittable_clauses(each)]
    yield from (ContractObject(contract_id, name) for name in dict.fromkeys(names))


@dataclass(frozen=True)
class RefitStates:
    """Packed states of the newest partitions.

    `packed`: states by partition.
    `contents`: fingerprint of the states by partition.
    `version`: the states version that they belong to."""

    packed: Mapping[str, bytes]
    contents: Mapping[str, str]
    schema: Schema
    version: int

    def table_history(
        self, clauses: Sequence[WatchedClause], settings: RegistrySettings, excluded_partitions: Collection[str]
    ) -> TableHistory:
        """Return the history of the watched columns."""
        files = StateFiles(settings.states)
        return of_states(
            clauses, self.schema, self.packed, excluded_partitions=frozenset(excluded_partitions), files=files
        )


def stored(session: Session, dataset: DatasetRow) -> RefitStates | None:
    """Return the states that the dataset's programs are refitted from.

    None if its partitions have no order in time or there are none."""
    version = dataset.states_version
    days = [name for name in state_store.names(session, dataset.id, version=version) if len(members(name)) == 1]
    try:
        names = [name for _, name in newest(days)]
    except ValueError:
        return None
    packed = {
        row.partition: row.states for row in state_store.load_partitions(session, dataset.id, names, version=version)
    }
    contents = state_store.stored_fingerprints(session, dataset.id, version=version)
    schema = state_store.schema(session, dataset.id, version=version)
    return RefitStates(packed, {name: contents[name] for name in packed}, schema, version)


def work(session: Session, settings: RegistrySettings, payload: Mapping[str, Any]) -> list[RefitResult]:
    """Refit the object's clauses in each version in force; [] if there are no stored states."""
    about = ContractObject(payload["contract_id"], payload["object"])
    dataset = contract_datasets.dataset_of(session, *about)
    contracts = [each for each in in_force.versions(session, about.contract_id) if _has(each, about.object)]
    states = stored(session, dataset) if dataset and contracts else None
    if dataset is None or states is None:
        return []
    spoilt = baselines.spoilt_partitions(session, RunSeriesKey(*about, ""))
    shared = (in_force.with_shared_classifications(session, dataset.id, each, about.object) for each in contracts)
    return [_refit_result(each, about, states, settings, spoilt) for each in shared]


def _refit_result(
    contract: Contract,
    about: ContractObject,
    read: RefitStates,
    settings: RegistrySettings,
    excluded_partitions: Collection[str],
) -> RefitResult:
    checks = bind(contract.object(about.object), read.schema)
    clauses = [each for each in watched_clauses(checks) if each.clause.is_refitted]
    results = refits(clauses, read.table_history(clauses, settings, excluded_partitions)).values()
    return RefitResult(
        contract=contract,
        about=about,
        refits=tuple(each for each in results if isinstance(each, Refit)),
        contents=read.contents,
        states_version=read.version,
    )


def _has(contract: Contract, name: str) -> bool:
    return any(each.name == name and refittable_clauses(each) for each in contract.objects)


def keep(session: Session, task: TaskRow, results: Sequence[RefitResult], *, now: datetime, ids: Ids) -> dict[str, Any]:
    """Store changed fits and propose those that their recipes do not admit.

    Returns the task's result."""
    if not results:
        return {"note": NOTHING}
    reason = FitReason(task.payload["reason"])
    counts = {"fits": 0, "admitted": 0}
    for each in results:
        new = [_row(each, refit, reason, now=now, row_id=ids()) for refit in _changed_refits(session, each)]
        session.add_all(new)
        counts["fits"] += len(new)
        counts["admitted"] += sum(row.is_active for row in new)
    proposal = _propose(session, task, results[0], now=now, ids=ids)
    if counts["fits"]:
        details = {
            "contract": results[0].about.contract_id,
            "object": results[0].about.object,
            "reason": reason,
            **counts,
        }
        audit_log.record(
            session, AuditAction.FIT_LEARNED, actor=nightly_redraft.AUTHOR, object_id=task.id, now=now, details=details
        )
    return {**counts, **proposal} if counts["fits"] or proposal else {"note": UNMOVED}


def _changed_refits(session: Session, result: RefitResult) -> list[Refit]:
    """Return the refits whose bounds differ from the last fit, or from the approved bounds."""
    clauses = {each.watched.clause.named for each in result.refits}
    last = {row.check_id: (row.lower, row.upper) for row in fits.newest(session, result.about, clauses)}
    return [
        each for each in result.refits if last.get(each.watched.check_id, each.watched.clause.limits) != each.limits
    ]


def _row(result: RefitResult, refit: Refit, reason: FitReason, *, now: datetime, row_id: UUID) -> FitRow:
    clause = refit.watched.clause
    training = fingerprint([[name, result.contents.get(name)] for name in refit.partitions])
    return FitRow(
        id=row_id,
        contract_id=result.about.contract_id,
        object=result.about.object,
        check_id=refit.watched.check_id,
        version=result.contract.version,
        clause=clause.named,
        name=short_fingerprint(
            [*result.about, refit.watched.check_id, clause.named, refit.lower, refit.upper, training]
        ),
        lower=refit.lower,
        upper=refit.upper,
        points=refit.points,
        first_partition=refit.partitions[0],
        last_partition=refit.partitions[-1],
        excluded_partitions=sorted(set(result.contents) - set(refit.partitions)),
        states_version=result.states_version,
        training_fingerprint=training,
        backtest_points=refit.evaluated,
        backtest_alarms=list(refit.alarms),
        is_active=clause.admits(refit.limits),
        reason=reason,
        created_at=now,
    )


def _propose(session: Session, task: TaskRow, result: RefitResult, *, now: datetime, ids: Ids) -> dict[str, Any]:
    """Propose bounds that are not admitted and neither pending nor rejected; {} for none."""
    checks = {each.id: each for each in result.contract.object(result.about.object).checks}
    outside = [each for each in result.refits if not each.watched.clause.admits(each.limits)]
    candidates = [_suggested(result, each, checks[each.watched.check_id]) for each in outside]
    waiting = nightly_redraft.waiting(session, result.about.contract_id)
    before = rejected_suggestions.rejected_suggestions(
        session, result.about.contract_id, [each["id"] for each in candidates]
    )
    fresh = [
        each
        for each in candidates
        if each["id"] not in waiting
        and (each["id"] not in before or rejected_suggestions.news(before[each["id"]], each))
    ]
    if not fresh:
        return {}
    title = f"Refit of {result.about.object}: limits outside the approved range"
    proposal = nightly_redraft.authored(session, task, result.contract.source, title, now=now, ids=ids)
    proposals.create_drafted(session, proposal, fresh, make_id=ids, now=now)
    session.flush()
    nightly_redraft.put_forward(session, proposal, Drift(), result.contract, now=now, ids=ids)
    return {"proposal_id": str(proposal.id), "suggestions": len(fresh)}


def _suggested(result: RefitResult, refit: Refit, check: ContractCheck) -> dict[str, Any]:
    entry = next(each for each in entries(result.contract.document, result.about.object) if each.get("id") == check.id)
    return refit_suggestion.suggestion(refit, check, entry, result.about.object)


def entries(document: Mapping[str, Any], object_name: str) -> Iterator[Mapping[str, Any]]:
    """Yield the document's quality entries of the object and of its columns."""
    for table in document["schema"]:
        if table.get("name") == object_name:
            yield from table.get("quality") or ()
            for column in table.get("properties") or ():
                yield from column.get("quality") or ()
