"""Consumers and new versions: whom an approved change breaks is asked and waited for, all others are told.

A version is held against the one that the consumer builds on: the one in force in the group that they are pinned to;
for who pins nothing, the one that was activated last. A version of another group than theirs changes nothing for them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlmodel import Session, col, select
from sqlmodel.sql.expression import Select, SelectOfScalar

from treaty.contracts.document.model import Contract as Document
from treaty.contracts.errors import Fault
from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal, require_permission_anywhere
from treaty.registry.audit import audit_log
from treaty.registry.contracts import subscriptions
from treaty.registry.contracts.documents import Documents
from treaty.registry.contracts.subscriptions import active
from treaty.registry.contracts.version_status import VersionOverview, standings
from treaty.registry.core.enums import (
    AcknowledgementState,
    AuditAction,
    Permission,
    PinKind,
    SubscriptionState,
    VersionState,
)
from treaty.registry.core.errors import Conflict, Forbidden, IllegalTransition, InvalidRequest, NotFound
from treaty.registry.core.pagination import PageRequest, RowPage, SortOrder
from treaty.registry.notifications import dispatch, messages
from treaty.registry.review.consumers import breaking_changes, check_document, consumer_checks
from treaty.registry.tables import AcknowledgementRow, ContractRow, ContractVersionRow, SubscriptionRow, UserRow

NEWEST_FIRST = SortOrder((col(AcknowledgementRow.id),), newest_first=True)
MOST = 100
WAITED_FOR = frozenset({AcknowledgementState.PENDING, AcknowledgementState.OBJECTED})
AUDIT_ACTIONS = {
    AcknowledgementState.ACKNOWLEDGED: AuditAction.ACKNOWLEDGEMENT_GIVEN,
    AcknowledgementState.OBJECTED: AuditAction.ACKNOWLEDGEMENT_REFUSED,
    AcknowledgementState.PENDING: AuditAction.ACKNOWLEDGEMENT_RESET,
}


@dataclass(frozen=True)
class ConsumerImpact:
    """What a version means for a consumer. `breaks`: why it breaks them, in sentences; () where it does not."""

    subscription: SubscriptionRow
    subscriber: str
    breaks: tuple[str, ...]


@dataclass(frozen=True)
class AcknowledgementFilter:
    """Which acknowledgements are asked for. `mine`: those of own subscriptions; `waiting`: those that are not given."""

    contract_id: str | None = None
    version: str | None = None
    mine: bool = False
    waiting: bool = False


@dataclass(frozen=True)
class AcknowledgementListing:
    """An acknowledgement with the version and the subscription that it is about, and people's names."""

    row: AcknowledgementRow
    version: ContractVersionRow
    subscription: SubscriptionRow
    subscriber: str


def impact_of(session: Session, new: Document, documents: Documents) -> list[ConsumerImpact]:
    """What that document would mean for each active consumer of its contract; [] where there is none."""
    found = active(session, new.id)
    if not found:
        return []
    judge = _judge(standings(session, [new.id])[new.id], new, documents)
    names = subscriptions.names(session, found)
    return [ConsumerImpact(each, names[each.id], tuple(judge(session, each))) for each in found]


def request_acknowledgements(
    session: Session, version: ContractVersionRow, documents: Documents, *, make_id: Callable[[], UUID], now: datetime
) -> None:
    """Asks every consumer whom the approved version breaks, and tells the others; before it is in force.

    How long they have is what the version says that is in force. Nobody is asked of a contract's first version."""
    new = documents.stored(version.body)
    found = impact_of(session, new, documents)
    deadline = now + timedelta(days=_days(session, new, documents))
    for each in found:
        session.add(_acknowledgement_row(each, version, make_id(), deadline=deadline, now=now))
    if broken := _broken(found):
        dispatch.notify(session, messages.breaking(version, broken, deadline), now=now)
    if found:
        _record_asked(session, version, found, deadline=deadline, now=now)


def outstanding(session: Session, version: ContractVersionRow, *, now: datetime) -> Sequence[AcknowledgementRow]:
    """The acknowledgements that the version still waits for: not given, and the deadline not over; [] for none."""
    row = AcknowledgementRow
    query = select(row).join(SubscriptionRow, col(SubscriptionRow.id) == col(row.subscription_id))
    waited = query.where(row.version_id == version.id, col(row.state).in_(WAITED_FOR), col(row.due_at) > now)
    alive = waited.where(SubscriptionRow.state == SubscriptionState.ACTIVE)
    return session.exec(alive.order_by(col(row.id))).all()


