"""A verdict as an OpenLineage event: what the client's own classes write, and one facet of ours.

Of columns that the contract classifies nothing is told but whether a promise was kept."""

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
from treaty.engine.core.results import CheckResult, Outcome, RunResult, Verdict
from treaty.registry.lineage.events.facet import FACET, FACET_VERSION
from treaty.registry.lineage.events.run_metrics import OutputNumbers
from treaty.registry.lineage.events.triggers import OUR_NAMESPACE, OUR_PRODUCER

STATUS = {Outcome.PASSED: "pass", Outcome.FAILED: "fail"}
SEVERITY = {"error": "error", "warning": "warn"}
# Of more results than these, an event tells those that did not pass first; it must stay small enough to be taken.
MOST = 500
BAD = frozenset({Outcome.FAILED, Outcome.NOT_EVALUATED})
BLOCKING = frozenset({Verdict.FAILED, Verdict.NOT_EVALUATED})


@dataclass(frozen=True, kw_only=True)
class TriggeringRun:
    """The run that a validation was triggered by, as its producer told of it. `root`: what all of it belongs to."""

    run_id: str
    job: tuple[str, str]
    root_run_id: str
    root_job: tuple[str, str]
    nominal_start: str | None = None
    nominal_end: str | None = None


@dataclass(frozen=True)
class EventDataset:
    """The dataset that was judged, under the name and with the symlinks that its producer gave it."""

    namespace: str
    name: str
    symlinks: tuple[tuple[str, str, str], ...] = ()
    version: str | None = None


@dataclass(frozen=True, kw_only=True)
class VerdictPayload:
    """All that an event tells of. `hidden`: ids of checks of whose values nothing is told. `first`: when the validation
    was first asked for. `give_up_reason`: why it could not be done at all; None: it was. `discriminator`: what tells it
    from others that were asked for at once; '' where its data do."""

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


def run_id(judged: VerdictPayload) -> str:
    """The identity of the validation as a run: the same however often it is told of."""
    of, about = judged.result, judged.about
    key = [of.contract_id, of.contract_version, of.object, about.namespace, about.name]
    named = canonical([*key, sorted(of.partitions), judged.dataset_fingerprint, *filter(None, [judged.discriminator])])
    return str(generate_static_uuid(judged.first, named))


def event(judged: VerdictPayload) -> dict[str, Any]:
    """The event, as plain data. COMPLETE also where checks failed; FAIL where nothing could be validated."""
    set_producer(OUR_PRODUCER)
    told = RunEvent(
        eventType=RunState.FAIL if judged.give_up_reason else RunState.COMPLETE,
        eventTime=judged.result.finished_at.isoformat(),
        run=Run(run_id(judged), facets=dict(_run_facets(judged))),
        job=Job(OUR_NAMESPACE, f"validate.{judged.result.contract_id}", facets={"jobType": _job_type()}),
        inputs=[_dataset(judged)],
        outputs=[],
    )
    document = Serde.to_dict(told)
    document["run"]["facets"]["treaty_contract"] = _contract(judged)
    return document


def _contract(judged: VerdictPayload) -> dict[str, Any]:
    of = judged.result
    told = {
        "contract": of.contract_id,
        "version": of.contract_version,
        "fingerprint": of.contract_fingerprint,
        "object": of.object,
        "fit": _fit(judged),
        "status": of.verdict.value,
        "blocking": of.verdict in BLOCKING,
        "counts": dict(sorted(Counter(each.outcome.value for each in of.results).items())),
        "marker": judged.dataset_fingerprint,
        "link": judged.link or None,
    }
    where = f"{judged.schemas}/{FACET_VERSION}/{FACET}.json#/$defs/{FACET}"
    known = {name: value for name, value in told.items() if value is not None}
    return {"_producer": OUR_PRODUCER, "_schemaURL": where, **known}


def _fit(judged: VerdictPayload) -> str | None:
    """The identity of all bounds that detectors told, for runs to be compared by; None where they told none. Bounds of
    hidden checks are left out: they could be guessed from it."""
    told = [each for each in judged.result.results if each.band and each.check_id not in judged.hidden]
    return fingerprint([[each.check_id, each.partition, each.band] for each in told]) if told else None


