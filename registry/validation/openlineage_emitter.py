"""Emit verdicts as OpenLineage events, one per run of a contract.

The event is stored with the run like a received event, so that it can be read; it triggers nothing. If a lineage
service is configured, the event also goes to the outbox."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from hashlib import md5
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlmodel import Session

from treaty.contracts.fingerprint import canonical
from treaty.engine.core.results import RunResult
from treaty.registry.core.enums import RunKind
from treaty.registry.core.ids import derived_id
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.datasets import contract_datasets
from treaty.registry.datasets.names import LineageName, normalise, table_name
from treaty.registry.lineage.events import event_store, model, run_metrics
from treaty.registry.lineage.events.run_state import FoldedDataset, FoldedRun
from treaty.registry.notifications import outbox
from treaty.registry.notifications.outbox import LINEAGE
from treaty.registry.tables import DatasetRow, LineageRunRow, RunRow, TaskRow
from treaty.registry.validation.evaluation import EvaluationResult

if TYPE_CHECKING:
    from treaty.registry.lineage.events.verdict_event import EventDataset, TriggeringRun

log = logging.getLogger("treaty.worker")
PRODUCER = "treaty"
FACETS = "/api/v1/lineage/facets"


@dataclass(frozen=True)
class Emitter:
    """Configuration of emitted events.

    `pages`, `api`: base URLs of this registry. `sends`: whether a lineage service is configured. `mirror`: also add
    results as dataset facets, which some user interfaces read."""

    pages: str = ""
    api: str = ""
    sends: bool = False
    mirror: bool = True


SILENT = Emitter()


def emitter(settings: RegistrySettings) -> Emitter:
    """Return the emitter configured by the settings."""
    return Emitter(settings.pages, settings.api, settings.emits, settings.openlineage_dataset_facets)


def of_run(
    session: Session,
    result: EvaluationResult,
    run: RunRow,
    emitter: Emitter,
    *,
    now: datetime,
    broke: str | None = None,
) -> None:
    """Store the event of the run, once.

    `broke`: why the validation was given up; None means it was completed. Runs of a consumer's own checks emit
    nothing, because they are private to the consumer."""
    if run.subscription_id is not None:
        return
    document = _event(session, result, run, emitter, broke)
    event = model.parse_event(document)
    event_id = derived_id(now, event.key)
    event_store.accept(session, event, canonical(document), producer=PRODUCER, now=now, event_id=event_id)
    if emitter.sends:
        key = f"{LINEAGE}/{run.id}"
        outbox.enqueue_message(
            session, kind=LINEAGE, destination=LINEAGE, payload=document, key=key, now=now,
            message_id=derived_id(now, key),
        )  # fmt: skip


def note(
    session: Session,
    result: EvaluationResult,
    run: RunRow,
    emitter: Emitter,
    *,
    now: datetime,
    broke: str | None = None,
) -> None:
    """Store the event of the run; a failure is logged, so that the verdict is still stored."""
    try:
        with session.begin_nested():
            of_run(session, result, run, emitter, now=now, broke=broke)
    except Exception:
        log.exception("the OpenLineage event of a run could not be stored")


def _event(
    session: Session, result: EvaluationResult, run: RunRow, emitter: Emitter, broke: str | None
) -> dict[str, Any]:
    # The client is slow to import, so only emitting processes import it.
    from treaty.registry.lineage.events import verdict_event

    task = session.get(TaskRow, run.task_id) if run.task_id else None
    lineage_run = _lineage_run(session, run)
    of = result.target.object
    # A task may have a run for each of several deadlines; each is a validation of its own.
    discriminator = (
        "" if run.kind is RunKind.DATA else f"{run.kind}/{'/'.join(_assertion_names(result.result, run.kind))}"
    )
    payload = verdict_event.VerdictPayload(
        result=result.result,
        about=_about(session, run, task, lineage_run),
        numbers=run_metrics.numbers(result.result, of),
        first=task.created_at if task else run.started_at,
        dataset_fingerprint=run.dataset_fingerprint,
        caused=_caused(lineage_run) if lineage_run else None,
        hidden=run_metrics.hidden(result.result, of),
        partitions=run_metrics.parts(result.result, of),
        give_up_reason=broke,
        link=f"{emitter.pages}/run?id={run.id}" if emitter.pages else "",
        schemas=f"{emitter.api}{FACETS}",
        mirror=emitter.mirror,
        words={each.id: each.analyzer or each.kind for each in of.checks} | _assertion_names(result.result, run.kind),
        discriminator=discriminator,
    )
    return verdict_event.event(payload)


def _assertion_names(result: RunResult, cause: RunKind) -> dict[str, str]:
    """Return assertion names for results that no check of the document defines."""
    return {each.check_id: cause.value for each in result.results} if cause is RunKind.DEADLINE else {}


def _lineage_run(session: Session, run: RunRow) -> FoldedRun | None:
    row = session.get(LineageRunRow, run.lineage_run_id) if run.lineage_run_id else None
    return FoldedRun.model_validate(row.state) if row and row.state else None


def _about(session: Session, run: RunRow, task: TaskRow | None, caused: FoldedRun | None) -> "EventDataset":
    """Return the dataset under the name that the triggering run used, else under the registry's.

    Its version is the one that was read, else the one that the run reported."""
    from treaty.registry.lineage.events.verdict_event import EventDataset

    triggering_name = _triggering(task)
    if caused and triggering_name:
        written = [each for each in caused.outputs if _table(each) == triggering_name]
        exact = [each for each in written if normalise(each.namespace, each.name) == triggering_name]
        if written:
            dataset_facets = (exact or written)[0]
            name = dataset_facets.identity if exact else triggering_name
            return EventDataset(
                name.namespace,
                name.name,
                tuple(_symlinks(dataset_facets)),
                run.read_version or _version(dataset_facets),
            )
    run_dataset = session.get(DatasetRow, run.dataset_id) if run.dataset_id else None
    dataset = run_dataset or contract_datasets.dataset_of(session, run.contract_id, run.object)
    return (
        EventDataset(dataset.namespace, dataset.name, version=run.read_version)
        if dataset
        else EventDataset("spark", run.object)
    )


def _triggering(task: TaskRow | None) -> LineageName | None:
    dataset = task.payload.get("dataset") if task else None
    return LineageName(str(dataset["namespace"]), str(dataset["name"])) if isinstance(dataset, Mapping) else None


def _table(dataset: FoldedDataset) -> LineageName:
    return table_name(normalise(dataset.namespace, dataset.name)).dataset


def _symlinks(dataset: FoldedDataset) -> Iterator[tuple[str, str, str]]:
    identifiers = dataset.facet("symlinks").get("identifiers")
    for each in identifiers if isinstance(identifiers, list) else ():
        if isinstance(each, Mapping):
            words = (each.get("namespace"), each.get("name"), each.get("type"))
            if all(isinstance(word, str) and word for word in words):
                yield str(words[0]), str(words[1]), str(words[2])


def _version(dataset: FoldedDataset) -> str | None:
    version = dataset.facet("version").get("datasetVersion")
    return version if isinstance(version, str) and version else None


def _caused(run: FoldedRun) -> "TriggeringRun":
    from treaty.registry.lineage.events.verdict_event import TriggeringRun

    parent = run.parent
    ancestor = _pair(parent.get("root")) or _pair(parent)
    root_run, root_job = ancestor or (run.run_id, (run.job_namespace, run.job_name))
    start, end = _nominal(run)
    job = run.job_namespace, run.job_name
    return TriggeringRun(
        run_id=_uuid(run.run_id),
        job=job,
        root_run_id=_uuid(root_run),
        root_job=root_job,
        nominal_start=start,
        nominal_end=end,
    )


def _pair(value: Any) -> tuple[str, tuple[str, str]] | None:
    """Return the run id and job of a parent or root; None if either is missing."""
    run, job = (value.get(name) for name in ("run", "job")) if isinstance(value, Mapping) else (None, None)
    if not (isinstance(run, Mapping) and isinstance(job, Mapping)):
        return None
    words = run.get("runId"), job.get("namespace"), job.get("name")
    if not all(isinstance(word, str) and word for word in words):
        return None
    return str(words[0]), (str(words[1]), str(words[2]))


def _nominal(run: FoldedRun) -> tuple[str | None, str | None]:
    facet = run.run_facets.get("nominalTime")
    times = [facet.value.get(f"nominal{bound}Time") for bound in ("Start", "End")] if facet else [None, None]
    start, end = (_moment(each) for each in times)
    return start, end


def _moment(value: Any) -> str | None:
    """Return a time in ISO format with its zone, `Z` if it has none; None if it is not a time."""
    with suppress(ValueError, TypeError):
        parsed = datetime.fromisoformat(value)
        return parsed.isoformat() if parsed.tzinfo else f"{parsed.isoformat()}Z"
    return None


def _uuid(run_id: str) -> str:
    """Return the run id as a UUID; other texts become the UUID that Marquez derives from them."""
    with suppress(ValueError):
        return str(UUID(run_id))
    return str(UUID(bytes=md5(run_id.encode(), usedforsecurity=False).digest(), version=3))