def get(session: Session, acknowledgement_id: UUID, *, by: Principal) -> AcknowledgementRow:
    """The acknowledgement, locked. Raises NotFound where there is none, or its contract is not theirs to read."""
    require_permission_anywhere(by, Permission.READ)
    row = session.get(AcknowledgementRow, acknowledgement_id, with_for_update=True)
    if row is None:
        raise NotFound
    subscriptions.get(session, row.subscription_id, by=by)
    return row


def answer(
    session: Session,
    acknowledgement_id: UUID,
    given: AcknowledgementState,
    *,
    comment: str | None,
    by: Principal,
    now: datetime,
) -> AcknowledgementRow:
    """Acknowledges the version, or objects to it, for the consumer. Who objected may still acknowledge; until the
    version is in force, an answer may be taken back (`PENDING`).

    Raises NotFound, Forbidden for another's, IllegalTransition where it was acknowledged or never asked, Invalid for an
    objection without a comment."""
    require_permission_anywhere(by, Permission.SUBSCRIBE)
    row = get(session, acknowledgement_id, by=by)
    _admit(session, row, given, comment, by)
    row.state, row.comment = given, comment
    answered = given is not AcknowledgementState.PENDING
    row.answered_by_id, row.answered_at = (by.user_id, now) if answered else (None, None)
    version = session.get_one(ContractVersionRow, row.version_id)
    details = {"contract": version.contract_id, "version": version.version, "subscription": str(row.subscription_id)}
    audit_log.record(session, AUDIT_ACTIONS[given], actor=by.name, object_id=row.id, now=now, details=details)
    return row


def list_acknowledgements(
    session: Session, by: Principal, asked: PageRequest, which: AcknowledgementFilter
) -> RowPage[AcknowledgementListing]:
    """Acknowledgements of contracts that the principal may read, newest first."""
    found = session.exec(NEWEST_FIRST.of(_chosen(by, which), asked)).all()
    portion = NEWEST_FIRST.cut(found, asked, lambda each: each[0])
    named = subscriptions.names(session, (of for _, _, of in portion.rows))
    return RowPage(
        [AcknowledgementListing(each, version, of, named[of.id]) for each, version, of in portion.rows], portion.next
    )


def _chosen(
    by: Principal, which: AcknowledgementFilter
) -> Select[AcknowledgementRow, ContractVersionRow, SubscriptionRow]:
    row = AcknowledgementRow
    query = (
        select(row, ContractVersionRow, SubscriptionRow)
        .join(ContractVersionRow, col(ContractVersionRow.id) == col(row.version_id))
        .join(SubscriptionRow, col(SubscriptionRow.id) == col(row.subscription_id))
        .join(ContractRow, col(ContractRow.id) == col(SubscriptionRow.contract_id))
        .where(visibility.readable_contracts(by))
    )
    wanted = {ContractVersionRow.contract_id: which.contract_id, ContractVersionRow.version: which.version}
    for column, value in wanted.items():
        query = query if value is None else query.where(col(column) == value)
    if which.mine:
        query = query.where(visibility.own_subscriptions(by))
    if which.waiting:
        query = query.where(col(row.state).in_(WAITED_FOR), SubscriptionRow.state == SubscriptionState.ACTIVE)
    return query


def acknowledgement_listing(session: Session, row: AcknowledgementRow) -> AcknowledgementListing:
    """The acknowledgement as lists show it."""
    version = session.get_one(ContractVersionRow, row.version_id)
    subscription = session.get_one(SubscriptionRow, row.subscription_id)
    return AcknowledgementListing(
        row, version, subscription, subscriptions.names(session, [subscription])[subscription.id]
    )


def waiting(session: Session, by: Principal) -> Sequence[AcknowledgementListing]:
    """What the principal is asked and has not acknowledged, newest first."""
    return list_acknowledgements(session, by, PageRequest(MOST), AcknowledgementFilter(mine=True, waiting=True)).rows


def unanswered(by: Principal) -> SelectOfScalar[UUID]:
    """Of what `waiting` gives what the principal neither acknowledged nor objected to: the ids, as a query."""
    row = AcknowledgementRow
    newest = _chosen(by, AcknowledgementFilter(mine=True, waiting=True)).with_only_columns(col(row.id), col(row.state))
    shown = newest.order_by(col(row.id).desc()).limit(MOST).subquery()
    return select(shown.c.id).where(shown.c.state == AcknowledgementState.PENDING)


