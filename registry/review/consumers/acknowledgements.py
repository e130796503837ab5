"""Request acknowledgements of breaking versions from consumers, and notify the others.

A new version is compared with the version that the consumer builds on: the version in force of the group that the
subscription is pinned to, or without a pin the version activated last. A version of another group does not affect
the consumer."""

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
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import AcknowledgementState, Permission, PinKind, SubscriptionState, VersionState
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
    AcknowledgementState.OBJECTED: AuditAction.ACKNOWLEDGEMENT_OBJECTED,
    AcknowledgementState.PENDING: AuditAction.ACKNOWLEDGEMENT_RESET,
}


@dataclass(frozen=True)
class ConsumerImpact:
    """Impact of a version on a consumer.

    `breaks`: one sentence per breaking change that affects them; () means not affected."""

    subscription: SubscriptionRow
    subscriber: str
    breaks: tuple[str, ...]


@dataclass(frozen=True)
class AcknowledgementFilter:
    """Filter of acknowledgements.

    `mine`: only those of the principal's own subscriptions. `waiting`: only those that are pending or objected to."""

    contract_id: str | None = None
    version: str | None = None
    mine: bool = False
    waiting: bool = False


@dataclass(frozen=True)
class AcknowledgementListing:
    """An acknowledgement with its version, its subscription and the subscriber's name."""

    row: AcknowledgementRow
    version: ContractVersionRow
    subscription: SubscriptionRow
    subscriber: str


def impact_of(session: Session, new: Document, documents: Documents) -> list[ConsumerImpact]:
    """Return the impact of the document on each active consumer of its contract."""
    subscribers = active(session, new.id)
    if not subscribers:
        return []
    reasons_of = _judge(standings(session, [new.id])[new.id], new, documents)
    names = subscriptions.names(session, subscribers)
    return [ConsumerImpact(each, names[each.id], tuple(reasons_of(session, each))) for each in subscribers]


def request_acknowledgements(
    session: Session, version: ContractVersionRow, documents: Documents, *, make_id: Callable[[], UUID], now: datetime
) -> None:
    """Request acknowledgement from affected consumers of an approved version, before it is activated.

    The version in force defines the deadline in days. Unaffected consumers get a record in state NOTIFIED. A
    contract's first version affects no consumer."""
    new = documents.stored(version.body)
    impacts = impact_of(session, new, documents)
    deadline = now + timedelta(days=_days(session, new, documents))
    for each in impacts:
        session.add(_acknowledgement_row(each, version, make_id(), deadline=deadline, now=now))
    if broken := _broken(impacts):
        dispatch.notify(session, messages.breaking(version, broken, deadline), now=now)
    if impacts:
        _record_asked(session, version, impacts, deadline=deadline, now=now)


def outstanding(session: Session, version: ContractVersionRow, *, now: datetime) -> Sequence[AcknowledgementRow]:
    """Return the acknowledgements that still block the version: not given, with the deadline ahead."""
    row = AcknowledgementRow
    query = select(row).join(SubscriptionRow, col(SubscriptionRow.id) == col(row.subscription_id))
    pending = query.where(row.version_id == version.id, col(row.state).in_(WAITED_FOR), col(row.due_at) > now)
    active_only = pending.where(SubscriptionRow.state == SubscriptionState.ACTIVE)
    return session.exec(active_only.order_by(col(row.id))).all()


def get(session: Session, acknowledgement_id: UUID, *, by: Principal) -> AcknowledgementRow:
    """Return the acknowledgement, locked.

    Raises NotFound if it does not exist or its contract is not readable."""
    require_permission_anywhere(by, Permission.READ)
    row = session.get(AcknowledgementRow, acknowledgement_id, with_for_update=True)
    if row is None:
        raise NotFound
    subscriptions.get(session, row.subscription_id, by=by)
    return row


