"""Replay a version on the stored states of its datasets before it is approved.

A replay does not start Spark, reads no row of a table and stores nothing."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from sqlalchemy import Engine as Database
from sqlmodel import Session

from treaty.contracts.document.model import Contract
from treaty.contracts.errors import ContractError
from treaty.engine.core.errors import StateError
from treaty.engine.core.partitions.months import members
from treaty.engine.evaluation.large_frequencies import large
from treaty.engine.evaluation.replay.report import CheckOutcome, Replay, ReplayedCheck
from treaty.engine.evaluation.replay.runner import ReplayRunner, ReplayStep
from treaty.engine.states.state_files import StateFiles
from treaty.registry.contracts import in_force
from treaty.registry.core.database import read_session
from treaty.registry.core.errors import InvalidRequest
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.datasets import related_datasets
from treaty.registry.datasets.related_datasets import MetricTimeline
from treaty.registry.measurements.anomalies import baselines
from treaty.registry.measurements.runs.recording import RunSeriesKey
from treaty.registry.measurements.states import state_store
from treaty.registry.review.replays import difference_evidence, replay_versions, state_timeline
from treaty.registry.review.replays.replay_versions import ReplayVersions
from treaty.registry.tables import DatasetRow

TOO_LARGE = "it has too many distinct values to merge in a replay: only a validation can merge them, with Spark"
NAMED = 100
# Progress callback: partitions evaluated, partitions in total; returns whether to continue.
More = Callable[[int, int], bool]


@dataclass(frozen=True)
class ReplayOptions:
    """Options of a replay.

    `merge_counts`: also merge value frequencies, which is slow. `include_replaced`: also evaluate replaced states
    that are still stored, which shows what happened instead of what the data is now. `most`: largest number of
    values whose frequencies are merged here."""

    merge_counts: bool = False
    include_replaced: bool = False
    most: int = 0


def replayed(
    session: Session, versions: ReplayVersions, files: StateFiles, ways: ReplayOptions, more: More
) -> tuple[Replay, ...]:
    """Replay both versions on each object.

    Raises InvalidRequest if one of the versions cannot be evaluated at all."""
    return tuple(_replayed(session, versions, each, files, ways, more) for each in versions.objects)


def _replayed(
    session: Session, versions: ReplayVersions, object_name: str, files: StateFiles, ways: ReplayOptions, more: More
) -> Replay:
    visible = object_name not in versions.hidden
    dataset = replay_versions.measured_dataset(session, versions, object_name) if visible else None
    versions = _sharing(session, versions, dataset, object_name) if dataset else versions
    generations = state_timeline.generations(session, dataset, replaced=ways.include_replaced) if dataset else []
    partition_count = sum(len(members(name)) for name in {each.partition for each in generations})
    too_large = _beyond(session, versions, dataset, object_name, files, ways) if dataset and ways.merge_counts else {}
    try:
        runner = ReplayRunner(
            old=versions.old,
            new=versions.new,
            object_name=object_name,
            files=files,
            counting=ways.merge_counts,
            beyond=too_large,
        )
    except ContractError as error:
        raise InvalidRequest.because(error) from error
    done = 0
    for step in _steps(session, versions, object_name, dataset, generations) if dataset else ():
        runner.take(step)
        done += len(step.added)
        if not more(done, len(generations)):
            break
    return runner.report(partition_count)


def _steps(
    session: Session,
    versions: ReplayVersions,
    object_name: str,
    dataset: DatasetRow,
    intervals: Sequence[state_timeline.GenerationInterval],
) -> Iterator[ReplayStep]:
    """Yield the arrivals and removals, with the reference values of that time.

    Partitions that are now known to belong to an incident are excluded."""
    excluded = baselines.spoilt_arrivals(session, RunSeriesKey(versions.contract_id, object_name, ""))
    return state_timeline.steps(session, dataset, intervals, _timelines(session, versions, object_name), excluded)


def _sharing(session: Session, versions: ReplayVersions, dataset: DatasetRow, object_name: str) -> ReplayVersions:
    """Return both versions with the classifications that other contracts of the table define.

    The stored states were computed with these."""
    old, new = (
        each and in_force.with_shared_classifications(session, dataset.id, each, object_name)
        for each in (versions.old, versions.new)
    )
    return replace(versions, old=old, new=new or versions.new)


def _beyond(
    session: Session,
    versions: ReplayVersions,
    dataset: DatasetRow,
    object_name: str,
    files: StateFiles,
    ways: ReplayOptions,
) -> dict[str, str]:
    """Return the frequency states that are too large for this process, with the reason."""
    stored, schema = state_store.load(session, dataset.id), state_store.schema(session, dataset.id)
    sides = [each for each in versions.sides if _names(each, object_name)]
    too_large: dict[str, str] = {}
    for each in sides:
        try:
            too_large |= dict.fromkeys(large(each, object_name, schema, stored, files=files, most=ways.most), TOO_LARGE)
        except StateError:
            # A damaged state is reported with the partition it belongs to.
            continue
    return too_large


def _names(contract: Contract, object_name: str) -> bool:
    return any(each.name == object_name for each in contract.objects)


def _timelines(session: Session, versions: ReplayVersions, object_name: str) -> dict[str, MetricTimeline]:
    timelines: dict[str, MetricTimeline] = {}
    for each in versions.sides:
        if _names(each, object_name):
            timelines |= related_datasets.timelines(
                session, each, each.object(object_name), hidden=versions.hidden_references
            )
    return timelines


def plain(versions: ReplayVersions, replays: Sequence[Replay], seconds: float) -> dict[str, Any]:
    """Return the replays as plain data; long lists of names are cut after 100 and counted."""
    evaluated = sum(each.partitions for each in replays)
    return {
        "contract_id": versions.contract_id,
        "old": versions.old.version if versions.old else None,
        "new": versions.new.version,
        "complete": all(each.partitions == each.stored for each in replays),
        "milliseconds": round(1000 * seconds / evaluated, 3) if evaluated else None,
        "objects": [_object(each) for each in replays],
        "differences": difference_evidence.plain(difference_evidence.weighed(versions.old, versions.new, replays)),
    }


def in_brief(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return the summary of a replay that is stored with an approval.

    Contains both versions, the number of partitions and one sentence per object."""
    keys = ("object", "sentence", "partitions", "stored")
    objects = [{word: each[word] for word in keys} for each in summary["objects"]]
    return {**{word: summary[word] for word in ("old", "new", "complete")}, "objects": objects}


