"""Replay a version on the stored states of its datasets before it is approved.

A replay does not start Spark, reads no row of a table and stores nothing."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any
from uuid import UUID

from sqlalchemy import Engine as Database
from sqlmodel import Session, select

from treaty.contracts.document.model import Contract
from treaty.contracts.errors import ContractError
from treaty.engine.core.errors import StateError
from treaty.engine.core.partitions.months import members
from treaty.engine.evaluation.large_frequencies import large
from treaty.engine.evaluation.replay.report import CheckOutcome, Replay, ReplayedCheck
from treaty.engine.evaluation.replay.runner import ReplayRunner, ReplayStep
from treaty.engine.states.state_files import StateFiles
from treaty.registry.access import visibility
from treaty.registry.access.authentication import EVERYWHERE, Principal, Resource
from treaty.registry.contracts import in_force
from treaty.registry.contracts.documents import Documents
from treaty.registry.core.database import read_session
from treaty.registry.core.enums import Permission
from treaty.registry.core.errors import InvalidRequest, NotFound
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.datasets import contract_datasets, related_datasets
from treaty.registry.datasets.names import LineageName
from treaty.registry.datasets.related_datasets import MetricTimeline
from treaty.registry.measurements.anomalies import baselines
from treaty.registry.measurements.runs.recording import RunSeriesKey
from treaty.registry.measurements.states import state_store
from treaty.registry.review.proposals import diffs, proposals
from treaty.registry.review.replays import difference_evidence, state_timeline
from treaty.registry.tables import DatasetRow, ProposalRow, TaskRow

TOO_LARGE = "it has too many distinct values to merge in a replay: only a validation can merge them, with Spark"
NAMED = 100
# Progress callback: partitions evaluated, partitions in total; returns whether to continue.
More = Callable[[int, int], bool]


@dataclass(frozen=True, kw_only=True)
class ReplayVersions:
    """The version of a contract in force, and the one that might follow.

    `old`: None means none is in force. `place`: resource that the new version belongs to. `hidden`: objects whose
    states the requester may not read. `hidden_references`: names in limits of datasets that the requester may not
    read; they are treated as unknown."""

    contract_id: str
    old: Contract | None
    new: Contract
    place: Resource = EVERYWHERE
    hidden: frozenset[str] = frozenset()
    hidden_references: frozenset[str] = frozenset()

    @property
    def sides(self) -> tuple[Contract, ...]:
        """Return the version in force, if any, and the new one."""
        return tuple(each for each in (self.old, self.new) if each)

    @property
    def objects(self) -> tuple[str, ...]:
        """Return the names of all objects, those of the new version first."""
        return tuple(dict.fromkeys(each.name for side in reversed(self.sides) for each in side.objects))

    def is_at_most(self, hidden: Iterable[str], hidden_references: Iterable[str]) -> bool:
        """Return whether its requester may read all that these hidden names leave."""
        return self.hidden <= set(hidden) and self.hidden_references <= set(hidden_references)


@dataclass(frozen=True)
class ReplayOptions:
    """Options of a replay.

    `merge_counts`: also merge value frequencies, which is slow. `include_replaced`: also evaluate replaced states
    that are still stored, which shows what happened instead of what the data is now. `most`: largest number of
    values whose frequencies are merged here."""

    merge_counts: bool = False
    include_replaced: bool = False
    most: int = 0


def of_proposal(
    session: Session, proposal_id: UUID, *, by: Principal, documents: Documents | None = None
) -> ReplayVersions:
    """Return the version that the proposal would put in force, and the current one.

    Raises NotFound if the proposal is not visible to the principal."""
    return _seen_by(
        session, _proposed(session, proposals.get(session, proposal_id, by=by), documents or Documents()), by
    )


def of_document(session: Session, contract_id: str, document: bytes, *, by: Principal) -> ReplayVersions:
    """Return any document as a candidate version of the contract.

    Raises NotFound if the contract does not exist, and InvalidRequest for faults of the document."""
    visibility.require_readable_contract(session, contract_id, by)
    return _seen_by(session, _documented(session, contract_id, document), by)


def _proposed(session: Session, proposal: ProposalRow, documents: Documents) -> ReplayVersions:
    new = proposals.preview(session, proposal, documents).contract
    return ReplayVersions(
        contract_id=proposal.contract_id,
        old=_followed(session, proposal.contract_id, new, documents),
        new=new,
        place=visibility.proposal_resource(proposal),
    )


def _documented(session: Session, contract_id: str, document: bytes) -> ReplayVersions:
    documents = Documents()
    new = documents.checked(document)
    place = visibility.contract_resource(session, contract_id)
    return ReplayVersions(
        contract_id=contract_id, old=_followed(session, contract_id, new, documents), new=new, place=place
    )


def _followed(session: Session, contract_id: str, new: Contract, documents: Documents) -> Contract | None:
    return diffs.followed_version(diffs.live(session, contract_id, documents), new)


def _seen_by(session: Session, versions: ReplayVersions, by: Principal) -> ReplayVersions:
    """Hide the objects whose states, and the references whose datasets, the principal may not read."""
    hidden = {name for name in versions.objects if not _may_read(session, _remembered(session, versions, name), by)}
    return replace(
        versions, hidden=frozenset(hidden), hidden_references=frozenset(_hidden_references(session, versions, by))
    )


def _hidden_references(session: Session, versions: ReplayVersions, by: Principal) -> Iterator[str]:
    for side in versions.sides:
        for data_object in side.objects:
            for name, dataset in related_datasets.referents_of(session, side, data_object):
                if not _may_read(session, dataset, by):
                    yield name


def _may_read(session: Session, dataset: DatasetRow | None, by: Principal) -> bool:
    return dataset is None or any(by.may(Permission.READ, each) for each in visibility.of_dataset(session, dataset))


def _remembered(session: Session, versions: ReplayVersions, object_name: str) -> DatasetRow | None:
    """Return the dataset whose states the object is evaluated on; None if it was never measured.

    For a table that is new to the contract, use the states stored for other contracts about it."""
    own = contract_datasets.dataset_of(session, versions.contract_id, object_name)
    names = (name for each, name in contract_datasets.names_of(versions.new) if each.name == object_name)
    return own or next(filter(None, (_of_others(session, each) for each in names)), None)


def _of_others(session: Session, name: LineageName) -> DatasetRow | None:
    query = select(DatasetRow).where(DatasetRow.namespace == name.namespace, DatasetRow.name == name.name)
    dataset = session.exec(query).first()
    objects = contract_datasets.objects_of(session, dataset.id) if dataset else []
    return next((contract_datasets.dataset_of(session, *each) for each in objects), dataset)


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
    dataset = _remembered(session, versions, object_name) if visible else None
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


def may_see(session: Session, task: TaskRow, by: Principal) -> bool:
    """Return whether the principal may see a replay task.

    A replay is visible to its author. One of a proposal is also visible to principals who may read the proposal and
    all data that the author may read of it."""
    payload = task.payload
    if payload.get("author") == str(by.user_id):
        return True
    if payload.get("proposal_id") is None:
        return False
    try:
        versions = of_proposal(session, UUID(payload["proposal_id"]), by=by)
    except NotFound:
        return False
    return versions.is_at_most(payload["hidden"], payload["hidden_references"])


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
        versions = _ordered(session, payload)
        replays = replayed(session, versions, StateFiles(settings.states), options, more)
    return plain(versions, replays, perf_counter() - started)


def ordered(body: Mapping[str, Any], versions: ReplayVersions, by: Principal) -> dict[str, Any]:
    """Return the payload of a replay task."""
    return {
        **body,
        "contract_id": versions.contract_id,
        "author": str(by.user_id),
        "hidden": sorted(versions.hidden),
        "hidden_references": sorted(versions.hidden_references),
    }


def _ordered(session: Session, payload: Mapping[str, Any]) -> ReplayVersions:
    hidden, references = frozenset(payload["hidden"]), frozenset(payload["hidden_references"])
    return replace(_requested(session, payload), hidden=hidden, hidden_references=references)


def _requested(session: Session, payload: Mapping[str, Any]) -> ReplayVersions:
    if payload["proposal_id"] is None:
        return _documented(session, payload["contract_id"], payload["document"].encode())
    proposal = session.get(ProposalRow, UUID(payload["proposal_id"]))
    if proposal is None:
        raise NotFound
    return _proposed(session, proposal, Documents())
