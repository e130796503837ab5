"""Manage the notification channels of users and teams. Their targets are secrets, like passwords."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.contracts.errors import Fault
from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal, require_permission_anywhere
from treaty.registry.audit import audit_log
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import ChannelKind, Permission, TeamRole
from treaty.registry.core.errors import Conflict, InvalidRequest, NotFound
from treaty.registry.notifications import dispatch, messages, outbox
from treaty.registry.notifications.transport import egress, smtp, webhook_signatures
from treaty.registry.notifications.transport.egress import DestinationNotAllowed
from treaty.registry.tables import ChannelRow, OutboxMessageRow, SubscriptionRow, TeamMemberRow, TeamRow, UserRow

MOST = 20


@dataclass(frozen=True)
class ChannelListing:
    """A channel with its holder's name and the last message sent to it; None means no message."""

    channel: ChannelRow
    holder: str
    last: OutboxMessageRow | None = None


def channels(session: Session, by: Principal) -> list[ChannelListing]:
    """Return the channels of the principal and their teams, oldest first.

    Principals who may manage users receive all channels."""
    require_permission_anywhere(by, Permission.TOKENS)
    query = select(ChannelRow).order_by(col(ChannelRow.id))
    if not by.may(Permission.USERS):
        teams = select(TeamMemberRow.team_id).where(TeamMemberRow.user_id == by.user_id)
        query = query.where((col(ChannelRow.user_id) == by.user_id) | col(ChannelRow.team_id).in_(teams))
    return channel_listings(session, session.exec(query).all())


def add(session: Session, channel: ChannelRow, *, by: Principal, now: datetime) -> ChannelListing:
    """Add a channel for the principal, or for the team that it names. Creates a webhook's secret.

    Raises InvalidRequest for a malformed target, NotFound for a team that the principal does not lead or a contract
    that they may not read, and Conflict if the holder has the maximum number of channels."""
    require_permission_anywhere(by, Permission.TOKENS)
    _refuse_malformed(channel)
    if channel.team_id is None:
        channel.user_id = by.user_id
    else:
        _refuse_foreign(session, channel.team_id, by)
    if channel.contract_id is not None:
        visibility.require_readable_contract(session, channel.contract_id, by)
    _refuse_many(session, channel)
    channel.secret = webhook_signatures.new_secret() if channel.kind is ChannelKind.WEBHOOK else None
    session.add(channel)
    _record(session, AuditAction.CHANNEL_ADDED, channel, by=by, now=now)
    return channel_listings(session, [channel])[0]


def remove(session: Session, channel_id: UUID, *, by: Principal, now: datetime) -> None:
    """Remove the channel. Raises NotFound unless it belongs to the principal.

    Waiting messages to it are given up, and subscriptions that used only this channel use all channels of the
    holder."""
    channel = own(session, channel_id, by)
    _record(session, AuditAction.CHANNEL_REMOVED, channel, by=by, now=now)
    for each in session.exec(select(SubscriptionRow).where(SubscriptionRow.channel_id == channel.id)).all():
        each.channel_id = None
    session.delete(channel)


def try_out(session: Session, channel_id: UUID, *, subject: UUID, by: Principal, now: datetime) -> ChannelListing:
    """Send a test notification to the channel. Raises NotFound unless it belongs to the principal."""
    channel = own(session, channel_id, by)
    dispatch.send(session, messages.trial(str(subject)), channel, now=now)
    session.flush()
    return channel_listings(session, [channel])[0]


def own(session: Session, channel_id: UUID, by: Principal) -> ChannelRow:
    """Lock and return the channel. Raises NotFound unless the principal or a team they lead holds it."""
    require_permission_anywhere(by, Permission.TOKENS)
    channel = session.get(ChannelRow, channel_id, with_for_update=True)
    if channel is None:
        raise NotFound
    if channel.team_id is not None:
        _refuse_foreign(session, channel.team_id, by)
    elif channel.user_id != by.user_id and not by.may(Permission.USERS):
        raise NotFound
    return channel


def shown(channel: ChannelRow) -> str:
    """Return the target for display: an address, or only the host of a URL, whose path may be a secret."""
    if channel.kind is ChannelKind.EMAIL:
        return channel.target
    parts = urlsplit(channel.target)
    return f"{parts.scheme}://{parts.netloc}/..."


def channel_listings(session: Session, channels: Sequence[ChannelRow]) -> list[ChannelListing]:
    """Return the channels with their holders and last messages."""
    users = _names(session, UserRow, [each.user_id for each in channels])
    teams = _names(session, TeamRow, [each.team_id for each in channels])
    last = outbox.last(session, [dispatch.destination(each.id) for each in channels])
    return [
        ChannelListing(each, (users | teams)[each.user_id or each.team_id], last.get(dispatch.destination(each.id)))
        for each in channels
    ]


def _refuse_malformed(channel: ChannelRow) -> None:
    if channel.kind is ChannelKind.EMAIL:
        if not smtp.is_address(channel.target):
            raise _invalid("is not a mail address", "enter a single address, such as NAME@HOST")
        return
    try:
        egress.refuse_malformed(channel.target)
    except DestinationNotAllowed as error:
        raise _invalid("cannot be used", str(error)) from None


def _invalid(message: str, remedy: str) -> InvalidRequest:
    return InvalidRequest(
        "The target of the channel is invalid.",
        faults=[Fault(code="TR-CHANNEL", where="target", message=message, remedy=remedy)],
    )


def _refuse_foreign(session: Session, team_id: UUID, by: Principal) -> None:
    """Raise NotFound unless the principal leads the team or may manage users."""
    member = session.get(TeamMemberRow, (team_id, by.user_id))
    is_lead = member is not None and member.role is TeamRole.LEAD
    if session.get(TeamRow, team_id) is None or not (is_lead or by.may(Permission.USERS)):
        raise NotFound


def _refuse_many(session: Session, channel: ChannelRow) -> None:
    of_holder = (ChannelRow.user_id == channel.user_id) if channel.user_id else (ChannelRow.team_id == channel.team_id)
    if len(session.exec(select(ChannelRow.id).where(of_holder)).all()) >= MOST:
        raise Conflict(f"The limit of {MOST} channels is reached. Remove a channel first.")


def _record(session: Session, action: AuditAction, channel: ChannelRow, *, by: Principal, now: datetime) -> None:
    details = {"kind": channel.kind.value, "contract": channel.contract_id, "kinds": channel.notification_kinds}
    holder = {"team" if channel.team_id else "user": str(channel.team_id or channel.user_id)}
    audit_log.record(session, action, actor=by.name, object_id=channel.id, now=now, details={**details, **holder})


def _names(session: Session, kind: type[UserRow] | type[TeamRow], ids: Sequence[UUID | None]) -> dict[UUID | None, str]:
    rows = session.exec(select(kind.id, kind.name).where(col(kind.id).in_([each for each in ids if each])))
    return dict(rows.all())
