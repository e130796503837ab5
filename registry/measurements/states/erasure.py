"""Erasing what is remembered of a dataset: its states with their files, rows that failed, what its texts added to the
index of patterns, and values wherever they are.

Runs stay, with their verdicts, outcomes, counts and numbers; versions of contracts and the audit stay as they were
written. What the table holds is not touched: its next validation measures anew what is there then."""

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
from treaty.registry.core.enums import AuditAction, Decision, Permission, ProposalState
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
    """Where large states lie."""

    def erase(self, names: Collection[str]) -> int: ...


class PatternEraser(Protocol):
    """The index of patterns."""

    def forget(self, tables: Sequence[str]) -> int: ...


@dataclass(frozen=True)
class ErasureRequest:
    """What is to be erased: all that is remembered of these datasets, or only of these partitions where some are named.

    The datasets are names of one table, that of the objects of contracts that are `about` it."""

    datasets: tuple[DatasetRow, ...]
    about: frozenset[ContractObject]
    partitions: frozenset[str] = frozenset()

    @property
    def ids(self) -> tuple[UUID, ...]:
        """The datasets' ids."""
        return tuple(each.id for each in self.datasets)

    def covers(self, partition: str | None) -> bool:
        """Whether values of that partition go. Those of several together (None: of all) go with each of them."""
        return not self.partitions or partition is None or not self.partitions.isdisjoint(members(partition))


@dataclass(frozen=True, kw_only=True)
class ErasureResult:
    """How much was erased: generations of states and the files of theirs that nothing else names, samples, the values
    of measurements and results, the evidence of suggestions, and text columns that the index of patterns held."""

    generations: int = 0
    files: int = 0
    samples: int = 0
    measurements: int = 0
    results: int = 0
    suggestions: int = 0
    columns: int = 0


def erasure(session: Session, name: str, namespace: str | None, partitions: Collection[str]) -> ErasureRequest:
    """The erasure of what the name stands for. Raises NotFound for no such dataset, Invalid for partitions of which
    nothing is remembered."""
    found = state_queries.resolve_query(session, state_queries.StateQuery(dataset=name, namespace=namespace))
    if found is None:
        raise _none(name)
    ids, about = _alike(session, found.dataset.id)
    alike = session.exec(select(DatasetRow).where(col(DatasetRow.id).in_(ids)).order_by(col(DatasetRow.id))).all()
    asked = ErasureRequest(tuple(alike), about, frozenset(partitions))
    unknown = sorted(asked.partitions - set(_remembered(session, asked)))
    if unknown:
        raise InvalidRequest(
            f"nothing is remembered of partition {', '.join(unknown[:NAMED])}: name it as `states` does"
        )
    return asked


def see(session: Session, name: str, namespace: str | None, by: Principal) -> None:
    """Returns where the principal may erase what the name stands for, or it stands for nothing.

    Raises NotFound, as for a dataset that there is not, where they may not read it; else Forbidden."""
    authentication.require_permission_anywhere(by, Permission.ERASE)
    found = state_queries.resolve_query(session, state_queries.StateQuery(dataset=name, namespace=namespace))
    if found is None:
        return
    places = visibility.of_dataset(session, found.dataset)
    if not any(by.may(Permission.READ, place) for place in places):
        raise _none(name)
    # What is remembered is remembered for every contract about the dataset.
    for place in places:
        authentication.require_permission(by, Permission.ERASE, place)


def _none(name: str) -> NotFound:
    return NotFound(f"there is no dataset {name}, or there are several: {state_queries.REMEDY}")


