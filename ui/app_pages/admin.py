"""Administration: users, API tokens, locations, catalogs, service health, and undelivered messages."""

from uuid import UUID

import streamlit as st

from treaty.registry.core.enums import LineageEventState, OutboxState, Permission, Role, TaskState
from treaty.registry.schemas import OutboxMessageOut, TokenOut, UserOut, UserUpdateIn
from treaty.registry.schemas.locations import AllowedLocationOut
from treaty.ui import texts as ui_texts
from treaty.ui.parts import catalog_connections
from treaty.ui.texts import admin as texts
from treaty.ui.texts import lineage, pages
from treaty.ui.widgets import panels, people_forms, step_runner, viewer

TABS = (texts.USERS, texts.TOKENS, texts.LOCATIONS, texts.CATALOGS, texts.HEALTH, texts.UNDELIVERED)
SHOWN = 50


def page() -> None:
    """Draw the open tab; only that one sends requests."""
    st.title(pages.ADMINISTRATION)
    panels.show_flash()
    draws = (users, tokens, locations, catalog_connections.draw, health, undelivered)
    for tab, draw in zip(st.tabs(TABS, key="tab", on_change="rerun", bind="query-params"), draws, strict=True):
        if tab.open:
            with tab:
                draw()


def users() -> None:
    """Show all users, the form to change one, and the form to add one."""
    people = viewer.registry().users()
    panels.table([user(each) for each in people], key="users", alt=texts.USERS)
    st.subheader(texts.CHANGE_USER)
    names = {each.name: each for each in people}
    chosen = names.get(st.selectbox(texts.USER, list(names), key="user", bind="query-params", width=320) or "")
    if chosen:
        change(chosen)
    st.subheader(texts.ADD_USER)
    people_forms.invite(key="admin")


def user(user: UserOut) -> dict[str, str]:
    """Return a user as a table row."""
    return {
        ui_texts.NAME: user.name,
        texts.ROLES: ", ".join(ui_texts.ROLES[each] for each in user.roles),
        ui_texts.STATE: ui_texts.glyph(ui_texts.USERS[user.active]),
        ui_texts.SINCE: ui_texts.moment(user.created_at, timezone=viewer.timezone()),
    }


def change(of: UserOut) -> None:
    """Show the user's roles and the button to deactivate or reactivate them."""
    key = f"roles-{of.id}"
    with st.container(horizontal=True, vertical_alignment="bottom", key="change"):
        st.multiselect(texts.ROLES, list(Role), default=list(of.roles), format_func=ui_texts.ROLES.__getitem__, key=key)
        st.button(texts.SAVE_ROLES, key="save-roles", on_click=changed, args=(of, key))
        word = texts.SHUT_OUT if of.active else texts.LET_IN
        st.button(word, key="let-in", on_click=let_in, args=(of,), help=texts.SESSIONS_END)


def changed(of: UserOut, key: str) -> None:
    """Save the chosen roles of the user."""
    update = UserUpdateIn(roles=frozenset(st.session_state.get(key) or ()))
    step_runner.run_step(lambda: viewer.registry().change_user(of.id, update, etag=of.etag), done=texts.SAVED)


def let_in(of: UserOut) -> None:
    """Reactivate the user, or deactivate them."""
    update = UserUpdateIn(active=not of.active)
    step_runner.run_step(lambda: viewer.registry().change_user(of.id, update, etag=of.etag), done=texts.SAVED)


def tokens() -> None:
    """Show the API tokens, and the form to create one."""
    issued = viewer.registry().tokens()
    zone = viewer.timezone()
    if issued:
        panels.table([token(each, zone) for each in issued], key="tokens", alt=texts.TOKENS_TABLE)
    living = {f"{each.name} ({each.prefix})": each for each in issued if each.revoked_at is None}
    if living:
        with st.container(horizontal=True, vertical_alignment="bottom", key="revoke"):
            named = st.selectbox(texts.TOKEN, list(living), key="token", width=320)
            st.button(texts.REVOKE, key="revoke-token", on_click=revoke, args=(living[named or next(iter(living))],))
    st.subheader(texts.NEW_TOKEN)
    people_forms.token(key="admin", scopes=list(Permission))


def token(token: TokenOut, zone: str) -> dict[str, str]:
    """Return an API token as a table row."""
    expires = ui_texts.moment(token.expires_at, timezone=zone) if token.expires_at else ui_texts.FOR_EVER
    return {
        texts.TOKEN_FOR: token.name,
        texts.TOKEN_BEGINS: token.prefix,
        texts.TOKEN_MAY: ", ".join(each.value for each in token.scopes),
        texts.TOKEN_MADE: ui_texts.moment(token.created_at, timezone=zone),
        texts.TOKEN_USED: ui_texts.moment(token.last_used_at, timezone=zone),
        texts.TOKEN_EXPIRES: expires,
        texts.TOKEN_REVOKED: ui_texts.moment(token.revoked_at, timezone=zone) if token.revoked_at else "",
    }


