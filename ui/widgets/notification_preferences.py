"""Form inputs for the notifications of a subscription: their kinds and their channel."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from treaty.registry.core.enums import NotificationKind, Permission
from treaty.registry.schemas import ChannelOut, SubscriptionOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import consumers as texts
from treaty.ui.widgets import viewer

EVENTS, CHANNEL = "events", "through"
# The choices of consumers, by the kinds of notifications that each stands for.
KINDS = {
    texts.FAILURES: (NotificationKind.VIOLATION, NotificationKind.RECOVERY),
    texts.BREAKING: (NotificationKind.BREAKING,),
    texts.LAGGING: (NotificationKind.LAG,),
}


def choice(of: SubscriptionOut | None = None) -> None:
    """Show the inputs, with the values of the subscription if there is one."""
    events = [
        label
        for label, kinds in KINDS.items()
        if not of or not of.notification_kinds or {*kinds} <= {*of.notification_kinds}
    ]
    st.multiselect(texts.TELL_OF, list(KINDS), default=events, key=_key(EVENTS, of))
    named = {each.id: name(each) for each in channels() if not each.contract_id}
    places, chosen = [None, *named], of.channel_id if of else None
    st.selectbox(
        texts.THROUGH,
        places,
        index=places.index(chosen) if chosen in places else 0,
        key=_key(CHANNEL, of),
        format_func=lambda each: named.get(each, texts.ALL_CHANNELS),
        help=None if named else texts.NO_CHANNEL_YET,
    )


def chosen(of: SubscriptionOut | None = None) -> dict[str, Any] | None:
    """Return the chosen values as the registry expects them; None if no kind is chosen."""
    kinds = told_of(st.session_state.get(_key(EVENTS, of)) or [])
    return (
        None if kinds is None else {"notification_kinds": kinds, "channel_id": st.session_state.get(_key(CHANNEL, of))}
    )


def told_of(events: Sequence[str]) -> tuple[NotificationKind, ...] | None:
    """Return the notification kinds of these choices; () means all kinds, None that nothing is chosen."""
    if not events:
        return None
    return () if set(events) == set(KINDS) else tuple(kind for each in events for kind in KINDS[each])


def channels() -> list[ChannelOut]:
    """Fetch the channels of the viewer and their teams; none without the permission."""
    return viewer.registry().channels() if viewer.may(Permission.TOKENS) else []


def name(channel: ChannelOut) -> str:
    """Return the display name of the channel."""
    return texts.channel(ui_texts.CHANNELS[channel.kind], channel.target)


def _key(name: str, of: SubscriptionOut | None) -> str:
    return f"{name}-{of.id}" if of else name
