"""What is promised now: the versions of contracts in force, and all their objects that are about one dataset.

What one of several contracts about a table classifies is classified for all: they share one memory of it."""

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
    """An object of a contract's version in force, which knows what other contracts classify of its table."""

    contract: Contract
    object: DataObject

    @property
    def about(self) -> ContractObject:
        """Whose it is."""
        return ContractObject(self.contract.id, self.object.name)


def versions(session: Session, contract_id: str) -> list[Contract]:
    """The contract's versions in force: the one that stands for it first, then those of other groups; [] for none."""
    row = ContractVersionRow
    query = select(row.body).join(ContractRow, col(ContractRow.id) == row.contract_id)
    active = query.where(row.contract_id == contract_id, col(row.state).in_(IN_FORCE))
    last = case((col(ContractRow.active_version) == col(row.version), 0), else_=1)
    return [read(body) for body in session.exec(active.order_by(last, col(row.approved_at).desc(), col(row.id).desc()))]


def objects_in_force(session: Session, dataset_id: UUID, about: ContractObject) -> list[ObjectInForce]:
    """That object in each version in force that has it, the first one standing for the contract. Raises NotFound for
    none."""
    found = [each for each in all_about(session, dataset_id) if each.about == about]
    if not found:
        raise NotFound(missing_reason(session, about) or f"{about} is about another dataset")
    return found


def missing_reason(session: Session, about: ContractObject) -> str | None:
    """Why nothing is in force of that object; None where something is."""
    found = versions(session, about.contract_id)
    if not found:
        return f"no version of contract {about.contract_id} is in force"
    if any(each.name == about.object for contract in found for each in contract.objects):
        return None
    numbers = ", ".join(each.version for each in found)
    return f"version {numbers} of contract {about.contract_id} has no object {about.object}"


def all_about(session: Session, dataset_id: UUID) -> list[ObjectInForce]:
    """Everything in force about the dataset whose states these are, by contract; [] where nothing is."""
    mine = [each for each in contract_datasets.objects_of(session, dataset_id) if _is_kept(session, each, dataset_id)]
    contracts = dict.fromkeys(each.contract_id for each in mine)
    found = [each for contract_id in contracts for each in _of(session, contract_id, mine)]
    shared = tuple(each.object for each in found if classifies(each.object))
    return [with_classifications(each, shared) for each in found]


def with_shared_classifications(session: Session, dataset_id: UUID, contract: Contract, object_name: str) -> Contract:
    """The contract, in force or not, whose object of that name knows what is classified of its table; as it is where it
    has none."""
    shared = tuple(each.object for each in all_about(session, dataset_id) if classifies(each.object))
    found = next((each for each in contract.objects if each.name == object_name), None)
    return with_classifications(ObjectInForce(contract, found), shared).contract if found else contract


def _of(session: Session, contract_id: str, mine: Sequence[ContractObject]) -> Iterator[ObjectInForce]:
    names = {each.object for each in mine if each.contract_id == contract_id}
    for contract in versions(session, contract_id):
        yield from (ObjectInForce(contract, each) for each in contract.objects if each.name in names)


def _is_kept(session: Session, about: ContractObject, dataset_id: UUID) -> bool:
    """Whether the object's memory is this dataset's: of several names that it has, one is."""
    kept = contract_datasets.dataset_of(session, *about)
    return kept is not None and kept.id == dataset_id


def with_classifications(found: ObjectInForce, shared: tuple[DataObject, ...]) -> ObjectInForce:
    """The same, with an object that knows what these others classify of its table."""
    if not shared:
        return found
    contract = classification.with_classifications(found.contract, found.object.name, shared)
    return ObjectInForce(contract, contract.object(found.object.name))