def erase(
    session: Session,
    asked: ErasureRequest,
    files: StateFileEraser,
    patterns: PatternEraser,
    *,
    by: Principal,
    now: datetime,
) -> ErasureResult:
    """Erases it, and audits that, in the session's transaction; files, and the tables in the index of patterns, which
    knows no partitions, are removed at once.

    Where the transaction is not committed, states whose file is gone are computed again. Raises Forbidden."""
    for each in asked.datasets:
        for place in visibility.of_dataset(session, each):
            authentication.require_permission(by, Permission.ERASE, place)
        # Whoever validates meanwhile finds other states than those that it began with, and begins anew.
        session.get_one(DatasetRow, each.id, with_for_update=True, populate_existing=True).states_version += 1
    _drop_parts(session, asked)
    done = _states(session, asked, files)
    runs = dict(session.exec(select(RunRow.id, RunRow.partitions).where(col(RunRow.dataset_id).in_(asked.ids))).all())
    done = replace(
        done,
        samples=_samples(session, [run for run, parts in runs.items() if any(map(asked.covers, parts))]),
        measurements=sum(map(_empty_measurement, _of_runs(session, MeasurementRow, runs, asked))),
        results=sum(map(_empty_result, _of_runs(session, CheckResultRow, runs, asked))),
        suggestions=_suggestions(session, asked),
        columns=_learned(asked, patterns),
    )
    _drop_profiles(session, asked)
    named = sorted(asked.partitions)
    for each in asked.datasets:
        details = {"name": each.name, "partitions": named[:NAMED], "of": len(named) or "all", **asdict(done)}
        audit_log.record(session, AuditAction.MEMORY_ERASED, actor=by.name, object_id=each.id, now=now, details=details)
    return done


def _learned(asked: ErasureRequest, patterns: PatternEraser) -> int:
    try:
        return patterns.forget([each.location for each in asked.datasets if each.location])
    except disk.LockHeld:
        raise ServiceBusy(
            "patterns are being learned at this moment, nothing was erased: try again in a minute"
        ) from None


def erased_since(session: Session, dataset_id: UUID, moment: datetime) -> AuditEntryRow | None:
    """The entry of the last erasure of the dataset since that moment; None where there was none."""
    mine = AuditEntryRow.action == AuditAction.MEMORY_ERASED, AuditEntryRow.object_id == str(dataset_id)
    since = select(AuditEntryRow).where(*mine, col(AuditEntryRow.time) >= moment)
    return session.exec(since.order_by(col(AuditEntryRow.position).desc())).first()


def _alike(session: Session, dataset_id: UUID) -> tuple[frozenset[UUID], frozenset[ContractObject]]:
    """Every name of the same table: an object of a contract that goes by two names says that both are one."""
    link, ids, about = DatasetContractRow, frozenset({dataset_id}), frozenset[ContractObject]()
    while True:
        about = frozenset(each for dataset in ids for each in contract_datasets.objects_of(session, dataset))
        same = (and_(col(link.contract_id) == each.contract_id, col(link.object) == each.object) for each in about)
        found = ids | frozenset(session.exec(select(link.dataset_id).where(or_(false(), *same))))
        if found == ids:
            return ids, about
        ids = found


def _remembered(session: Session, asked: ErasureRequest) -> Iterator[str]:
    for name in session.exec(
        select(PartitionStateRow.partition).where(col(PartitionStateRow.dataset_id).in_(asked.ids))
    ):
        yield from (name, *members(name))
    for parts in session.exec(select(RunRow.partitions).where(col(RunRow.dataset_id).in_(asked.ids))):
        yield from parts


def _states(session: Session, asked: ErasureRequest, files: StateFileEraser) -> ErasureResult:
    mine = select(PartitionStateRow).where(col(PartitionStateRow.dataset_id).in_(asked.ids))
    rows = session.exec(mine.execution_options(yield_per=CHUNK))
    going = {row.id: state_store.files_of(row.states) for row in rows if asked.covers(row.partition)}
    for ids in _chunks(list(going)):
        session.exec(delete(PartitionStateRow).where(col(PartitionStateRow.id).in_(ids)))
    left = {name for names in going.values() for name in names}
    if left:
        others = session.exec(select(PartitionStateRow.states).execution_options(yield_per=CHUNK))
        left -= {name for packed in others for name in state_store.files_of(packed)}
    return ErasureResult(generations=len(going), files=files.erase(sorted(left)) if left else 0)


