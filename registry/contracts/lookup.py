"""Versions and datasets of a contract by its id."""

from collections.abc import Sequence

from sqlmodel import Session, col, select

from treaty.registry.core.errors import NotFound
from treaty.registry.tables import ContractRow, ContractVersionRow, DatasetContractRow, DatasetRow, UserRow


def versions(session: Session, contract_id: str) -> Sequence[tuple[ContractVersionRow, str]]:
    """The contract's versions with their approvers' names, newest first."""
    query = select(ContractVersionRow, UserRow.name).join(
        UserRow, col(UserRow.id) == col(ContractVersionRow.approved_by_id)
    )
    ordered = query.order_by(col(ContractVersionRow.approved_at).desc(), col(ContractVersionRow.id).desc())
    return session.exec(ordered.where(ContractVersionRow.contract_id == contract_id)).all()


def version(session: Session, contract_id: str, number: str | None = None) -> ContractVersionRow:
    """That version of the contract; the active one where no number is given. Raises NotFound where there is none."""
    wanted = number or select(ContractRow.active_version).where(ContractRow.id == contract_id).scalar_subquery()
    query = select(ContractVersionRow).where(
        ContractVersionRow.contract_id == contract_id, ContractVersionRow.version == wanted
    )
    found = session.exec(query).first()
    if found is None:
        raise NotFound
    return found


def datasets(session: Session, contract_id: str) -> Sequence[tuple[DatasetRow, str]]:
    """The datasets that the contract is about, each with the object that promises something about it."""
    link = DatasetContractRow
    query = select(DatasetRow, link.object).join(link, col(link.dataset_id) == col(DatasetRow.id))
    return session.exec(query.where(link.contract_id == contract_id).order_by(link.object, DatasetRow.name)).all()
