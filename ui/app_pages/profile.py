"""What a table is like, column by column: as a proposal was drafted of it, or as its stored states tell now."""

from collections.abc import Mapping, Sequence

import streamlit as st

from registry.api.schemas import Bins, ColumnDocument, Counted, ProfileDocument
from ui import charts, panels, session, words

OPENED = 12


def page() -> None:
    """Draws the profile that the address names, or asks for the dataset."""
    proposal, dataset = session.asked_id("proposal"), st.query_params.get("dataset", "")
    if proposal is not None:
        shown(session.registry().profile_of_proposal(proposal))
        panels.link("review", "Review the draft", proposal=str(proposal))
    elif dataset:
        shown(session.registry().profile(dataset, namespace=st.query_params.get("namespace")))
        st.caption("Told from stored states: no data was read. What no check needs is not told.")
    else:
        asked()


def asked() -> None:
    """Which dataset to profile."""
    st.title("Profile")
    panels.told()
    with st.form("profile", width=640):
        st.text_input("Contract, contract.object or a dataset's name", key="dataset", placeholder="shop-orders")
        st.form_submit_button("Show", type="primary", icon=":material/table_chart:", on_click=ask)


def ask() -> None:
    """Goes to the profile of what was typed."""
    typed = str(st.session_state.get("dataset") or "").strip()
    if typed:
        st.query_params["dataset"] = typed
    else:
        panels.tell("Still missing: the name of a contract or a dataset", problem=True)


def shown(of: ProfileDocument) -> None:
    """The whole profile; columns beyond the first few are closed until they are asked for."""
    st.title(words.esc(f"Profile of {of.object}") if of.object else "Profile")
    st.caption(words.esc(said(of)))
    for note in of.notes:
        st.warning(words.esc(note), icon=":material/info:")
    for position, each in enumerate(of.columns):
        column(each, of.words, opened=position < OPENED)


def said(of: ProfileDocument) -> str:
    """How much was read, in a sentence."""
    drawn = f", a sample of {of.sampled:.2%}" if of.sampled < 1 else ""
    parts = [name for name in of.partitions if name]
    parted = f" in {words.several(len(parts), 'partition')}" if parts else ""
    return f"{words.count(of.rows)} rows{drawn}{parted}, {words.several(len(of.columns), 'column')}"


def column(of: ColumnDocument, named: Mapping[str, str], *, opened: bool) -> None:
    """One column: its type, what is odd, its facts, how its values are distributed."""
    label = f"**{words.esc(of.name)}** · {words.esc(kind(of))}"
    with st.expander(label, expanded=opened, key=f"column-{words.slug(of.name)}", on_change="rerun") as drawn:
        if not drawn.open:
            return
        for note in of.notes:
            st.markdown(f":orange[:material/info: {words.esc(note)}]")
        with st.container(horizontal=True, gap="medium"):
            for name, value in of.facts.items():
                panels.fact(named.get(name, name), words.value(value))
        if of.bins:
            bars(of.bins, of.name)
        counted("All values" if of.all_values else "Frequent values", of.values)
        counted("What texts look like", of.masks)


def kind(of: ColumnDocument) -> str:
    """The column's type, and what its texts read as."""
    reads = of.reads_as
    form = f" written {words.listed(list(reads.formats))}" if reads and reads.formats else ""
    return ", ".join(
        filter(None, (of.type, f"reads as {reads.kind}{form}" if reads else "", "classified" if of.classified else ""))
    )


def bars(of: Bins, name: str) -> None:
    """How the numbers are distributed, with the same as text for who cannot see it."""
    told = f"{name}: {len(of.counts)} bins from {words.value(of.edges[0])} to {words.value(of.edges[-1])}"
    panels.drawn(charts.distribution(of.edges, of.counts, metric=name), key=f"bins-{words.slug(name)}", alt=told)


def counted(title: str, found: Sequence[Counted]) -> None:
    """A table of values and in how many rows each stands; nothing where there are none."""
    if found:
        rows = [{title: each.value, "Rows": each.count} for each in found]
        st.dataframe(rows, hide_index=True, alt=title, width="content")


page()
