"""Store consumers' own checks, which are not part of the producer's contract.

They are evaluated on the states of the producer's dataset."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.contracts.document.model import Contract as Document
from treaty.contracts.document.model import ContractCheck, DataObject
from treaty.contracts.document.reader import read
from treaty.contracts.editing.check_entry import entry_for
from treaty.contracts.errors import ContractError, suggest_nearest
from treaty.engine.checks.bound_check import BoundCheck
from treaty.engine.checks.column_keywords import derived_checks
from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal
from treaty.registry.audit import audit_log
from treaty.registry.contracts import lookup, subscriptions
from treaty.registry.contracts.subscriptions import active
from treaty.registry.contracts.version_status import in_force
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.errors import Conflict, InvalidRequest, NotFound
from treaty.registry.review.consumers import check_document
from treaty.registry.review.consumers.check_document import RequestedCheck, entry_of
from treaty.registry.tables import ConsumerCheckRow, SubscriptionRow

MOST = 100


class ConsumerDocument(NamedTuple):
    """A consumer's checks as a contract document of their own.

    It is the producer's active document with these checks in place of its own. Checks that no longer fit the
    producer's document are left out; `list_checks` explains why."""

    subscription_id: UUID
    body: bytes
    fingerprint: str


@dataclass(frozen=True)
class StoredConsumerCheck:
    """The current revision of a check: its row and its description.

    `lost`: why it no longer fits the producer's document; None means it fits."""

    row: ConsumerCheckRow
    sentence: str
    lost: str | None = None


@dataclass(frozen=True)
class CheckAuthorship:
    """Id, author and time of a new check row."""

    row_id: UUID
    by: Principal
    now: datetime


@dataclass(frozen=True, kw_only=True)
class CheckSource:
    """A check of a contract version to copy.

    `version`: None means the version in force. `into`: target object; None keeps the source's. `identity`: id of the
    copy; None keeps the source's."""

    contract_id: str
    object: str
    check: str
    version: str | None = None
    into: str | None = None
    identity: str | None = None


def current(session: Session, subscription_id: UUID, object_name: str | None = None) -> list[ConsumerCheckRow]:
    """Return the subscription's current checks, sorted by id, without those that ended."""
    query = select(ConsumerCheckRow).where(ConsumerCheckRow.subscription_id == subscription_id)
    rows = session.exec(query.order_by(col(ConsumerCheckRow.number))).all()
    newest = {row.identity: row for row in rows}
    remaining = (row for row in newest.values() if row.patch is not None)
    return sorted((row for row in remaining if object_name in (None, row.object)), key=lambda row: row.identity)


def last(session: Session, subscription_id: UUID, identity: str) -> ConsumerCheckRow:
    """Return the current revision of a check.

    Raises NotFound if it does not exist or has ended."""
    match = next((row for row in current(session, subscription_id) if row.identity == identity), None)
    if match is None:
        raise NotFound
    return match


def list_checks(session: Session, subscription_id: UUID, *, by: Principal) -> list[StoredConsumerCheck]:
    """List the subscription's checks with their descriptions, by id."""
    subscription = subscriptions.get(session, subscription_id, by=by)
    producer = _producer(session, subscription)
    return [_stored_check(producer, row) for row in current(session, subscription.id)]


def shown(session: Session, row: ConsumerCheckRow) -> StoredConsumerCheck:
    """Return the check with its description."""
    return _stored_check(_producer(session, session.get_one(SubscriptionRow, row.subscription_id)), row)


def add(session: Session, subscription_id: UUID, check: RequestedCheck, how: CheckAuthorship) -> ConsumerCheckRow:
    """Add a check; an id is generated if it has none.

    Raises InvalidRequest with every fault of the check, and Conflict if the id is in use or the subscription has
    MOST checks already."""
    subscription = subscriptions.own_subscription(session, subscription_id, by=how.by)
    return _add(session, subscription, check, how, source=None)


def change(
    session: Session, subscription_id: UUID, requested_check: RequestedCheck, how: CheckAuthorship
) -> ConsumerCheckRow:
    """Replace the definition of a check by a new revision.

    Raises NotFound, or InvalidRequest with every fault of the check."""
    subscription = subscriptions.own_subscription(session, subscription_id, by=how.by)
    newest = last(session, subscription.id, requested_check.identity)
    check = _named(_producer(session, subscription), requested_check)
    row = _row(how, subscription, newest.number + 1, check)
    return _write(session, row, how, AuditAction.CONSUMER_CHECK_CHANGED)


def end(session: Session, subscription_id: UUID, identity: str, how: CheckAuthorship) -> ConsumerCheckRow:
    """End a check; its revisions and results remain stored.

    Raises NotFound if it does not exist."""
    subscription = subscriptions.own_subscription(session, subscription_id, by=how.by)
    newest = last(session, subscription.id, identity)
    row = _row(how, subscription, newest.number + 1, RequestedCheck(identity, newest.object, newest.column, {}))
    row.patch = None
    return _write(session, row, how, AuditAction.CONSUMER_CHECK_ENDED)


def copy(session: Session, subscription_id: UUID, origin: CheckSource, how: CheckAuthorship) -> ConsumerCheckRow:
    """Copy a check of any readable contract into the subscription.

    Later changes of the source do not affect the copy. Raises NotFound if the contract, version or check does not
    exist, and InvalidRequest if the check does not fit the subscribed contract."""
    subscription = subscriptions.own_subscription(session, subscription_id, by=how.by)
    visibility.require_readable_contract(session, origin.contract_id, how.by)
    version = lookup.version(session, origin.contract_id, origin.version)
    requested = _copied(read(version.body), origin)
    source = {"contract": version.contract_id, "version": version.version, "check": origin.check}
    return _add(session, subscription, requested, how, source=source)


