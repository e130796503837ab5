"""Who uses a contract's data and for what: subscribed, changed, ended, and told where their pin is behind."""

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
from treaty.registry.core.database import UNKEYED
from treaty.registry.core.enums import AuditAction, Permission, PinKind, SubscriptionState
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
    """A subscription, the name of its subscriber or of their team, how many checks of their own it has, and why its pin
    is behind. `holders`: who may change it and answer for it."""

    subscription: SubscriptionRow
    subscriber: str
    checks: int
    lagging: str | None
    holders: frozenset[UUID] = frozenset()


def register(
    session: Session, contract_id: str, use: Use, *, subscription_id: UUID, by: Principal, now: datetime
) -> SubscriptionRow:
    """Subscribes the principal, or their team, to the contract, for that purpose.

    Raises NotFound where there is no such contract, or team of theirs; Conflict where none of its versions is in force,
    or where they have subscribed for that purpose already; Invalid with every fault of what they read or pin."""
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
    """Replaces what its subscriber says of their use, as of the revision that they saw. Raises as `register` does."""
    subscription = own_subscription(session, subscription_id, by=by)
    if subscription.revision != revision:
        raise Conflict(f"it was changed in the meantime; it is at revision {subscription.revision} now: look again")
    _lock(session, subscription.contract_id)
    subscription.sqlmodel_update(stored_use(session, subscription.contract_id, use))
    subscription.revision += 1
    _refuse_twice(session, subscription)
    _refuse_channel(session, subscription)
    _record(session, AuditAction.SUBSCRIPTION_CHANGED, subscription, by=by, now=now)
    return subscription


def end(session: Session, subscription_id: UUID, *, by: Principal, now: datetime) -> SubscriptionRow:
    """Ends the subscription for good: nobody waits for its subscriber any more, and its checks are judged no longer."""
    subscription = own_subscription(session, subscription_id, by=by, or_with=Permission.USERS)
    subscription.state, subscription.ended_at = SubscriptionState.ENDED, now
    subscription.revision += 1
    _record(session, AuditAction.SUBSCRIPTION_ENDED, subscription, by=by, now=now)
    return subscription


def get(session: Session, subscription_id: UUID, *, by: Principal, lock: bool = False) -> SubscriptionRow:
    """The subscription. Raises NotFound where there is none, or where its contract is not the principal's to read."""
    require_permission_anywhere(by, Permission.READ)
    found = session.get(SubscriptionRow, subscription_id, with_for_update=lock)
    if found is None:
        raise NotFound
    visibility.require_readable_contract(session, found.contract_id, by)
    return found


def own_subscription(
    session: Session, subscription_id: UUID, *, by: Principal, or_with: Permission | None = None
) -> SubscriptionRow:
    """The active subscription of the principal or of their team, locked; another's for who has the permission
    `or_with`.

    Raises NotFound, Forbidden for another's, IllegalTransition for one that has ended."""
    require_permission_anywhere(by, Permission.SUBSCRIBE)
    found = get(session, subscription_id, by=by, lock=True)
    require_permission(by, Permission.SUBSCRIBE, visibility.contract_resource(session, found.contract_id))
    if not is_own(session, found, by) and not (or_with and by.may(or_with)):
        raise Forbidden("only its subscriber, or their team, may change a subscription")
    if found.state is SubscriptionState.ENDED:
        raise IllegalTransition("subscription", state=found.state.value, step="change", legal=())
    return found


def is_own(session: Session, subscription: SubscriptionRow, by: Principal) -> bool:
    """Whether it is the principal's, or of a team that they belong to."""
    return by.user_id in _holders(session, [subscription])[subscription.id]


def active(session: Session, contract_id: str) -> Sequence[SubscriptionRow]:
    """The contract's active subscriptions, oldest first."""
    mine = SubscriptionRow.contract_id == contract_id, SubscriptionRow.state == SubscriptionState.ACTIVE
    return session.exec(select(SubscriptionRow).where(*mine).order_by(col(SubscriptionRow.id))).all()


def contracts(by: Principal) -> SelectOfScalar[str]:
    """The ids of the contracts that the principal subscribes to, alone or with a team."""
    return select(SubscriptionRow.contract_id).where(
        visibility.own_subscriptions(by), SubscriptionRow.state == SubscriptionState.ACTIVE
    )


def list_subscriptions(
    session: Session,
    by: Principal,
    asked: PageRequest,
    *,
    contract_id: str | None = None,
    mine: bool = False,
    ended: bool = False,
) -> RowPage[SubscriptionListing]:
    """Subscriptions to what the principal may read, oldest first: of that contract, and only their own and their teams'
    (`mine`).

    Those that have ended are among them only where they are asked for (`ended`)."""
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
    portion = OLDEST_FIRST.cut(session.exec(OLDEST_FIRST.of(query, asked)).all(), asked)
    return RowPage(_listings(session, portion.rows), portion.next)


def subscription_listing(session: Session, subscription: SubscriptionRow) -> SubscriptionListing:
    """The subscription as lists show it."""
    return _listings(session, [subscription])[0]


def names(session: Session, found: Iterable[SubscriptionRow]) -> dict[UUID, str]:
    """By subscription, the name of its subscriber; of a team's that of the team."""
    rows = list(found)
    users = select(UserRow.id, UserRow.name).where(col(UserRow.id).in_({each.user_id for each in rows}))
    teams = select(TeamRow.id, TeamRow.name).where(col(TeamRow.id).in_({each.team_id for each in rows if each.team_id}))
    known = dict(session.exec(users).all()) | dict(session.exec(teams).all())
    return {each.id: known.get(each.team_id or each.user_id) or known[each.user_id] for each in rows}


