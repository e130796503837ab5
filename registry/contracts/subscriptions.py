"""Manage subscriptions: create, change, end, list, and detect outdated pins."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import func
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from treaty.contracts.errors import Fault
from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal, require_permission, require_permission_anywhere
from treaty.registry.audit import audit_log
from treaty.registry.contracts.declared_use import Use, stored_use
from treaty.registry.contracts.version_status import VersionOverview, lag, standings
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.database import UNKEYED
from treaty.registry.core.enums import Permission, PinKind, SubscriptionState
from treaty.registry.core.errors import Conflict, Forbidden, IllegalTransition, InvalidRequest, NotFound
from treaty.registry.core.pagination import PageRequest, RowPage, SortOrder
from treaty.registry.tables import (
    ChannelRow,
    ConsumerCheckRow,
    ContractRow,
    SubscriptionRow,
    TeamMemberRow,
    TeamRow,
    UserRow,
)

OLDEST_FIRST = SortOrder((col(SubscriptionRow.id),))
MOST_LAGGING = 500


@dataclass(frozen=True, kw_only=True)
class SubscriptionListing:
    """A subscription with the details that lists show.

    `subscriber`: name of the subscriber or of their team.
    `checks`: number of the subscription's active consumer checks.
    `lagging`: why its pin is outdated; None if it is current.
    `holders`: users who may change it and respond for it."""

    subscription: SubscriptionRow
    subscriber: str
    checks: int
    lagging: str | None
    holders: frozenset[UUID] = frozenset()


def register(
    session: Session, contract_id: str, use: Use, *, subscription_id: UUID, by: Principal, now: datetime
) -> SubscriptionRow:
    """Subscribe the principal or their team to the contract for a purpose.

    Raises NotFound if the contract does not exist or the principal is not in the team; Conflict if no version is in
    force or the same purpose is already subscribed; InvalidRequest with every fault of the declared columns and pin."""
    require_permission_anywhere(by, Permission.SUBSCRIBE)
    require_permission(by, Permission.SUBSCRIBE, visibility.require_readable_contract(session, contract_id, by))
    _lock(session, contract_id)
    subscription = SubscriptionRow(
        id=subscription_id,
        contract_id=contract_id,
        user_id=by.user_id,
        team_id=_team(session, use.team, by) if use.team else None,
        created_at=now,
        **stored_use(session, contract_id, use),
    )
    _refuse_twice(session, subscription)
    _refuse_channel(session, subscription)
    session.add(subscription)
    _record(session, AuditAction.SUBSCRIPTION_CREATED, subscription, by=by, now=now)
    return subscription


def change(
    session: Session, subscription_id: UUID, use: Use, *, revision: int, by: Principal, now: datetime
) -> SubscriptionRow:
    """Replace the declared use of a subscription.

    `revision`: the revision that the caller read. Raises Conflict if it is outdated, and otherwise as `register`."""
    subscription = own_subscription(session, subscription_id, by=by)
    if subscription.revision != revision:
        raise Conflict(
            f"The subscription changed and is now at revision {subscription.revision}. Reload it and try again."
        )
    _lock(session, subscription.contract_id)
    subscription.sqlmodel_update(stored_use(session, subscription.contract_id, use))
    subscription.revision += 1
    _refuse_twice(session, subscription)
    _refuse_channel(session, subscription)
    _record(session, AuditAction.SUBSCRIPTION_CHANGED, subscription, by=by, now=now)
    return subscription


def end(session: Session, subscription_id: UUID, *, by: Principal, now: datetime) -> SubscriptionRow:
    """End the subscription for good.

    Its subscriber is no longer asked to acknowledge versions, and its checks are no longer evaluated."""
    subscription = own_subscription(session, subscription_id, by=by, or_with=Permission.USERS)
    subscription.state, subscription.ended_at = SubscriptionState.ENDED, now
    subscription.revision += 1
    _record(session, AuditAction.SUBSCRIPTION_ENDED, subscription, by=by, now=now)
    return subscription


def get(session: Session, subscription_id: UUID, *, by: Principal, lock: bool = False) -> SubscriptionRow:
    """Return the subscription. Raises NotFound if it does not exist or the principal may not read its contract."""
    require_permission_anywhere(by, Permission.READ)
    subscription = session.get(SubscriptionRow, subscription_id, with_for_update=lock)
    if subscription is None:
        raise NotFound
    visibility.require_readable_contract(session, subscription.contract_id, by)
    return subscription


def own_subscription(
    session: Session, subscription_id: UUID, *, by: Principal, or_with: Permission | None = None
) -> SubscriptionRow:
    """Return an active subscription of the principal or their team, locked.

    `or_with`: a permission that also allows access to subscriptions of others. Raises NotFound, Forbidden if the
    subscription belongs to others, and IllegalTransition if it has ended."""
    require_permission_anywhere(by, Permission.SUBSCRIBE)
    subscription = get(session, subscription_id, by=by, lock=True)
    require_permission(by, Permission.SUBSCRIBE, visibility.contract_resource(session, subscription.contract_id))
    if not is_own(session, subscription, by) and not (or_with and by.may(or_with)):
        raise Forbidden("Only the subscriber or a member of their team can change a subscription.")
    if subscription.state is SubscriptionState.ENDED:
        raise IllegalTransition("subscription", state=subscription.state.value, step="change", legal=())
    return subscription


def is_own(session: Session, subscription: SubscriptionRow, by: Principal) -> bool:
    """Return whether the subscription belongs to the principal or one of their teams."""
    return by.user_id in _holders(session, [subscription])[subscription.id]


def active(session: Session, contract_id: str) -> Sequence[SubscriptionRow]:
    """Return the contract's active subscriptions, oldest first."""
    conditions = SubscriptionRow.contract_id == contract_id, SubscriptionRow.state == SubscriptionState.ACTIVE
    return session.exec(select(SubscriptionRow).where(*conditions).order_by(col(SubscriptionRow.id))).all()