def _judge(
    standing: VersionOverview, new: Document, documents: Documents
) -> Callable[[Session, SubscriptionRow], Iterator[str]]:
    """Why the new version breaks a consumer; each version that somebody builds on is compared once."""
    known: dict[str, tuple[Document, breaking_changes.VersionChanges]] = {}

    def against(old: ContractVersionRow) -> tuple[Document, breaking_changes.VersionChanges]:
        if old.version not in known:
            document = documents.stored(old.body)
            known[old.version] = document, breaking_changes.changes(document, new, documents.checks)
        return known[old.version]

    def breaks(session: Session, of: SubscriptionRow) -> Iterator[str]:
        old = _built_on(standing, of, new.terms.group)
        if old is not None and old.version != new.version:
            document, changes = against(old)
            asked = [consumer_checks.asked_of(row) for row in consumer_checks.current(session, of.id)]
            yield from changes.breaks(breaking_changes.reliance(of.reads, check_document.needs(document, asked)))

    return breaks


def _built_on(standing: VersionOverview, of: SubscriptionRow, group: str) -> ContractVersionRow | None:
    """The version in force that the new one would replace for the consumer; None where it replaces none of theirs."""
    followed = standing.followed(of.pin, of.pinned_to)
    if of.pin is PinKind.NONE or followed is None:
        return followed
    return standing.of_group(group) if followed.group == group else None


def _days(session: Session, new: Document, documents: Documents) -> int:
    standing = standings(session, [new.id])[new.id]
    before = standing.of_group(new.terms.group) or standing.version(standing.newest)
    return documents.stored(before.body).terms.review.acknowledge_days if before else 0


def _broken(found: Sequence[ConsumerImpact]) -> dict[UUID, list[str]]:
    """Why the version breaks each user whom it breaks, for all that they subscribed to."""
    broken: dict[UUID, list[str]] = {}
    for each in found:
        if each.breaks:
            broken.setdefault(each.subscription.user_id, []).extend(each.breaks)
    return broken


def _acknowledgement_row(
    each: ConsumerImpact, version: ContractVersionRow, row_id: UUID, *, deadline: datetime, now: datetime
) -> AcknowledgementRow:
    return AcknowledgementRow(
        id=row_id,
        version_id=version.id,
        subscription_id=each.subscription.id,
        breaking_reasons=list(each.breaks),
        state=AcknowledgementState.PENDING if each.breaks else AcknowledgementState.NOTIFIED,
        requested_at=now,
        due_at=deadline if each.breaks else None,
    )


def _record_asked(
    session: Session, version: ContractVersionRow, found: Sequence[ConsumerImpact], *, deadline: datetime, now: datetime
) -> None:
    asked = [str(each.subscription.id) for each in found if each.breaks]
    actor = session.get_one(UserRow, version.approved_by_id).name
    details = {
        "contract": version.contract_id, "version": version.version, "asked": asked, "told": len(found) - len(asked),
        "deadline": deadline.isoformat() if asked else None,
    }  # fmt: skip
    audit_log.record(
        session, AuditAction.ACKNOWLEDGEMENT_ASKED, actor=actor, object_id=version.id, now=now, details=details
    )


def _admit(
    session: Session, row: AcknowledgementRow, given: AcknowledgementState, comment: str | None, by: Principal
) -> None:
    subscription = session.get_one(SubscriptionRow, row.subscription_id)
    if not subscriptions.is_own(session, subscription, by):
        raise Forbidden("only the consumer who was asked may answer")
    if given is AcknowledgementState.PENDING:
        _refuse_reset(session, row)
        return
    if row.state not in WAITED_FOR:
        raise IllegalTransition("request to acknowledge", state=row.state.value, step="answer", legal=())
    if given is AcknowledgementState.OBJECTED and not comment:
        fault = Fault(
            code="TR-COMMENT", where="comment", message="an objection needs a comment", remedy="say what it breaks"
        )
        raise InvalidRequest("say what it breaks", faults=[fault])


def _refuse_reset(session: Session, row: AcknowledgementRow) -> None:
    """Returns where there is an answer, which nobody has gone by yet."""
    if row.state not in {AcknowledgementState.ACKNOWLEDGED, AcknowledgementState.OBJECTED}:
        raise IllegalTransition("request to acknowledge", state=row.state.value, step="take back", legal=())
    if session.get_one(ContractVersionRow, row.version_id).state is not VersionState.APPROVED:
        raise Conflict("the version does not wait any more: the answer to it stands")
