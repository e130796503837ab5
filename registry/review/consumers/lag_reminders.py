"""Consumers who build on what is no longer the newest are told so: once for each version that they are behind."""

from datetime import datetime

from sqlmodel import Session, col, select

from treaty.registry.contracts.version_status import lag, standings
from treaty.registry.core.enums import PinKind, SubscriptionState
from treaty.registry.notifications import dispatch, messages
from treaty.registry.tables import SubscriptionRow


def tell_lagging(session: Session, *, now: datetime) -> int:
    """Tells every consumer whose pin is behind what is in force; how many channels are told that were not before."""
    pinned = col(SubscriptionRow.pin) != PinKind.NONE, SubscriptionRow.state == SubscriptionState.ACTIVE
    found = session.exec(select(SubscriptionRow).where(*pinned).order_by(col(SubscriptionRow.id))).all()
    known = standings(session, {each.contract_id for each in found})
    told = 0
    for each in found:
        standing = known[each.contract_id]
        if why := lag(each, standing):
            told += dispatch.notify(session, messages.lagging(each, why, standing.newest or ""), now=now)
    return told