def answer(
    session: Session,
    acknowledgement_id: UUID,
    state: AcknowledgementState,
    *,
    comment: str | None,
    by: Principal,
    now: datetime,
) -> AcknowledgementRow:
    """Acknowledge a version, object to it, or withdraw the answer, on behalf of the consumer.

    An objection can be turned into an acknowledgement. `PENDING` withdraws the answer, until the version is in
    force. Raises NotFound if the acknowledgement does not exist, Forbidden for another consumer's, IllegalTransition
    if it was given already or never requested, Conflict if the version is in force, and InvalidRequest for an
    objection without a comment."""
    require_permission_anywhere(by, Permission.SUBSCRIBE)
    row = get(session, acknowledgement_id, by=by)
    _admit(session, row, state, comment, by)
    row.state, row.comment = state, comment
    answered = state is not AcknowledgementState.PENDING
    row.answered_by_id, row.answered_at = (by.user_id, now) if answered else (None, None)
    version = session.get_one(ContractVersionRow, row.version_id)
    details = {"contract": version.contract_id, "version": version.version, "subscription": str(row.subscription_id)}
    audit_log.record(session, AUDIT_ACTIONS[state], actor=by.name, object_id=row.id, now=now, details=details)
    return row


def list_acknowledgements(
    session: Session, by: Principal, request: PageRequest, acknowledgement_filter: AcknowledgementFilter
) -> RowPage[AcknowledgementListing]:
    """List acknowledgements of contracts that the principal may read, newest first."""
    rows = session.exec(NEWEST_FIRST.of(_chosen(by, acknowledgement_filter), request)).all()
    page = NEWEST_FIRST.cut(rows, request, lambda each: each[0])
    subscriber_names = subscriptions.names(session, (of for _, _, of in page.rows))
    return RowPage(
        [AcknowledgementListing(each, version, of, subscriber_names[of.id]) for each, version, of in page.rows],
        page.next,
    )


def _chosen(
    by: Principal, acknowledgement_filter: AcknowledgementFilter
) -> Select[AcknowledgementRow, ContractVersionRow, SubscriptionRow]:
    row = AcknowledgementRow
    query = (
        select(row, ContractVersionRow, SubscriptionRow)
        .join(ContractVersionRow, col(ContractVersionRow.id) == col(row.version_id))
        .join(SubscriptionRow, col(SubscriptionRow.id) == col(row.subscription_id))
        .join(ContractRow, col(ContractRow.id) == col(SubscriptionRow.contract_id))
        .where(visibility.readable_contracts(by))
    )
    columns = {
        ContractVersionRow.contract_id: acknowledgement_filter.contract_id,
        ContractVersionRow.version: acknowledgement_filter.version,
    }
    for column, value in columns.items():
        query = query if value is None else query.where(col(column) == value)
    if acknowledgement_filter.mine:
        query = query.where(visibility.own_subscriptions(by))
    if acknowledgement_filter.waiting:
        query = query.where(col(row.state).in_(WAITED_FOR), SubscriptionRow.state == SubscriptionState.ACTIVE)
    return query


def acknowledgement_listing(session: Session, row: AcknowledgementRow) -> AcknowledgementListing:
    """Return the acknowledgement with its version, subscription and subscriber."""
    version = session.get_one(ContractVersionRow, row.version_id)
    subscription = session.get_one(SubscriptionRow, row.subscription_id)
    return AcknowledgementListing(
        row, version, subscription, subscriptions.names(session, [subscription])[subscription.id]
    )


def waiting(session: Session, by: Principal) -> Sequence[AcknowledgementListing]:
    """Return the principal's acknowledgements that are not given yet, newest first."""
    return list_acknowledgements(session, by, PageRequest(MOST), AcknowledgementFilter(mine=True, waiting=True)).rows


def unanswered(by: Principal) -> SelectOfScalar[UUID]:
    """Select the ids of the `waiting` acknowledgements without an answer.

    Acknowledgements that were objected to have an answer."""
    row = AcknowledgementRow
    newest = _chosen(by, AcknowledgementFilter(mine=True, waiting=True)).with_only_columns(col(row.id), col(row.state))
    shown = newest.order_by(col(row.id).desc()).limit(MOST).subquery()
    return select(shown.c.id).where(shown.c.state == AcknowledgementState.PENDING)


