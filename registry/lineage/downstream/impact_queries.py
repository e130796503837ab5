"""Resolve impact queries: the bad data, real or hypothetical, and what the principal may see of it."""

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal
from treaty.registry.core.enums import IncidentState, Permission
from treaty.registry.core.errors import NotFound
from treaty.registry.datasets import related_datasets
from treaty.registry.datasets.names import LineageName
from treaty.registry.lineage.downstream.impact import ImpactVisibility
from treaty.registry.lineage.downstream.propagation import BadData
from treaty.registry.lineage.graph import dataset_visibility, traversal
from treaty.registry.lineage.graph.flows import graph_node
from treaty.registry.lineage.graph.nodes import NameResolver
from treaty.registry.tables import DatasetRow, IncidentRow


@dataclass(frozen=True)
class ImpactQuery:
    """The dataset of an impact query, with its bad columns.

    `name`: a contract, `contract.object` or the dataset's own name. `namespace`: namespace of the dataset's own name.
    `columns`: columns with bad data; None means all."""

    name: str
    namespace: str | None = None
    columns: frozenset[str] | None = None


def bad_data_of_dataset(
    session: Session, query: ImpactQuery, by: Principal, *, now: datetime
) -> tuple[BadData, frozenset[str] | None, bool]:
    """Return the bad data of a dataset, its columns and whether it is hypothetical.

    That is the data of the dataset's oldest open incident; without one, the data is supposed to be bad from `now` on.
    Raises Forbidden without any read permission, and NotFound unless the dataset exists and is visible."""
    nodes = NameResolver(session)
    visible = dataset_visibility.visible_datasets(session, by, nodes)
    name = _resolve_dataset(session, query)
    if name is None or not visible([name]):
        raise NotFound
    if incident := _open(session, nodes, name):
        bad, columns = of_incident(session, incident)
        return bad, query.columns or columns, False
    return BadData(name, now), query.columns, True


def of_incident(session: Session, incident: IncidentRow) -> tuple[BadData, frozenset[str] | None]:
    """Return the incident's bad data and its columns; None means all columns.

    Raises NotFound if the incident has no dataset."""
    dataset = session.get(DatasetRow, incident.dataset_id) if incident.dataset_id else None
    if dataset is None:
        raise NotFound
    columns = None if incident.columns is None else frozenset(incident.columns)
    name = graph_node(dataset.namespace, dataset.name)
    return BadData(name, incident.started_at, incident.recovered_at, incident.data_version), columns


def impact_visibility(session: Session, by: Principal) -> ImpactVisibility:
    """Return what the principal may see downstream."""
    nodes = NameResolver(session)
    return ImpactVisibility(
        nodes, dataset_visibility.visible_datasets(session, by, nodes), visibility.readable_contracts(by)
    )


def cause(session: Session, incident: IncidentRow, by: Principal) -> str | None:
    """Return the incident's `contract.object`; None if the principal may not read it."""
    place = visibility.object_resource(session, incident.contract_id, incident.object)
    return f"{incident.contract_id}.{incident.object}" if by.may(Permission.READ, place) else None


def _resolve_dataset(session: Session, query: ImpactQuery) -> LineageName | None:
    if query.namespace is not None:
        return graph_node(query.namespace, query.name)
    resolved = related_datasets.resolve_dataset(session, query.name)
    return graph_node(resolved.dataset.namespace, resolved.dataset.name) if resolved else None


def _open(session: Session, nodes: NameResolver, name: LineageName) -> IncidentRow | None:
    """Return the dataset's oldest unresolved incident."""
    about = select(IncidentRow).join(DatasetRow, col(DatasetRow.id) == col(IncidentRow.dataset_id))
    unresolved = about.where(
        traversal.name_filter(DatasetRow, nodes.group(name)), IncidentRow.state != IncidentState.RESOLVED
    )
    return session.exec(unresolved.order_by(col(IncidentRow.opened_at), col(IncidentRow.id)).limit(1)).first()
