"""Lineage: the graph around a dataset, received events, and datasets without a contract."""

from collections.abc import Sequence

import streamlit as st

from treaty.registry.client import ClientError
from treaty.registry.core.enums import LineageEventState
from treaty.registry.schemas import (
    ContractRequestOut,
    LineageEventCountsOut,
    LineageEventOut,
    RejectedEventOut,
    UnmatchedDatasetOut,
)
from treaty.ui import texts as ui_texts
from treaty.ui.parts.inbox import contract_requests
from treaty.ui.parts.lineage import graph_chart
from treaty.ui.texts import lineage as texts
from treaty.ui.texts import pages
from treaty.ui.widgets import panels, viewer

SHOWN = 50
DEPTHS = (1, 2, 3, 5, 10, 20)
TABS = (texts.GRAPH, texts.EVENTS, texts.REFUSED, texts.WITHOUT_CONTRACT)
NOT_FOUND, MALFORMED = 404, 422


def page() -> None:
    """Draw the open tab; only that one sends requests."""
    st.title(pages.LINEAGE)
    panels.show_flash()
    for tab, draw in zip(st.tabs(TABS, key="tab", on_change="rerun", bind="query-params"), DRAWS, strict=True):
        if tab.open:
            with tab:
                draw()


def graph() -> None:
    """Draw the graph around the dataset or job named by the URL."""
    with st.container(horizontal=True, key="filters"):
        node = st.text_input(texts.NODE, key="node", bind="query-params", placeholder=texts.NODE_EXAMPLE)
        depth = st.selectbox(texts.DEPTH, DEPTHS, index=1, key="depth", width=200)
    if not node:
        panels.empty(texts.NO_NODE, texts.OPEN_ONE)
        return
    try:
        lineage = viewer.registry().lineage(node, depth=depth)
    except ClientError as error:
        if error.status not in {NOT_FOUND, MALFORMED}:
            raise
        panels.empty(texts.UNKNOWN_NODE, texts.WRITE_ONE)
        for each in viewer.registry().contract_requests():
            if contract_requests.node(each.namespace, each.name) == node:
                contract_requests.row(each)
        return
    shown, every = graph_chart.nodes(lineage, node), graph_chart.every(lineage, node)
    panels.show_chart(graph_chart.picture(shown), key="graph", alt=texts.GRAPH_PICTURE)
    if len(shown) < len(every):
        st.caption(texts.grouped(len(every)))
    if not lineage.complete:
        st.caption(texts.GRAPH_CUT)
    link = st.column_config.LinkColumn(ui_texts.OPEN, display_text=ui_texts.OPEN)
    panels.table(graph_chart.rows(every), key="nodes", alt=texts.NODES, **{ui_texts.OPEN: link})
    promised(every)


def promised(shown: Sequence[graph_chart.ShownNode]) -> None:
    """Draw the contract requests of the graph's central dataset if it has no contract."""
    for each in shown:
        if each.is_focus and each.kind == texts.DATASET and not each.contracts:
            name = each.node.data
            contract_requests.contract_requests_panel(
                str(name["namespace"]), str(name["name"]), viewer.registry().contract_requests()
            )


def events() -> None:
    """Draw the event counts and the newest events."""
    registry = viewer.registry()
    counts(registry.event_counts())
    newest = registry.events(limit=SHOWN)
    if not newest:
        panels.empty(texts.NO_EVENT, texts.SEND_EVENTS)
        return
    parked = [each for each in newest if each.state == LineageEventState.PARKED]
    if parked:
        st.warning(texts.unreadable(len(parked)), icon=":material/warning:")
    panels.table([event(each) for each in newest], key="events", alt=texts.NEWEST_EVENTS)


def counts(counts: LineageEventCountsOut) -> None:
    """Draw the numbers of received events by state."""
    with st.container(horizontal=True, gap="medium", key="facts"):
        for state in LineageEventState:
            panels.fact(ui_texts.INBOX[state].word, ui_texts.count(counts.events.get(state, 0)))
        panels.fact(texts.REPEATED, ui_texts.count(counts.duplicates))
        panels.fact(texts.REFUSED, ui_texts.count(sum(counts.rejected.values())))
        panels.time(texts.OLDEST, counts.oldest_received_at)


def event(event: LineageEventOut) -> dict[str, str]:
    """Return an event as a table row."""
    more = (
        texts.more_outputs(event.written_datasets - len(event.outputs))
        if event.written_datasets > len(event.outputs)
        else ""
    )
    return {
        texts.RECEIVED: ui_texts.moment(event.received_at, timezone=viewer.timezone()),
        ui_texts.STATE: ui_texts.glyph(ui_texts.INBOX[event.state]),
        ui_texts.KIND: event.kind,
        texts.EVENT_JOB: event.job,
        texts.WROTE: ", ".join(event.outputs) + more,
        texts.SENT_BY: event.producer,
        texts.TIMES: str(event.duplicates + 1) if event.duplicates else "",
        ui_texts.WHY: event.error or "",
        texts.NOTED: "; ".join(event.diagnostics),
    }


def refused() -> None:
    """Draw the rejected request bodies with their reasons."""
    rejected = viewer.registry().rejected_events(limit=SHOWN)
    if not rejected:
        panels.empty(texts.NOTHING_REFUSED, texts.REFUSED_APPEAR)
        return
    panels.table([refusal(each) for each in rejected], key="refused", alt=texts.REFUSED_BODIES)


def refusal(event: RejectedEventOut) -> dict[str, str]:
    """Return a rejected body as a table row."""
    return {
        texts.RECEIVED: ui_texts.moment(event.received_at, timezone=viewer.timezone()),
        texts.SENT_BY: event.producer,
        texts.STATUS: str(event.status),
        ui_texts.WHY: event.reason,
        texts.ID: str(event.id),
    }


def unmatched() -> None:
    """Draw written datasets without a contract, each with commands that create one."""
    datasets = viewer.registry().unmatched_datasets(limit=SHOWN)
    if not datasets:
        panels.empty(texts.ALL_HAVE_CONTRACTS, texts.UNMATCHED_APPEAR)
        return
    requests = viewer.registry().contract_requests()
    for each in datasets:
        without_contract(each, requests)


def without_contract(dataset: UnmatchedDatasetOut, requests: Sequence[ContractRequestOut]) -> None:
    """Draw a dataset without a contract, and the requests for one."""
    written = texts.written(dataset.write_count)
    about = " · ".join(
        part for part in (dataset.namespace, written, texts.by(dataset.job) if dataset.job else "") if part
    )
    with st.container(border=True, key=f"unmatched-{ui_texts.slug(f'{dataset.namespace} {dataset.name}')}"):
        st.markdown(f"**{ui_texts.esc(dataset.name)}**")
        st.caption(f"{ui_texts.esc(about)} · {ui_texts.age(dataset.last_seen_at, now=viewer.now())}")
        if dataset.columns:
            st.text(texts.columns(", ".join(dataset.columns)))
        with st.expander(texts.MAKE_CONTRACT, key=f"how-{ui_texts.slug(f'{dataset.namespace} {dataset.name}')}"):
            panels.commands(*dataset.remedies)
        contract_requests.contract_requests_panel(dataset.namespace, dataset.name, requests)


DRAWS = (graph, events, refused, unmatched)
page()
