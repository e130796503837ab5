"""Routes of what is remembered. Names of datasets are paths, so they travel as query parameters."""

from dataclasses import asdict, replace
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Query

from treaty.engine.core import clock
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.state_queries import MetricAnswer
from treaty.engine.states.state_files import StateFiles
from treaty.registry import schemas
from treaty.registry.access import visibility
from treaty.registry.api.http.dependencies import Caller, Reader, Shared, Writer
from treaty.registry.core.database import forget
from treaty.registry.measurements.patterns import index_updates
from treaty.registry.measurements.runs import recording
from treaty.registry.measurements.states import erasure, state_queries
from treaty.registry.measurements.states.state_queries import QueryScope, StateQuery
from treaty.registry.validation import reruns
from treaty.registry.validation.reruns import RerunDifference

router = APIRouter(tags=["states"])
NAMED = 20
MAX_PARTITIONS = 1000
Name = Annotated[str, Query(min_length=1, max_length=2000, description="contract, contract.object, or a dataset's own")]
Namespace = Annotated[str | None, Query(max_length=2000, description="of a dataset's own name, as lineage has it")]
ContractFilter = Annotated[
    str | None, Query(max_length=2000, description="of several contracts about it that one, or contract.object")
]
PartitionFilter = Annotated[
    str | None, Query(description="a condition on partition columns; all partitions without one")
]
Metrics = Annotated[
    list[str] | None,
    Query(max_length=200, description="completeness:column=status; without one those of the contract"),
]
Partitions = Annotated[
    list[str] | None, Query(max_length=1000, description="names of partitions; without one all that is remembered")
]


def called(name: Name, namespace: Namespace = None, contract_id: ContractFilter = None) -> StateQuery:
    """The dataset that the request names."""
    return StateQuery(dataset=name, namespace=namespace, contract_id=contract_id)


Called = Annotated[StateQuery, Depends(called)]


def question(
    named: Called, by: Caller, tx: Reader, where: PartitionFilter = None, metric: Metrics = None
) -> StateQuery:
    """What the request asks, of a dataset that the caller may read."""
    return state_queries.authorized_query(tx, replace(named, where=where, metrics=tuple(metric or ())), by)


StateQueryDep = Annotated[StateQuery, Depends(question)]


@router.get("/dataset/metrics")
def get_metrics(asked: StateQueryDep, shared: Shared, tx: Reader) -> schemas.MetricsOut:
    """Metrics of the partitions that a condition chooses, merged from their stored states: no data is read."""
    memory = state_queries.query_scope(tx, asked)
    found = state_queries.answered(tx, memory, StateFiles(shared.settings.states), now=clock.now())
    return schemas.MetricsOut(**_memory(memory, asked), metrics=tuple(map(_metric, found)))


@router.get("/dataset/states")
def get_states(asked: StateQueryDep, shared: Shared, tx: Reader) -> schemas.StatesOut:
    """What is stored of each partition that a condition chooses, and what a question about them would merge."""
    memory = state_queries.query_scope(tx, asked)
    found = state_queries.stored(tx, memory, StateFiles(shared.settings.states))
    return schemas.StatesOut(
        **_memory(memory, asked),
        bytes=sum(each.bytes for each in found),
        file_bytes=sum(each.file_bytes for each in found),
        partition_states=tuple(map(schemas.PartitionStatesOut.model_validate, found[:MAX_PARTITIONS])),
        metrics=tuple(
            schemas.MergeEstimateOut(**_query_fields(each), bytes=size)
            for each, size in state_queries.prospects(memory, found)
        ),
    )


@router.delete("/dataset/states")
def erase_states(
    name: Name, shared: Shared, by: Caller, tx: Writer, namespace: Namespace = None, partition: Partitions = None
) -> schemas.ErasureOut:
    """Erases states, samples and values, of named partitions or of all, and the table's learned patterns. Runs stay,
    with verdicts and numbers."""
    erasure.see(tx, name, namespace, by)
    asked = erasure.erasure(tx, name, namespace, partition or ())
    files, patterns = StateFiles(shared.settings.states), index_updates.lake(shared.settings)
    done = erasure.erase(tx, asked, files, patterns, by=by, now=clock.now())
    tx.commit()
    forget(shared.engine)
    return schemas.ErasureOut(datasets=tuple(each.name for each in asked.datasets), **asdict(done))


@router.get("/runs/{run_id}/rerun")
def rerun(run_id: UUID, shared: Shared, by: Caller, tx: Reader) -> schemas.RerunOut:
    """The run done again from the states that it judged, as long as they are kept. Nothing is stored, no data read."""
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


def _difference(found: RerunDifference) -> schemas.RerunDifferenceOut:
    return schemas.RerunDifferenceOut(
        check_id=found.check_id,
        partition=found.partition,
        before=_outcome(found.before),
        after=_outcome(found.after),
        reason=found.reason,
    )


def _outcome(told: tuple[str, str | None] | None) -> schemas.OutcomeOut | None:
    return schemas.OutcomeOut(outcome=told[0], value=told[1]) if told else None


def _memory(memory: QueryScope, asked: StateQuery) -> dict[str, Any]:
    dataset, contract = memory.dataset, memory.contract
    return {
        **dataset.model_dump(include={"namespace", "name", "states_version"}),
        "object": memory.checks.object.name,
        "contract_id": contract.id,
        "version": contract.version,
        "where": asked.where,
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
