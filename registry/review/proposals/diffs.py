"""Compare stored versions with each other, and a proposal with the version in force."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, or_
from sqlmodel import Session, col, select

from treaty.contracts.document.model import Contract
from treaty.registry.contracts import lookup, subscriptions
from treaty.registry.contracts.documents import Documents
from treaty.registry.contracts.version_comparison import VersionDiff, compare_versions
from treaty.registry.core.enums import PinKind
from treaty.registry.core.state_machines import IN_FORCE
from treaty.registry.review.proposals import proposals
from treaty.registry.tables import ContractVersionRow, ProposalRow


def of_versions(session: Session, contract_id: str, old: str | None, new: str | None) -> VersionDiff:
    """Return the differences between two versions of a contract.

    `old`, `new`: None means the version in force. Raises NotFound if a version does not exist."""
    documents = Documents()
    before, after = (documents.stored(lookup.version(session, contract_id, each).body) for each in (old, new))
    return compare_versions(before, after, live=of_group(relied_on(session, contract_id, documents), after))


def of_proposal(session: Session, proposal: ProposalRow) -> VersionDiff:
    """Return the differences from the version in force to the proposed document.

    Raises InvalidRequest if accepted suggestions do not fit the document."""
    documents = Documents()
    new = proposals.preview(session, proposal, documents).contract
    versions = live(session, new.id, documents)
    return compare_versions(
        followed_version(versions, new), new, live=of_group(relied_on(session, new.id, documents), new)
    )


def followed_version(versions: Sequence[Contract], new: Contract) -> Contract | None:
    """Return the version that the document would follow: that of its own group, else the newest.

    `versions`: versions in force, newest first. None if there is none."""
    return next(iter((*of_group(versions, new), *versions)), None)


def live(session: Session, contract_id: str, documents: Documents) -> Sequence[Contract]:
    """Return the versions in force, newest first."""
    return _versions(session, contract_id, col(ContractVersionRow.state).in_(IN_FORCE), documents)


def relied_on(session: Session, contract_id: str, documents: Documents) -> Sequence[Contract]:
    """Return the versions in force and those that consumers are pinned to, newest first."""
    pins = [each.pinned_to for each in subscriptions.active(session, contract_id) if each.pin is PinKind.VERSION]
    in_force, pinned = col(ContractVersionRow.state).in_(IN_FORCE), col(ContractVersionRow.version).in_(pins)
    return _versions(session, contract_id, or_(in_force, pinned), documents)


def _versions(
    session: Session, contract_id: str, condition: ColumnElement[bool], documents: Documents
) -> Sequence[Contract]:
    query = select(ContractVersionRow).where(ContractVersionRow.contract_id == contract_id, condition)
    ordered = query.order_by(col(ContractVersionRow.activated_at).desc(), col(ContractVersionRow.id).desc())
    return [documents.stored(each.body) for each in session.exec(ordered)]


def version_numbers(session: Session, contract_id: str) -> Sequence[str]:
    """Return the numbers of all versions of the contract."""
    return session.exec(select(ContractVersionRow.version).where(ContractVersionRow.contract_id == contract_id)).all()


def of_group(versions: Sequence[Contract], new: Contract) -> Sequence[Contract]:
    """Return the versions of the document's group."""
    return [each for each in versions if each.terms.group == new.terms.group]
