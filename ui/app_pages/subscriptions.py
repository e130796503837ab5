"""What the viewer uses and where they are told of it: their subscriptions and the channels of their notices."""

from uuid import UUID

import streamlit as st

from registry.api.schemas import ChannelIn, ChannelOut, SubscriptionOut
from registry.words import ChannelKind
from ui import actions, panels, people_forms, session, words

TABS = ("Subscriptions", "Channels")


def page() -> None:
    """Draws the tab that is open; only that one asks the registry."""
    st.title("Subscriptions")
    panels.told()
    draws = (subscriptions, channels)
    for tab, draw in zip(st.tabs(TABS, key="tab", on_change="rerun", bind="query-params"), draws, strict=True):
        if tab.open:
            with tab:
                draw()


def subscriptions() -> None:
    """What the viewer subscribed to; each can be ended."""
    found = session.registry().subscriptions(mine=True)
    if not found:
        panels.empty("You subscribe to nothing", "Open a contract, and say under Consumers what you use it for.")
        panels.link("catalog", "Find a contract")
    for each in found:
        subscription(each)


def subscription(of: SubscriptionOut) -> None:
    """One subscription: for what, on what it builds, and whether that is behind."""
    pinned = f"pinned to {of.pinned_to}" if of.pinned_to else "whatever is in force"
    told = (of.purpose, pinned, words.several(of.checks, "check") + " of your own" if of.checks else "", of.lagging)
    mark = words.BEHIND if of.lagging else words.SUBSCRIBED
    about = " · ".join(part for part in told if part)
    with panels.row(mark, age=of.created, about=about, key=f"subscription-{of.id}"):
        panels.link("contract", of.contract_id, id=of.contract_id)
    if of.own:
        st.button("End", key=f"end-{of.id}", on_click=end, args=(of.id,), help="For good; you may subscribe anew.")


def end(subscription_id: UUID) -> None:
    """Ends the subscription."""
    actions.attempt(lambda: session.registry().end_subscription(subscription_id), done="You use it no longer.")


def channels() -> None:
    """Where the viewer's notices go, and the form for another place."""
    found = session.registry().channels()
    if not found:
        panels.empty("You are told nowhere yet", "Notices of your contracts go to the channels that you add here.")
    for each in found:
        channel(each)
    st.subheader("Add a channel")
    with st.form("channel", width=640):
        st.selectbox("Kind", list(ChannelKind), key="kind", format_func=lambda each: words.CHANNELS[each])
        st.text_input("Where to", key="target", type="password", help="An address, or a URL: it may hold a secret")
        st.form_submit_button("Add", type="primary", icon=":material/add:", on_click=add)
    people_forms.shown()


def channel(of: ChannelOut) -> None:
    """One channel: how the last message to it went, a test, and the way out."""
    last = f"the last one: {of.last.state.value}" if of.last else "nothing was sent yet"
    about = " · ".join((of.contract_id or "all your contracts", last, of.last.error or "" if of.last else ""))
    with panels.row(words.CHANNEL, age=of.created, about=about.strip(" ·"), key=f"channel-{of.id}"):
        st.markdown(f"**{words.esc(f'{words.CHANNELS[of.kind]}: {of.target}')}**")
    with st.container(horizontal=True):
        st.button("Send a test", key=f"test-{of.id}", on_click=tested, args=(of.id,))
        st.button("Remove", key=f"remove-{of.id}", on_click=remove, args=(of.id,))


def add() -> None:
    """Adds the channel as typed; the secret of its webhooks is shown once."""
    target = people_forms.typed("target")
    st.session_state["target"] = ""

    def made() -> None:
        body = ChannelIn.model_validate({"kind": st.session_state["kind"], "target": target})
        st.session_state[people_forms.SECRET] = session.registry().add_channel(body).secret

    people_forms.attempt(made, done="Added. Send a test to see whether it arrives.")


def tested(channel_id: UUID) -> None:
    """Has a notice be sent that says only that it came."""
    actions.attempt(lambda: session.registry().test_channel(channel_id), done="It is on its way.")


def remove(channel_id: UUID) -> None:
    """Removes the channel."""
    actions.attempt(lambda: session.registry().remove_channel(channel_id), done="Removed.")


page()