def contracts(by: Principal) -> SelectOfScalar[str]:
    """Select the ids of the contracts that the principal or their teams subscribe to."""
    return select(SubscriptionRow.contract_id).where(
        visibility.own_subscriptions(by), SubscriptionRow.state == SubscriptionState.ACTIVE
    )


def list_subscriptions(
    session: Session,
    by: Principal,
    request: PageRequest,
    *,
    contract_id: str | None = None,
    mine: bool = False,
    ended: bool = False,
) -> RowPage[SubscriptionListing]:
    """Return a page of the subscriptions to contracts that the principal may read, oldest first.

    `contract_id`: None means all contracts.
    `mine`: only subscriptions of the principal and their teams.
    `ended`: include ended subscriptions."""
    query = (
        select(SubscriptionRow)
        .join(ContractRow, col(ContractRow.id) == col(SubscriptionRow.contract_id))
        .where(visibility.readable_contracts(by))
    )
    if contract_id is not None:
        query = query.where(SubscriptionRow.contract_id == contract_id)
    if mine:
        query = query.where(visibility.own_subscriptions(by))
    if not ended:
        query = query.where(SubscriptionRow.state == SubscriptionState.ACTIVE)
    page = OLDEST_FIRST.cut(session.exec(OLDEST_FIRST.of(query, request)).all(), request)
    return RowPage(_listings(session, page.rows), page.next)


def subscription_listing(session: Session, subscription: SubscriptionRow) -> SubscriptionListing:
    """Return the subscription with the details that lists show."""
    return _listings(session, [subscription])[0]


def names(session: Session, subscriptions: Iterable[SubscriptionRow]) -> dict[UUID, str]:
    """Return the subscriber's or team's name by subscription."""
    rows = list(subscriptions)
    users = select(UserRow.id, UserRow.name).where(col(UserRow.id).in_({each.user_id for each in rows}))
    teams = select(TeamRow.id, TeamRow.name).where(col(TeamRow.id).in_({each.team_id for each in rows if each.team_id}))
    names_by_id = dict(session.exec(users).all()) | dict(session.exec(teams).all())
    return {each.id: names_by_id.get(each.team_id or each.user_id) or names_by_id[each.user_id] for each in rows}


def lagging(session: Session, by: Principal) -> list[SubscriptionListing]:
    """Return the principal's active subscriptions with an outdated pin; [] for none."""
    return [each for each in list_subscriptions(session, by, PageRequest(MOST_LAGGING), mine=True).rows if each.lagging]


def pinned(session: Session, contract_id: str, version: str) -> Sequence[SubscriptionRow]:
    """Return the active subscriptions that are pinned to exactly that version."""
    subscriptions = active(session, contract_id)
    return [each for each in subscriptions if each.pin is PinKind.VERSION and each.pinned_to == version]


