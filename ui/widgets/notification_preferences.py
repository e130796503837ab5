"""Of what consumers are told, and where: their choice on a form."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from treaty.registry.core.enums import NotificationKind, Permission
from treaty.registry.schemas import ChannelOut, SubscriptionOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import consumers as texts
from treaty.ui.widgets import viewer

EVENTS, CHANNEL = "events", "through"
# What consumers choose from, in the words of notices.
KINDS = {
    texts.FAILURES: (NotificationKind.VIOLATION, NotificationKind.RECOVERY),
    texts.BREAKING: (NotificationKind.BREAKING,),
    texts.LAGGING: (NotificationKind.LAG,),
}


def choice(of: SubscriptionOut | None = None) -> None:
    """The inputs, as the subscription has them where there is one already."""
    events = [
        said
        for said, kinds in KINDS.items()
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
    """What was chosen, as the registry takes it; None where nothing is to be told."""
    kinds = told_of(st.session_state.get(_key(EVENTS, of)) or [])
    return (
        None if kinds is None else {"notification_kinds": kinds, "channel_id": st.session_state.get(_key(CHANNEL, of))}
    )


def told_of(events: Sequence[str]) -> tuple[NotificationKind, ...] | None:
    """The kinds of notices that these events are; () for all of them, None where nothing is chosen."""
    if not events:
        return None
    return () if set(events) == set(KINDS) else tuple(kind for each in events for kind in KINDS[each])


def channels() -> list[ChannelOut]:
    """The viewer's channels and those of their teams; none for who may have none."""
    return viewer.registry().channels() if viewer.may(Permission.TOKENS) else []


def name(channel: ChannelOut) -> str:
    """What the channel is called."""
    return texts.channel(ui_texts.CHANNELS[channel.kind], channel.target)


def _key(name: str, of: SubscriptionOut | None) -> str:
    return f"{name}-{of.id}" if of else name
