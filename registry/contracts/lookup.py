"""Versions and datasets of a contract by its id."""

from collections.abc import Sequence

from sqlmodel import Session, col, select

from treaty.registry.core.errors import NotFound
from treaty.registry.tables import Contract, ContractVersion, Dataset, DatasetContract, User


def versions(session: Session, contract_id: str) -> Sequence[tuple[ContractVersion, str]]:
    """The contract's versions with their approvers' names, newest first."""
    query = select(ContractVersion, User.name).join(User, col(User.id) == col(ContractVersion.approved_by_id))
    ordered = query.order_by(col(ContractVersion.approved_at).desc(), col(ContractVersion.id).desc())
    return session.exec(ordered.where(ContractVersion.contract_id == contract_id)).all()


def version(session: Session, contract_id: str, number: str | None = None) -> ContractVersion:
    """That version of the contract; the active one where no number is given. Raises NotFound where there is none."""
    wanted = number or select(Contract.active_version).where(Contract.id == contract_id).scalar_subquery()
    query = select(ContractVersion).where(ContractVersion.contract_id == contract_id, ContractVersion.version == wanted)
    found = session.exec(query).first()
    if found is None:
        raise NotFound
    return found


def datasets(session: Session, contract_id: str) -> Sequence[tuple[Dataset, str]]:
    """The datasets that the contract is about, each with the object that promises something about it."""
    link = DatasetContract
    query = select(Dataset, link.object).join(link, col(link.dataset_id) == col(Dataset.id))
    return session.exec(query.where(link.contract_id == contract_id).order_by(link.object, Dataset.name)).all()
