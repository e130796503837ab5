"""Forms that create users and API tokens; the secret of a token is shown once."""

from collections.abc import Sequence

import streamlit as st
from pydantic import ValidationError

from treaty.registry.client import ClientError
from treaty.registry.core.enums import Permission, Role
from treaty.ui import texts as ui_texts
from treaty.ui.texts import people as texts
from treaty.ui.widgets import panels, viewer

SECRET = "_secret"
DAYS = {ui_texts.DAYS_30: 30, ui_texts.DAYS_90: 90, ui_texts.YEAR: 365, ui_texts.FOR_EVER: None}


def invite(*, key: str) -> None:
    """Show the form for a new user, with a first password to pass on."""
    with st.form(f"invite-{key}", width=640):
        st.text_input(ui_texts.NAME, key=f"{key}-name", max_chars=200)
        st.selectbox(texts.ROLE, list(Role), format_func=ui_texts.ROLES.__getitem__, key=f"{key}-role", index=1)
        st.text_input(texts.FIRST_PASSWORD, key=f"{key}-password", type="password", help=texts.PASSWORD_LENGTH)
        st.form_submit_button(ui_texts.ADD, type="primary", icon=":material/person_add:", on_click=added, args=(key,))


def added(key: str) -> None:
    """Create the user as typed, and clear the password."""
    name, password = input_text(f"{key}-name"), input_text(f"{key}-password")
    st.session_state[f"{key}-password"] = ""
    if not (name and password):
        panels.flash(texts.USER_MISSING, problem=True)
        return
    attempt(lambda: viewer.registry().create_user(name, roles=[st.session_state[f"{key}-role"]], password=password),
            done=texts.may_sign_in(name))  # fmt: skip


def token(*, key: str, scopes: Sequence[Permission], name: str = "") -> None:
    """Show the form for an API token; with a single scope there is no choice of scopes."""
    with st.form(f"token-{key}", width=640):
        st.text_input(
            texts.TOKEN_PURPOSE, key=f"{key}-name", value=name, max_chars=200, placeholder=texts.TOKEN_EXAMPLE
        )
        if len(scopes) > 1:
            st.multiselect(texts.TOKEN_MAY, list(scopes), key=f"{key}-scopes", format_func=lambda each: each.value)
        st.selectbox(texts.TOKEN_LASTS, list(DAYS), key=f"{key}-days", index=2)
        st.form_submit_button(ui_texts.MAKE_TOKEN, icon=":material/key:", on_click=issued, args=(key, tuple(scopes)))
    shown()


def issued(key: str, scopes: tuple[Permission, ...]) -> None:
    """Create the token as typed; its secret is stored for the next rendering only."""
    chosen = scopes if len(scopes) == 1 else tuple(st.session_state.get(f"{key}-scopes") or ())
    name, days = input_text(f"{key}-name"), DAYS[st.session_state[f"{key}-days"]]
    if not (name and chosen):
        panels.flash(texts.TOKEN_MISSING, problem=True)
        return

    def create_token() -> None:
        st.session_state[SECRET] = viewer.registry().issue_token(name, scopes=chosen, expires_days=days).secret

    attempt(create_token, done=texts.TOKEN_MADE)


def shown() -> None:
    """Show the secret of a new token once; it is gone after a reload."""
    secret = st.session_state.pop(SECRET, None)
    if secret:
        panels.source(secret)
        st.caption(texts.COPY_NOW)


def input_text(key: str) -> str:
    """Return the stripped text of the input with that key."""
    return str(st.session_state.get(key) or "").strip()


def attempt(step: panels.Step, *, done: str) -> None:
    """Run the step and show its result, including validation errors of the input."""
    try:
        step()
    except ValidationError as error:
        panels.flash("; ".join(f"{each['loc'][0]}: {each['msg']}" for each in error.errors()), problem=True)
    except ClientError as error:
        panels.flash(panels.sentence(error), problem=True)
    else:
        panels.flash(done)