def _refuse_channel(session: Session, subscription: SubscriptionRow) -> None:
    """Require a channel of the subscriber or team that is not limited to one contract."""
    if subscription.channel_id is None:
        return
    channel = session.get(ChannelRow, subscription.channel_id)
    owner_ids = {subscription.user_id, subscription.team_id} - {None}
    if channel is None or channel.contract_id is not None or (channel.user_id or channel.team_id) not in owner_ids:
        fault = Fault(
            code="TR-CHANNEL",
            where="channel_id",
            message="is not a channel of yours that covers all contracts",
            remedy="use another channel, or omit it",
        )
        raise InvalidRequest("The subscription has faults", faults=[fault])


def _listings(session: Session, subscriptions: Sequence[SubscriptionRow]) -> list[SubscriptionListing]:
    counts, subscribers = _counts(session, [each.id for each in subscriptions]), names(session, subscriptions)
    holders = _holders(session, subscriptions)
    pins = {each.contract_id for each in subscriptions if each.pin is not PinKind.NONE}
    overviews: Mapping[str, VersionOverview] = standings(session, pins) if pins else {}
    behind = {each.id: _behind(each, overviews.get(each.contract_id)) for each in subscriptions}
    return [
        SubscriptionListing(
            subscription=each,
            subscriber=subscribers[each.id],
            checks=counts.get(each.id, 0),
            lagging=behind[each.id],
            holders=holders[each.id],
        )
        for each in subscriptions
    ]


def _holders(session: Session, subscriptions: Sequence[SubscriptionRow]) -> dict[UUID, frozenset[UUID]]:
    """Return the users who may change each subscription: its team's members, or its subscriber."""
    teams = {each.team_id for each in subscriptions if each.team_id}
    query = select(TeamMemberRow.team_id, TeamMemberRow.user_id).where(col(TeamMemberRow.team_id).in_(teams))
    members = session.exec(query).all() if teams else []
    return {
        each.id: frozenset(user for team, user in members if team == each.team_id)
        if each.team_id
        else frozenset({each.user_id})
        for each in subscriptions
    }


def _team(session: Session, name: str, by: Principal) -> UUID:
    """Return the id of the team. Raises NotFound unless the principal is a member of a team of that name."""
    conditions = TeamMemberRow.user_id == by.user_id, TeamRow.name == name
    query = select(TeamRow.id).join(TeamMemberRow, col(TeamMemberRow.team_id) == col(TeamRow.id)).where(*conditions)
    team_id = session.exec(query).first()
    if team_id is None:
        raise NotFound(f"You are not a member of a team named {name}.")
    return team_id


def _behind(subscription: SubscriptionRow, standing: VersionOverview | None) -> str | None:
    is_active = subscription.state is SubscriptionState.ACTIVE
    return lag(subscription, standing) if is_active and standing else None


def _counts(session: Session, subscription_ids: Sequence[UUID]) -> Mapping[UUID, int]:
    """Count each subscription's checks that have not ended."""
    row = ConsumerCheckRow
    newest = func.max(row.number).label("number")
    last = select(row.subscription_id, row.identity, newest).group_by(col(row.subscription_id), col(row.identity))
    newest_of = last.where(col(row.subscription_id).in_(subscription_ids)).subquery()
    same = (
        (newest_of.c.subscription_id == col(row.subscription_id))
        & (newest_of.c.identity == col(row.identity))
        & (newest_of.c.number == col(row.number))
    )
    counts = select(row.subscription_id, func.count()).join(newest_of, same).where(col(row.patch).is_not(None))
    return dict(session.exec(counts.group_by(col(row.subscription_id))).all())


def _lock(session: Session, contract_id: str) -> None:
    """Lock the contract's row, so that subscriptions and approvals of its versions are serialized."""
    contract = session.get(ContractRow, contract_id, with_for_update=UNKEYED)
    if contract is None:
        raise NotFound


def _refuse_twice(session: Session, subscription: SubscriptionRow) -> None:
    """Raise Conflict if the consumer already has an active subscription for the same purpose."""
    existing = (each for each in active(session, subscription.contract_id) if each.id != subscription.id)
    same = subscription.team_id or subscription.user_id, subscription.purpose.casefold()
    if any((each.team_id or each.user_id, each.purpose.casefold()) == same for each in existing):
        raise Conflict(
            "You already have a subscription to this contract for that purpose. Change that subscription instead."
        )


def _record(
    session: Session, action: AuditAction, subscription: SubscriptionRow, *, by: Principal, now: datetime
) -> None:
    use = subscription.model_dump(mode="json", include={"purpose", "pin", "pinned_to", "reads"})
    team = {"team": str(subscription.team_id)} if subscription.team_id else {}
    details = {"contract": subscription.contract_id, "revision": subscription.revision, **team, **use}
    audit_log.record(session, action, actor=by.name, object_id=subscription.id, now=now, details=details)
