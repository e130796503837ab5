"""Activate, deprecate and retire contract versions, on approval, on schedule or on an owner's request.

Each group of a contract has one version in force. It stays in force until the next version is activated, whose
effective period may begin later. The old version is then superseded, together with every approved version of the
group that was due earlier. A deprecated version is still in force. A version whose effective period has ended is
retired."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, func, or_, update
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from treaty.contracts.document.model import Contract as Document
from treaty.contracts.errors import Fault
from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal, require_permission
from treaty.registry.audit import audit_log
from treaty.registry.contracts import subscriptions
from treaty.registry.contracts.documents import Documents
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.database import UNKEYED, lock
from treaty.registry.core.enums import Permission, TaskKind, VersionState
from treaty.registry.core.errors import Conflict, InvalidRequest, NotFound, RegistryError
from treaty.registry.core.ids import Ids
from treaty.registry.core.state_machines import IN_FORCE, VERSION
from treaty.registry.datasets import contract_datasets
from treaty.registry.lineage import aliases
from treaty.registry.queue import task_queue
from treaty.registry.review.approval.required_approvals import in_force
from treaty.registry.review.consumers import acknowledgements
from treaty.registry.tables import ContractRow, ContractVersionRow, ProposalRow

log = logging.getLogger("treaty.worker")
# Serializes approvals and scheduled activation: both change which version is in force.
CHANGING = 7_268_392_103
CLOCK = "clock"
EXPIRED = "its effective period ended"


@dataclass(frozen=True)
class VersionRetirement:
    """Reason why a version is deprecated or retired, and its recommended successor.

    `successor`: another version of the same contract; None recommends none."""

    reason: str
    successor: str | None = None


def due_time(version: ContractVersionRow) -> datetime:
    """Return the earliest time at which the version may be in force."""
    return version.effective_from or version.approved_at


def activation_blockers(session: Session, version: ContractVersionRow, *, now: datetime) -> str | None:
    """Return the reason why an approved version cannot be activated yet.

    None means nothing blocks it. A version is blocked until its effective time and until the affected consumers have
    acknowledged it or their deadline has passed."""
    if due_time(version) > now:
        return f"takes effect on {due_time(version):%Y-%m-%d %H:%M} UTC"
    pending = acknowledgements.outstanding(session, version, now=now)
    if pending:
        latest = max(each.due_at or now for each in pending)
        return (
            f"waiting for {_consumers(len(pending))} to acknowledge it, until {latest:%Y-%m-%d %H:%M} UTC at the latest"
        )
    return None


def activate(
    session: Session, version: ContractVersionRow, documents: Documents, *, actor: str, now: datetime, ids: Ids
) -> None:
    """Put an approved version in force and enqueue a validation of each of its objects.

    Versions of the group that it replaces are superseded. The caller must hold the lock CHANGING."""
    version.state = VERSION.step(version.state, "activate")
    version.activated_at = now
    document = documents.stored(version.body)
    for old in _replaced(session, version):
        _end(old, "supersede", now=now)
        details = {"contract": old.contract_id, "version": old.version, "by": version.version}
        audit_log.record(
            session, AuditAction.VERSION_SUPERSEDED, actor=actor, object_id=old.id, now=now, details=details
        )
    contract = session.get_one(ContractRow, version.contract_id, with_for_update=UNKEYED)
    contract.active_version, contract.name = version.version, document.name
    _place(session, contract, visibility.domain_of(document))
    proposal = session.get(ProposalRow, version.proposal_id) if version.proposal_id else None
    source = (proposal.source if proposal else None) or {}
    contract_datasets.register(session, document, source, make_id=ids, stored=documents.stored)
    aliases.declare(session, document)
    _validate(session, document, ids, now=now)
    details = {"contract": version.contract_id, "version": version.version, "fingerprint": version.fingerprint}
    audit_log.record(
        session, AuditAction.VERSION_ACTIVATED, actor=actor, object_id=version.id, now=now, details=details
    )


def waiting(session: Session, *, now: datetime) -> bool:
    """Return whether a version is due for activation or retirement."""
    return session.exec(_waiting(now).limit(1)).first() is not None


def apply_schedule(session: Session, *, now: datetime, ids: Ids) -> int:
    """Activate due versions and retire ended ones; return the number of versions changed.

    Versions are processed in the order of their due times. Safe to run concurrently and repeatedly: each version
    changes once. A version that cannot be activated is logged and skipped."""
    lock(session, CHANGING)
    versions = session.exec(_waiting(now).with_for_update()).all()
    return sum(_apply_version(session, version, now=now, ids=ids) for version in sorted(versions, key=due_time))


def deprecate(
    session: Session, contract_id: str, number: str, farewell: VersionRetirement, *, by: Principal, now: datetime
) -> ContractVersionRow:
    """Deprecate a version and return it; it stays in force.

    Raises InvalidRequest if the successor is not another active, deprecated or approved version of the contract, and
    NotFound if the version does not exist or is not readable."""
    version = locked_version(session, contract_id, number, by)
    _refuse_successor(session, version, farewell.successor)
    version.state = VERSION.step(version.state, "deprecate")
    version.reason, version.successor_version = farewell.reason, farewell.successor
    details = {"contract": contract_id, "version": number, "reason": farewell.reason, "successor": farewell.successor}
    audit_log.record(
        session, AuditAction.VERSION_DEPRECATED, actor=by.name, object_id=version.id, now=now, details=details
    )
    return version


def retire(
    session: Session, contract_id: str, number: str, farewell: VersionRetirement, *, by: Principal, now: datetime
) -> ContractVersionRow:
    """Retire a version permanently and return it.

    Raises Conflict while consumers are pinned to it, InvalidRequest if the successor is not another active,
    deprecated or approved version of the contract, and NotFound if the version does not exist or is not readable."""
    version = locked_version(session, contract_id, number, by)
    _refuse_pinned(session, version)
    _refuse_successor(session, version, farewell.successor)
    _retire(session, version, farewell, actor=by.name, now=now)
    return version


def _apply_version(session: Session, version: ContractVersionRow, *, now: datetime, ids: Ids) -> bool:
    """Activate or retire one version; return whether it changed.

    An error is logged and rolled back, so that it does not block the other versions."""
    try:
        with session.begin_nested():
            if version.state not in VERSION.states_allowing("retire"):
                return False
            if version.effective_until is not None and version.effective_until <= now:
                _retire(session, version, VersionRetirement(EXPIRED, version.successor_version), actor=CLOCK, now=now)
                return True
            if version.state is not VersionState.APPROVED or activation_blockers(session, version, now=now):
                return False
            activate(session, version, Documents(), actor=CLOCK, now=now, ids=ids)
            return True
    except RegistryError as error:
        log.warning(
            "version %s of contract %s could not be activated or retired: %s",
            version.version,
            version.contract_id,
            error,
        )
        return False


def _waiting(now: datetime) -> SelectOfScalar[ContractVersionRow]:
    row = ContractVersionRow
    is_due = func.coalesce(col(row.effective_from), col(row.approved_at)) <= now
    has_ended = and_(col(row.effective_until) <= now, col(row.state).in_(VERSION.states_allowing("retire")))
    return select(row).where(or_(and_(col(row.state) == VersionState.APPROVED, is_due), has_ended))


def _replaced(session: Session, version: ContractVersionRow) -> Sequence[ContractVersionRow]:
    """Return the group's versions in force, and its approved versions that were due earlier."""
    query = select(ContractVersionRow).where(
        ContractVersionRow.contract_id == version.contract_id,
        ContractVersionRow.group == version.group,
        ContractVersionRow.id != version.id,
        col(ContractVersionRow.state).in_(VERSION.states_allowing("supersede")),
    )
    candidates = session.exec(query.with_for_update()).all()
    return [each for each in candidates if each.state in IN_FORCE or due_time(each) <= due_time(version)]


