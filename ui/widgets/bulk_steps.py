"""Steps that are taken with several things at once, each by itself: what was done is said, and what was refused why."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import streamlit as st

from treaty.registry.client import ClientError
from treaty.ui import texts as ui_texts
from treaty.ui.widgets import panels
from treaty.ui.widgets import undo as widgets_undo

Thing = TypeVar("Thing")


@dataclass(frozen=True)
class BulkStep(Generic[Thing]):
    """A step: what it does with one of them, how that one is called, and what is said of those it was taken with.

    `back`: the way back, from the thing as it was and as the step left it; None: there is none. It may raise
    ClientError."""

    take: Callable[[Thing], Thing]
    name: Callable[[Thing], str]
    message: Callable[[str], str]
    back: Callable[[Thing, Thing], object] | None


def run_bulk_step(found: Sequence[Thing], step: BulkStep[Thing]) -> None:
    """Takes the step with each; says of those that refused why, and keeps the way back of the others."""
    taken, refused = [], []
    for each in found:
        try:
            taken.append((each, step.take(each)))
        except ClientError as error:
            refused.append(f"{step.name(each)}: {panels.sentence(error)}")
    done = step.message(ui_texts.join_list([step.name(each) for each, _ in taken])) if taken else ""
    undo = widgets_undo.remember(done, lambda: _put_back(taken, step)) if done and step.back else None
    if done or refused:
        panels.flash(" ".join([done, *refused]).strip(), problem=bool(refused), undo=undo)


def input_text(key: str) -> str:
    """What stands in that input."""
    return str(st.session_state.get(key) or "").strip()


def _put_back(taken: Sequence[tuple[Thing, Thing]], step: BulkStep[Thing]) -> None:
    for before, after in taken:
        if step.back:
            step.back(before, after)