def _drop_parts(session: Session, asked: ErasureRequest) -> None:
    """Drops what tasks under way have read so far: they read it again."""
    reading = select(TaskRow).where(col(TaskRow.id).in_(select(ReadCheckpointRow.task_id)))
    for task in session.exec(reading):
        if (task.payload.get("contract_id"), task.payload.get("object")) in asked.about:
            checkpoints.drop(session, task.id, asked.partitions or None)


def _samples(session: Session, runs: Sequence[UUID]) -> int:
    """Samples do not say of which partition they are: those of every run go that judged one of them."""
    return sum(
        session.exec(delete(ViolationSampleRow).where(col(ViolationSampleRow.run_id).in_(ids))).rowcount
        for ids in _chunks(runs)
    )


def _of_runs(session: Session, kind: Any, runs: Mapping[UUID, Any], asked: ErasureRequest) -> Iterator[Any]:
    """The rows of that table that belong to the runs and are covered."""
    for ids in _chunks(list(runs)):
        yield from (
            row for row in session.exec(select(kind).where(kind.run_id.in_(ids))) if asked.covers(row.partition)
        )


def _empty_measurement(row: MeasurementRow) -> bool:
    """Takes its text and its distribution away; whether it had one."""
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
    """Whether a value is kept that is no number."""
    if value is None:
        return False
    try:
        Decimal(value)
    except InvalidOperation:
        return True
    return False


def _suggestions(session: Session, asked: ErasureRequest) -> int:
    """Takes values out of the evidence of what was drafted, of open proposals out of the suggested checks, too."""
    contracts = {each.contract_id for each in asked.about}
    query = select(ProposalSuggestionRow, ProposalRow).join(
        ProposalRow, col(ProposalRow.id) == col(ProposalSuggestionRow.proposal_id)
    )
    objects, changed, opened = {each.object for each in asked.about}, 0, dict[UUID, ProposalRow]()
    for row, proposal in session.exec(query.where(col(ProposalRow.contract_id).in_(contracts))):
        kept = proposal.state is ProposalState.APPROVED and row.decision is Decision.ACCEPTED
        content = _without_values(row.content, asked, kept=kept)
        if row.content["object"] in objects and content != row.content:
            row.content, changed = content, changed + 1
            row.new_evidence, row.edited_patch = None, row.edited_patch if kept else None
            opened |= {proposal.id: proposal} if proposal.state in OPEN else {}
    for proposal in opened.values():
        # Whoever looks at it decides about what it has become.
        proposal.revision += 1
    return changed


def _drop_profiles(session: Session, asked: ErasureRequest) -> None:
    """Drops what drafts told of the table: a profile is of all its partitions together."""
    contracts = {each.contract_id for each in asked.about}
    drafted = session.exec(
        select(ProposalRow.id, ProposalRow.source).where(col(ProposalRow.contract_id).in_(contracts))
    ).all()
    objects = {each.object for each in asked.about}
    going = [key for key, source in drafted if (source or {}).get("object") in objects]
    for ids in _chunks(going):
        session.exec(delete(ProposalProfileRow).where(col(ProposalProfileRow.proposal_id).in_(ids)))


def _without_values(content: Mapping[str, Any], asked: ErasureRequest, *, kept: bool) -> dict[str, Any]:
    """The suggestion without the values that it was drawn from, which are not told by partition; the check is `kept`
    where it is part of a version."""
    evidence = dict(content.get("evidence") or {})
    history = [each for each in evidence.get("history", ()) if not asked.covers(each[0])]
    emptied: dict[str, Any] = {"history": history} if "history" in evidence else {}
    emptied |= {"details": {}} if evidence.get("details") else {}
    bare = {"expression": content["sentence"], "patch": content["patch"] if kept else {}}
    return {**content, "evidence": {**evidence, **emptied}, **(bare if evidence.get("details") else {})}


def _chunks(ids: Sequence[UUID]) -> Iterator[Sequence[UUID]]:
    return (ids[start : start + CHUNK] for start in range(0, len(ids), CHUNK))