def _object(replay: Replay) -> dict[str, Any]:
    return {
        "object": replay.object,
        "sentence": replay.sentence,
        "partitions": replay.partitions,
        "stored": replay.stored,
        "days": replay.days,
        "checks": [_line(each) for each in replay.lines],
    }


def _line(line: ReplayedCheck) -> dict[str, Any]:
    return {
        "check_id": line.check_id,
        "name": line.name,
        "sentence": line.sentence,
        "old": _outcome_fields(line.old),
        "new": _outcome_fields(line.new),
        "new_alerts": _name_list(line.appeared),
        "resolved_alerts": _name_list(line.gone),
        "unchanged_alerts": _name_list(line.same),
    }


def _outcome_fields(outcome: CheckOutcome | None) -> dict[str, Any] | None:
    if outcome is None:
        return None
    unjudged = [{"reason": why, **_name_list(names)} for why, names in outcome.not_evaluated.items()]
    fields = {"scope": outcome.scope, "severity": outcome.severity, "sentence": outcome.sentence, "unit": outcome.unit}
    return {
        **fields, "evaluated": outcome.evaluated, "not_applicable": outcome.empty, "alerts": _name_list(outcome.alerts),
        "not_evaluated": unjudged,
    }  # fmt: skip


def _name_list(names: Sequence[str]) -> dict[str, Any]:
    return {"count": len(names), "names": list(names[:NAMED])}


def work(database: Database, settings: RegistrySettings, payload: Mapping[str, Any], more: More) -> dict[str, Any]:
    """Run the replay of a task and return it as plain data.

    Raises NotFound if its proposal no longer exists, and InvalidRequest for faults."""
    started = perf_counter()
    options = ReplayOptions(payload["merge_counts"], payload["include_replaced"], settings.spark_merge_threshold)
    with read_session(database) as session:
        versions = replay_versions.of_task(session, payload)
        replays = replayed(session, versions, StateFiles(settings.states), options, more)
    return plain(versions, replays, perf_counter() - started)
