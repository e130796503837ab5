"""Administration: who may sign in, the keys of machines, how the service stands, and what could not be delivered."""

from uuid import UUID

import streamlit as st

from registry.api.schemas import MessageOut, TokenOut, UserChange, UserOut
from registry.words import InboxState, OutboxState, Permission, Role, TaskState
from ui import actions, panels, people_forms, session, words

TABS = ("Users", "Tokens", "Health", "Undelivered")
SHOWN = 50


def page() -> None:
    """Draws the tab that is open; only that one asks the registry."""
    st.title("Administration")
    panels.told()
    draws = (users, tokens, health, undelivered)
    for tab, draw in zip(st.tabs(TABS, key="tab", on_change="rerun", bind="query-params"), draws, strict=True):
        if tab.open:
            with tab:
                draw()


def users() -> None:
    """All users, what can be done with one of them, and the form for another."""
    found = session.registry().users()
    panels.table([user(each) for each in found], key="users", alt="Users")
    st.subheader("Change a user")
    names = {each.name: each for each in found}
    chosen = names.get(st.selectbox("User", list(names), key="user", bind="query-params", width=320) or "")
    if chosen:
        change(chosen)
    st.subheader("Add a user")
    people_forms.invite(key="admin")


def user(found: UserOut) -> dict[str, str]:
    """A user as a row."""
    return {
        "Name": found.name,
        "Roles": ", ".join(words.ROLES[each] for each in found.roles),
        "State": words.glyph(words.USERS[found.active]),
        "Since": words.moment(found.created, timezone=session.timezone()),
    }


def change(of: UserOut) -> None:
    """The user's roles, and the way in or out."""
    key = f"roles-{of.id}"
    with st.container(horizontal=True, vertical_alignment="bottom", key="change"):
        st.multiselect("Roles", list(Role), default=list(of.roles), format_func=words.ROLES.__getitem__, key=key)
        st.button("Save roles", key="save-roles", on_click=changed, args=(of, key))
        word = "Shut out" if of.active else "Let in again"
        st.button(word, key="let-in", on_click=let_in, args=(of,), help="Their sessions end at once.")


def changed(of: UserOut, key: str) -> None:
    """Gives the user the roles that are chosen."""
    wanted = UserChange(roles=frozenset(st.session_state.get(key) or ()))
    actions.attempt(lambda: session.registry().change_user(of.id, wanted, seen=of.etag), done="Saved.")


def let_in(of: UserOut) -> None:
    """Lets the user in, or shuts them out."""
    wanted = UserChange(active=not of.active)
    actions.attempt(lambda: session.registry().change_user(of.id, wanted, seen=of.etag), done="Saved.")


def tokens() -> None:
    """The keys of machines, and the form for another."""
    found = session.registry().tokens()
    zone = session.timezone()
    if found:
        panels.table([token(each, zone) for each in found], key="tokens", alt="API tokens, without their secrets")
    living = {f"{each.name} ({each.prefix})": each.id for each in found if each.revoked is None}
    if living:
        with st.container(horizontal=True, vertical_alignment="bottom", key="revoke"):
            named = st.selectbox("Token", list(living), key="token", width=320)
            st.button("Revoke", key="revoke-token", on_click=revoke, args=(living[named or next(iter(living))],))
    st.subheader("Make a token")
    people_forms.token(key="admin", scopes=list(Permission))


def token(found: TokenOut, zone: str) -> dict[str, str]:
    """A token as a row."""
    return {
        "For": found.name,
        "Begins": found.prefix,
        "May": ", ".join(each.value for each in found.scopes),
        "Made": words.moment(found.created, timezone=zone),
        "Used last": words.moment(found.last_used, timezone=zone),
        "Until": words.moment(found.expires, timezone=zone) if found.expires else "for ever",
        "Revoked": words.moment(found.revoked, timezone=zone) if found.revoked else "",
    }


def revoke(token_id: UUID) -> None:
    """Ends the token."""
    actions.attempt(lambda: session.registry().revoke_token(token_id), done="Revoked: it is good for nothing now.")


def health() -> None:
    """Whether the service can work, and how far it is behind."""
    registry = session.registry()
    ready, inbox = registry.ready(), registry.inbox_counts()
    failed = registry.tasks(state=TaskState.FAILED, limit=SHOWN)
    waiting = registry.tasks(state=TaskState.QUEUED, limit=SHOWN)
    with st.container(horizontal=True, gap="medium", key="facts"):
        panels.fact("Service", ready.status)
        panels.fact("Database", ready.migration)
        panels.fact("Events that wait", words.count(inbox.events.get(InboxState.NEW, 0)))
        panels.fact("Behind by", f"{inbox.lag_seconds:,.0f} s")
        panels.fact("Tasks that wait", most(len(waiting)))
        panels.fact("Tasks given up", most(len(failed)))
    if inbox.events.get(InboxState.PARKED):
        st.warning("There are events that could not be read", icon=":material/warning:")
        panels.link("lineage", "See them", tab="Events")
    if failed:
        panels.link("tasks", "See the tasks that were given up", state="failed")


def most(number: int) -> str:
    """A count of what was listed, of which there may be more."""
    return f"{number:,} or more" if number >= SHOWN else words.count(number)


def undelivered() -> None:
    """Messages that were given up, each with the way to have it delivered after all."""
    found = session.registry().messages(state=OutboxState.DEAD, limit=SHOWN)
    if not found:
        panels.empty("Everything was delivered", "Messages that could not be delivered appear here, with the reason.")
    for each in found:
        message(each)


def message(of: MessageOut) -> None:
    """A message that was given up."""
    about = f"{of.kind} · tried {words.several(of.attempts, 'time')} · {of.error or ''}"
    with panels.row(words.UNDELIVERED, age=of.created, about=about, key=f"message-{of.id}"):
        st.markdown(f"**{words.esc(of.destination)}**")
    st.button("Deliver it after all", key=f"replay-{of.id}", on_click=replay, args=(of.id,))


def replay(message_id: UUID) -> None:
    """Has the message be delivered after all."""
    actions.attempt(lambda: session.registry().replay_message(message_id), done="It is tried again.")


page()
