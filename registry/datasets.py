"""Which datasets a contract is about: the names that lineage has for its objects, and where Spark reads them."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from uuid import UUID

from sqlmodel import Session, col, select

from contracts.document import Contract, DataObject
from registry.errors import Conflict
from registry.lineage.names import Name, location, normalise
from registry.tables import Dataset


def register(session: Session, contract: Contract, source: Mapping[str, Any], *, make_id: Callable[[], UUID]) -> None:
    """Says which datasets the contract is about; those it no longer names are free again.

    `source` is what a draft was made of (object, location, format, partition_by), or {}. Raises Conflict for a dataset
    of another contract or object."""
    for old in session.exec(select(Dataset).where(Dataset.contract_id == contract.id)):
        old.contract_id = old.object = None
    for each, name in names_of(contract):
        dataset = _found(session, name) or _new(session, name, make_id())
        if dataset.contract_id and (dataset.contract_id, dataset.object) != (contract.id, each.name):
            raise Conflict(f"the dataset {name} belongs to {dataset.object} of contract {dataset.contract_id} already")
        dataset.contract_id, dataset.object = contract.id, each.name
        _place(dataset, each, source if source.get("object", each.name) == each.name else {})
        session.flush()


def kept(session: Session, contract_id: str, object_name: str) -> Dataset | None:
    """The dataset whose states are the object's memory: of several, the oldest with a location; None where none is."""
    query = select(Dataset).where(Dataset.contract_id == contract_id, Dataset.object == object_name)
    return session.exec(query.order_by(col(Dataset.location).is_(None), col(Dataset.id)).limit(1)).first()


def names_of(contract: Contract) -> Iterator[tuple[DataObject, Name]]:
    """Each object with the lineage names it is declared to have; else the one that its physical name stands for."""
    for each in contract.objects:
        declared = [alias for alias in contract.terms.aliases if alias.object == each.name]
        for alias in declared:
            yield each, normalise(alias.namespace, alias.name)
        if not declared:
            yield each, _physical(each.physical_name or each.name)


def _found(session: Session, name: Name) -> Dataset | None:
    query = select(Dataset).where(Dataset.namespace == name.namespace, Dataset.name == name.name)
    return session.exec(query.with_for_update()).first()


def _new(session: Session, name: Name, dataset_id: UUID) -> Dataset:
    where = location(name.namespace, name.name)
    dataset = Dataset(id=dataset_id, namespace=name.namespace, name=name.name, location=where)
    session.add(dataset)
    return dataset


def _place(dataset: Dataset, of: DataObject, source: Mapping[str, Any]) -> None:
    dataset.location = source.get("location", dataset.location)
    dataset.format = source.get("format", dataset.format)
    dataset.partition_by = list(of.partition_by or source.get("partition_by", ()))


def _physical(name: str) -> Name:
    scheme, mark, rest = name.partition("://")
    if not mark:
        return normalise("file" if name.startswith("/") else "spark", name)
    host, _, path = rest.partition("/")
    return normalise("file", path) if scheme == "file" else normalise(f"{scheme}://{host}", path)