def _place(session: Session, contract: ContractRow, domain: str | None) -> None:
    """Set the domain of the contract and of all its proposals."""
    contract.domain = domain
    session.exec(update(ProposalRow).where(col(ProposalRow.contract_id) == contract.id).values(domain=domain))


def _retire(
    session: Session, version: ContractVersionRow, farewell: VersionRetirement, *, actor: str, now: datetime
) -> None:
    _end(version, "retire", now=now)
    version.reason, version.successor_version = farewell.reason, farewell.successor
    session.flush()
    contract = session.get_one(ContractRow, version.contract_id, with_for_update=UNKEYED)
    if contract.active_version == version.version:
        newest = in_force(session, version.contract_id)
        contract.active_version = newest.version if newest else None
    details = {"contract": version.contract_id, "version": version.version, "reason": farewell.reason}
    audit_log.record(session, AuditAction.VERSION_RETIRED, actor=actor, object_id=version.id, now=now, details=details)


def _end(version: ContractVersionRow, step: str, *, now: datetime) -> None:
    version.state = VERSION.step(version.state, step)
    version.ended_at = now


def locked_version(session: Session, contract_id: str, number: str, by: Principal) -> ContractVersionRow:
    """Lock and return the version after checking that the principal owns its contract.

    Raises NotFound if it does not exist or is not readable."""
    lock(session, CHANGING)
    require_permission(by, Permission.DECIDE, visibility.require_readable_contract(session, contract_id, by))
    query = select(ContractVersionRow).where(
        ContractVersionRow.contract_id == contract_id, ContractVersionRow.version == number
    )
    version = session.exec(query.with_for_update()).first()
    if version is None:
        raise NotFound
    return version


def _refuse_pinned(session: Session, version: ContractVersionRow) -> None:
    pinned = subscriptions.pinned(session, version.contract_id, version.version)
    if pinned and version.state in VERSION.states_allowing("retire"):
        verb = "is" if len(pinned) == 1 else "are"
        raise Conflict(f"{_consumers(len(pinned))} {verb} pinned to this version: deprecate it now and retire it later")


def _consumers(count: int) -> str:
    return "1 consumer" if count == 1 else f"{count:,} consumers"


def _refuse_successor(session: Session, version: ContractVersionRow, successor: str | None) -> None:
    """Raise InvalidRequest unless the successor is None or another usable version of the contract."""
    query = select(ContractVersionRow.version).where(
        ContractVersionRow.contract_id == version.contract_id,
        ContractVersionRow.id != version.id,
        col(ContractVersionRow.state).in_(VERSION.states_allowing("retire")),
    )
    possible = sorted(session.exec(query).all())
    if successor is not None and successor not in possible:
        remedy = (
            f"choose one of {', '.join(possible)}"
            if possible
            else "leave it out: the contract has no other usable version"
        )
        fault = Fault(
            code="TR-SUCCESSOR",
            where="successor",
            message="is not another active, deprecated or approved version of this contract",
            remedy=remedy,
        )
        raise InvalidRequest("the successor version is not valid", faults=[fault])


def _validate(session: Session, document: Document, ids: Ids, *, now: datetime) -> None:
    for each in document.objects:
        payload = {"contract_id": document.id, "version": document.version, "object": each.name, "all": True}
        key = f"validate/{document.id}/{document.version}/{each.name}"
        task_queue.enqueue(session, kind=TaskKind.VALIDATE, payload=payload, key=key, now=now, task_id=ids())
