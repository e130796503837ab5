"""What differs between versions that are kept, and between a proposal and the version in force."""

from collections.abc import Sequence

from sqlmodel import Session, col, select

from contracts.document import Contract
from registry import catalog, drafts
from registry.comparing import Compared, compared
from registry.lifecycle import IN_FORCE
from registry.tables import ContractVersion, Proposal


def of_versions(session: Session, contract_id: str, old: str | None, new: str | None) -> Compared:
    """What differs from one version to the other; the version in force where one is not named.

    Raises NotFound where there is no such version."""
    before, after = (drafts.read(catalog.version(session, contract_id, each).body) for each in (old, new))
    return compared(before, after, live=live(session, contract_id))


def of_proposal(session: Session, proposal: Proposal) -> Compared:
    """What differs from the version in force to the document that an approval would make a version.

    Raises Invalid where accepted suggestions do not fit the document."""
    new = drafts.read(drafts.preview(session, proposal).document)
    versions = live(session, new.id)
    return compared(followed(versions, new), new, live=of_group(versions, new))


def followed(versions: Sequence[Contract], new: Contract) -> Contract | None:
    """The live version that the document would follow, of those newest first: that of its own group, else the newest.

    None where nothing is in force."""
    return next(iter((*of_group(versions, new), *versions)), None)


def live(session: Session, contract_id: str) -> Sequence[Contract]:
    """The versions that readers rely on, newest first; [] where none is in force."""
    query = select(ContractVersion).where(ContractVersion.contract_id == contract_id)
    ordered = query.order_by(col(ContractVersion.activated_at).desc(), col(ContractVersion.id).desc())
    return [drafts.read(each.body) for each in session.exec(ordered.where(col(ContractVersion.state).in_(IN_FORCE)))]


def taken(session: Session, contract_id: str) -> Sequence[str]:
    """The numbers of all versions of the contract."""
    return session.exec(select(ContractVersion.version).where(ContractVersion.contract_id == contract_id)).all()


def of_group(versions: Sequence[Contract], new: Contract) -> Sequence[Contract]:
    """Those of the versions that are of the document's group."""
    return [each for each in versions if each.terms.group == new.terms.group]
