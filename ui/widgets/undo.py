"""List the steps of this session that can be undone; the list ends with the session."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from treaty.registry.client import ClientError
from treaty.ui import texts as ui_texts
from treaty.ui.texts import steps as texts
from treaty.ui.widgets import panels

DONE = "_done"
MAX_STEPS = 20


@dataclass(frozen=True)
class UndoableStep:
    """A completed step: a message, which may contain foreign text, and a function that undoes it."""

    message: str
    back: Callable[[], object]


def remember(action: str, back: Callable[[], object]) -> Callable[[], None]:
    """Store how to undo a step, and return a handler for its undo button.

    `back` may raise ClientError."""
    done = UndoableStep(action, back)
    st.session_state[DONE] = [done, *undo_steps()][:MAX_STEPS]
    return lambda: take(done)


def undo_steps() -> list[UndoableStep]:
    """Return the steps that can be undone, newest first."""
    steps: list[UndoableStep] = st.session_state.get(DONE, [])
    return steps


def take(done: UndoableStep) -> None:
    """Undo the step; if the registry refuses, it stays in the list."""
    try:
        done.back()
    except ClientError as error:
        panels.flash(panels.sentence(error), problem=True)
        return
    st.session_state[DONE] = [each for each in undo_steps() if each is not done]
    panels.flash(texts.taken_back(done.message))


def draw() -> None:
    """Show the steps of this session, each with an undo button, if there are any."""
    steps = undo_steps()
    if not steps:
        return
    with st.expander(texts.done(len(steps)), key="done", icon=":material/history:", on_change="rerun") as opened:
        for at, each in enumerate(steps if opened.open else ()):
            with st.container(horizontal=True, vertical_alignment="center", key=f"done-{at}"):
                st.text(each.message, width="stretch")
                st.button(ui_texts.UNDO, key=f"undo-{at}", icon=":material/undo:", on_click=take, args=(each,))
