"""Versions to replay, and what the requester of a replay may read of them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from sqlmodel import Session, select

from treaty.contracts.document.model import Contract
from treaty.registry.access import visibility
from treaty.registry.access.authentication import EVERYWHERE, Principal, Resource
from treaty.registry.contracts.documents import Documents
from treaty.registry.core.enums import Permission
from treaty.registry.core.errors import NotFound
from treaty.registry.datasets import contract_datasets, related_datasets
from treaty.registry.datasets.names import LineageName
from treaty.registry.review.proposals import diffs, proposals
from treaty.registry.tables import DatasetRow, ProposalRow, TaskRow


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
    hidden = {
        name for name in versions.objects if not _may_read(session, measured_dataset(session, versions, name), by)
    }
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


def measured_dataset(session: Session, versions: ReplayVersions, object_name: str) -> DatasetRow | None:
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
    return versions.is_at_most(*_hidden_names(payload))


def task_payload(body: Mapping[str, Any], versions: ReplayVersions, by: Principal) -> dict[str, Any]:
    """Return the payload of a replay task."""
    return {
        **body,
        "contract_id": versions.contract_id,
        "author": str(by.user_id),
        "hidden": sorted(versions.hidden),
        "hidden_references": sorted(versions.hidden_references),
    }


def of_task(session: Session, payload: Mapping[str, Any]) -> ReplayVersions:
    """Return the versions of a replay task.

    Raises NotFound if its proposal no longer exists."""
    hidden, references = _hidden_names(payload)
    return replace(_requested(session, payload), hidden=hidden, hidden_references=references)


def _hidden_names(payload: Mapping[str, Any]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the hidden objects and references of a replay; tasks of older releases recorded no references."""
    return frozenset(payload["hidden"]), frozenset(payload.get("hidden_references", ()))


def _requested(session: Session, payload: Mapping[str, Any]) -> ReplayVersions:
    if payload["proposal_id"] is None:
        return _documented(session, payload["contract_id"], payload["document"].encode())
    proposal = session.get(ProposalRow, UUID(payload["proposal_id"]))
    if proposal is None:
        raise NotFound
    return _proposed(session, proposal, Documents())
