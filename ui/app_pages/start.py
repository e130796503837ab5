"""Getting started: draft a contract, invite an owner, connect Spark, see the first verdict."""

import streamlit as st

from treaty.registry.client import ClientError
from treaty.registry.core.enums import Permission
from treaty.ui import texts as ui_texts
from treaty.ui.server import settings
from treaty.ui.texts import pages
from treaty.ui.texts import start as texts
from treaty.ui.widgets import panels, people_forms, viewer

EVERY = 3
FORBIDDEN = 403
TRANSPORT = """\
spark.jars.packages                       io.openlineage:openlineage-spark_2.13:1.53.0
spark.extraListeners                      io.openlineage.spark.agent.OpenLineageSparkListener
spark.openlineage.transport.type          http
spark.openlineage.transport.url           {url}
spark.openlineage.transport.auth.type     api_key
spark.openlineage.transport.auth.apiKey   {token}
"""


def page() -> None:
    """Draw the steps in order."""
    st.title(pages.START)
    panels.show_flash()
    st.markdown(texts.FOUR_STEPS)
    contracts = viewer.registry().contracts()
    draft(done=bool(contracts or viewer.registry().proposals(limit=1)))
    approved(done=any(each.active_version for each in contracts))
    listener()
    first_verdict(done=any(each.last_run for each in contracts))


def step(number: int, title: str, *, done: bool) -> None:
    """Draw the heading of a step, and whether it is done."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(f"{number}. {title}", width="content")
        st.markdown((ui_texts.DONE if done else ui_texts.TO_DO).badge, width="content")


def draft(*, done: bool) -> None:
    """Draw the step that drafts a contract."""
    step(1, texts.CONNECT, done=done)
    st.caption(texts.NAME_TABLE)
    panels.link("draft", pages.DRAFT)


def approved(*, done: bool) -> None:
    """Draw the step that invites an owner, who must not be the author."""
    step(2, texts.INVITE_OWNER, done=done)
    st.caption(texts.OWNER_APPROVES)
    if viewer.may(Permission.USERS):
        with st.expander(texts.INVITE, key="invite", icon=":material/person_add:", on_change="rerun") as opened:
            if opened.open:
                people_forms.invite(key="start")
    else:
        st.caption(texts.ADMINISTRATOR_ADDS)


def listener() -> None:
    """Draw the step that configures Spark's listener, and wait for the first event."""
    counts = arrived()
    step(3, texts.POINT_LISTENER, done=bool(counts))
    st.caption(texts.WHERE_SETTINGS_GO)
    panels.source(TRANSPORT.format(url=settings.load().api_url, token=texts.TOKEN_PLACE))
    if viewer.may(Permission.TOKENS):
        people_forms.token(key="start", scopes=[Permission.LINEAGE], name=texts.TOKEN_NAME)
    if counts == 0:
        st.fragment(waiting, run_every=EVERY)()


def arrived() -> int | None:
    """Return the number of lineage events; None if the viewer lacks the permission."""
    try:
        return sum(viewer.registry().event_counts().events.values())
    except ClientError as error:
        if error.status != FORBIDDEN:
            raise
        return None


def waiting() -> None:
    """Draw the wait for the first event; redraw the whole page when it has arrived."""
    if arrived():
        st.rerun()
    with st.container(border=True, key="waiting"):
        st.markdown(texts.WAITING)
        st.caption(texts.LOOKS_AGAIN)


def first_verdict(*, done: bool) -> None:
    """Draw the step that leads to the first verdict."""
    step(4, texts.FIRST_VERDICT, done=done)
    st.caption(texts.JUDGED_SOON)
    panels.link("contracts", texts.SEE_CONTRACTS)


page()
