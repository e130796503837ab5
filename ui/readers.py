"""What lineage says beside a contract: bad data from further up, and consumers that nobody registered."""

import streamlit as st

from registry.api.schemas import ReaderOut, UpstreamOut
from registry.words import Guess, Permission
from ui import actions, panels, session, words

SEEN = words.Mark("Seen reading", ":material/visibility:", "gray")


def suggested(contract_id: str) -> None:
    """The jobs about which nobody decided yet; nothing where there are none."""
    found = [each for each in session.registry().readers(contract_id) if each.state is Guess.SUGGESTED]
    if not found:
        return
    st.subheader(f"Jobs that read it and are not registered ({len(found)})")
    for reader in found:
        row(contract_id, reader)


def bad_data(found: UpstreamOut) -> None:
    """That bad data came to the contract from further up; its own verdict says nothing of them."""
    since = f" since {words.moment(found.since, timezone=session.timezone())}" if found.since else ""
    cause = f", from {found.cause}" if found.cause else ""
    told = f"Bad data {words.SPREADS[found.spread]} to {found.object} from further up{since}{cause}"
    st.warning(words.esc(told), icon=":material/warning:")
    if found.incident_id and found.cause:
        panels.link("incidents", "Open the incident", id=found.incident_id)


def row(contract_id: str, reader: ReaderOut) -> None:
    """A job, and what may be done about it."""
    reads = ", ".join(f"{name}.{column}" for name, columns in reader.reads.items() for column in columns)
    owners = f"owned by {', '.join(reader.owners)}" if reader.owners else ""
    about = " · ".join(part for part in (reader.job_namespace, f"reads {reads}" if reads else "", owners) if part)
    slug = words.slug(f"{reader.job_namespace} {reader.job_name}")
    with panels.row(SEEN, age=reader.seen, about=about, key=f"reader-{slug}"):
        st.markdown(f"**{words.esc(reader.job_name)}**")
    if session.may(Permission.SUBSCRIBE):
        with st.container(horizontal=True):
            st.button("It is mine: subscribe", key=f"confirm-{slug}", on_click=confirm, args=(contract_id, reader))
            st.button("It is no consumer", key=f"dismiss-{slug}", on_click=dismiss, args=(contract_id, reader))


def confirm(contract_id: str, reader: ReaderOut) -> None:
    """Subscribes the viewer to what the job reads."""
    actions.attempt(
        lambda: session.registry().confirm_reader(contract_id, reader.job_namespace, reader.job_name),
        done="You are subscribed to what the job reads.",
    )


def dismiss(contract_id: str, reader: ReaderOut) -> None:
    """Says that the job is no consumer."""
    actions.attempt(
        lambda: session.registry().dismiss_reader(contract_id, reader.job_namespace, reader.job_name),
        done="It is not suggested again.",
    )
