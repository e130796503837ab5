"""The first steps of a registry: a table, its draft, an owner, the listener; each says by itself whether it is done."""

import streamlit as st

from registry.client import ClientError
from registry.words import Permission
from ui import panels, people_forms, session, settings, words

EVERY = 3
FORBIDDEN = 403
TRANSPORT = """\
spark.jars.packages                       io.openlineage:openlineage-spark_2.13:1.53.0
spark.extraListeners                      io.openlineage.spark.agent.OpenLineageSparkListener
spark.openlineage.transport.type          http
spark.openlineage.transport.url           {url}
spark.openlineage.transport.auth.type     api_key
spark.openlineage.transport.auth.apiKey   THE TOKEN FROM BELOW
"""


def page() -> None:
    """Draws the steps in their order."""
    st.title("Getting started")
    panels.told()
    st.markdown("**From a table to a contract that is judged whenever the table changes, in four steps**")
    contracts = session.registry().contracts()
    draft(done=bool(contracts or session.registry().proposals(limit=1)))
    approved(done=any(each.active_version for each in contracts))
    listener()
    first_verdict(done=any(each.last_run for each in contracts))


def step(number: int, title: str, *, done: bool) -> None:
    """The heading of a step, and whether it is done."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(f"{number}. {title}", width="content")
        st.markdown((words.DONE if done else words.TO_DO).badge, width="content")


def draft(*, done: bool) -> None:
    """The table, and its draft."""
    step(1, "Connect a table and have its contract drafted", done=done)
    st.caption(
        "Name a table that Spark can read. It is profiled, and checks are suggested that its past keeps. "
        "Nothing is promised until an owner approves."
    )
    panels.link("draft", "Draft a contract")


def approved(*, done: bool) -> None:
    """An owner, who is somebody else than the author."""
    step(2, "Invite an owner, who decides", done=done)
    st.caption("An owner approves what somebody else drafted. Their inbox leads them to the review.")
    if session.may(Permission.USERS):
        with st.expander("Invite somebody", key="invite", icon=":material/person_add:", on_change="rerun") as opened:
            if opened.open:
                people_forms.invite(key="start")
    else:
        st.caption("An administrator adds users.")


def listener() -> None:
    """What a job needs to tell of its writes, and whether one has."""
    counts = arrived()
    step(3, "Point Spark's listener here", done=bool(counts))
    st.caption("In spark-defaults.conf, or as --conf of spark-submit, with the address that your jobs reach:")
    panels.source(TRANSPORT.format(url=settings.load().api_url))
    if session.may(Permission.TOKENS):
        people_forms.token(key="start", scopes=[Permission.LINEAGE], name="spark jobs")
    if counts == 0:
        st.fragment(waiting, run_every=EVERY)()


def arrived() -> int | None:
    """How many lineage events came; None where the viewer may not know."""
    try:
        return sum(session.registry().inbox_counts().events.values())
    except ClientError as error:
        if error.status != FORBIDDEN:
            raise
        return None


def waiting() -> None:
    """One look at whether the first event came; draws the whole page once it has."""
    if arrived():
        st.rerun()
    with st.container(border=True, key="waiting"):
        st.markdown(":material/hourglass_empty: **Waiting for the first event**")
        st.caption("This looks again every few seconds. Run a job that writes a table.")


def first_verdict(*, done: bool) -> None:
    """Where the verdicts are."""
    step(4, "See the first verdict", done=done)
    st.caption("Once an event says that the table changed, the contract is judged within seconds.")
    panels.link("contracts", "See the contracts")


page()
