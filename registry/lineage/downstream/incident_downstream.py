"""Store the downstream datasets of incidents, for the contracts on them. Their own verdicts do not change.

They are recomputed when the incident changes, and when a run that read or wrote one of these datasets starts or
ends."""

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

# Queued validations of contaminated datasets run first.
URGENT = Priority.BLOCKING
CHANGING = 7_268_392_116
HARMED = frozenset({ContaminationState.CONTAMINATED, ContaminationState.IN_FLIGHT})


def refresh(session: Session, incident: IncidentRow) -> None:
    """Recompute and store the downstream datasets of an incident.

    A recovered incident still reaches those datasets that have not been rewritten from good data."""
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
    result = impact.search(session, nodes, bad, incident.columns, impact.everything)
    for name, state in result.states.items():
        session.add_all(_rows(incident.id, result.search.datasets[name], state, nodes.group(name)))
    session.flush()
    _hurry(session, incident)


def take_turn(session: Session) -> None:
    """Wait for other transactions that change incidents.

    Prevents deadlocks: one change may lock several incidents, in any order."""
    lock(session, CHANGING)


def clear_downstream(session: Session, incident_id: UUID) -> None:
    """Delete the stored downstream datasets of the incident."""
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
    """Refresh the incidents on datasets of a run after it started or ended."""
    if not (run.inputs and run.outputs):
        return
    dataset_names = {graph_node(each.namespace, each.name) for each in (*run.inputs, *run.outputs)}
    row, incident_ids = IncidentDownstreamRow, set[UUID]()
    for batch in portions(sorted(NameResolver(session).named(dataset_names))):
        incident_ids.update(session.exec(select(row.incident_id).where(traversal.name_filter(row, batch))))
        incident_ids.update(session.exec(_of_datasets(batch)))
    if incident_ids:
        take_turn(session)
    for each in sorted(incident_ids):
        refresh(session, session.get_one(IncidentRow, each, with_for_update=True))


def _of_datasets(names: Sequence[LineageName]) -> Any:
    """Select the incidents on these datasets that are unresolved or still have downstream datasets."""
    query = select(IncidentRow.id).join(DatasetRow, col(DatasetRow.id) == col(IncidentRow.dataset_id))
    lasting = or_(
        col(IncidentRow.state) != IncidentState.RESOLVED,
        col(IncidentRow.id).in_(select(IncidentDownstreamRow.incident_id)),
    )
    return query.where(traversal.name_filter(DatasetRow, names), lasting)


@dataclass(frozen=True)
class UpstreamIncident:
    """An upstream incident whose bad data reached, or will reach, a contract object."""

    contract_id: str
    object: str
    incident: IncidentRow
    downstream: IncidentDownstreamRow


def upstream_incidents(session: Session, condition: ColumnElement[bool]) -> list[UpstreamIncident]:
    """Return the upstream incidents of the selected contract objects.

    `condition`: SQL condition on `DatasetContractRow`."""
    link, row = DatasetContractRow, IncidentDownstreamRow
    same = (col(DatasetRow.namespace) == col(row.namespace)) & (col(DatasetRow.name) == col(row.name))
    query = (
        select(link.contract_id, link.object, IncidentRow, row)
        .join(DatasetRow, col(DatasetRow.id) == col(link.dataset_id))
        .join(row, same)
        .join(IncidentRow, col(IncidentRow.id) == col(row.incident_id))
        .where(condition, col(row.contamination).in_(HARMED))
        .order_by(col(link.contract_id), col(link.object), col(IncidentRow.opened_at), col(IncidentRow.id))
    )
    incidents = [UpstreamIncident(*each) for each in session.exec(query)]
    return list({(each.contract_id, each.object, each.incident.id): each for each in reversed(incidents)}.values())[
        ::-1
    ]


def priority(session: Session, contract_id: str, object_name: str, usual: int) -> int:
    """Return the priority of a validation of the object.

    `usual`: the priority unless an upstream incident makes the validation urgent."""
    link = DatasetContractRow
    mine = (col(link.contract_id) == contract_id) & (col(link.object) == object_name)
    return min(usual, URGENT) if upstream_incidents(session, mine) else usual


def _hurry(session: Session, incident: IncidentRow) -> None:
    """Raise the priority of queued validations of objects that the incident reached."""
    reached = col(DatasetContractRow.dataset_id).in_(
        select(DatasetRow.id)
        .join(
            IncidentDownstreamRow,
            (col(DatasetRow.namespace) == col(IncidentDownstreamRow.namespace))
            & (col(DatasetRow.name) == col(IncidentDownstreamRow.name)),
        )
        .where(IncidentDownstreamRow.incident_id == incident.id)
    )
    objects = {(each.contract_id, each.object) for each in upstream_incidents(session, reached)}
    conditions = TaskRow.kind == TaskKind.VALIDATE, TaskRow.state == TaskState.QUEUED, col(TaskRow.priority) > URGENT
    # Skip locked tasks: the transaction that locked one may itself be waiting for incidents.
    query = select(TaskRow).where(*conditions).with_for_update(skip_locked=True)
    for task in session.exec(query) if objects else ():
        if (task.payload.get("contract_id"), task.payload.get("object")) in objects:
            task.priority = URGENT
