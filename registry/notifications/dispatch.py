"""Select the channels of a notification and enqueue one message for each through the outbox.

Holders are never notified about a contract that they may not read. A channel of one contract receives all of its
notifications; other channels receive those that concern their holder: contracts that they own or may decide about, and
those that they subscribe to."""

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.registry.access import authentication, visibility
from treaty.registry.access.authentication import Principal, Resource
from treaty.registry.access.permissions import GRANTS, ScopedGrant, permissions_of
from treaty.registry.contracts import subscriptions
from treaty.registry.core.enums import GrantScope, NotificationKind, Permission, Role
from treaty.registry.core.ids import derived_id
from treaty.registry.notifications import outbox
from treaty.registry.notifications.messages import Notification, RenderedNotice
from treaty.registry.notifications.outbox import NOTICE
from treaty.registry.tables import ChannelRow, ContractRow, ProposalRow, RoleGrantRow, SubscriptionRow, TeamRow, UserRow


class AudienceKind(StrEnum):
    """Recipients of a notification kind, in addition to those that the notification names."""

    OWNERS = "owners"
    CONSUMERS = "consumers"


AUDIENCES: dict[NotificationKind, frozenset[AudienceKind]] = {
    NotificationKind.PROPOSAL: frozenset({AudienceKind.OWNERS}),
    NotificationKind.DECISION: frozenset({AudienceKind.OWNERS}),
    NotificationKind.REVIEW: frozenset(),
    NotificationKind.BREAKING: frozenset({AudienceKind.OWNERS}),
    NotificationKind.VIOLATION: frozenset(AudienceKind),
    NotificationKind.RECOVERY: frozenset(AudienceKind),
    NotificationKind.LAG: frozenset(),
    NotificationKind.REQUEST: frozenset({AudienceKind.OWNERS}),
    NotificationKind.TEST: frozenset(),
}

# Kinds that consumers receive because they subscribed: the subscription selects kinds and channel.
CHOSEN = frozenset(
    {NotificationKind.VIOLATION, NotificationKind.RECOVERY, NotificationKind.BREAKING, NotificationKind.LAG}
)


def notify(session: Session, notice: Notification, *, now: datetime) -> int:
    """Enqueue the notification for its audience and return the number of new messages.

    Each channel of the audience gets one message."""
    query = select(ChannelRow).order_by(col(ChannelRow.id))
    matching = [
        each
        for each in session.exec(query).all()
        if not each.notification_kinds or notice.kind in each.notification_kinds
    ]
    if not matching:
        return 0
    audience = _Audience(session, notice)
    return sum(_post(session, notice, each, now=now) for each in matching if audience.hears(each))


def send(session: Session, notice: Notification, channel: ChannelRow, *, now: datetime) -> bool:
    """Enqueue the notification for this channel, whatever its audience. False if it was enqueued before."""
    return _post(session, notice, channel, now=now)


def destination(channel_id: UUID) -> str:
    """Return the outbox destination of a channel."""
    return f"channel/{channel_id}"


