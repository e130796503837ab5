"""Build the OpenLineage event of a verdict.

It uses the client's classes and one facet of Treaty. For columns that the contract classifies, the event only contains
whether a check passed."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from importlib.metadata import version
from typing import Any

from openlineage.client.event_v2 import InputDataset, Job, Run, RunEvent, RunState, set_producer
from openlineage.client.facet_v2 import (
    base_subset_dataset,
    data_quality_assertions_dataset,
    data_quality_metrics_input_dataset,
    dataset_version_dataset,
    error_message_run,
    job_type_job,
    nominal_time_run,
    parent_run,
    processing_engine_run,
    symlinks_dataset,
    test_run,
)
from openlineage.client.serde import Serde
from openlineage.client.uuid import generate_static_uuid

from treaty.contracts.fingerprint import canonical, fingerprint
from treaty.engine.core.results import ADMITTED, AMISS, CheckResult, Outcome, RunResult
from treaty.registry.lineage.events.facet import FACET, FACET_VERSION
from treaty.registry.lineage.events.run_metrics import OutputNumbers
from treaty.registry.lineage.events.triggers import OUR_NAMESPACE, OUR_PRODUCER

STATUS = {Outcome.PASSED: "pass", Outcome.FAILED: "fail"}
SEVERITY = {"error": "error", "warning": "warn"}
# Larger results are truncated, failed checks first, so that the event is small enough to be accepted.
MOST = 500


@dataclass(frozen=True, kw_only=True)
class TriggeringRun:
    """The run that triggered a validation, as its producer reported it.

    `root_run_id`, `root_job`: root of the run's hierarchy. `nominal_start`, `nominal_end`: None if not reported."""

    run_id: str
    job: tuple[str, str]
    root_run_id: str
    root_job: tuple[str, str]
    nominal_start: str | None = None
    nominal_end: str | None = None


@dataclass(frozen=True)
class EventDataset:
    """The validated dataset, with the name and symlinks that its producer uses.

    `symlinks`: namespace, name and type of each. `version`: None if not reported."""

    namespace: str
    name: str
    symlinks: tuple[tuple[str, str, str], ...] = ()
    version: str | None = None


@dataclass(frozen=True, kw_only=True)
class VerdictPayload:
    """The content of a verdict event.

    `first`: time at which the validation was first requested. `dataset_fingerprint`: fingerprint of all partitions.
    `caused`: run that triggered the validation; None if no run did. `hidden`: ids of checks whose values must not be
    emitted. `give_up_reason`: reason why the validation could not run; None if it did. `link`: URL of the result.
    `schemas`: base URL of the facet schemas. `mirror`: also emit the assertions as a dataset facet. `words`: assertion
    names by check id; the default is "custom". `discriminator`: distinguishes validations that were requested at the
    same time; '' if their data differs."""

    result: RunResult
    about: EventDataset
    numbers: OutputNumbers
    first: datetime
    dataset_fingerprint: str | None = None
    caused: TriggeringRun | None = None
    hidden: frozenset[str] = frozenset()
    partitions: tuple[Mapping[str, str], ...] = ()
    give_up_reason: str | None = None
    link: str = ""
    schemas: str = ""
    mirror: bool = True
    words: Mapping[str, str] = field(default_factory=dict)
    discriminator: str = ""


def run_id(payload: VerdictPayload) -> str:
    """Return the run id of the validation. It does not change when the event is sent again."""
    result, about = payload.result, payload.about
    key = [result.contract_id, result.contract_version, result.object, about.namespace, about.name]
    hashed = canonical(
        [*key, sorted(result.partitions), payload.dataset_fingerprint, *filter(None, [payload.discriminator])]
    )
    return str(generate_static_uuid(payload.first, hashed))


def event(payload: VerdictPayload) -> dict[str, Any]:
    """Return the event as a JSON document.

    Its type is COMPLETE even if checks failed, and FAIL if the data could not be validated."""
    set_producer(OUR_PRODUCER)
    run_event = RunEvent(
        eventType=RunState.FAIL if payload.give_up_reason else RunState.COMPLETE,
        eventTime=payload.result.finished_at.isoformat(),
        run=Run(run_id(payload), facets=dict(_run_facets(payload))),
        job=Job(OUR_NAMESPACE, f"validate.{payload.result.contract_id}", facets={"jobType": _job_type()}),
        inputs=[_dataset(payload)],
        outputs=[],
    )
    document = Serde.to_dict(run_event)
    document["run"]["facets"]["treaty_contract"] = _contract(payload)
    return document


def _contract(payload: VerdictPayload) -> dict[str, Any]:
    result = payload.result
    fields = {
        "contract": result.contract_id,
        "version": result.contract_version,
        "fingerprint": result.contract_fingerprint,
        "object": result.object,
        "fit": _fit(payload),
        "status": result.verdict.value,
        "blocking": result.verdict not in ADMITTED,
        "counts": dict(sorted(Counter(each.outcome.value for each in result.results).items())),
        "dataset_fingerprint": payload.dataset_fingerprint,
        "link": payload.link or None,
    }
    schema_url = f"{payload.schemas}/{FACET_VERSION}/{FACET}.json#/$defs/{FACET}"
    present = {name: value for name, value in fields.items() if value is not None}
    return {"_producer": OUR_PRODUCER, "_schemaURL": schema_url, **present}