def _judge(
    standing: VersionOverview, new: Document, documents: Documents
) -> Callable[[Session, SubscriptionRow], Iterator[str]]:
    """Return a function that explains why the new version breaks a consumer.

    Each version that consumers build on is compared once."""
    comparisons: dict[str, tuple[Document, breaking_changes.VersionChanges]] = {}

    def against(old: ContractVersionRow) -> tuple[Document, breaking_changes.VersionChanges]:
        if old.version not in comparisons:
            document = documents.stored(old.body)
            comparisons[old.version] = document, breaking_changes.changes(document, new, documents.checks)
        return comparisons[old.version]

    def breaks(session: Session, of: SubscriptionRow) -> Iterator[str]:
        old = _built_on(standing, of, new.terms.group)
        if old is not None and old.version != new.version:
            document, changes = against(old)
            checks = [consumer_checks.asked_of(row) for row in consumer_checks.current(session, of.id)]
            yield from changes.breaks(breaking_changes.reliance(of.reads, check_document.needs(document, checks)))

    return breaks


def _built_on(standing: VersionOverview, of: SubscriptionRow, group: str) -> ContractVersionRow | None:
    """Return the version in force that the new one replaces for the consumer, or None."""
    followed = standing.followed(of.pin, of.pinned_to)
    if of.pin is PinKind.NONE or followed is None:
        return followed
    return standing.of_group(group) if followed.group == group else None


def _days(session: Session, new: Document, documents: Documents) -> int:
    overview = standings(session, [new.id])[new.id]
    before = overview.of_group(new.terms.group) or overview.version(overview.newest)
    return documents.stored(before.body).terms.review.acknowledge_days if before else 0


def _broken(impacts: Sequence[ConsumerImpact]) -> dict[UUID, list[str]]:
    """Return the reasons by affected user, over all of their subscriptions."""
    broken: dict[UUID, list[str]] = {}
    for each in impacts:
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
    session: Session,
    version: ContractVersionRow,
    impacts: Sequence[ConsumerImpact],
    *,
    deadline: datetime,
    now: datetime,
) -> None:
    ids = [str(each.subscription.id) for each in impacts if each.breaks]
    actor = session.get_one(UserRow, version.approved_by_id).name
    details = {
        "contract": version.contract_id, "version": version.version, "requested": ids,
        "notified": len(impacts) - len(ids), "deadline": deadline.isoformat() if ids else None,
    }  # fmt: skip
    audit_log.record(
        session, AuditAction.ACKNOWLEDGEMENT_REQUESTED, actor=actor, object_id=version.id, now=now, details=details
    )


def _admit(
    session: Session, row: AcknowledgementRow, state: AcknowledgementState, comment: str | None, by: Principal
) -> None:
    subscription = session.get_one(SubscriptionRow, row.subscription_id)
    if not subscriptions.is_own(session, subscription, by):
        raise Forbidden("only the affected consumer can answer this acknowledgement request")
    if state is AcknowledgementState.PENDING:
        _refuse_reset(session, row)
        return
    if row.state not in WAITED_FOR:
        raise IllegalTransition("request for acknowledgement", state=row.state.value, step="answer", legal=())
    if state is AcknowledgementState.OBJECTED and not comment:
        fault = Fault(
            code="TR-COMMENT",
            where="comment",
            message="an objection needs a comment",
            remedy="describe what the version breaks",
        )
        raise InvalidRequest("an objection needs a comment that describes what the version breaks", faults=[fault])


def _refuse_reset(session: Session, row: AcknowledgementRow) -> None:
    """Raise unless there is an answer and the version is not in force yet."""
    if row.state not in {AcknowledgementState.ACKNOWLEDGED, AcknowledgementState.OBJECTED}:
        raise IllegalTransition(
            "request for acknowledgement", state=row.state.value, step="withdraw the answer to", legal=()
        )
    if session.get_one(ContractVersionRow, row.version_id).state is not VersionState.APPROVED:
        raise Conflict("the version is no longer waiting for acknowledgements: the answer cannot be withdrawn")
