"""Erase stored data of a dataset: states and files, samples, pattern index entries, values.

Runs stay with their verdicts, outcomes, counts and numbers; contract versions and the audit log stay as written. The
table itself is not touched: its next validation measures the data that is there then."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Protocol
from uuid import UUID

from sqlalchemy import and_, delete, false, or_
from sqlmodel import Session, col, select

from treaty.engine.core import disk
from treaty.engine.core.partitions.months import members
from treaty.registry.access import authentication, visibility
from treaty.registry.access.authentication import Principal
from treaty.registry.audit import audit_log
from treaty.registry.core.audit_actions import AuditAction, stored_actions
from treaty.registry.core.enums import Decision, Permission, ProposalState
from treaty.registry.core.errors import InvalidRequest, NotFound, ServiceBusy
from treaty.registry.core.state_machines import OPEN
from treaty.registry.datasets import contract_datasets
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.measurements.states import checkpoints, state_queries, state_store
from treaty.registry.tables import (
    AuditEntryRow,
    CheckResultRow,
    DatasetContractRow,
    DatasetRow,
    MeasurementRow,
    PartitionStateRow,
    ProposalProfileRow,
    ProposalRow,
    ProposalSuggestionRow,
    ReadCheckpointRow,
    RunRow,
    TaskRow,
    ViolationSampleRow,
)

GONE = "its values were erased"
CHUNK = 500
NAMED = 20


class StateFileEraser(Protocol):
    """Store of state files."""

    def erase(self, names: Collection[str]) -> int: ...


class PatternEraser(Protocol):
    """The pattern index."""

    def forget(self, tables: Sequence[str]) -> int: ...


@dataclass(frozen=True)
class ErasureRequest:
    """Datasets whose stored data is to be erased, completely or for some partitions.

    `datasets`: all names of one table. `about`: contract objects on it. `partitions`: empty means all."""

    datasets: tuple[DatasetRow, ...]
    about: frozenset[ContractObject]
    partitions: frozenset[str] = frozenset()

    @property
    def ids(self) -> tuple[UUID, ...]:
        """Return the ids of the datasets."""
        return tuple(each.id for each in self.datasets)

    def covers(self, partition: str | None) -> bool:
        """Return whether values of the partition are erased.

        Values of several partitions (None: all) are erased with any one of them."""
        return not self.partitions or partition is None or not self.partitions.isdisjoint(members(partition))


@dataclass(frozen=True, kw_only=True)
class ErasureResult:
    """The numbers of erased items.

    `files`: state files that nothing else references. `measurements`, `results`, `suggestions`: rows whose values were
    erased. `columns`: text columns removed from the pattern index."""

    generations: int = 0
    files: int = 0
    samples: int = 0
    measurements: int = 0
    results: int = 0
    suggestions: int = 0
    columns: int = 0


def erasure(session: Session, name: str, namespace: str | None, partitions: Collection[str]) -> ErasureRequest:
    """Resolve a name to an erasure request.

    Raises NotFound for an unknown or ambiguous dataset, and InvalidRequest for partitions without stored data."""
    resolved = state_queries.resolve_query(session, state_queries.StateQuery(dataset=name, namespace=namespace))
    if resolved is None:
        raise _none(name)
    ids, about = _alike(session, resolved.dataset.id)
    datasets = session.exec(select(DatasetRow).where(col(DatasetRow.id).in_(ids)).order_by(col(DatasetRow.id))).all()
    request = ErasureRequest(tuple(datasets), about, frozenset(partitions))
    unknown_names = sorted(request.partitions - set(_remembered(session, request)))
    if unknown_names:
        raise InvalidRequest(
            f"No data is stored for partition {', '.join(unknown_names[:NAMED])}. Use the names in `treaty states`."
        )
    return request


def see(session: Session, name: str, namespace: str | None, by: Principal) -> None:
    """Check that the principal may erase the dataset; an unknown name passes.

    Raises NotFound if the principal may not read the dataset, else Forbidden."""
    authentication.require_permission_anywhere(by, Permission.ERASE)
    resolved = state_queries.resolve_query(session, state_queries.StateQuery(dataset=name, namespace=namespace))
    if resolved is None:
        return
    resources = visibility.of_dataset(session, resolved.dataset)
    if not any(by.may(Permission.READ, resource) for resource in resources):
        raise _none(name)
    # Stored data is shared by all contracts on the dataset, so every one of them must allow it.
    for resource in resources:
        authentication.require_permission(by, Permission.ERASE, resource)


def _none(name: str) -> NotFound:
    return NotFound(f"Dataset {name} does not exist or is ambiguous. {state_queries.REMEDY}")


def erase(
    session: Session,
    request: ErasureRequest,
    files: StateFileEraser,
    patterns: PatternEraser,
    *,
    by: Principal,
    now: datetime,
) -> ErasureResult:
    """Erase the stored data and record it in the audit log.

    Rows are erased in the session's transaction. Files, and tables in the pattern index, are removed immediately; the
    index does not distinguish partitions. If the transaction is rolled back, states with missing files are computed
    again. Raises Forbidden without the permission for every contract on the dataset, and ServiceBusy if the pattern
    index is locked."""
    for each in request.datasets:
        for resource in visibility.of_dataset(session, each):
            authentication.require_permission(by, Permission.ERASE, resource)
        # Makes a concurrent validation start over: the states version differs from the one it started with.
        session.get_one(DatasetRow, each.id, with_for_update=True, populate_existing=True).states_version += 1
    _drop_parts(session, request)
    result = _states(session, request, files)
    runs = dict(session.exec(select(RunRow.id, RunRow.partitions).where(col(RunRow.dataset_id).in_(request.ids))).all())
    result = replace(
        result,
        samples=_samples(session, [run for run, parts in runs.items() if any(map(request.covers, parts))]),
        measurements=sum(map(_empty_measurement, _of_runs(session, MeasurementRow, runs, request))),
        results=sum(map(_empty_result, _of_runs(session, CheckResultRow, runs, request))),
        suggestions=_suggestions(session, request),
        columns=_learned(request, patterns),
    )
    _drop_profiles(session, request)
    partition_names = sorted(request.partitions)
    for each in request.datasets:
        details = {
            "name": each.name,
            "partitions": partition_names[:NAMED],
            "of": len(partition_names) or "all",
            **asdict(result),
        }
        audit_log.record(session, AuditAction.STATES_ERASED, actor=by.name, object_id=each.id, now=now, details=details)
    return result


def _learned(request: ErasureRequest, patterns: PatternEraser) -> int:
    try:
        return patterns.forget([each.location for each in request.datasets if each.location])
    except disk.LockHeld:
        raise ServiceBusy("The pattern index is being updated, so nothing was erased. Try again in a minute.") from None


def erased_since(session: Session, dataset_id: UUID, moment: datetime) -> AuditEntryRow | None:
    """Return the audit entry of the dataset's latest erasure since that time; None if there is none."""
    actions = stored_actions(AuditAction.STATES_ERASED)
    conditions = col(AuditEntryRow.action).in_(actions), AuditEntryRow.object_id == str(dataset_id)
    query = select(AuditEntryRow).where(*conditions, col(AuditEntryRow.time) >= moment)
    return session.exec(query.order_by(col(AuditEntryRow.position).desc())).first()


