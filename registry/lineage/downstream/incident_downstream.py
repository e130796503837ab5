"""What incidents reached, kept with them: told to the contracts downstream, whose own verdicts it does not change.

It is looked at again when the incident changes, and when a run begins or ends that read or wrote one of these
datasets."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, delete, or_
from sqlmodel import Session, col, select

from treaty.registry.core.database import lock
from treaty.registry.core.enums import ContaminationState, IncidentState, TaskKind, TaskState
from treaty.registry.datasets.names import LineageName
from treaty.registry.lineage.downstream import impact
from treaty.registry.lineage.downstream.propagation import BadData, Contamination, ReachedDataset
from treaty.registry.lineage.events.run_state import FoldedRun
from treaty.registry.lineage.graph import traversal
from treaty.registry.lineage.graph.flows import graph_node
from treaty.registry.lineage.graph.nodes import NameResolver
from treaty.registry.lineage.graph.traversal import portions
from treaty.registry.queue.task_queue import Priority
from treaty.registry.tables import DatasetContractRow, DatasetRow, IncidentDownstreamRow, IncidentRow, TaskRow

# Of what waits, what bad data came to is done first.
URGENT = Priority.BLOCKING
CHANGING = 7_268_392_116
HARMED = frozenset({ContaminationState.CONTAMINATED, ContaminationState.IN_FLIGHT})


def refresh(session: Session, incident: IncidentRow) -> None:
    """Looks anew at what the incident reached, and keeps it. One that is over reaches what is not written anew yet."""
    nodes, dataset = (
        NameResolver(session),
        session.get(DatasetRow, incident.dataset_id) if incident.dataset_id else None,
    )
    clear_downstream(session, incident.id)
    if dataset is None:
        return
    bad = BadData(
        graph_node(dataset.namespace, dataset.name), incident.started_at, incident.recovered_at, incident.data_version
    )
    found = impact.search(session, nodes, bad, incident.columns, impact.everything)
    for name, state in found.states.items():
        session.add_all(_rows(incident.id, found.search.datasets[name], state, nodes.group(name)))
    session.flush()
    _hurry(session, incident)


def take_turn(session: Session) -> None:
    """Waits for all others who change incidents: one change may lock several of them, in an order of its own."""
    lock(session, CHANGING)


def clear_downstream(session: Session, incident_id: UUID) -> None:
    """Keeps nothing of what the incident reached."""
    session.exec(delete(IncidentDownstreamRow).where(col(IncidentDownstreamRow.incident_id) == incident_id))


def _rows(
    incident_id: UUID, reach: ReachedDataset, state: Contamination, names: Iterable[LineageName]
) -> Iterator[IncidentDownstreamRow]:
    for each in names:
        yield IncidentDownstreamRow(
            incident_id=incident_id,
            namespace=each.namespace,
            name=each.name,
            node_namespace=reach.dataset.namespace,
            node_name=reach.dataset.name,
            distance=reach.distance,
            contamination=state.state,
            is_direct=reach.direct,
            is_table_level=reach.coarse,
            reached_at=state.reached_at,
            path=[[step.namespace, step.name] for step in reach.path],
        )


def follow(session: Session, run: FoldedRun) -> None:
    """Looks anew at the incidents that reached a dataset which the run read or wrote, once it has begun or ended."""
    if not (run.inputs and run.outputs):
        return
    touched = {graph_node(each.namespace, each.name) for each in (*run.inputs, *run.outputs)}
    row, found = IncidentDownstreamRow, set[UUID]()
    for some in portions(sorted(NameResolver(session).named(touched))):
        found.update(session.exec(select(row.incident_id).where(traversal.name_filter(row, some))))
        found.update(session.exec(_of_datasets(some)))
    if found:
        take_turn(session)
    for each in sorted(found):
        refresh(session, session.get_one(IncidentRow, each, with_for_update=True))


def _of_datasets(names: Sequence[LineageName]) -> Any:
    """The incidents about these datasets that are not over, or that something downstream still has to do with."""
    query = select(IncidentRow.id).join(DatasetRow, col(DatasetRow.id) == col(IncidentRow.dataset_id))
    lasting = or_(
        col(IncidentRow.state) != IncidentState.RESOLVED,
        col(IncidentRow.id).in_(select(IncidentDownstreamRow.incident_id)),
    )
    return query.where(traversal.name_filter(DatasetRow, names), lasting)


@dataclass(frozen=True)
class UpstreamIncident:
    """That bad data came to a contract's object, or are on their way to it, from further up."""

    contract_id: str
    object: str
    incident: IncidentRow
    downstream: IncidentDownstreamRow


def upstream_incidents(session: Session, which: ColumnElement[bool]) -> list[UpstreamIncident]:
    """What came from further up to the objects of contracts for which the condition on `DatasetContractRow` holds."""
    link, row = DatasetContractRow, IncidentDownstreamRow
    same = (col(DatasetRow.namespace) == col(row.namespace)) & (col(DatasetRow.name) == col(row.name))
    query = (
        select(link.contract_id, link.object, IncidentRow, row)
        .join(DatasetRow, col(DatasetRow.id) == col(link.dataset_id))
        .join(row, same)
        .join(IncidentRow, col(IncidentRow.id) == col(row.incident_id))
        .where(which, col(row.contamination).in_(HARMED))
        .order_by(col(link.contract_id), col(link.object), col(IncidentRow.opened_at), col(IncidentRow.id))
    )
    found = [UpstreamIncident(*each) for each in session.exec(query)]
    return list({(each.contract_id, each.object, each.incident.id): each for each in reversed(found)}.values())[::-1]


def priority(session: Session, contract_id: str, object_name: str, usual: int) -> int:
    """How urgent a validation of the object is: what bad data came to goes before others."""
    link = DatasetContractRow
    mine = (col(link.contract_id) == contract_id) & (col(link.object) == object_name)
    return min(usual, URGENT) if upstream_incidents(session, mine) else usual


def _hurry(session: Session, incident: IncidentRow) -> None:
    """Has validations that wait of what the incident reached go first."""
    came = col(DatasetContractRow.dataset_id).in_(
        select(DatasetRow.id)
        .join(
            IncidentDownstreamRow,
            (col(DatasetRow.namespace) == col(IncidentDownstreamRow.namespace))
            & (col(DatasetRow.name) == col(IncidentDownstreamRow.name)),
        )
        .where(IncidentDownstreamRow.incident_id == incident.id)
    )
    about = {(each.contract_id, each.object) for each in upstream_incidents(session, came)}
    waiting = TaskRow.kind == TaskKind.VALIDATE, TaskRow.state == TaskState.QUEUED, col(TaskRow.priority) > URGENT
    # Whoever holds one of them may be waiting for incidents: nobody waits here for that.
    query = select(TaskRow).where(*waiting).with_for_update(skip_locked=True)
    for task in session.exec(query) if about else ():
        if (task.payload.get("contract_id"), task.payload.get("object")) in about:
            task.priority = URGENT