def lagging(session: Session, by: Principal) -> list[SubscriptionListing]:
    """The principal's active subscriptions whose pin is behind what is in force; [] where none is."""
    return [each for each in list_subscriptions(session, by, PageRequest(MOST_LAGGING), mine=True).rows if each.lagging]


def pinned(session: Session, contract_id: str, version: str) -> Sequence[SubscriptionRow]:
    """The active subscriptions that are pinned to exactly that version."""
    found = active(session, contract_id)
    return [each for each in found if each.pin is PinKind.VERSION and each.pinned_to == version]


def _refuse_channel(session: Session, subscription: SubscriptionRow) -> None:
    """Returns where the channel is the subscriber's or their team's, and of no one contract."""
    if subscription.channel_id is None:
        return
    channel = session.get(ChannelRow, subscription.channel_id)
    holders = {subscription.user_id, subscription.team_id} - {None}
    if channel is None or channel.contract_id is not None or (channel.user_id or channel.team_id) not in holders:
        fault = Fault(
            code="TR-CHANNEL",
            where="channel_id",
            message="is no channel of yours for all contracts",
            remedy="name one, or none",
        )
        raise InvalidRequest("the subscription has faults", faults=[fault])


def _listings(session: Session, found: Sequence[SubscriptionRow]) -> list[SubscriptionListing]:
    counts, named = _counts(session, [each.id for each in found]), names(session, found)
    holders = _holders(session, found)
    pins = {each.contract_id for each in found if each.pin is not PinKind.NONE}
    known: Mapping[str, VersionOverview] = standings(session, pins) if pins else {}
    behind = {each.id: _behind(each, known.get(each.contract_id)) for each in found}
    return [
        SubscriptionListing(
            subscription=each,
            subscriber=named[each.id],
            checks=counts.get(each.id, 0),
            lagging=behind[each.id],
            holders=holders[each.id],
        )
        for each in found
    ]


def _holders(session: Session, found: Sequence[SubscriptionRow]) -> dict[UUID, frozenset[UUID]]:
    """By subscription, who may change it: the members of its team; its subscriber, where it has none."""
    teams = {each.team_id for each in found if each.team_id}
    query = select(TeamMemberRow.team_id, TeamMemberRow.user_id).where(col(TeamMemberRow.team_id).in_(teams))
    members = session.exec(query).all() if teams else []
    return {
        each.id: frozenset(user for team, user in members if team == each.team_id)
        if each.team_id
        else frozenset({each.user_id})
        for each in found
    }


def _team(session: Session, name: str, by: Principal) -> UUID:
    """The team of that name. Raises NotFound where there is none, or the principal does not belong to it."""
    mine = TeamMemberRow.user_id == by.user_id, TeamRow.name == name
    query = select(TeamRow.id).join(TeamMemberRow, col(TeamMemberRow.team_id) == col(TeamRow.id)).where(*mine)
    found = session.exec(query).first()
    if found is None:
        raise NotFound(f"you belong to no team named {name}")
    return found


def _behind(subscription: SubscriptionRow, standing: VersionOverview | None) -> str | None:
    alive = subscription.state is SubscriptionState.ACTIVE
    return lag(subscription, standing) if alive and standing else None


def _counts(session: Session, subscription_ids: Sequence[UUID]) -> Mapping[UUID, int]:
    """How many checks each has that have not ended."""
    row = ConsumerCheckRow
    newest = func.max(row.number).label("number")
    last = select(row.subscription_id, row.identity, newest).group_by(col(row.subscription_id), col(row.identity))
    of = last.where(col(row.subscription_id).in_(subscription_ids)).subquery()
    same = (
        (of.c.subscription_id == col(row.subscription_id))
        & (of.c.identity == col(row.identity))
        & (of.c.number == col(row.number))
    )
    counting = select(row.subscription_id, func.count()).join(of, same).where(col(row.patch).is_not(None))
    return dict(session.exec(counting.group_by(col(row.subscription_id))).all())


def _lock(session: Session, contract_id: str) -> None:
    """Holds the contract's row: whoever approves a version of it sees this subscription, or comes before it."""
    decided = session.get(ContractRow, contract_id, with_for_update=UNKEYED)
    if decided is None:
        raise NotFound


def _refuse_twice(session: Session, subscription: SubscriptionRow) -> None:
    """One consumer may subscribe several times, but for different purposes."""
    others = (each for each in active(session, subscription.contract_id) if each.id != subscription.id)
    same = subscription.team_id or subscription.user_id, subscription.purpose.casefold()
    if any((each.team_id or each.user_id, each.purpose.casefold()) == same for each in others):
        raise Conflict("you have subscribed to this contract for that purpose already: change that subscription")


def _record(
    session: Session, action: AuditAction, subscription: SubscriptionRow, *, by: Principal, now: datetime
) -> None:
    told = subscription.model_dump(mode="json", include={"purpose", "pin", "pinned_to", "reads"})
    team = {"team": str(subscription.team_id)} if subscription.team_id else {}
    details = {"contract": subscription.contract_id, "revision": subscription.revision, **team, **told}
    audit_log.record(session, action, actor=by.name, object_id=subscription.id, now=now, details=details)
