"""Find the contract versions in force, and their objects about a dataset.

Contracts about the same dataset share its states, so a classification in one of them applies to all."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import case
from sqlmodel import Session, col, select

from treaty.contracts.document import classification
from treaty.contracts.document.classification import classifies
from treaty.contracts.document.model import Contract, DataObject
from treaty.contracts.document.reader import read
from treaty.registry.core.errors import NotFound
from treaty.registry.core.state_machines import IN_FORCE
from treaty.registry.datasets import contract_datasets
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.tables import ContractRow, ContractVersionRow


@dataclass(frozen=True)
class ObjectInForce:
    """An object of a version in force, classified by all contracts about its dataset."""

    contract: Contract
    object: DataObject

    @property
    def about(self) -> ContractObject:
        """Return the contract's id and the object's name."""
        return ContractObject(self.contract.id, self.object.name)


def versions(session: Session, contract_id: str) -> list[Contract]:
    """Return the contract's versions in force, the active version first; [] for none.

    The versions of other groups follow, newest approval first."""
    row = ContractVersionRow
    query = select(row.body).join(ContractRow, col(ContractRow.id) == row.contract_id)
    active = query.where(row.contract_id == contract_id, col(row.state).in_(IN_FORCE))
    last = case((col(ContractRow.active_version) == col(row.version), 0), else_=1)
    return [read(body) for body in session.exec(active.order_by(last, col(row.approved_at).desc(), col(row.id).desc()))]


def objects_in_force(session: Session, dataset_id: UUID, about: ContractObject) -> list[ObjectInForce]:
    """Return the object in each version in force that has it, the active version first.

    Raises NotFound if no version in force has the object for this dataset."""
    objects = [each for each in all_about(session, dataset_id) if each.about == about]
    if not objects:
        raise NotFound(missing_reason(session, about) or f"{about} describes another dataset")
    return objects


def missing_reason(session: Session, about: ContractObject) -> str | None:
    """Explain why no version in force has the object; None if one has it."""
    contracts = versions(session, about.contract_id)
    if not contracts:
        return f"no version of contract {about.contract_id} is in force"
    if any(each.name == about.object for contract in contracts for each in contract.objects):
        return None
    numbers = ", ".join(each.version for each in contracts)
    return f"version {numbers} of contract {about.contract_id} has no object {about.object}"


def all_about(session: Session, dataset_id: UUID) -> list[ObjectInForce]:
    """Return all objects in force whose states are stored for the dataset, by contract; [] for none."""
    contract_objects = [
        each for each in contract_datasets.objects_of(session, dataset_id) if _is_kept(session, each, dataset_id)
    ]
    contracts = dict.fromkeys(each.contract_id for each in contract_objects)
    objects = [each for contract_id in contracts for each in _of(session, contract_id, contract_objects)]
    shared = tuple(each.object for each in objects if classifies(each.object))
    return [with_classifications(each, shared) for each in objects]


def with_shared_classifications(session: Session, dataset_id: UUID, contract: Contract, object_name: str) -> Contract:
    """Return the contract, in force or not, with all classifications of the object's dataset.

    Contracts without an object of that name are returned unchanged."""
    shared = tuple(each.object for each in all_about(session, dataset_id) if classifies(each.object))
    target = next((each for each in contract.objects if each.name == object_name), None)
    return with_classifications(ObjectInForce(contract, target), shared).contract if target else contract


def _of(session: Session, contract_id: str, mine: Sequence[ContractObject]) -> Iterator[ObjectInForce]:
    names = {each.object for each in mine if each.contract_id == contract_id}
    for contract in versions(session, contract_id):
        yield from (ObjectInForce(contract, each) for each in contract.objects if each.name in names)


def _is_kept(session: Session, about: ContractObject, dataset_id: UUID) -> bool:
    """Return whether the object's states are stored for this dataset, not another alias of it."""
    dataset = contract_datasets.dataset_of(session, *about)
    return dataset is not None and dataset.id == dataset_id


def with_classifications(object_in_force: ObjectInForce, shared: tuple[DataObject, ...]) -> ObjectInForce:
    """Return the object with the classifications of the others."""
    if not shared:
        return object_in_force
    contract = classification.with_classifications(object_in_force.contract, object_in_force.object.name, shared)
    return ObjectInForce(contract, contract.object(object_in_force.object.name))
