"""Infer unregistered consumers from lineage: foreign jobs that read a contract's data.

A user confirms such a job, which subscribes them to the data that it reads, or dismisses it. Either decision is made
once per job and contract."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.contracts.document.columns import columns, members, text
from treaty.contracts.document.reader import read
from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal, require_permission
from treaty.registry.audit import audit_log
from treaty.registry.contracts import subscriptions, version_status
from treaty.registry.contracts.declared_use import ALL, Use
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import EdgeDirection, InferredConsumerState, Permission
from treaty.registry.core.errors import Conflict, NotFound
from treaty.registry.datasets.names import LineageName
from treaty.registry.lineage.graph import traversal
from treaty.registry.lineage.graph.nodes import NameResolver
from treaty.registry.tables import (
    DatasetContractRow,
    DatasetRow,
    InferredConsumerRow,
    LineageEdgeRow,
    LineageJobRow,
    SubscriptionRow,
)

LONGEST = 200


@dataclass(frozen=True, kw_only=True)
class InferredConsumer:
    """A job that reads a contract's data.

    `reads`: columns by object; all columns if lineage does not name them. `owners`: the job's owners according to
    lineage. `last_seen_at`: end, else start, of the job's representative run."""

    job: LineageName
    reads: Mapping[str, tuple[str, ...]]
    owners: tuple[str, ...]
    last_seen_at: datetime
    state: InferredConsumerState = InferredConsumerState.SUGGESTED
    subscription_id: UUID | None = None

    @property
    def purpose(self) -> str:
        """Return a description derived from the job's name."""
        return f"job {self.job.namespace}/{self.job.name}"[:LONGEST]


def of_contract(session: Session, contract_id: str, by: Principal) -> list[InferredConsumer]:
    """Return the foreign jobs that read the contract's data, by name.

    Excludes jobs of this registry and every namespace in which a job writes the data. Raises NotFound if the
    contract is not readable."""
    visibility.require_readable_contract(session, contract_id, by)
    objects = _objects(session, contract_id)
    names = sorted(objects)
    writers = traversal.jobs_at(session, names, EdgeDirection.OUTPUT)
    own = {each.namespace for each in writers if not each.is_own}
    readers = traversal.jobs_at(session, names, EdgeDirection.INPUT)
    foreign = [each for each in readers if not each.is_own and each.namespace not in own]
    decisions = {
        LineageName(each.job_namespace, each.job_name): each
        for each in session.exec(select(InferredConsumerRow).where(InferredConsumerRow.contract_id == contract_id))
    }
    read = _reads(session, foreign, objects)
    return [
        _reader(each, read[each.id], decisions) for each in sorted(foreign, key=lambda job: (job.namespace, job.name))
    ]


def confirm(
    session: Session, contract_id: str, job: LineageName, *, by: Principal, now: datetime, subscription_id: UUID
) -> SubscriptionRow:
    """Subscribe the principal to the columns that the job reads.

    Raises NotFound if the job does not read the data, Conflict if it was decided already, and the errors of
    `subscriptions.register`."""
    reader = _undecided(session, contract_id, job, by)
    reads = _as_promised(version_status.in_force(session, contract_id).body, reader.reads)
    use = Use(purpose=reader.purpose, contact=", ".join(reader.owners)[:LONGEST] or by.name, reads=reads)
    subscription = subscriptions.register(session, contract_id, use, subscription_id=subscription_id, by=by, now=now)
    row = _row(contract_id, reader, InferredConsumerState.CONFIRMED, by, now)
    row.subscription_id = subscription.id
    _keep(session, row, AuditAction.INFERRED_CONSUMER_CONFIRMED, by)
    return subscription


def dismiss(session: Session, contract_id: str, job: LineageName, *, by: Principal, now: datetime) -> InferredConsumer:
    """Mark the job as no consumer, so that it is not suggested again.

    Raises NotFound, Forbidden or Conflict."""
    reader = _undecided(session, contract_id, job, by)
    require_permission(by, Permission.SUBSCRIBE, visibility.contract_resource(session, contract_id))
    _keep(
        session,
        _row(contract_id, reader, InferredConsumerState.DISMISSED, by, now),
        AuditAction.INFERRED_CONSUMER_DISMISSED,
        by,
    )
    return replace(reader, state=InferredConsumerState.DISMISSED)