def _fit(payload: VerdictPayload) -> str | None:
    """Return the fingerprint of all detector bands, to compare runs; None if there are none.

    Bands of hidden checks are excluded because they could be guessed from the fingerprint."""
    results = [each for each in payload.result.results if each.band and each.check_id not in payload.hidden]
    return fingerprint([[each.check_id, each.partition, each.band] for each in results]) if results else None


def _run_facets(payload: VerdictPayload) -> Iterator[tuple[str, Any]]:
    engine = processing_engine_run.ProcessingEngineRunFacet(
        version=version("treaty"), name="treaty", openlineageAdapterVersion=version("openlineage-python")
    )
    yield "processing_engine", engine
    yield "test", test_run.TestRunFacet([_test(each, payload) for each in _emitted_results(payload)])
    if payload.caused:
        yield "parent", _parent(payload.caused)
        if payload.caused.nominal_start:
            start, end = payload.caused.nominal_start, payload.caused.nominal_end
            yield "nominalTime", nominal_time_run.NominalTimeRunFacet(start, end)
    if payload.give_up_reason:
        yield "errorMessage", error_message_run.ErrorMessageRunFacet(payload.give_up_reason, "PYTHON")


def _dataset(payload: VerdictPayload) -> InputDataset:
    about, input_facets = payload.about, dict(_input_facets(payload))
    facets: dict[str, Any] = {}
    if about.symlinks:
        identifiers = [symlinks_dataset.Identifier(*each) for each in about.symlinks]
        facets["symlinks"] = symlinks_dataset.SymlinksDatasetFacet(identifiers)
    if about.version:
        facets["version"] = dataset_version_dataset.DatasetVersionDatasetFacet(about.version)
    if payload.mirror and "dataQualityAssertions" in input_facets:
        facets["dataQualityAssertions"] = input_facets["dataQualityAssertions"]
    return InputDataset(about.namespace, about.name, facets=facets, inputFacets=input_facets)


def _input_facets(payload: VerdictPayload) -> Iterator[tuple[str, Any]]:
    assertions = [_assertion(each, payload) for each in _emitted_results(payload) if each.outcome in STATUS]
    yield "dataQualityAssertions", data_quality_assertions_dataset.DataQualityAssertionsDatasetFacet(assertions)
    numbers = payload.numbers
    columns = {
        name: data_quality_metrics_input_dataset.ColumnMetrics(**metrics) for name, metrics in numbers.columns.items()
    }
    yield (
        "dataQualityMetrics",
        data_quality_metrics_input_dataset.DataQualityMetricsInputDatasetFacet(columns, rowCount=numbers.rows),
    )
    if 0 < len(payload.partitions) <= MOST:
        parts = [base_subset_dataset.Partition(dict(each)) for each in payload.partitions]
        condition = base_subset_dataset.PartitionSubsetCondition(parts)
        yield "subset", base_subset_dataset.InputSubsetInputDatasetFacet(condition)


def _emitted_results(payload: VerdictPayload) -> tuple[CheckResult, ...]:
    results = payload.result.results
    if len(results) <= MOST:
        return results
    bad = [each for each in results if each.outcome in AMISS]
    return (*bad, *(each for each in results if each.outcome not in AMISS))[:MOST]


def _assertion(result: CheckResult, payload: VerdictPayload) -> data_quality_assertions_dataset.Assertion:
    return data_quality_assertions_dataset.Assertion(
        assertion=payload.words.get(result.check_id, "custom"),
        success=result.outcome is Outcome.PASSED,
        column=result.column,
        **_assertion_fields(result, payload),
    )


def _test(result: CheckResult, payload: VerdictPayload) -> test_run.TestExecution:
    fields = _assertion_fields(result, payload)
    return test_run.TestExecution(
        status=STATUS.get(result.outcome, "skip"), type=payload.words.get(result.check_id, "custom"), **fields
    )


def _assertion_fields(result: CheckResult, payload: VerdictPayload) -> dict[str, Any]:
    """Return the fields of a check that both facets share; hidden checks have no value and no threshold."""
    params = {"check": result.check_id, **({"partition": result.partition} if result.partition else {})}
    fields = {"name": result.name, "severity": SEVERITY.get(result.severity, "error"), "params": params}
    if result.check_id in payload.hidden:
        return fields
    actual = None if isinstance(result.value, str) or result.value is None else str(result.value)
    return {**fields, "description": result.sentence, "expected": _threshold(result.threshold), "actual": actual}


def _threshold(value: Any) -> str | None:
    return None if value is None else value if isinstance(value, str) else canonical(value).decode()


def _parent(caused: TriggeringRun) -> parent_run.ParentRunFacet:
    root = parent_run.Root(run=parent_run.RootRun(caused.root_run_id), job=parent_run.RootJob(*caused.root_job))
    return parent_run.ParentRunFacet(run=parent_run.Run(caused.run_id), job=parent_run.Job(*caused.job), root=root)


def _job_type() -> job_type_job.JobTypeJobFacet:
    return job_type_job.JobTypeJobFacet("BATCH", "TREATY", "VALIDATION")