def revoke(token: TokenOut) -> None:
    """Revoke the token."""
    step_runner.run_step(lambda: viewer.registry().revoke_token(token.id, etag=token.etag), done=texts.REVOKED)


def locations() -> None:
    """Show the allowed locations, and how to remove one and allow another."""
    allowed = viewer.registry().locations()
    st.caption(texts.LOCATIONS_INTRO)
    if allowed:
        panels.table([location(each) for each in allowed], key="locations", alt=texts.LOCATIONS)
    else:
        panels.empty(texts.NO_LOCATIONS, texts.ADD_A_LOCATION)
    added = {texts.allowed_for(each.location, each.domain): each for each in allowed if each.id}
    if added:
        with st.container(horizontal=True, vertical_alignment="bottom", key="remove"):
            named = st.selectbox(texts.LOCATION, list(added), key="location", width=320)
            chosen = added[named or next(iter(added))]
            st.button(texts.REMOVE, key="remove-location", on_click=removed, args=(chosen,))
    with st.form("allow", width=640):
        st.text_input(texts.LOCATION, key="new-location", max_chars=2000, placeholder=texts.LOCATION_EXAMPLE)
        st.text_input(texts.LOCATION_DOMAIN, key="new-domain", max_chars=200, help=texts.ONLY_FOR)
        st.form_submit_button(texts.ALLOW, type="primary", icon=":material/add:", on_click=allow)


def location(of: AllowedLocationOut) -> dict[str, str]:
    """Return an allowed location as a table row."""
    origin = of.added_by or (texts.FROM_CONTRACTS if of.id else texts.FROM_SETTINGS)
    since = ui_texts.moment(of.created_at, timezone=viewer.timezone()) if of.created_at else ""
    return {
        texts.LOCATION: of.location,
        texts.LOCATION_DOMAIN: of.domain or texts.ALL_DOMAINS,
        texts.ADDED_BY: origin,
        ui_texts.SINCE: since,
    }


def allow() -> None:
    """Allow the location as typed."""
    typed, domain = people_forms.input_text("new-location"), people_forms.input_text("new-domain")
    if not typed:
        panels.flash(texts.LOCATION_MISSING, problem=True)
        return
    people_forms.attempt(lambda: viewer.registry().add_location(typed, domain=domain or None), done=texts.ALLOWED)


def removed(of: AllowedLocationOut) -> None:
    """Remove the location."""
    if of.id:
        location_id = of.id
        step_runner.run_step(lambda: viewer.registry().remove_location(location_id), done=texts.LOCATION_REMOVED)


def health() -> None:
    """Show whether the service works and how large its backlog is."""
    registry = viewer.registry()
    ready, inbox = registry.ready(), registry.event_counts()
    failed = registry.tasks(state=TaskState.FAILED, limit=SHOWN)
    waiting = registry.tasks(state=TaskState.QUEUED, limit=SHOWN)
    with st.container(horizontal=True, gap="medium", key="facts"):
        panels.fact(texts.SERVICE, ready.status)
        panels.fact(texts.DATABASE, ready.migration)
        panels.fact(texts.EVENTS_WAITING, ui_texts.count(inbox.events.get(LineageEventState.NEW, 0)))
        panels.fact(texts.BEHIND_BY, texts.seconds(inbox.lag_seconds))
        panels.fact(texts.TASKS_WAITING, most(len(waiting)))
        panels.fact(texts.TASKS_GIVEN_UP, most(len(failed)))
    if inbox.events.get(LineageEventState.PARKED):
        st.warning(texts.UNREADABLE_EVENTS, icon=":material/warning:")
        panels.link("lineage", texts.SEE_EVENTS, tab=lineage.EVENTS)
    if failed:
        panels.link("tasks", texts.SEE_TASKS, state="failed")


def most(number: int) -> str:
    """Format the length of a listing, which may be truncated."""
    return texts.at_least(number, whole=number < SHOWN)


def undelivered() -> None:
    """Show the dead-lettered messages, each with a button to retry its delivery."""
    messages = viewer.registry().messages(state=OutboxState.DEAD, limit=SHOWN)
    if not messages:
        panels.empty(texts.ALL_DELIVERED, texts.UNDELIVERED_APPEAR)
    for each in messages:
        message(each)


def message(of: OutboxMessageOut) -> None:
    """Draw a dead-lettered message."""
    about = texts.given_up(of.kind, of.attempts, of.error or "")
    with panels.row(ui_texts.UNDELIVERED, age=of.created_at, about=about, key=f"message-{of.id}"):
        st.markdown(f"**{ui_texts.esc(of.destination)}**")
    st.button(texts.DELIVER, key=f"replay-{of.id}", on_click=replay, args=(of.id,))


def replay(message_id: UUID) -> None:
    """Retry the delivery of the message."""
    step_runner.run_step(lambda: viewer.registry().retry_message(message_id), done=texts.DELIVERED_AGAIN)


page()
