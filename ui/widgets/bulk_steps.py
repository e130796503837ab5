"""Apply a step to several items independently, and report successes and failures."""

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
    """A step for one item, with the texts that report it.

    `name`: display name of an item. `message`: sentence about the names of the items that succeeded. `back`: undoes
    the step, from the item before and after; it may raise ClientError; None means the step cannot be undone."""

    take: Callable[[Thing], Thing]
    name: Callable[[Thing], str]
    message: Callable[[str], str]
    back: Callable[[Thing, Thing], object] | None


def run_bulk_step(items: Sequence[Thing], step: BulkStep[Thing]) -> None:
    """Apply the step to each item, report failures, and make the rest undoable."""
    changes, refused = [], []
    for each in items:
        try:
            changes.append((each, step.take(each)))
        except ClientError as error:
            refused.append(f"{step.name(each)}: {panels.sentence(error)}")
    done = step.message(ui_texts.join_list([step.name(each) for each, _ in changes])) if changes else ""
    undo = widgets_undo.remember(done, lambda: _put_back(changes, step)) if done and step.back else None
    if done or refused:
        panels.flash(" ".join([done, *refused]).strip(), problem=bool(refused), undo=undo)


def input_text(key: str) -> str:
    """Return the stripped text of the input with that key."""
    return str(st.session_state.get(key) or "").strip()


def _put_back(changes: Sequence[tuple[Thing, Thing]], step: BulkStep[Thing]) -> None:
    for before, after in changes:
        if step.back:
            step.back(before, after)
