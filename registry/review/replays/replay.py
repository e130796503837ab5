"""Replays: a version judged on all that is stored of its datasets, before anybody approves it.

Nothing here starts Spark or reads a row of a table; what a replay found is told, and nothing of it is stored."""

from collections.abc import Callable, Iterator, Mapping, Sequence
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

TOO_LARGE = "its counts of values are too many to be merged here: only a validation has Spark add them up"
NAMED = 100
# How many partitions were judged of how many; whether to go on.
More = Callable[[int, int], bool]


@dataclass(frozen=True, kw_only=True)
class ReplayVersions:
    """The version of a contract that is in force (None: none is), and the one that might follow.

    `place`: where that one is. `hidden`: objects whose memory is not for who asks."""

    contract_id: str
    old: Contract | None
    new: Contract
    place: Resource = EVERYWHERE
    hidden: frozenset[str] = frozenset()

    @property
    def objects(self) -> tuple[str, ...]:
        """The names of the objects of both, those of the new one first."""
        sides = [each for each in (self.new, self.old) if each]
        return tuple(dict.fromkeys(each.name for side in sides for each in side.objects))


@dataclass(frozen=True)
class ReplayOptions:
    """How a replay is done. `merge_counts`: counts of values are merged too, which takes long. `include_replaced`:
    states that were replaced since are judged too, as far as they are kept: what happened, not what the data is now.
    Counts of more than `most` values together are not merged."""

    merge_counts: bool = False
    include_replaced: bool = False
    most: int = 0


def of_proposal(
    session: Session, proposal_id: UUID, *, by: Principal, documents: Documents | None = None
) -> ReplayVersions:
    """What the proposal would put in force, and what is. Raises NotFound where the principal may not see it."""
    return _seen_by(
        session, _proposed(session, proposals.get(session, proposal_id, by=by), documents or Documents()), by
    )


def of_document(session: Session, contract_id: str, document: bytes, *, by: Principal) -> ReplayVersions:
    """Any document, as a version of that contract. Raises NotFound where there is none, Invalid for faults."""
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
    """Without the memory of objects that the principal may not read."""
    hidden = {name for name in versions.objects if not _may_read(session, _remembered(session, versions, name), by)}
    return replace(versions, hidden=frozenset(hidden))


def _may_read(session: Session, dataset: DatasetRow | None, by: Principal) -> bool:
    return dataset is None or any(by.may(Permission.READ, each) for each in visibility.of_dataset(session, dataset))


def _remembered(session: Session, versions: ReplayVersions, object_name: str) -> DatasetRow | None:
    """The dataset whose states the object is judged on; of a table that is new to the contract those that are kept for
    other contracts about it. None where nobody measured it."""
    own = contract_datasets.dataset_of(session, versions.contract_id, object_name)
    named = (name for each, name in contract_datasets.names_of(versions.new) if each.name == object_name)
    return own or next(filter(None, (_of_others(session, each) for each in named)), None)


def _of_others(session: Session, name: LineageName) -> DatasetRow | None:
    query = select(DatasetRow).where(DatasetRow.namespace == name.namespace, DatasetRow.name == name.name)
    dataset = session.exec(query).first()
    others = contract_datasets.objects_of(session, dataset.id) if dataset else []
    return next((contract_datasets.dataset_of(session, *each) for each in others), dataset)


def replayed(
    session: Session, versions: ReplayVersions, files: StateFiles, ways: ReplayOptions, more: More
) -> tuple[Replay, ...]:
    """What the checks of each object would have found, and what those of the version in force do.

    Raises Invalid where one of the versions cannot be judged at all."""
    return tuple(_replayed(session, versions, each, files, ways, more) for each in versions.objects)


def _replayed(
    session: Session, versions: ReplayVersions, object_name: str, files: StateFiles, ways: ReplayOptions, more: More
) -> Replay:
    seen = object_name not in versions.hidden
    dataset = _remembered(session, versions, object_name) if seen else None
    versions = _sharing(session, versions, dataset, object_name) if dataset else versions
    came = state_timeline.generations(session, dataset, replaced=ways.include_replaced) if dataset else []
    whole = sum(len(members(name)) for name in {each.partition for each in came})
    beyond = _beyond(session, versions, dataset, object_name, files, ways) if dataset and ways.merge_counts else {}
    try:
        replaying = ReplayRunner(
            old=versions.old,
            new=versions.new,
            object_name=object_name,
            files=files,
            counting=ways.merge_counts,
            beyond=beyond,
        )
    except ContractError as error:
        raise InvalidRequest.because(error) from error
    done = 0
    for step in _steps(session, versions, object_name, dataset, came) if dataset else ():
        replaying.take(step)
        done += len(step.added)
        if not more(done, len(came)):
            break
    return replaying.report(whole)


def _steps(
    session: Session,
    versions: ReplayVersions,
    object_name: str,
    dataset: DatasetRow,
    came: Sequence[state_timeline.GenerationInterval],
) -> Iterator[ReplayStep]:
    """What came and went, with what was known of other datasets then, and what is known now to have been bad."""
    spoilt = baselines.spoilt_arrivals(session, RunSeriesKey(versions.contract_id, object_name, ""))
    return state_timeline.steps(session, dataset, came, _timelines(session, versions, object_name), spoilt)


