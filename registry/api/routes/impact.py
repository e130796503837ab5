"""Routes of downstream impact, upstream incidents and inferred consumers."""

from typing import Annotated
from uuid import UUID

from fastapi import Query
from sqlmodel import Session, col

from treaty.engine.core import clock
from treaty.registry import schemas
from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal
from treaty.registry.api.http import presenters
from treaty.registry.api.http.admission import admission, admission_router
from treaty.registry.api.http.dependencies import Caller, ContractId, Reader, Writer
from treaty.registry.contracts import subscriptions
from treaty.registry.core import ids
from treaty.registry.core.bounded_values import LookupText
from treaty.registry.core.enums import Permission
from treaty.registry.datasets.names import LineageName
from treaty.registry.incidents import actions
from treaty.registry.lineage.downstream import impact, impact_queries
from treaty.registry.lineage.downstream.impact import AffectedContract, DownstreamImpact
from treaty.registry.lineage.downstream.impact_queries import ImpactQuery
from treaty.registry.lineage.downstream.incident_downstream import UpstreamIncident, upstream_incidents
from treaty.registry.review.consumers import inferred_consumers
from treaty.registry.review.consumers.inferred_consumers import InferredConsumer
from treaty.registry.tables import DatasetContractRow

router = admission_router(tags=["graph"])
Named = Annotated[
    LookupText,
    Query(min_length=1, max_length=2000, description="A contract, `contract.object`, or the name of a dataset"),
]
Namespace = Annotated[
    LookupText | None, Query(max_length=2000, description="Namespace of the dataset, as in lineage events")
]
Columns = Annotated[
    list[LookupText] | None, Query(max_length=5000, description="Columns with bad data; defaults to all")
]


@router.get("/dataset/impact")
def get_downstream_impact(
    name: Named, by: Caller, tx: Reader, namespace: Namespace = None, column: Columns = None
) -> schemas.DownstreamImpactOut:
    """Retrieve the downstream impact of a dataset's open incident, or of a hypothetical one."""
    query = ImpactQuery(name, namespace, frozenset(column) if column else None)
    bad_data, columns, hypothetical = impact_queries.bad_data_of_dataset(tx, query, by, now=clock.now())
    return _impact(
        impact.downstream_impact(tx, bad_data, columns, impact_queries.impact_visibility(tx, by)),
        columns,
        supposed=hypothetical,
    )


@router.get("/incidents/{incident_id}/impact")
def get_incident_impact(incident_id: UUID, by: Caller, tx: Reader) -> schemas.DownstreamImpactOut:
    """Retrieve the downstream impact of an incident: datasets reached and at risk."""
    incident = actions.get(tx, incident_id, by=by)
    bad_data, columns = impact_queries.of_incident(tx, incident)
    return _impact(
        impact.downstream_impact(tx, bad_data, columns, impact_queries.impact_visibility(tx, by)),
        columns,
        supposed=False,
    )


@router.get("/contract/upstream")
def get_upstream(contract_id: ContractId, by: Caller, tx: Reader) -> list[schemas.UpstreamIncidentOut]:
    """List upstream incidents that have reached, or are about to reach, a contract's datasets.

    They do not change the verdicts of the contract."""
    visibility.require_readable_contract(tx, contract_id, by)
    incidents = upstream_incidents(tx, col(DatasetContractRow.contract_id) == contract_id)
    return [_upstream(tx, each, by) for each in incidents]


@router.get("/contract/inferred-consumers")
def list_inferred_consumers(contract_id: ContractId, by: Caller, tx: Reader) -> list[schemas.InferredConsumerOut]:
    """List jobs outside the producers' namespaces that read the contract's data according to lineage."""
    return [_inferred_consumer(each) for each in inferred_consumers.of_contract(tx, contract_id, by)]


@router.post("/contract/inferred-consumers/confirm", status_code=201)
@admission(Permission.SUBSCRIBE)
def confirm_inferred_consumer(body: schemas.InferredConsumerIn, by: Caller, tx: Writer) -> schemas.SubscriptionOut:
    """Subscribe the caller to the data that one of their jobs reads."""
    job, subscription_id = LineageName(body.job_namespace, body.job_name), ids.new()
    subscription = inferred_consumers.confirm(
        tx, body.contract_id, job, by=by, now=clock.now(), subscription_id=subscription_id
    )
    tx.commit()
    return presenters.subscription(subscriptions.subscription_listing(tx, subscription), by)


@router.post("/contract/inferred-consumers/dismiss")
@admission(Permission.SUBSCRIBE)
def dismiss_inferred_consumer(body: schemas.InferredConsumerIn, by: Caller, tx: Writer) -> schemas.InferredConsumerOut:
    """Dismiss the job as a consumer. It is not suggested again."""
    job = LineageName(body.job_namespace, body.job_name)
    dismissed = inferred_consumers.dismiss(tx, body.contract_id, job, by=by, now=clock.now())
    tx.commit()
    return _inferred_consumer(dismissed)


def _impact(impact: DownstreamImpact, columns: frozenset[str] | None, *, supposed: bool) -> schemas.DownstreamImpactOut:
    return schemas.DownstreamImpactOut(
        namespace=impact.dataset.namespace,
        name=impact.dataset.name,
        started_at=impact.bad.started_at,
        ended_at=impact.bad.ended_at,
        columns=_column_list(columns),
        is_hypothetical=supposed,
        contracts=tuple(map(_contract, impact.contracts)),
        datasets=tuple(map(_entry, impact.entries)),
        complete=impact.complete,
    )


def _entry(entry: impact.DownstreamDataset) -> schemas.DownstreamDatasetOut:
    reach = entry.dataset
    return schemas.DownstreamDatasetOut(
        namespace=reach.dataset.namespace,
        name=reach.dataset.name,
        distance=reach.distance,
        contamination=entry.state.state,
        reached_at=entry.state.reached_at,
        is_direct=reach.direct,
        is_table_level=reach.coarse,
        columns=_column_list(reach.columns),
        path=tuple(schemas.GraphNameOut(namespace=each.namespace, name=each.name) for each in reach.path),
        contracts=tuple(map(_contract, entry.contracts)),
        owners=entry.owners,
    )


def _contract(contract: AffectedContract) -> schemas.AffectedContractOut:
    return schemas.AffectedContractOut(
        contract_id=contract.contract_id, object=contract.object, owner=contract.owner, consumers=contract.consumers
    )


def _upstream(tx: Session, incident: UpstreamIncident, by: Principal) -> schemas.UpstreamIncidentOut:
    cause_text = impact_queries.cause(tx, incident.incident, by)
    row = incident.downstream
    return schemas.UpstreamIncidentOut(
        contract_id=incident.contract_id,
        object=incident.object,
        contamination=row.contamination,
        reached_at=row.reached_at,
        distance=row.distance,
        is_direct=row.is_direct,
        is_table_level=row.is_table_level,
        incident_id=str(incident.incident.id) if cause_text else None,
        cause=cause_text,
    )


def _inferred_consumer(consumer: InferredConsumer) -> schemas.InferredConsumerOut:
    return schemas.InferredConsumerOut(
        job_namespace=consumer.job.namespace,
        job_name=consumer.job.name,
        reads=dict(consumer.reads),
        owners=consumer.owners,
        last_seen_at=consumer.last_seen_at,
        state=consumer.state,
        subscription_id=str(consumer.subscription_id) if consumer.subscription_id else None,
    )


def _column_list(columns: frozenset[str] | None) -> tuple[str, ...] | None:
    return None if columns is None else tuple(sorted(columns))
