"""Request a draft of a table, follow its progress, and open its review."""

from uuid import UUID

import streamlit as st
from pydantic import BaseModel, ValidationError

from treaty.registry.client import ClientError
from treaty.registry.schemas import DraftIn, PatternOptions, ProgramOptions, TaskOut
from treaty.ui import texts as ui_texts
from treaty.ui.parts import draft_options
from treaty.ui.texts import draft as texts
from treaty.ui.texts import pages
from treaty.ui.widgets import panels, step_runner, viewer

FORMATS = (texts.FIND_OUT, "parquet", "delta", "iceberg", "csv", "json", "orc")
OPTIONS: dict[str, type[BaseModel]] = {texts.PROGRAM_OPTIONS: ProgramOptions, texts.PATTERN_OPTIONS: PatternOptions}
FIELDS = {
    "location": texts.LOCATION,
    "contract_id": texts.CONTRACT_ID,
    "object": texts.TABLE_NAME,
    "sample": texts.SAMPLE,
    **{name: label for name, (label, _) in texts.OPTIONS.items()},
}


def page() -> None:
    """Draw the form, or the progress of the task named by the URL."""
    st.title(pages.DRAFT)
    panels.show_flash()
    task_id = viewer.asked_id("task")
    if task_id is None:
        form()
    else:
        progress(task_id)


def form() -> None:
    """Draw the form for the table to profile."""
    st.caption(texts.INTRO)
    location = st.query_params.get("location", "")
    with st.form("draft", width=640):
        st.text_input(FIELDS["location"], location, key="location", placeholder=texts.LOCATION_EXAMPLE)
        st.selectbox(texts.FORMAT, FORMATS, key="format")
        st.text_input(
            texts.PARTITION_COLUMNS, key="partition", placeholder=texts.PARTITION_EXAMPLE, help=texts.PARTITION_HELP
        )
        st.text_input(ui_texts.COLUMNS, key="columns", placeholder=texts.ALL_COLUMNS, help=texts.COLUMNS_HELP)
        st.text_input(texts.SAMPLE, key="sample", placeholder=texts.ALL_ROWS, help=texts.SAMPLE_HELP)
        st.checkbox(texts.PROGRAMS, key="by_history", help=texts.PROGRAMS_HELP)
        for title, model in OPTIONS.items():
            with st.expander(title):
                draft_options.draw(model)
        st.checkbox(texts.COMPARE, key="compare", help=texts.COMPARE_HELP)
        st.text_input(FIELDS["object"], key="object", placeholder=texts.TABLE_EXAMPLE)
        st.text_input(
            FIELDS["contract_id"], key="contract", placeholder=ui_texts.CONTRACT_EXAMPLE, help=texts.CONTRACT_HELP
        )
        st.form_submit_button(texts.CREATE_DRAFT, type="primary", icon=":material/edit_note:", on_click=request)


def request() -> None:
    """Request the draft; errors are shown above the form, which keeps its input."""
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
        faults = [f"{FIELDS.get(str(each['loc'][-1]), each['loc'][-1])}: {each['msg']}" for each in error.errors()]
        panels.flash("; ".join(faults), problem=True)
    except ClientError as error:
        panels.flash(panels.sentence(error), problem=True)
    else:
        st.query_params["task"] = str(task.id)


def typed(key: str) -> str:
    """Return the stripped text of the input with that key."""
    return str(st.session_state.get(key) or "").strip()


def draft_request() -> DraftIn:
    """Return the request as typed. Raises ValidationError for invalid input."""
    chosen = typed("format")
    return DraftIn(
        location=typed("location"),
        contract_id=typed("contract"),
        object=typed("object"),
        format=None if chosen == texts.FIND_OUT else chosen,
        partition_by=several("partition"),
        columns=several("columns"),
        programs=draft_options.chosen(ProgramOptions) if st.session_state.get("by_history") else None,
        patterns=draft_options.chosen(PatternOptions),
        compare=bool(st.session_state.get("compare")),
        sample=typed("sample").replace(",", "") or None,  # type: ignore[arg-type] # the model reports errors
    )


def several(key: str) -> tuple[str, ...]:
    """Return the comma-separated names in that input."""
    return tuple(part.strip() for part in typed(key).split(",") if part.strip())


def progress(task_id: UUID) -> None:
    """Draw the progress of the draft, refreshed every two seconds until the task ends."""
    task = viewer.registry().task(task_id)
    if task.state in ("done", "failed"):
        ended(task)
    else:
        st.fragment(waiting, run_every=2)(task_id)


def waiting(task_id: UUID) -> None:
    """Draw the state of a running task; redraw the whole page when it has ended."""
    task = viewer.registry().task(task_id)
    if task.state in ("done", "failed"):
        st.rerun()
    with st.container(border=True, key="task"):
        panels.status_line(ui_texts.TASKS[task.state])
        st.text(task.progress or (texts.WAITING if task.state == "queued" else texts.UNDER_WAY))
        panels.time(texts.ASKED_FOR, task.created_at)
        st.button(ui_texts.STOP, key="stop", icon=":material/stop_circle:", on_click=stop, args=(task_id,))


def stop(task_id: UUID) -> None:
    """Stop the task; its partial results are discarded."""
    try:
        viewer.registry().stop_task(task_id)
    except ClientError as error:
        panels.flash(panels.sentence(error), problem=True)


def ended(task: TaskOut) -> None:
    """Draw the result of the task."""
    with st.container(border=True, key="task"):
        panels.status_line(ui_texts.TASKS[task.state])
        result = task.result or {}
        if task.state == "failed":
            st.text(task.error or texts.FAILED)
        elif result.get("proposal_id"):
            st.text(ui_texts.suggestions(int(result.get("suggestions", 0))))
            for note in result.get("notes", ()):
                st.warning(ui_texts.esc(str(note)), icon=":material/info:")
            if choices := result.get("choices"):
                draft_options.draw_choices(choices)
            panels.link("review", ui_texts.REVIEW_DRAFT, proposal=str(result["proposal_id"]))
            panels.link("profile", texts.SEE_PROFILE, proposal=str(result["proposal_id"]))
    st.button(texts.ANOTHER, key="another", on_click=step_runner.forget, args=("task",))


page()
