"""Look up versions and datasets of a contract by its id."""

from collections.abc import Sequence

from sqlmodel import Session, col, select

from treaty.registry.core.errors import NotFound
from treaty.registry.tables import ContractRow, ContractVersionRow, DatasetContractRow, DatasetRow, UserRow


def versions(session: Session, contract_id: str) -> Sequence[tuple[ContractVersionRow, str]]:
    """Return the contract's versions with the names of their approvers, newest first."""
    query = select(ContractVersionRow, UserRow.name).join(
        UserRow, col(UserRow.id) == col(ContractVersionRow.approved_by_id)
    )
    ordered = query.order_by(col(ContractVersionRow.approved_at).desc(), col(ContractVersionRow.id).desc())
    return session.exec(ordered.where(ContractVersionRow.contract_id == contract_id)).all()


def version(session: Session, contract_id: str, number: str | None = None) -> ContractVersionRow:
    """Return a version of the contract.

    `number`: None means the active version. Raises NotFound if the version does not exist."""
    target = number or select(ContractRow.active_version).where(ContractRow.id == contract_id).scalar_subquery()
    query = select(ContractVersionRow).where(
        ContractVersionRow.contract_id == contract_id, ContractVersionRow.version == target
    )
    row = session.exec(query).first()
    if row is None:
        raise NotFound
    return row


def datasets(session: Session, contract_id: str) -> Sequence[tuple[DatasetRow, str]]:
    """Return the contract's datasets, each with the name of the object that describes it."""
    link = DatasetContractRow
    query = select(DatasetRow, link.object).join(link, col(link.dataset_id) == col(DatasetRow.id))
    return session.exec(query.where(link.contract_id == contract_id).order_by(link.object, DatasetRow.name)).all()
