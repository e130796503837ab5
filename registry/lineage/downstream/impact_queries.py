"""What harm is asked about: which data are bad, or supposed to be, and what the asker may see of what they do."""

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
    """A dataset by a contract, `contract.object` or its own name, and the columns that bad data are in; None: all."""

    name: str
    namespace: str | None = None
    columns: frozenset[str] | None = None


def bad_data_of_dataset(
    session: Session, asked: ImpactQuery, by: Principal, *, now: datetime
) -> tuple[BadData, frozenset[str] | None, bool]:
    """The bad data of the dataset's open incident, with the columns that these are in, and False; where it has none,
    those that would be bad from now on, and True. Raises NotFound where there is no such dataset that may be seen."""
    nodes = NameResolver(session)
    name = _resolve_dataset(session, asked)
    if name is None or not dataset_visibility.visible_datasets(session, by, nodes)([name]):
        raise NotFound
    if incident := _open(session, nodes, name):
        bad, columns = of_incident(session, incident)
        return bad, asked.columns or columns, False
    return BadData(name, now), asked.columns, True


def of_incident(session: Session, incident: IncidentRow) -> tuple[BadData, frozenset[str] | None]:
    """The incident's bad data, and the columns that they are in; None: all. Raises NotFound where they are unknown."""
    dataset = session.get(DatasetRow, incident.dataset_id) if incident.dataset_id else None
    if dataset is None:
        raise NotFound
    columns = None if incident.columns is None else frozenset(incident.columns)
    name = graph_node(dataset.namespace, dataset.name)
    return BadData(name, incident.started_at, incident.recovered_at, incident.data_version), columns


def impact_visibility(session: Session, by: Principal) -> ImpactVisibility:
    """What the principal may see downstream."""
    nodes = NameResolver(session)
    return ImpactVisibility(
        nodes, dataset_visibility.visible_datasets(session, by, nodes), visibility.readable_contracts(by)
    )


def cause(session: Session, incident: IncidentRow, by: Principal) -> str | None:
    """What the incident is about, as `contract.object`; None where the principal may not read that."""
    place = visibility.object_resource(session, incident.contract_id, incident.object)
    return f"{incident.contract_id}.{incident.object}" if by.may(Permission.READ, place) else None


def _resolve_dataset(session: Session, asked: ImpactQuery) -> LineageName | None:
    if asked.namespace is not None:
        return graph_node(asked.namespace, asked.name)
    found = related_datasets.resolve_dataset(session, asked.name)
    return graph_node(found.dataset.namespace, found.dataset.name) if found else None


def _open(session: Session, nodes: NameResolver, name: LineageName) -> IncidentRow | None:
    """The oldest incident about the dataset that is not resolved."""
    about = select(IncidentRow).join(DatasetRow, col(DatasetRow.id) == col(IncidentRow.dataset_id))
    here = about.where(
        traversal.name_filter(DatasetRow, nodes.group(name)), IncidentRow.state != IncidentState.RESOLVED
    )
    return session.exec(here.order_by(col(IncidentRow.opened_at), col(IncidentRow.id)).limit(1)).first()