def _run_facets(judged: VerdictPayload) -> Iterator[tuple[str, Any]]:
    engine = processing_engine_run.ProcessingEngineRunFacet(
        version=version("treaty"), name="treaty", openlineageAdapterVersion=version("openlineage-python")
    )
    yield "processing_engine", engine
    yield "test", test_run.TestRunFacet([_test(each, judged) for each in _emitted_results(judged)])
    if judged.caused:
        yield "parent", _parent(judged.caused)
        if judged.caused.nominal_start:
            start, end = judged.caused.nominal_start, judged.caused.nominal_end
            yield "nominalTime", nominal_time_run.NominalTimeRunFacet(start, end)
    if judged.give_up_reason:
        yield "errorMessage", error_message_run.ErrorMessageRunFacet(judged.give_up_reason, "PYTHON")


def _dataset(judged: VerdictPayload) -> InputDataset:
    about, own = judged.about, dict(_input_facets(judged))
    facets: dict[str, Any] = {}
    if about.symlinks:
        named = [symlinks_dataset.Identifier(*each) for each in about.symlinks]
        facets["symlinks"] = symlinks_dataset.SymlinksDatasetFacet(named)
    if about.version:
        facets["version"] = dataset_version_dataset.DatasetVersionDatasetFacet(about.version)
    if judged.mirror and "dataQualityAssertions" in own:
        facets["dataQualityAssertions"] = own["dataQualityAssertions"]
    return InputDataset(about.namespace, about.name, facets=facets, inputFacets=own)


def _input_facets(judged: VerdictPayload) -> Iterator[tuple[str, Any]]:
    told = [_assertion(each, judged) for each in _emitted_results(judged) if each.outcome in STATUS]
    yield "dataQualityAssertions", data_quality_assertions_dataset.DataQualityAssertionsDatasetFacet(told)
    numbers = judged.numbers
    columns = {
        name: data_quality_metrics_input_dataset.ColumnMetrics(**found) for name, found in numbers.columns.items()
    }
    yield (
        "dataQualityMetrics",
        data_quality_metrics_input_dataset.DataQualityMetricsInputDatasetFacet(columns, rowCount=numbers.rows),
    )
    if 0 < len(judged.partitions) <= MOST:
        parts = [base_subset_dataset.Partition(dict(each)) for each in judged.partitions]
        condition = base_subset_dataset.PartitionSubsetCondition(parts)
        yield "subset", base_subset_dataset.InputSubsetInputDatasetFacet(condition)


def _emitted_results(judged: VerdictPayload) -> tuple[CheckResult, ...]:
    found = judged.result.results
    if len(found) <= MOST:
        return found
    bad = [each for each in found if each.outcome in BAD]
    return (*bad, *(each for each in found if each.outcome not in BAD))[:MOST]


def _assertion(result: CheckResult, judged: VerdictPayload) -> data_quality_assertions_dataset.Assertion:
    return data_quality_assertions_dataset.Assertion(
        assertion=judged.words.get(result.check_id, "custom"),
        success=result.outcome is Outcome.PASSED,
        column=result.column,
        **_assertion_fields(result, judged),
    )


def _test(result: CheckResult, judged: VerdictPayload) -> test_run.TestExecution:
    said = _assertion_fields(result, judged)
    return test_run.TestExecution(
        status=STATUS.get(result.outcome, "skip"), type=judged.words.get(result.check_id, "custom"), **said
    )


def _assertion_fields(result: CheckResult, judged: VerdictPayload) -> dict[str, Any]:
    """What both facets say of a check; of hidden ones no value and no bound."""
    params = {"check": result.check_id, **({"partition": result.partition} if result.partition else {})}
    named = {"name": result.name, "severity": SEVERITY.get(result.severity, "error"), "params": params}
    if result.check_id in judged.hidden:
        return named
    actual = None if isinstance(result.value, str) or result.value is None else str(result.value)
    return {**named, "description": result.sentence, "expected": _threshold(result.threshold), "actual": actual}


def _threshold(value: Any) -> str | None:
    return None if value is None else value if isinstance(value, str) else canonical(value).decode()


def _parent(caused: TriggeringRun) -> parent_run.ParentRunFacet:
    root = parent_run.Root(run=parent_run.RootRun(caused.root_run_id), job=parent_run.RootJob(*caused.root_job))
    return parent_run.ParentRunFacet(run=parent_run.Run(caused.run_id), job=parent_run.Job(*caused.job), root=root)


def _job_type() -> job_type_job.JobTypeJobFacet:
    return job_type_job.JobTypeJobFacet("BATCH", "TREATY", "VALIDATION")
