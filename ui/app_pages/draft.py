"""Ask for a draft: which table to profile; then how far that is, and the way to its review."""

from uuid import UUID

import streamlit as st
from pydantic import ValidationError

from registry.api.schemas import DraftIn, TaskOut
from registry.client import ClientError
from ui import actions, panels, session, words

FOUND_OUT = "find out"
FORMATS = (FOUND_OUT, "parquet", "delta", "iceberg", "csv", "json", "orc")
FIELDS = {
    "location": "Where the table lies",
    "contract_id": "Contract id",
    "object": "Name of the table",
    "sample": "Sample",
    "false_alarms": "False alarms a quarter",
}


def page() -> None:
    """Draws the form, or the progress of the draft that the address names."""
    st.title("Draft a contract")
    panels.told()
    task_id = session.asked_id("task")
    if task_id is None:
        form()
    else:
        progress(task_id)


def form() -> None:
    """The table to profile."""
    st.caption(
        "Spark profiles the table and suggests checks that its past keeps. Nothing is promised until an owner approves."
    )
    with st.form("draft", width=640):
        st.text_input(FIELDS["location"], key="location", placeholder="/data/shop/orders or s3a://bucket/orders")
        st.selectbox("Format", FORMATS, key="format")
        st.text_input(
            "Partition columns", key="partition", placeholder="day", help="Separated by commas; none: one partition"
        )
        st.text_input("Columns", key="columns", placeholder="all", help="Only these, separated by commas")
        st.text_input("Sample", key="sample", placeholder="all rows", help="Read only about so many rows")
        st.checkbox("Learn programs from its past", key="by_history", help="Needs one partition a time of data")
        st.text_input(FIELDS["false_alarms"], key="alarms", placeholder="1", help="Of all its programs together")
        st.selectbox("Limits that they learn later", list(words.REFITS), key="refit", format_func=words.REFITS.get)
        st.text_input(FIELDS["object"], key="object", placeholder="orders")
        st.text_input(FIELDS["contract_id"], key="contract", placeholder="shop-orders", help="Letters, digits, . _ : -")
        st.form_submit_button("Draft", type="primary", icon=":material/edit_note:", on_click=request)


def request() -> None:
    """Asks for the draft; what is wrong is said above the form, which keeps what was typed."""
    missing = [
        FIELDS[name]
        for name, key in (("location", "location"), ("object", "object"), ("contract_id", "contract"))
        if not typed(key)
    ]
    if missing:
        panels.tell(f"Still missing: {words.listed(missing)}", problem=True)
        return
    try:
        task = session.registry().request_draft(wanted())
    except ValidationError as error:
        faults = [f"{FIELDS.get(str(each['loc'][0]), each['loc'][0])}: {each['msg']}" for each in error.errors()]
        panels.tell("; ".join(faults), problem=True)
    except ClientError as error:
        panels.tell(panels.sentence(error), problem=True)
    else:
        st.query_params["task"] = str(task.id)


def typed(key: str) -> str:
    """What stands in that input."""
    return str(st.session_state.get(key) or "").strip()


def wanted() -> DraftIn:
    """The request as typed. Raises ValidationError for what cannot be asked."""
    chosen = typed("format")
    return DraftIn(
        location=typed("location"),
        contract_id=typed("contract"),
        object=typed("object"),
        format=None if chosen == FOUND_OUT else chosen,
        partition_by=several("partition"),
        columns=several("columns"),
        by_history=bool(st.session_state.get("by_history")),
        false_alarms=typed("alarms") or 1.0,  # type: ignore[arg-type] # the model says what is wrong with it
        refit=typed("refit") or next(iter(words.REFITS)),
        sample=typed("sample").replace(",", "") or None,  # type: ignore[arg-type] # the model says what is wrong with it
    )


def several(key: str) -> tuple[str, ...]:
    """The names in that input, which commas part."""
    return tuple(part.strip() for part in typed(key).split(",") if part.strip())


def progress(task_id: UUID) -> None:
    """How far the draft is; asks again every two seconds until it has ended."""
    task = session.registry().task(task_id)
    if task.state in ("done", "failed"):
        ended(task)
    else:
        st.fragment(waiting, run_every=2)(task_id)


def waiting(task_id: UUID) -> None:
    """One look at a task under way; draws the whole page once it has ended."""
    task = session.registry().task(task_id)
    if task.state in ("done", "failed"):
        st.rerun()
    with st.container(border=True, key="task"):
        panels.marks(words.TASKS[task.state])
        st.text(task.progress or ("Waiting for a worker" if task.state == "queued" else "Under way"))
        panels.time("Asked for", task.created)
        st.button("Stop", key="stop", icon=":material/stop_circle:", on_click=stop, args=(task_id,))


def stop(task_id: UUID) -> None:
    """Ends the draft; what it had read is of no use to anybody."""
    try:
        session.registry().stop_task(task_id)
    except ClientError as error:
        panels.tell(panels.sentence(error), problem=True)


def ended(task: TaskOut) -> None:
    """What came of it."""
    with st.container(border=True, key="task"):
        panels.marks(words.TASKS[task.state])
        result = task.result or {}
        if task.state == "failed":
            st.text(task.error or "It failed without saying why.")
        elif result.get("proposal_id"):
            st.text(words.several(int(result.get("suggestions", 0)), "suggestion"))
            panels.link("review", "Review the draft", proposal=str(result["proposal_id"]))
            panels.link("profile", "See what the table is like", proposal=str(result["proposal_id"]))
    st.button("Draft another", key="another", on_click=actions.forget, args=("task",))


page()