def _alike(session: Session, dataset_id: UUID) -> tuple[frozenset[UUID], frozenset[ContractObject]]:
    """Return all names of the same table: datasets that share a contract object are one table."""
    link, ids, about = DatasetContractRow, frozenset({dataset_id}), frozenset[ContractObject]()
    while True:
        about = frozenset(each for dataset in ids for each in contract_datasets.objects_of(session, dataset))
        matches = (and_(col(link.contract_id) == each.contract_id, col(link.object) == each.object) for each in about)
        expanded = ids | frozenset(session.exec(select(link.dataset_id).where(or_(false(), *matches))))
        if expanded == ids:
            return ids, about
        ids = expanded


def _remembered(session: Session, request: ErasureRequest) -> Iterator[str]:
    for name in session.exec(
        select(PartitionStateRow.partition).where(col(PartitionStateRow.dataset_id).in_(request.ids))
    ):
        yield from (name, *members(name))
    for parts in session.exec(select(RunRow.partitions).where(col(RunRow.dataset_id).in_(request.ids))):
        yield from parts


def _states(session: Session, request: ErasureRequest, files: StateFileEraser) -> ErasureResult:
    query = select(PartitionStateRow).where(col(PartitionStateRow.dataset_id).in_(request.ids))
    rows = session.exec(query.execution_options(yield_per=CHUNK))
    files_by_row = {row.id: state_store.files_of(row.states) for row in rows if request.covers(row.partition)}
    for ids in _chunks(list(files_by_row)):
        session.exec(delete(PartitionStateRow).where(col(PartitionStateRow.id).in_(ids)))
    unreferenced = {name for names in files_by_row.values() for name in names}
    if unreferenced:
        remaining = session.exec(select(PartitionStateRow.states).execution_options(yield_per=CHUNK))
        unreferenced -= {name for packed in remaining for name in state_store.files_of(packed)}
    return ErasureResult(generations=len(files_by_row), files=files.erase(sorted(unreferenced)) if unreferenced else 0)


