"""What the viewer did in this session, each with the way back; it is forgotten when they leave."""

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
    """A step that was taken: what it was, in a sentence that may hold foreign text, and the way back."""

    message: str
    back: Callable[[], object]


def remember(said: str, back: Callable[[], object]) -> Callable[[], None]:
    """Keeps the way back, which may raise ClientError; what a button for it does."""
    done = UndoableStep(said, back)
    st.session_state[DONE] = [done, *undo_steps()][:MAX_STEPS]
    return lambda: take(done)


def undo_steps() -> list[UndoableStep]:
    """What can be taken back, the newest first."""
    found: list[UndoableStep] = st.session_state.get(DONE, [])
    return found


def take(done: UndoableStep) -> None:
    """Takes the step back; where the registry refuses, all stays as it is."""
    try:
        done.back()
    except ClientError as error:
        panels.flash(panels.sentence(error), problem=True)
        return
    st.session_state[DONE] = [each for each in undo_steps() if each is not done]
    panels.flash(texts.taken_back(done.message))


def draw() -> None:
    """What was done in this session, each with its button; nothing where nothing was."""
    found = undo_steps()
    if not found:
        return
    with st.expander(texts.done(len(found)), key="done", icon=":material/history:", on_change="rerun") as opened:
        for at, each in enumerate(found if opened.open else ()):
            with st.container(horizontal=True, vertical_alignment="center", key=f"done-{at}"):
                st.text(each.message, width="stretch")
                st.button(ui_texts.UNDO, key=f"undo-{at}", icon=":material/undo:", on_click=take, args=(each,))
