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
from treaty.registry.core.enums import IncidentState, Spread, TaskKind, TaskState
from treaty.registry.datasets.names import Name
from treaty.registry.lineage.downstream import impact
from treaty.registry.lineage.downstream.propagation import Bad, Reach, State
from treaty.registry.lineage.events.run_state import FoldedRun
from treaty.registry.lineage.graph import traversal
from treaty.registry.lineage.graph.flows import node
from treaty.registry.lineage.graph.nodes import Nodes
from treaty.registry.lineage.graph.traversal import portions
from treaty.registry.queue.task_queue import Priority
from treaty.registry.tables import Dataset, DatasetContract, Incident, Reached, Task

# Of what waits, what bad data came to is done first.
URGENT = Priority.BLOCKING
CHANGING = 7_268_392_116
HARMED = frozenset({Spread.CONTAMINATED, Spread.IN_FLIGHT})


def refresh(session: Session, incident: Incident) -> None:
    """Looks anew at what the incident reached, and keeps it. One that is over reaches what is not written anew yet."""
    nodes, dataset = Nodes(session), session.get(Dataset, incident.dataset_id) if incident.dataset_id else None
    forget(session, incident.id)
    if dataset is None:
        return
    bad = Bad(node(dataset.namespace, dataset.name), incident.since, incident.recovered, incident.data_version)
    found = impact.search(session, nodes, bad, incident.columns, impact.everything)
    for name, state in found.states.items():
        session.add_all(_rows(incident.id, found.spread.reached[name], state, nodes.group(name)))
    session.flush()
    _hurry(session, incident)


def take_turn(session: Session) -> None:
    """Waits for all others who change incidents: one change may lock several of them, in an order of its own."""
    lock(session, CHANGING)


def forget(session: Session, incident_id: UUID) -> None:
    """Keeps nothing of what the incident reached."""
    session.exec(delete(Reached).where(col(Reached.incident_id) == incident_id))


def _rows(incident_id: UUID, reach: Reach, state: State, names: Iterable[Name]) -> Iterator[Reached]:
    for each in names:
        yield Reached(
            incident_id=incident_id,
            namespace=each.namespace,
            name=each.name,
            node_namespace=reach.dataset.namespace,
            node_name=reach.dataset.name,
            distance=reach.distance,
            spread=state.spread,
            direct=reach.direct,
            coarse=reach.coarse,
            since=state.since,
            path=[[step.namespace, step.name] for step in reach.path],
        )


def follow(session: Session, run: FoldedRun) -> None:
    """Looks anew at the incidents that reached a dataset which the run read or wrote, once it has begun or ended."""
    if not (run.inputs and run.outputs):
        return
    touched = {node(each.namespace, each.name) for each in (*run.inputs, *run.outputs)}
    row, found = Reached, set[UUID]()
    for some in portions(sorted(Nodes(session).named(touched))):
        found.update(session.exec(select(row.incident_id).where(traversal.named(row, some))))
        found.update(session.exec(_of_datasets(some)))
    if found:
        take_turn(session)
    for each in sorted(found):
        refresh(session, session.get_one(Incident, each, with_for_update=True))


def _of_datasets(names: Sequence[Name]) -> Any:
    """The incidents about these datasets that are not over, or that something downstream still has to do with."""
    query = select(Incident.id).join(Dataset, col(Dataset.id) == col(Incident.dataset_id))
    lasting = or_(col(Incident.state) != IncidentState.RESOLVED, col(Incident.id).in_(select(Reached.incident_id)))
    return query.where(traversal.named(Dataset, names), lasting)


@dataclass(frozen=True)
class Upstream:
    """That bad data came to a contract's object, or are on their way to it, from further up."""

    contract_id: str
    object: str
    incident: Incident
    reached: Reached


def upstream_failed(session: Session, which: ColumnElement[bool]) -> list[Upstream]:
    """What came from further up to the objects of contracts for which the condition on `DatasetContract` holds."""
    link, row = DatasetContract, Reached
    same = (col(Dataset.namespace) == col(row.namespace)) & (col(Dataset.name) == col(row.name))
    query = (
        select(link.contract_id, link.object, Incident, row)
        .join(Dataset, col(Dataset.id) == col(link.dataset_id))
        .join(row, same)
        .join(Incident, col(Incident.id) == col(row.incident_id))
        .where(which, col(row.spread).in_(HARMED))
        .order_by(col(link.contract_id), col(link.object), col(Incident.opened), col(Incident.id))
    )
    found = [Upstream(*each) for each in session.exec(query)]
    return list({(each.contract_id, each.object, each.incident.id): each for each in reversed(found)}.values())[::-1]


def priority(session: Session, contract_id: str, object_name: str, usual: int) -> int:
    """How urgent a validation of the object is: what bad data came to goes before others."""
    link = DatasetContract
    mine = (col(link.contract_id) == contract_id) & (col(link.object) == object_name)
    return min(usual, URGENT) if upstream_failed(session, mine) else usual


def _hurry(session: Session, incident: Incident) -> None:
    """Has validations that wait of what the incident reached go first."""
    came = col(DatasetContract.dataset_id).in_(
        select(Dataset.id)
        .join(Reached, (col(Dataset.namespace) == col(Reached.namespace)) & (col(Dataset.name) == col(Reached.name)))
        .where(Reached.incident_id == incident.id)
    )
    about = {(each.contract_id, each.object) for each in upstream_failed(session, came)}
    waiting = Task.kind == TaskKind.VALIDATE, Task.state == TaskState.QUEUED, col(Task.priority) > URGENT
    # Whoever holds one of them may be waiting for incidents: nobody waits here for that.
    query = select(Task).where(*waiting).with_for_update(skip_locked=True)
    for task in session.exec(query) if about else ():
        if (task.payload.get("contract_id"), task.payload.get("object")) in about:
            task.priority = URGENT
