"""Which datasets contracts are about: the names that lineage has for their objects, and where Spark reads them.

Several contracts may be about one dataset: each promises what it promises, of the same memory."""

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
    """The object of a contract that promises something about a dataset."""

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
    """Says which datasets the contract is about, beside other contracts; those that no version of it in force names
    are none of its any more.

    `source` is what a draft was made of (object, location, format, partition_by), or {}. `stored` reads a version's
    document."""
    named = set()
    for each, name in names_of(contract):
        dataset = _locked_dataset(session, name) or _new(session, name, make_id())
        alone = all(other == (contract.id, each.name) for other in objects_of(session, dataset.id))
        _place(dataset, each, source if source.get("object", each.name) == each.name else {}, alone=alone)
        session.flush()
        named.add((dataset.id, each.name))
    _link(session, contract.id, named | _named_by_others(session, contract, stored))


def dataset_of(session: Session, contract_id: str, object_name: str) -> DatasetRow | None:
    """The dataset whose states are the object's memory: of several, the oldest with a location; None where none is."""
    link = DatasetContractRow
    mine = select(DatasetRow).join(link, col(link.dataset_id) == col(DatasetRow.id))
    query = mine.where(link.contract_id == contract_id, link.object == object_name)
    return session.exec(query.order_by(col(DatasetRow.location).is_(None), col(DatasetRow.id)).limit(1)).first()


def lock_datasets(session: Session, objects: Iterable[ContractObject]) -> None:
    """Locks the datasets of these objects, before any of their marks: so does whoever keeps a validation."""
    found = {dataset.id for each in objects if (dataset := dataset_of(session, *each))}
    query = (
        select(DatasetRow).where(col(DatasetRow.id).in_(found)).order_by(col(DatasetRow.id)).with_for_update(**UNKEYED)
    )
    if found:
        session.exec(query.execution_options(populate_existing=True)).all()


def objects_of(session: Session, dataset_id: UUID) -> list[ContractObject]:
    """Every object of a contract that promises something about the dataset, in the order of names."""
    link = DatasetContractRow
    query = select(link.contract_id, link.object).where(link.dataset_id == dataset_id)
    return [ContractObject(*each) for each in session.exec(query.order_by(link.contract_id, link.object))]


def names_of(contract: Contract) -> Iterator[tuple[DataObject, LineageName]]:
    """Each object with the lineage names it is declared to have; else the one that its physical name stands for."""
    for each in contract.objects:
        declared = [alias for alias in contract.terms.aliases if alias.object == each.name and not alias.is_pattern]
        for alias in declared:
            yield each, normalise(alias.namespace, alias.name)
        if not declared:
            yield each, _physical(each.physical_name or each.name)


def _link(session: Session, contract_id: str, named: Collection[tuple[UUID, str]]) -> None:
    link, wanted = DatasetContractRow, set(named)
    for each in session.exec(select(link).where(link.contract_id == contract_id)).all():
        if (each.dataset_id, each.object) not in wanted:
            session.delete(each)
        wanted.discard((each.dataset_id, each.object))
    session.add_all(link(dataset_id=dataset, contract_id=contract_id, object=name) for dataset, name in wanted)
    session.flush()


def _named_by_others(
    session: Session, contract: Contract, stored: Callable[[bytes], Contract]
) -> set[tuple[UUID, str]]:
    """What the contract's other versions in force are about."""
    row = ContractVersionRow
    others = select(row.body).where(row.contract_id == contract.id, col(row.state).in_(IN_FORCE))
    bodies = session.exec(others.where(row.fingerprint != contract.fingerprint))
    pairs = [(_locked_dataset(session, name), each.name) for body in bodies for each, name in names_of(stored(body))]
    return {(dataset.id, name) for dataset, name in pairs if dataset}


def _locked_dataset(session: Session, name: LineageName) -> DatasetRow | None:
    query = select(DatasetRow).where(DatasetRow.namespace == name.namespace, DatasetRow.name == name.name)
    return session.exec(query.with_for_update()).first()


def _new(session: Session, name: LineageName, dataset_id: UUID) -> DatasetRow:
    where = location(name.namespace, name.name)
    dataset = DatasetRow(id=dataset_id, namespace=name.namespace, name=name.name, location=where)
    session.add(dataset)
    return dataset


def _place(dataset: DatasetRow, of: DataObject, source: Mapping[str, Any], *, alone: bool) -> None:
    """How it lies. A contract that does not say how the dataset is parted leaves that to others that are about it."""
    dataset.location = source.get("location", dataset.location)
    dataset.format = source.get("format", dataset.format)
    said = list(of.partition_by or source.get("partition_by", ()))
    dataset.partition_by = said if said or alone else dataset.partition_by


def _physical(name: str) -> LineageName:
    scheme, mark, rest = name.partition("://")
    if not mark:
        return normalise("file" if name.startswith("/") else "spark", name)
    host, _, path = rest.partition("/")
    return normalise("file", path) if scheme == "file" else normalise(f"{scheme}://{host}", path)
