"""Map contract objects to datasets: their lineage names and the location that Spark reads.

Several contracts may describe one dataset; they share its states."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.contracts.document.model import Contract, DataObject
from treaty.contracts.document.reader import read
from treaty.registry.core.database import UNKEYED
from treaty.registry.core.state_machines import IN_FORCE
from treaty.registry.datasets.names import LineageName, location, normalise
from treaty.registry.tables import ContractVersionRow, DatasetContractRow, DatasetRow


class ContractObject(NamedTuple):
    """An object of a contract, which describes a dataset."""

    contract_id: str
    object: str

    def __str__(self) -> str:
        return f"{self.contract_id}.{self.object}"


def register(
    session: Session,
    contract: Contract,
    source: Mapping[str, Any],
    *,
    make_id: Callable[[], UUID],
    stored: Callable[[bytes], Contract] = read,
) -> None:
    """Register the datasets of the contract's objects, and unregister those no longer named.

    A dataset stays registered if another version of the contract in force names it. Other contracts about the same
    dataset are not affected.

    `source`: source of the draft (object, location, format, partition_by); {} for none.
    `make_id`: creates the id of a new dataset.
    `stored`: parses the document of a stored version."""
    named = set()
    for each, name in names_of(contract):
        dataset = _locked_dataset(session, name) or _new(session, name, make_id())
        is_exclusive = all(other == (contract.id, each.name) for other in objects_of(session, dataset.id))
        _place(dataset, each, source if source.get("object", each.name) == each.name else {}, alone=is_exclusive)
        session.flush()
        named.add((dataset.id, each.name))
    _link(session, contract.id, named | _named_by_others(session, contract, stored))


def dataset_of(session: Session, contract_id: str, object_name: str) -> DatasetRow | None:
    """Return the dataset that stores the object's states; None for none.

    If the object has several datasets, this is the oldest with a location."""
    link = DatasetContractRow
    rows = select(DatasetRow).join(link, col(link.dataset_id) == col(DatasetRow.id))
    query = rows.where(link.contract_id == contract_id, link.object == object_name)
    return session.exec(query.order_by(col(DatasetRow.location).is_(None), col(DatasetRow.id)).limit(1)).first()


def lock_datasets(session: Session, objects: Iterable[ContractObject]) -> None:
    """Lock the datasets of these objects.

    Call it before locking any point feedback; storing a validation locks in the same order."""
    dataset_ids = {dataset.id for each in objects if (dataset := dataset_of(session, *each))}
    query = (
        select(DatasetRow)
        .where(col(DatasetRow.id).in_(dataset_ids))
        .order_by(col(DatasetRow.id))
        .with_for_update(**UNKEYED)
    )
    if dataset_ids:
        session.exec(query.execution_options(populate_existing=True)).all()


def objects_of(session: Session, dataset_id: UUID) -> list[ContractObject]:
    """Return every contract object that describes the dataset, sorted by contract and object."""
    link = DatasetContractRow
    query = select(link.contract_id, link.object).where(link.dataset_id == dataset_id)
    return [ContractObject(*each) for each in session.exec(query.order_by(link.contract_id, link.object))]


def names_of(contract: Contract) -> Iterator[tuple[DataObject, LineageName]]:
    """Yield each object with its lineage names: the declared aliases, or its physical name.

    Alias patterns are skipped."""
    for each in contract.objects:
        declared = [alias for alias in contract.terms.aliases if alias.object == each.name and not alias.is_pattern]
        for alias in declared:
            yield each, normalise(alias.namespace, alias.name)
        if not declared:
            yield each, _physical(each.physical_name or each.name)


def _link(session: Session, contract_id: str, named: Collection[tuple[UUID, str]]) -> None:
    link, missing = DatasetContractRow, set(named)
    for each in session.exec(select(link).where(link.contract_id == contract_id)).all():
        if (each.dataset_id, each.object) not in missing:
            session.delete(each)
        missing.discard((each.dataset_id, each.object))
    session.add_all(link(dataset_id=dataset, contract_id=contract_id, object=name) for dataset, name in missing)
    session.flush()


def _named_by_others(
    session: Session, contract: Contract, stored: Callable[[bytes], Contract]
) -> set[tuple[UUID, str]]:
    """Return the datasets of the contract's other versions in force."""
    row = ContractVersionRow
    bodies_in_force = select(row.body).where(row.contract_id == contract.id, col(row.state).in_(IN_FORCE))
    bodies = session.exec(bodies_in_force.where(row.fingerprint != contract.fingerprint))
    pairs = [(_locked_dataset(session, name), each.name) for body in bodies for each, name in names_of(stored(body))]
    return {(dataset.id, name) for dataset, name in pairs if dataset}


def _locked_dataset(session: Session, name: LineageName) -> DatasetRow | None:
    query = select(DatasetRow).where(DatasetRow.namespace == name.namespace, DatasetRow.name == name.name)
    return session.exec(query.with_for_update()).first()


def _new(session: Session, name: LineageName, dataset_id: UUID) -> DatasetRow:
    path = location(name.namespace, name.name)
    dataset = DatasetRow(id=dataset_id, namespace=name.namespace, name=name.name, location=path)
    session.add(dataset)
    return dataset


def _place(dataset: DatasetRow, of: DataObject, source: Mapping[str, Any], *, alone: bool) -> None:
    """Store the dataset's location, format and partition columns.

    A contract that declares no partition columns keeps those of other contracts about the dataset."""
    dataset.location = source.get("location", dataset.location)
    dataset.format = source.get("format", dataset.format)
    partition_by = list(of.partition_by or source.get("partition_by", ()))
    dataset.partition_by = partition_by if partition_by or alone else dataset.partition_by


def _physical(name: str) -> LineageName:
    scheme, separator, rest = name.partition("://")
    if not separator:
        return normalise("file" if name.startswith("/") else "spark", name)
    host, _, path = rest.partition("/")
    return normalise("file", path) if scheme == "file" else normalise(f"{scheme}://{host}", path)
