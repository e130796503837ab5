"""Remind consumers whose pin is behind the newest version, once per version."""

from datetime import datetime

from sqlmodel import Session, col, select

from treaty.registry.contracts.version_status import lag, standings
from treaty.registry.core.enums import PinKind, SubscriptionState
from treaty.registry.notifications import dispatch, messages
from treaty.registry.tables import SubscriptionRow


def tell_lagging(session: Session, *, now: datetime) -> int:
    """Notify every consumer whose pin is behind; return the number of new notifications."""
    pinned = col(SubscriptionRow.pin) != PinKind.NONE, SubscriptionRow.state == SubscriptionState.ACTIVE
    subscriptions = session.exec(select(SubscriptionRow).where(*pinned).order_by(col(SubscriptionRow.id))).all()
    overviews = standings(session, {each.contract_id for each in subscriptions})
    notified = 0
    for each in subscriptions:
        overview = overviews[each.contract_id]
        if reason := lag(each, overview):
            notified += dispatch.notify(session, messages.lagging(each, reason, overview.newest or ""), now=now)
    return notified
