"""Ask for a draft: which table to profile; then how far that is, and the way to its review."""

from uuid import UUID

import streamlit as st
from pydantic import ValidationError

from treaty.registry.client import ClientError
from treaty.registry.schemas import DraftIn, TaskOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import draft as texts
from treaty.ui.texts import pages
from treaty.ui.widgets import panels, step_runner, viewer

FORMATS = (texts.FIND_OUT, "parquet", "delta", "iceberg", "csv", "json", "orc")
FIELDS = {
    "location": texts.LOCATION,
    "contract_id": texts.CONTRACT_ID,
    "object": texts.TABLE_NAME,
    "sample": texts.SAMPLE,
    "false_alarms": texts.FALSE_ALARMS,
}


def page() -> None:
    """Draws the form, or the progress of the draft that the address names."""
    st.title(pages.DRAFT)
    panels.show_flash()
    task_id = viewer.asked_id("task")
    if task_id is None:
        form()
    else:
        progress(task_id)


def form() -> None:
    """The table to profile."""
    st.caption(texts.INTRO)
    asked = st.query_params.get("location", "")
    with st.form("draft", width=640):
        st.text_input(FIELDS["location"], asked, key="location", placeholder=texts.LOCATION_EXAMPLE)
        st.selectbox(texts.FORMAT, FORMATS, key="format")
        st.text_input(
            texts.PARTITION_COLUMNS, key="partition", placeholder=texts.PARTITION_EXAMPLE, help=texts.PARTITION_HELP
        )
        st.text_input(ui_texts.COLUMNS, key="columns", placeholder=texts.ALL_COLUMNS, help=texts.COLUMNS_HELP)
        st.text_input(texts.SAMPLE, key="sample", placeholder=texts.ALL_ROWS, help=texts.SAMPLE_HELP)
        st.checkbox(texts.PROGRAMS, key="by_history", help=texts.PROGRAMS_HELP)
        st.text_input(FIELDS["false_alarms"], key="alarms", placeholder="1", help=texts.FALSE_ALARMS_HELP)
        st.selectbox(texts.REFIT, list(ui_texts.REFITS), key="refit", format_func=ui_texts.REFITS.get)
        st.text_input(FIELDS["object"], key="object", placeholder=texts.TABLE_EXAMPLE)
        st.text_input(
            FIELDS["contract_id"], key="contract", placeholder=ui_texts.CONTRACT_EXAMPLE, help=texts.CONTRACT_HELP
        )
        st.form_submit_button(texts.CREATE_DRAFT, type="primary", icon=":material/edit_note:", on_click=request)


def request() -> None:
    """Asks for the draft; what is wrong is said above the form, which keeps what was typed."""
    missing = [
        FIELDS[name]
        for name, key in (("location", "location"), ("object", "object"), ("contract_id", "contract"))
        if not typed(key)
    ]
    if missing:
        panels.flash(texts.missing(missing), problem=True)
        return
    try:
        task = viewer.registry().request_draft(draft_request())
    except ValidationError as error:
        faults = [f"{FIELDS.get(str(each['loc'][0]), each['loc'][0])}: {each['msg']}" for each in error.errors()]
        panels.flash("; ".join(faults), problem=True)
    except ClientError as error:
        panels.flash(panels.sentence(error), problem=True)
    else:
        st.query_params["task"] = str(task.id)


def typed(key: str) -> str:
    """What stands in that input."""
    return str(st.session_state.get(key) or "").strip()


def draft_request() -> DraftIn:
    """The request as typed. Raises ValidationError for what cannot be asked."""
    chosen = typed("format")
    return DraftIn(
        location=typed("location"),
        contract_id=typed("contract"),
        object=typed("object"),
        format=None if chosen == texts.FIND_OUT else chosen,
        partition_by=several("partition"),
        columns=several("columns"),
        by_history=bool(st.session_state.get("by_history")),
        false_alarms=typed("alarms") or 1.0,  # type: ignore[arg-type] # the model says what is wrong with it
        refit=typed("refit") or next(iter(ui_texts.REFITS)),
        sample=typed("sample").replace(",", "") or None,  # type: ignore[arg-type] # the model says what is wrong with it
    )


def several(key: str) -> tuple[str, ...]:
    """The names in that input, which commas part."""
    return tuple(part.strip() for part in typed(key).split(",") if part.strip())


def progress(task_id: UUID) -> None:
    """How far the draft is; asks again every two seconds until it has ended."""
    task = viewer.registry().task(task_id)
    if task.state in ("done", "failed"):
        ended(task)
    else:
        st.fragment(waiting, run_every=2)(task_id)


def waiting(task_id: UUID) -> None:
    """One look at a task under way; draws the whole page once it has ended."""
    task = viewer.registry().task(task_id)
    if task.state in ("done", "failed"):
        st.rerun()
    with st.container(border=True, key="task"):
        panels.status_line(ui_texts.TASKS[task.state])
        st.text(task.progress or (texts.WAITING if task.state == "queued" else texts.UNDER_WAY))
        panels.time(texts.ASKED_FOR, task.created_at)
        st.button(ui_texts.STOP, key="stop", icon=":material/stop_circle:", on_click=stop, args=(task_id,))


def stop(task_id: UUID) -> None:
    """Ends the draft; what it had read is of no use to anybody."""
    try:
        viewer.registry().stop_task(task_id)
    except ClientError as error:
        panels.flash(panels.sentence(error), problem=True)


def ended(task: TaskOut) -> None:
    """What came of it."""
    with st.container(border=True, key="task"):
        panels.status_line(ui_texts.TASKS[task.state])
        result = task.result or {}
        if task.state == "failed":
            st.text(task.error or texts.FAILED)
        elif result.get("proposal_id"):
            st.text(ui_texts.suggestions(int(result.get("suggestions", 0))))
            panels.link("review", ui_texts.REVIEW_DRAFT, proposal=str(result["proposal_id"]))
            panels.link("profile", texts.SEE_PROFILE, proposal=str(result["proposal_id"]))
    st.button(texts.ANOTHER, key="another", on_click=step_runner.forget, args=("task",))


page()
