"""Route of the gate's answer to whether data may be read, from stored results only."""

from typing import Annotated

from fastapi import Query

from treaty.registry import schemas
from treaty.registry.api.http.admission import admission_router
from treaty.registry.api.http.dependencies import Caller, Reader
from treaty.registry.api.routes.states import ContractFilter, Namespace
from treaty.registry.core.bounded_values import LocalTimestamp, LookupText
from treaty.registry.datasets.related_datasets import ResolvedDataset
from treaty.registry.measurements.states import state_queries
from treaty.registry.measurements.states.state_queries import StateQuery
from treaty.registry.tables import DatasetRow
from treaty.registry.validation.gate import gate_answer, upstream_warning
from treaty.registry.validation.gate.gate_answer import ContractGateStatus
from treaty.registry.validation.gate.staleness import ReadinessQuery

router = admission_router(tags=["gate"])
Of = Annotated[
    LookupText,
    Query(
        alias="dataset",
        min_length=1,
        max_length=2000,
        description="A contract, `contract.object`, or the name of a dataset",
    ),
]
Partition = Annotated[
    LookupText | None,
    Query(max_length=2000, description="A partition, such as `day=2026-01-01`; defaults to the whole dataset"),
]
Consumer = Annotated[
    LookupText | None, Query(max_length=200, description="Name of a user or team, or id of a subscription")
]
DatasetFingerprint = Annotated[LookupText | None, Query(max_length=200, description="Fingerprint of the data to read")]
AsOf = Annotated[LocalTimestamp | None, Query(description="The data must have been inspected at or after this time")]


@router.get("/gate")
def ask_gate(  # noqa: PLR0913, PLR0917 - each parameter is part of the question
    name: Of, by: Caller, tx: Reader, partition: Partition = None, consumer: Consumer = None,
    namespace: Namespace = None, contract_id: ContractFilter = None, dataset_fingerprint: DatasetFingerprint = None,
    as_of: AsOf = None,
) -> schemas.GateOut:  # fmt: skip
    """Ask whether data may be read: `allow`, `warn`, `block`, or `unknown`.

    The answer is `unknown` if the data may have changed since its validation. It covers every contract about the
    dataset and the checks of the consumer."""
    dataset = state_queries.visible_dataset(
        tx, StateQuery(dataset=name, namespace=namespace, contract_id=contract_id), by
    )
    statuses = upstream_warning.forewarned(
        tx, gate_answer.contract_statuses(tx, dataset, ReadinessQuery(partition, dataset_fingerprint, as_of), consumer)
    )
    return _shown(dataset, statuses, partition)


def _shown(
    resolved_dataset: ResolvedDataset, status: tuple[ContractGateStatus, ...], partition: str | None
) -> schemas.GateOut:
    contracts = tuple(map(_contract, status))
    decisive = contracts[0].model_dump(exclude={"object", "states_version", "subscription_id"})
    dataset = resolved_dataset.dataset
    return schemas.GateOut(
        **decisive,
        namespace=dataset.namespace,
        name=dataset.name,
        partition=partition,
        location=_place(dataset),
        contracts=contracts,
    )


def _contract(status: ContractGateStatus) -> schemas.ContractGateStatusOut:
    run = status.run
    return schemas.ContractGateStatusOut(
        contract_id=status.about.contract_id,
        object=status.about.object,
        version=status.version,
        answer=status.answer,
        reason=status.reason,
        run_id=run.id if run else None,
        finished_at=run.finished_at if run else None,
        dataset_fingerprint=run.dataset_fingerprint if run else None,
        states_version=run.states_version if run else None,
        subscription_id=status.subscription_id,
        upstream_failed=status.upstream_failed,
    )


def _place(dataset: DatasetRow) -> schemas.DatasetLocationOut:
    by = tuple(dataset.partition_by)
    return schemas.DatasetLocationOut(location=dataset.location, format=dataset.format, partition_by=by)
