"""Task queue: queued, running, finished and failed tasks, with retry and stop."""

import streamlit as st

from treaty.registry.core.enums import TaskState
from treaty.registry.schemas import TaskSummaryOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import pages
from treaty.ui.texts import tasks as texts
from treaty.ui.widgets import panels, step_runner, viewer

SHOWN = 50
EVERY = 5


def page() -> None:
    """Draw the newest tasks that match the filters."""
    st.title(pages.TASKS)
    with st.container(horizontal=True, key="filters"):
        state = st.selectbox(
            ui_texts.STATE, [ui_texts.ALL, *(each.value for each in TaskState)], key="state", bind="query-params"
        )
        contract = st.text_input(texts.CONTRACT_ID, key="contract", bind="query-params")
    selected = None if state in (ui_texts.ALL, None) else state
    st.fragment(newest, run_every=EVERY)(selected, contract or None)


def newest(state: str | None, contract: str | None) -> None:
    """Draw the newest tasks of that state and contract, refreshed every few seconds."""
    panels.show_flash()
    tasks = viewer.registry().tasks(state=state, contract_id=contract, limit=SHOWN)
    if not tasks:
        panels.empty(texts.EMPTY, texts.APPEAR)
        return
    st.caption(texts.newest(len(tasks)))
    for task in tasks:
        row(task)


def row(task: TaskSummaryOut) -> None:
    """Draw a task: state, subject, and its progress or error."""
    about = " · ".join(part for part in (urgency(task), attempts(task), task.progress or "") if part)
    with panels.row(ui_texts.TASKS[task.state], age=task.created_at, about=about, key=f"task-{task.id}"):
        name = ui_texts.task(task.kind)
        if task.contract_id:
            panels.link("contract", f"{name}: {subject(task)}", id=task.contract_id)
        else:
            st.markdown(f"**{ui_texts.esc(name)}**")
    if task.error:
        st.text(task.error)
    if task.state == TaskState.FAILED:
        st.button(texts.TRY_AGAIN, key=f"retry-{task.id}", icon=":material/refresh:", on_click=retry, args=(task,))
    if task.can_stop:
        st.button(ui_texts.STOP, key=f"stop-{task.id}", icon=":material/stop_circle:", on_click=stop, args=(task,))


def retry(task: TaskSummaryOut) -> None:
    """Retry the task."""
    step_runner.run_step(lambda: viewer.registry().retry_task(task.id), done=texts.TRIED_AGAIN)


def stop(task: TaskSummaryOut) -> None:
    """Stop the task; its partial results are discarded."""
    step_runner.run_step(lambda: viewer.registry().stop_task(task.id), done=texts.STOPPED)


def subject(task: TaskSummaryOut) -> str:
    """Return the contract of the task, and the object if there is one."""
    return " · ".join(part for part in (task.contract_id, task.object) if part)


def urgency(task: TaskSummaryOut) -> str:
    """Return the earliest start of a queued task if it is in the future."""
    ahead = task.state == TaskState.QUEUED and task.available_at > viewer.now()
    return texts.not_before(ui_texts.moment(task.available_at, timezone=viewer.timezone())) if ahead else ""


def attempts(task: TaskSummaryOut) -> str:
    """Return the number of attempts if there was more than one."""
    return texts.attempt_count(task.attempts) if task.attempts > 1 else ""


page()