def _sharing(session: Session, versions: ReplayVersions, dataset: DatasetRow, object_name: str) -> ReplayVersions:
    """Both versions, as they know what other contracts classify of the table: the states are of that."""
    old, new = (
        each and in_force.with_shared_classifications(session, dataset.id, each, object_name)
        for each in (versions.old, versions.new)
    )
    return ReplayVersions(contract_id=versions.contract_id, old=old, new=new or versions.new)


def _beyond(
    session: Session,
    versions: ReplayVersions,
    dataset: DatasetRow,
    object_name: str,
    files: StateFiles,
    ways: ReplayOptions,
) -> dict[str, str]:
    """The counts of values that are too many for this process, and that they are."""
    stored, schema = state_store.load(session, dataset.id), state_store.schema(session, dataset.id)
    sides = [each for each in (versions.old, versions.new) if each and _names(each, object_name)]
    found: dict[str, str] = {}
    for each in sides:
        try:
            found |= dict.fromkeys(large(each, object_name, schema, stored, files=files, most=ways.most), TOO_LARGE)
        except StateError:
            # What is damaged is told of the partitions that it is of.
            continue
    return found


def _names(contract: Contract, object_name: str) -> bool:
    return any(each.name == object_name for each in contract.objects)


def _timelines(session: Session, versions: ReplayVersions, object_name: str) -> dict[str, MetricTimeline]:
    sides = [each for each in (versions.old, versions.new) if each and _names(each, object_name)]
    found: dict[str, MetricTimeline] = {}
    for each in sides:
        found |= related_datasets.timelines(session, each, each.object(object_name))
    return found


def may_see(session: Session, task: TaskRow, by: Principal) -> bool:
    """Whether the principal may see what a replay's task found: that of a proposal who may see that; of a document who
    brought it."""
    proposal_id = task.payload.get("proposal_id")
    if proposal_id is None:
        return bool(task.payload.get("author") == str(by.user_id))
    try:
        proposals.get(session, UUID(proposal_id), by=by)
    except NotFound:
        return False
    return True


def plain(versions: ReplayVersions, found: Sequence[Replay], seconds: float) -> dict[str, Any]:
    """What the replays found, as plain data: of each list of names the first, and how many there are."""
    judged = sum(each.partitions for each in found)
    return {
        "contract_id": versions.contract_id,
        "old": versions.old.version if versions.old else None,
        "new": versions.new.version,
        "complete": all(each.partitions == each.stored for each in found),
        "milliseconds": round(1000 * seconds / judged, 3) if judged else None,
        "objects": [_object(each) for each in found],
        "differences": difference_evidence.plain(difference_evidence.weighed(versions.old, versions.new, found)),
    }


def in_brief(told: Mapping[str, Any]) -> dict[str, Any]:
    """What is put on record of a replay that was told: between which versions, on how much, and the sentence of each
    object."""
    kept = ("object", "sentence", "partitions", "stored")
    objects = [{word: each[word] for word in kept} for each in told["objects"]]
    return {**{word: told[word] for word in ("old", "new", "complete")}, "objects": objects}


def _object(found: Replay) -> dict[str, Any]:
    return {
        "object": found.object,
        "sentence": found.sentence,
        "partitions": found.partitions,
        "stored": found.stored,
        "days": found.days,
        "checks": [_line(each) for each in found.lines],
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


def _outcome_fields(told: CheckOutcome | None) -> dict[str, Any] | None:
    if told is None:
        return None
    unjudged = [{"reason": why, **_name_list(names)} for why, names in told.not_evaluated.items()]
    given = {"scope": told.scope, "severity": told.severity, "sentence": told.sentence, "unit": told.unit}
    return {
        **given, "evaluated": told.evaluated, "not_applicable": told.empty, "alerts": _name_list(told.alerts),
        "not_evaluated": unjudged,
    }  # fmt: skip


def _name_list(names: Sequence[str]) -> dict[str, Any]:
    return {"count": len(names), "names": list(names[:NAMED])}


def work(database: Database, settings: RegistrySettings, payload: Mapping[str, Any], more: More) -> dict[str, Any]:
    """What a replay's task found, as plain data. Raises NotFound where its proposal is gone, Invalid for faults."""
    began = perf_counter()
    ways = ReplayOptions(payload["merge_counts"], payload["include_replaced"], settings.spark_merge_threshold)
    with read_session(database) as session:
        versions = _ordered(session, payload)
        found = replayed(session, versions, StateFiles(settings.states), ways, more)
    return plain(versions, found, perf_counter() - began)


def ordered(body: Mapping[str, Any], versions: ReplayVersions, by: Principal) -> dict[str, Any]:
    """What a task needs to replay what was asked for, by whom."""
    return {**body, "contract_id": versions.contract_id, "author": str(by.user_id), "hidden": sorted(versions.hidden)}


def _ordered(session: Session, payload: Mapping[str, Any]) -> ReplayVersions:
    hidden = frozenset(payload["hidden"])
    if payload["proposal_id"] is None:
        found = _documented(session, payload["contract_id"], payload["document"].encode())
        return replace(found, hidden=hidden)
    proposal = session.get(ProposalRow, UUID(payload["proposal_id"]))
    if proposal is None:
        raise NotFound
    return replace(_proposed(session, proposal, Documents()), hidden=hidden)
