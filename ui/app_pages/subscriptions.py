"""Subscriptions and notification channels of the viewer."""

from uuid import UUID

import streamlit as st

from treaty.registry.core.enums import ChannelKind
from treaty.registry.schemas import ChannelIn, ChannelOut, SubscriptionOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import pages
from treaty.ui.texts import people as texts
from treaty.ui.texts.consumers import EVENTS_MISSING
from treaty.ui.widgets import notification_preferences, panels, people_forms, step_runner, viewer

TABS = (pages.SUBSCRIPTIONS, texts.CHANNELS)


def page() -> None:
    """Draw the open tab; only that one sends requests."""
    st.title(pages.SUBSCRIPTIONS)
    panels.show_flash()
    draws = (subscriptions, channels)
    for tab, draw in zip(st.tabs(TABS, key="tab", on_change="rerun", bind="query-params"), draws, strict=True):
        if tab.open:
            with tab:
                draw()


def subscriptions() -> None:
    """Draw the viewer's subscriptions, each with a button to end it."""
    subscribed = viewer.registry().subscriptions(mine=True)
    if not subscribed:
        panels.empty(texts.NO_SUBSCRIPTION, texts.HOW_TO_SUBSCRIBE)
        panels.link("catalog", texts.FIND_CONTRACT)
    named = channel_names() if any(each.channel_id for each in subscribed) else {}
    for each in subscribed:
        subscription(each, named.get(each.channel_id, ""))


def channel_names() -> dict[UUID | None, str]:
    """Return the display names of the viewer's channels by id."""
    return {each.id: notification_preferences.name(each) for each in notification_preferences.channels()}


def subscription(of: SubscriptionOut, channel: str) -> None:
    """Draw one subscription: purpose, version, own checks, notifications and channel."""
    pinned = texts.pinned(of.pinned_to) if of.pinned_to else texts.IN_FORCE
    details = (of.purpose, pinned, texts.own_checks(of.checks) if of.checks else "")
    kinds, behind = texts.told_of([*of.notification_kinds]), of.outdated_reason or ""
    mark = ui_texts.BEHIND if of.outdated_reason else ui_texts.SUBSCRIBED
    about = " · ".join(part for part in (*details, kinds, texts.through(channel) if channel else "", behind) if part)
    with panels.row(mark, age=of.created_at, about=about, key=f"subscription-{of.id}"):
        panels.link("contract", of.contract_id, id=of.contract_id)
    if of.is_own:
        with st.container(horizontal=True, key=f"steps-{of.id}"):
            change(of)
            st.button(texts.END, key=f"end-{of.id}", on_click=end, args=(of,), help=texts.FOR_GOOD)


def change(of: SubscriptionOut) -> None:
    """Draw the form for the notifications of a subscription, when it is opened."""
    with st.popover(texts.NOTICES, key=f"notices-{of.id}", icon=":material/tune:", on_change="rerun") as opened:
        if opened.open:
            with st.form(f"notifications-{of.id}", border=False, width=480):
                notification_preferences.choice(of)
                st.form_submit_button(texts.CHANGE, type="primary", on_click=changed, args=(of,))


def changed(of: SubscriptionOut) -> None:
    """Save the chosen notifications of the subscription."""
    choice = notification_preferences.chosen(of)
    if choice is None:
        panels.flash(EVENTS_MISSING, problem=True)
        return
    about = texts.tells_now(of.contract_id)
    step_runner.run_step(lambda: viewer.registry().choose_notifications(of, **choice), done=about)


def end(of: SubscriptionOut) -> None:
    """End the subscription."""
    step_runner.run_step(lambda: viewer.registry().end_subscription(of.id, etag=of.etag), done=texts.ENDED)


def channels() -> None:
    """Draw the viewer's channels, and the form to add one."""
    added = viewer.registry().channels()
    if not added:
        panels.empty(texts.NO_CHANNEL, texts.WHERE_NOTICES_GO)
    for each in added:
        channel(each)
    st.subheader(texts.ADD_CHANNEL)
    with st.form("channel", width=640):
        st.selectbox(ui_texts.KIND, list(ChannelKind), key="kind", format_func=lambda each: ui_texts.CHANNELS[each])
        st.text_input(texts.WHERE_TO, key="target", type="password", help=texts.ADDRESS_OR_URL)
        st.form_submit_button(ui_texts.ADD, type="primary", icon=":material/add:", on_click=add)
    people_forms.shown()


def channel(of: ChannelOut) -> None:
    """Draw one channel: its last message, a test, and a button to remove it."""
    last = texts.last_sent(of.last_message.state.value) if of.last_message else texts.NOTHING_SENT
    about = " · ".join(
        (of.contract_id or texts.ALL_YOUR_CONTRACTS, last, of.last_message.error or "" if of.last_message else "")
    )
    with panels.row(ui_texts.CHANNEL, age=of.created_at, about=about.strip(" ·"), key=f"channel-{of.id}"):
        st.markdown(f"**{ui_texts.esc(f'{ui_texts.CHANNELS[of.kind]}: {of.target}')}**")
    with st.container(horizontal=True):
        st.button(texts.SEND_TEST, key=f"test-{of.id}", on_click=tested, args=(of.id,))
        st.button(texts.REMOVE, key=f"remove-{of.id}", on_click=remove, args=(of,))


def add() -> None:
    """Add the channel as typed; the secret of its webhooks is shown once."""
    target = people_forms.input_text("target")
    st.session_state["target"] = ""

    def create_channel() -> None:
        body = ChannelIn.model_validate({"kind": st.session_state["kind"], "target": target})
        st.session_state[people_forms.SECRET] = viewer.registry().add_channel(body).secret

    people_forms.attempt(create_channel, done=texts.CHANNEL_ADDED)


def tested(channel_id: UUID) -> None:
    """Send a test notification."""
    step_runner.run_step(lambda: viewer.registry().test_channel(channel_id), done=texts.ON_ITS_WAY)


def remove(of: ChannelOut) -> None:
    """Remove the channel."""
    step_runner.run_step(lambda: viewer.registry().remove_channel(of.id, etag=of.etag), done=texts.REMOVED)


page()