def _drop_parts(session: Session, request: ErasureRequest) -> None:
    """Delete checkpoints of running tasks, which then read the data again."""
    query = select(TaskRow).where(col(TaskRow.id).in_(select(ReadCheckpointRow.task_id)))
    for task in session.exec(query):
        if (task.payload.get("contract_id"), task.payload.get("object")) in request.about:
            checkpoints.drop(session, task.id, request.partitions or None)


def _samples(session: Session, runs: Sequence[UUID]) -> int:
    """Delete the samples of all runs on a covered partition; samples do not name their partition."""
    return sum(
        session.exec(delete(ViolationSampleRow).where(col(ViolationSampleRow.run_id).in_(ids))).rowcount
        for ids in _chunks(runs)
    )


def _of_runs(session: Session, kind: Any, runs: Mapping[UUID, Any], request: ErasureRequest) -> Iterator[Any]:
    """Yield the covered rows of the runs in that table."""
    for ids in _chunks(list(runs)):
        yield from (
            row for row in session.exec(select(kind).where(kind.run_id.in_(ids))) if request.covers(row.partition)
        )


def _empty_measurement(row: MeasurementRow) -> bool:
    """Erase a text value and the distribution of a measurement; return whether it had one."""
    text = _is_text(row.exact)
    if not text and row.details is None:
        return False
    row.exact, row.details, row.reason = None if text else row.exact, None, GONE
    return True


def _empty_result(row: CheckResultRow) -> bool:
    if not _is_text(row.value):
        return False
    row.value, row.finding = None, GONE
    return True


def _is_text(value: str | None) -> bool:
    """Return whether the value is stored and not a number."""
    if value is None:
        return False
    try:
        Decimal(value)
    except InvalidOperation:
        return True
    return False


def _suggestions(session: Session, request: ErasureRequest) -> int:
    """Erase values from the evidence of drafts, and from the suggested checks of open proposals."""
    contracts = {each.contract_id for each in request.about}
    query = select(ProposalSuggestionRow, ProposalRow).join(
        ProposalRow, col(ProposalRow.id) == col(ProposalSuggestionRow.proposal_id)
    )
    objects, changed, open_proposals = {each.object for each in request.about}, 0, dict[UUID, ProposalRow]()
    for row, proposal in session.exec(query.where(col(ProposalRow.contract_id).in_(contracts))):
        is_published = proposal.state is ProposalState.APPROVED and row.decision is Decision.ACCEPTED
        content = _without_values(row.content, request, keep_values=is_published)
        if row.content["object"] in objects and content != row.content:
            row.content, changed = content, changed + 1
            row.new_evidence, row.edited_patch = None, row.edited_patch if is_published else None
            open_proposals |= {proposal.id: proposal} if proposal.state in OPEN else {}
    for proposal in open_proposals.values():
        # A new revision makes reviewers review the changed suggestions again.
        proposal.revision += 1
    return changed


def _drop_profiles(session: Session, request: ErasureRequest) -> None:
    """Delete the profiles of drafts: a profile covers all partitions of the table."""
    contracts = {each.contract_id for each in request.about}
    drafted = session.exec(
        select(ProposalRow.id, ProposalRow.source).where(col(ProposalRow.contract_id).in_(contracts))
    ).all()
    objects = {each.object for each in request.about}
    proposal_ids = [key for key, source in drafted if (source or {}).get("object") in objects]
    for ids in _chunks(proposal_ids):
        session.exec(delete(ProposalProfileRow).where(col(ProposalProfileRow.proposal_id).in_(ids)))


def _without_values(content: Mapping[str, Any], request: ErasureRequest, *, keep_values: bool) -> dict[str, Any]:
    """Return the suggestion without the values of its evidence, which are not stored by partition.

    `keep_values`: keep the suggested check because it is part of a version."""
    evidence = dict(content.get("evidence") or {})
    history = [each for each in evidence.get("history", ()) if not request.covers(each[0])]
    emptied: dict[str, Any] = {"history": history} if "history" in evidence else {}
    emptied |= {"details": {}} if evidence.get("details") else {}
    masked = {"expression": content["sentence"], "patch": content["patch"] if keep_values else {}}
    return {**content, "evidence": {**evidence, **emptied}, **(masked if evidence.get("details") else {})}


def _chunks(ids: Sequence[UUID]) -> Iterator[Sequence[UUID]]:
    return (ids[start : start + CHUNK] for start in range(0, len(ids), CHUNK))
