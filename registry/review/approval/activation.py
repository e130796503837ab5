"""What comes into force and what no longer is: by an approval, by the clock, or because an owner says so.

Of each group of a contract one version is in force. It stays so until the next one is, whose window may begin later;
then it is superseded, and with it every approved version of the group that should have come into force before.
A deprecated version is still in force. Whose window ends is retired."""

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
from treaty.registry.core.database import UNKEYED, lock
from treaty.registry.core.enums import AuditAction, Permission, TaskKind, VersionState
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
# Approvals and what the clock brings about exclude each other: both change what is in force.
CHANGING = 7_268_392_103
CLOCK = "clock"
EXPIRED = "its validity ended"


@dataclass(frozen=True)
class VersionRetirement:
    """Why a version goes, and the version of the contract to use in its place."""

    reason: str
    successor: str | None = None


def due_time(version: ContractVersionRow) -> datetime:
    """From when on the version may be in force."""
    return version.effective_from or version.approved_at


def activation_blockers(session: Session, version: ContractVersionRow, *, now: datetime) -> str | None:
    """What keeps an approved version from coming into force, in words; None: nothing does."""
    if due_time(version) > now:
        return f"it comes into force on {due_time(version):%Y-%m-%d %H:%M} UTC"
    asked = acknowledgements.outstanding(session, version, now=now)
    if asked:
        latest = max(each.due_at or now for each in asked)
        return f"it waits for {len(asked)} consumer(s) whom it breaks, until {latest:%Y-%m-%d %H:%M} UTC at the latest"
    return None


def activate(
    session: Session, version: ContractVersionRow, documents: Documents, *, actor: str, now: datetime, ids: Ids
) -> None:
    """Puts an approved version in force in place of its group's, and asks for the validation of its tables.

    The caller holds the lock CHANGING."""
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
    """Whether some version may come into force, or must end, by now."""
    return session.exec(_waiting(now).limit(1)).first() is not None


def apply_schedule(session: Session, *, now: datetime, ids: Ids) -> int:
    """Puts in force what is due and retires what has ended, in the order of their times; how many versions moved.

    Any number of workers may ask at once, and again: each version moves once."""
    lock(session, CHANGING)
    versions = session.exec(_waiting(now).with_for_update()).all()
    return sum(_apply_version(session, version, now=now, ids=ids) for version in sorted(versions, key=due_time))


def deprecate(
    session: Session, contract_id: str, number: str, farewell: VersionRetirement, *, by: Principal, now: datetime
) -> ContractVersionRow:
    """The version, still in force, with the advice to use another. Raises Invalid for a successor that is none."""
    version = _version(session, contract_id, number, by)
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
    """The version, for good in force no more. Raises Conflict while consumers are pinned to it, Invalid for a successor
    that is none."""
    version = _version(session, contract_id, number, by)
    _refuse_pinned(session, version)
    _refuse_successor(session, version, farewell.successor)
    _retire(session, version, farewell, actor=by.name, now=now)
    return version


def _apply_version(session: Session, version: ContractVersionRow, *, now: datetime, ids: Ids) -> bool:
    """Whether the version came into force or ended. One that cannot stays as it is, and keeps no other from it."""
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
        log.warning("version %s of %s cannot come into force: %s", version.version, version.contract_id, error)
        return False


def _waiting(now: datetime) -> SelectOfScalar[ContractVersionRow]:
    row = ContractVersionRow
    begins = func.coalesce(col(row.effective_from), col(row.approved_at)) <= now
    ends = and_(col(row.effective_until) <= now, col(row.state).in_(VERSION.states_allowing("retire")))
    return select(row).where(or_(and_(col(row.state) == VersionState.APPROVED, begins), ends))


def _replaced(session: Session, version: ContractVersionRow) -> Sequence[ContractVersionRow]:
    """The others of the group that are in force, and those that should have come into force before."""
    query = select(ContractVersionRow).where(
        ContractVersionRow.contract_id == version.contract_id,
        ContractVersionRow.group == version.group,
        ContractVersionRow.id != version.id,
        col(ContractVersionRow.state).in_(VERSION.states_allowing("supersede")),
    )
    found = session.exec(query.with_for_update()).all()
    return [each for each in found if each.state in IN_FORCE or due_time(each) <= due_time(version)]


def _place(session: Session, contract: ContractRow, domain: str | None) -> None:
    """Puts the contract into the domain, with all of its proposals."""
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


def _version(session: Session, contract_id: str, number: str, by: Principal) -> ContractVersionRow:
    """The version, for who owns its contract. Raises NotFound where there is none, or it is not theirs to see."""
    lock(session, CHANGING)
    require_permission(by, Permission.DECIDE, visibility.require_readable_contract(session, contract_id, by))
    query = select(ContractVersionRow).where(
        ContractVersionRow.contract_id == contract_id, ContractVersionRow.version == number
    )
    found = session.exec(query.with_for_update()).first()
    if found is None:
        raise NotFound
    return found


def _refuse_pinned(session: Session, version: ContractVersionRow) -> None:
    pinned = subscriptions.pinned(session, version.contract_id, version.version)
    if pinned and version.state in VERSION.states_allowing("retire"):
        who = "1 consumer relies" if len(pinned) == 1 else f"{len(pinned)} consumers rely"
        raise Conflict(f"{who} on exactly this version: deprecate it, and retire it once they have moved on")


def _refuse_successor(session: Session, version: ContractVersionRow, successor: str | None) -> None:
    """Returns where the successor is none, or another version of the contract that is not over."""
    query = select(ContractVersionRow.version).where(
        ContractVersionRow.contract_id == version.contract_id,
        ContractVersionRow.id != version.id,
        col(ContractVersionRow.state).in_(VERSION.states_allowing("retire")),
    )
    possible = sorted(session.exec(query).all())
    if successor is not None and successor not in possible:
        remedy = f"choose one of {', '.join(possible)}" if possible else "leave it out: there is no other"
        fault = Fault(
            code="TR-SUCCESSOR",
            where="successor",
            message="is no other version that is in force or will be",
            remedy=remedy,
        )
        raise InvalidRequest("the successor cannot be used", faults=[fault])


def _validate(session: Session, document: Document, ids: Ids, *, now: datetime) -> None:
    for each in document.objects:
        payload = {"contract_id": document.id, "version": document.version, "object": each.name, "all": True}
        key = f"validate/{document.id}/{document.version}/{each.name}"
        task_queue.enqueue(session, kind=TaskKind.VALIDATE, payload=payload, key=key, now=now, task_id=ids())
