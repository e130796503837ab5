"""Routes of stored states.

Names of datasets are paths, so they are query parameters."""

from dataclasses import asdict, replace
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Query

from treaty.engine.core import clock
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.state_queries import MetricAnswer
from treaty.engine.states.state_files import StateFiles
from treaty.registry import schemas
from treaty.registry.access import visibility
from treaty.registry.api.http.admission import admission, admission_router
from treaty.registry.api.http.dependencies import Caller, Reader, Shared, Writer
from treaty.registry.core.bounded_values import LookupText
from treaty.registry.core.database import forget
from treaty.registry.core.enums import Permission
from treaty.registry.measurements.patterns import index_updates
from treaty.registry.measurements.runs import recording
from treaty.registry.measurements.states import erasure, state_queries
from treaty.registry.measurements.states.state_queries import QueryScope, StateQuery
from treaty.registry.validation import reruns
from treaty.registry.validation.reruns import RerunDifference

router = admission_router(tags=["states"])
NAMED = 20
MAX_PARTITIONS = 1000
Name = Annotated[
    LookupText,
    Query(min_length=1, max_length=2000, description="A contract, `contract.object`, or the name of a dataset"),
]
Namespace = Annotated[
    LookupText | None, Query(max_length=2000, description="Namespace of the dataset, as in lineage events")
]
ContractFilter = Annotated[
    LookupText | None,
    Query(max_length=2000, description="Selects one of several contracts on the dataset, or `contract.object`"),
]
PartitionFilter = Annotated[
    LookupText | None, Query(description="Condition on partition columns; defaults to all partitions")
]
Metrics = Annotated[
    list[LookupText] | None,
    Query(
        max_length=200, description="Metrics such as `completeness:column=status`; defaults to those of the contract"
    ),
]
Partitions = Annotated[
    list[LookupText] | None, Query(max_length=1000, description="Names of partitions; defaults to the whole dataset")
]


def called(name: Name, namespace: Namespace = None, contract_id: ContractFilter = None) -> StateQuery:
    """Return the dataset that the request names."""
    return StateQuery(dataset=name, namespace=namespace, contract_id=contract_id)


Called = Annotated[StateQuery, Depends(called)]


def question(
    named: Called, by: Caller, tx: Reader, where: PartitionFilter = None, metric: Metrics = None
) -> StateQuery:
    """Return the state query of the request, for a dataset that the caller may read."""
    return state_queries.authorized_query(tx, replace(named, where=where, metrics=tuple(metric or ())), by)


StateQueryDep = Annotated[StateQuery, Depends(question)]


@router.get("/dataset/metrics")
def get_metrics(query: StateQueryDep, shared: Shared, tx: Reader) -> schemas.MetricsOut:
    """Compute metrics of the selected partitions from their stored states. No data is read."""
    scope = state_queries.query_scope(tx, query)
    answers = state_queries.answered(tx, scope, StateFiles(shared.settings.states), now=clock.now())
    return schemas.MetricsOut(**_memory(scope, query), metrics=tuple(map(_metric, answers)))


@router.get("/dataset/states")
def get_states(query: StateQueryDep, shared: Shared, tx: Reader) -> schemas.StatesOut:
    """List the stored states of the selected partitions and the cost of merging the metrics."""
    scope = state_queries.query_scope(tx, query)
    partitions = state_queries.stored(tx, scope, StateFiles(shared.settings.states))
    return schemas.StatesOut(
        **_memory(scope, query),
        bytes=sum(each.bytes for each in partitions),
        file_bytes=sum(each.file_bytes for each in partitions),
        partition_states=tuple(map(schemas.PartitionStatesOut.model_validate, partitions[:MAX_PARTITIONS])),
        metrics=tuple(
            schemas.MergeEstimateOut(**_query_fields(each), bytes=size)
            for each, size in state_queries.prospects(scope, partitions)
        ),
    )


@router.delete("/dataset/states")
@admission(Permission.ERASE)
def erase_states(
    name: Name, shared: Shared, by: Caller, tx: Writer, namespace: Namespace = None, partition: Partitions = None
) -> schemas.ErasureOut:
    """Erase the states, samples, values and learned patterns of a dataset or its partitions.

    Runs remain with their verdicts and numbers."""
    erasure.see(tx, name, namespace, by)
    request = erasure.erasure(tx, name, namespace, partition or ())
    files, patterns = StateFiles(shared.settings.states), index_updates.lake(shared.settings)
    done = erasure.erase(tx, request, files, patterns, by=by, now=clock.now())
    tx.commit()
    forget(shared.engine)
    return schemas.ErasureOut(datasets=tuple(each.name for each in request.datasets), **asdict(done))


@router.get("/runs/{run_id}/rerun")
def rerun(run_id: UUID, shared: Shared, by: Caller, tx: Reader) -> schemas.RerunOut:
    """Re-evaluate a run on the states that it validated, if they are still stored.

    Nothing is stored and no data is read."""
    visibility.require_readable_run(tx, run_id, by)
    done = reruns.again(tx, run_id, evaluate, files=StateFiles(shared.settings.states))
    return schemas.RerunOut(
        run_id=run_id,
        **done.run.model_dump(include={"contract_id", "version", "object"}),
        before=done.run.verdict,
        after=done.result.verdict,
        results=len(done.result.results),
        differences=tuple(map(_difference, done.differences)),
    )


def _difference(difference: RerunDifference) -> schemas.RerunDifferenceOut:
    return schemas.RerunDifferenceOut(
        check_id=difference.check_id,
        partition=difference.partition,
        before=_outcome(difference.before),
        after=_outcome(difference.after),
        reason=difference.reason,
    )


def _outcome(outcome: tuple[str, str | None] | None) -> schemas.OutcomeOut | None:
    return schemas.OutcomeOut(outcome=outcome[0], value=outcome[1]) if outcome else None


def _memory(memory: QueryScope, query: StateQuery) -> dict[str, Any]:
    dataset, contract = memory.dataset, memory.contract
    return {
        **dataset.model_dump(include={"namespace", "name", "states_version"}),
        "object": memory.checks.object.name,
        "contract_id": contract.id,
        "version": contract.version,
        "where": query.where,
        "partitions": state_queries.partitions(memory.names),
        "selected_partitions": state_queries.partitions(memory.chosen),
    }


def _metric(answer: MetricAnswer) -> schemas.MetricValueOut:
    reading = answer.reading
    return schemas.MetricValueOut(
        **_query_fields(answer),
        value=recording.exact(reading.value) if reading else None,
        row_count=reading.counted if reading else None,
        unevaluated_rows=reading.unevaluated if reading else 0,
    )


def _query_fields(answer: MetricAnswer) -> dict[str, Any]:
    analyzer = answer.query.analyzer
    return {
        "identity": analyzer.identity,
        "analyzer": analyzer.name,
        "arguments": analyzer.arguments(),
        "phrase": analyzer.phrase,
        "unit": analyzer.unit,
        "merged": answer.merged,
        "missing_count": len(answer.missing),
        "missing": answer.missing[:NAMED],
        "reason": answer.reason,
    }