class _Audience:
    """The audience of a notification, with contract and subscriptions loaded once."""

    def __init__(self, session: Session, notice: Notification) -> None:
        self._session, self._notice = session, notice
        self._contract = session.get(ContractRow, notice.contract_id)
        self._place = notice.place or _place(session, notice.contract_id)
        subscribed = subscriptions.active(session, notice.contract_id)
        self._used = subscribed
        # By team: the users who subscribed on its behalf.
        self._teams = {
            team: {each.user_id for each in subscribed if each.team_id == team} for team in _teams_of(subscribed)
        }

    def hears(self, channel: ChannelRow) -> bool:
        """Return whether the channel receives the notification."""
        holder = _holder(self._session, channel)
        is_actor = channel.user_id is not None and channel.user_id == self._notice.by
        if holder is None or is_actor or not self._may_read(holder, channel):
            return False
        if channel.contract_id is not None:
            return channel.contract_id == self._notice.contract_id
        return self._concerns(channel, holder)

    def _may_read(self, holder: Principal, channel: ChannelRow) -> bool:
        """Return whether the holder may read the contract.

        A team may also read what a member with that permission subscribed to on its behalf."""
        return holder.may(Permission.READ, self._place) or any(map(self._reads, self._spoke(channel)))

    def _reads(self, user_id: UUID) -> bool:
        user = self._session.get(UserRow, user_id)
        return (
            user is not None
            and user.active
            and authentication.principal_for_user(self._session, user).may(Permission.READ, self._place)
        )

    def _spoke(self, channel: ChannelRow) -> set[UUID]:
        return self._teams.get(channel.team_id, set()) if channel.team_id else set()

    def _concerns(self, channel: ChannelRow, holder: Principal) -> bool:
        audience, holder_ids = AUDIENCES[self._notice.kind], {channel.user_id} | self._spoke(channel)
        owner = self._contract is not None and self._contract.owner_id == channel.user_id
        owns = owner or holder.may(Permission.DECIDE, self._place)
        subscribed = [each for each in self._used if _is_of(each, channel)]
        is_subscribed = any(self._is_subscribed(each, channel) for each in subscribed)
        is_selected = is_subscribed or not subscribed or self._notice.kind not in CHOSEN
        return (
            (not holder_ids.isdisjoint(self._notice.to) and is_selected)
            or (AudienceKind.OWNERS in audience and owns)
            or (AudienceKind.CONSUMERS in audience and is_subscribed)
        )

    def _is_subscribed(self, use: SubscriptionRow, channel: ChannelRow) -> bool:
        """Return whether the subscription selects this kind and this channel."""
        is_wanted = not use.notification_kinds or self._notice.kind in use.notification_kinds
        return is_wanted and use.channel_id in (None, channel.id)


def _is_of(use: SubscriptionRow, channel: ChannelRow) -> bool:
    """Return whether the channel belongs to the subscriber, or to the team of the subscription."""
    return use.team_id == channel.team_id if channel.team_id else use.user_id == channel.user_id


def _teams_of(used: Iterable[SubscriptionRow]) -> set[UUID]:
    return {each.team_id for each in used if each.team_id is not None}


def _place(session: Session, contract_id: str) -> Resource:
    """Return the contract as a resource; for a new contract, that of its latest proposal."""
    if session.get(ContractRow, contract_id) is None:
        query = select(ProposalRow).where(ProposalRow.contract_id == contract_id).order_by(col(ProposalRow.id).desc())
        proposal = session.exec(query.limit(1)).first()
        return visibility.proposal_resource(proposal) if proposal else Resource(contract_id)
    return visibility.contract_resource(session, contract_id)


def _holder(session: Session, channel: ChannelRow) -> Principal | None:
    """Return the channel's holder as a principal; None for an inactive user."""
    if channel.user_id is not None:
        user = session.get(UserRow, channel.user_id)
        return authentication.principal_for_user(session, user) if user and user.active else None
    team = session.get(TeamRow, channel.team_id)
    return _team(session, team) if team else None


def _team(session: Session, team: TeamRow) -> Principal:
    """Return a principal with the permissions granted to the team."""
    grants = session.exec(select(RoleGrantRow).where(RoleGrantRow.team_id == team.id)).all()
    roles = frozenset(Role(each.role) for each in grants if each.scope is GrantScope.EVERYTHING)
    scoped = [
        ScopedGrant(each.scope, each.target, GRANTS[each.role])
        for each in grants
        if each.scope is not GrantScope.EVERYTHING
    ]
    return Principal(
        user_id=team.id, name=team.name, roles=roles, permissions=permissions_of(roles), granted=tuple(scoped)
    )


def _post(session: Session, notice: Notification, channel: ChannelRow, *, now: datetime) -> bool:
    channel_destination = destination(channel.id)
    key = f"{NOTICE}/{notice.key}/{channel_destination}"
    payload = {"channel": str(channel.id), "notice": asdict(RenderedNotice.of(notice, now=now))}
    posted = outbox.enqueue_message(
        session,
        kind=NOTICE,
        destination=channel_destination,
        payload=payload,
        key=key,
        now=now,
        message_id=derived_id(now, key),
    )
    return posted is not None