def _undecided(session: Session, contract_id: str, job: LineageName, by: Principal) -> InferredConsumer:
    consumer = next((each for each in of_contract(session, contract_id, by) if each.job == job), None)
    if consumer is None:
        raise NotFound("lineage shows no job of that name that reads the data of the contract")
    if consumer.state is not InferredConsumerState.SUGGESTED:
        raise Conflict(f"this job is already {consumer.state.value}")
    return consumer


def _row(
    contract_id: str, reader: InferredConsumer, state: InferredConsumerState, by: Principal, now: datetime
) -> InferredConsumerRow:
    return InferredConsumerRow(
        contract_id=contract_id,
        job_namespace=reader.job.namespace,
        job_name=reader.job.name,
        state=state,
        decided_at=now,
        decided_by_id=by.user_id,
    )


def _keep(session: Session, row: InferredConsumerRow, action: AuditAction, by: Principal) -> None:
    session.add(row)
    details = {"job_namespace": row.job_namespace, "job_name": row.job_name}
    audit_log.record(session, action, actor=by.name, object_id=row.contract_id, details=details, now=row.decided_at)


def _as_promised(body: bytes, reads: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the columns spelled as in the contract; all columns of an object if none matches."""
    matched: dict[str, list[str]] = {}
    for each in members(read(body).document, "schema"):
        name = text(each[1], "name") or ""
        if name in reads:
            contract_columns = [path for path, _ in columns(each) if path.lower() in reads[name]]
            matched[name] = contract_columns or [ALL]
    return matched


def _objects(session: Session, contract_id: str) -> dict[LineageName, set[str]]:
    """Return the contract's objects by every name and alias of their datasets."""
    link, nodes = DatasetContractRow, NameResolver(session)
    query = select(DatasetRow.namespace, DatasetRow.name, link.object).join(
        link, col(link.dataset_id) == col(DatasetRow.id)
    )
    objects: dict[LineageName, set[str]] = {}
    for namespace, name, object_name in session.exec(query.where(link.contract_id == contract_id)):
        for each in nodes.group(LineageName(namespace, name)):
            objects.setdefault(each, set()).add(object_name)
    return objects


def _reads(
    session: Session, jobs: Sequence[LineageJobRow], objects: Mapping[LineageName, Collection[str]]
) -> dict[UUID, dict[str, tuple[str, ...]]]:
    """Return the columns that each job reads, by object.

    All columns if the job writes something without column lineage."""
    ids = [each.id for each in jobs]
    columns: dict[UUID, dict[str, set[str]]] = {each: {} for each in ids}
    for job_id, direction, name in traversal.ends_of(session, ids):
        if direction is EdgeDirection.INPUT:
            columns[job_id].update({each: set() for each in objects.get(name, ()) if each not in columns[job_id]})
    for edge in traversal.outputs_of(session, ids):
        for name, column in _fed(edge):
            for each in objects.get(name, ()):
                columns[edge.job_id].setdefault(each, set()).add(column or ALL)
    return {job_id: {name: _columns(names) for name, names in each.items()} for job_id, each in columns.items()}


def _fed(edge: LineageEdgeRow) -> Iterator[tuple[LineageName, str | None]]:
    return ((LineageName(namespace, name), column) for _, namespace, name, column, _ in edge.feeds)


def _columns(columns: Collection[str]) -> tuple[str, ...]:
    return (ALL,) if not columns or ALL in columns else tuple(sorted(columns))


def _reader(
    job: LineageJobRow, reads: Mapping[str, tuple[str, ...]], decided: Mapping[LineageName, InferredConsumerRow]
) -> InferredConsumer:
    name = LineageName(job.namespace, job.name)
    decision = decided.get(name)
    state = decision.state if decision else InferredConsumerState.SUGGESTED
    return InferredConsumer(
        job=name,
        reads=reads,
        owners=tuple(job.owners),
        last_seen_at=job.run_at,
        state=state,
        subscription_id=decision.subscription_id if decision else None,
    )