def documents(session: Session, contract_id: str, object_name: str) -> Sequence[ConsumerDocument]:
    """Return the consumer documents of an object, one per subscription with checks."""
    subscribed = [(each, current(session, each.id, object_name)) for each in active(session, contract_id)]
    if not any(rows for _, rows in subscribed):
        return []
    producer = read(in_force(session, contract_id).body)
    return [each for each in (_consumed(producer, object_name, *entry) for entry in subscribed if entry[1]) if each]


def asked_of(row: ConsumerCheckRow) -> RequestedCheck:
    """Return the check stored in the row."""
    return RequestedCheck(row.identity, row.object, row.column, row.patch or {})


def bound(producer: Document, check: RequestedCheck) -> tuple[BoundCheck, ...]:
    """Return the bound checks that the check stands for, at least one.

    Raises InvalidRequest with all its faults."""
    try:
        bound_checks = check_document.bind_consumer_check(producer, check)
    except ContractError as error:
        raise InvalidRequest("the check is not valid", faults=error.faults) from error
    if not bound_checks:
        raise InvalidRequest("the check has no rule that can be evaluated")
    return bound_checks


def _consumed(
    producer: Document, object_name: str, subscription: SubscriptionRow, rows: Sequence[ConsumerCheckRow]
) -> ConsumerDocument | None:
    reads = subscription.reads.get(object_name, ())
    contract = check_document.consumer_contract(producer, object_name, [asked_of(row) for row in rows], reads=reads)
    return ConsumerDocument(subscription.id, contract.source, contract.fingerprint) if contract else None


def _producer(session: Session, subscription: SubscriptionRow) -> Document:
    return read(in_force(session, subscription.contract_id).body)


def _stored_check(producer: Document, row: ConsumerCheckRow) -> StoredConsumerCheck:
    try:
        bound = check_document.bind_consumer_check(producer, asked_of(row))
    except ContractError as error:
        return StoredConsumerCheck(row, row.identity, "; ".join(fault.message for fault in error.faults))
    return StoredConsumerCheck(row, "; ".join(each.sentence for each in bound))


def _add(
    session: Session,
    subscription: SubscriptionRow,
    requested_check: RequestedCheck,
    how: CheckAuthorship,
    *,
    source: Mapping[str, Any] | None,
) -> ConsumerCheckRow:
    check = _named(_producer(session, subscription), requested_check)
    existing = current(session, subscription.id)
    if check.identity in {row.identity for row in existing}:
        raise Conflict(
            f"the subscription already has a check {check.identity}: change that check or use a different id"
        )
    if len(existing) >= MOST:
        raise Conflict(f"a subscription can have at most {MOST} checks: end one that you no longer need")
    row = _row(how, subscription, _number(session, subscription.id, check.identity), check)
    row.source = dict(source) if source else None
    return _write(session, row, how, AuditAction.CONSUMER_CHECK_ADDED)


def _named(producer: Document, check: RequestedCheck) -> RequestedCheck:
    """Return the validated check with its id, given or generated.

    Raises InvalidRequest."""
    bound_checks = bound(producer, check)
    if "quality" not in check.patch:
        return replace(check, identity=check.identity or bound_checks[0].check.id)
    identity = check.identity or bound_checks[0].check.id
    return replace(check, identity=identity, patch={"quality": {**check.patch["quality"], "id": identity}})


def _number(session: Session, subscription_id: UUID, identity: str) -> int:
    """Return the next revision number; a check that is added again continues its numbering."""
    conditions = ConsumerCheckRow.subscription_id == subscription_id, ConsumerCheckRow.identity == identity
    return 1 + max(session.exec(select(ConsumerCheckRow.number).where(*conditions)).all(), default=0)


def _row(how: CheckAuthorship, subscription: SubscriptionRow, number: int, check: RequestedCheck) -> ConsumerCheckRow:
    return ConsumerCheckRow(
        id=how.row_id,
        subscription_id=subscription.id,
        identity=check.identity,
        number=number,
        object=check.object,
        column=check.column,
        patch=dict(check.patch),
        created_at=how.now,
        created_by_id=how.by.user_id,
    )


def _write(session: Session, row: ConsumerCheckRow, how: CheckAuthorship, action: AuditAction) -> ConsumerCheckRow:
    session.add(row)
    details = {"subscription": str(row.subscription_id), "check": row.identity, "number": row.number}
    audit_log.record(session, action, actor=how.by.name, object_id=row.id, now=how.now, details=details)
    return row


def _copied(document: Document, origin: CheckSource) -> RequestedCheck:
    of = next((each for each in document.objects if each.name == origin.object), None)
    if of is None:
        raise NotFound(f"version {document.version} of contract {document.id} has no object {origin.object}")
    check = _check_by_id(of, origin.check)
    written = entry_of(of, document.document, check.path) if check.kind != "schema" else None
    entry = {key: each for key, each in (written or entry_for(check)).items() if key != "id"}
    identity = origin.identity or re.sub(r"[^A-Za-z0-9_-]+", "-", check.id)
    return RequestedCheck(identity, origin.into or of.name, check.column, {"quality": entry})


def _check_by_id(of: DataObject, identity: str) -> ContractCheck:
    checks_by_id = {each.id: each for each in (*of.checks, *derived_checks(of))}
    if identity not in checks_by_id:
        raise NotFound(
            f"{of.name} has no check {identity}; {suggest_nearest(identity, checks_by_id) or 'see its contract'}"
        )
    return checks_by_id[identity]
