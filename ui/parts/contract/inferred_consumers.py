"""Lineage information about a contract: upstream bad data and inferred consumers."""

import streamlit as st

from treaty.registry.core.enums import InferredConsumerState, Permission
from treaty.registry.schemas import InferredConsumerOut, UpstreamIncidentOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import consumers as texts
from treaty.ui.widgets import panels, step_runner, viewer


def suggested(contract_id: str) -> None:
    """Draw the inferred consumers to confirm or dismiss, if there are any."""
    consumers = [
        each
        for each in viewer.registry().inferred_consumers(contract_id)
        if each.state is InferredConsumerState.SUGGESTED
    ]
    if not consumers:
        return
    st.subheader(texts.unregistered(len(consumers)))
    for reader in consumers:
        row(contract_id, reader)


def bad_data(incident: UpstreamIncidentOut) -> None:
    """Draw a warning about upstream bad data, which the contract's own verdict does not cover."""
    since = texts.since(ui_texts.moment(incident.reached_at, timezone=viewer.timezone())) if incident.reached_at else ""
    cause = texts.cause(incident.cause) if incident.cause else ""
    warning = texts.bad_data(incident.contamination, incident.object, since, cause)
    st.warning(ui_texts.esc(warning), icon=":material/warning:")
    if incident.incident_id and incident.cause:
        panels.link("incidents", texts.OPEN_INCIDENT, id=incident.incident_id)


def row(contract_id: str, reader: InferredConsumerOut) -> None:
    """Draw a job that reads the data, with buttons to confirm or dismiss it."""
    reads = ", ".join(f"{name}.{column}" for name, columns in reader.reads.items() for column in columns)
    owners = texts.owned_by(", ".join(reader.owners)) if reader.owners else ""
    about = " · ".join(part for part in (reader.job_namespace, texts.reads(reads) if reads else "", owners) if part)
    slug = ui_texts.slug(f"{reader.job_namespace} {reader.job_name}")
    with panels.row(ui_texts.INFERRED, age=reader.last_seen_at, about=about, key=f"reader-{slug}"):
        st.markdown(f"**{ui_texts.esc(reader.job_name)}**")
    if viewer.may(Permission.SUBSCRIBE):
        with st.container(horizontal=True):
            st.button(texts.MINE, key=f"confirm-{slug}", on_click=confirm, args=(contract_id, reader))
            st.button(texts.NO_CONSUMER, key=f"dismiss-{slug}", on_click=dismiss, args=(contract_id, reader))


def confirm(contract_id: str, reader: InferredConsumerOut) -> None:
    """Subscribe the viewer to the columns that the job reads."""
    step_runner.run_step(
        lambda: viewer.registry().confirm_inferred_consumer(contract_id, reader.job_namespace, reader.job_name),
        done=texts.SUBSCRIBED_TO_READ,
    )


def dismiss(contract_id: str, reader: InferredConsumerOut) -> None:
    """Dismiss the job as a consumer."""
    step_runner.run_step(
        lambda: viewer.registry().dismiss_inferred_consumer(contract_id, reader.job_namespace, reader.job_name),
        done=texts.NOT_SUGGESTED_AGAIN,
    )
