"""Profile of a table, column by column: from a draft, or from its stored states."""

from collections.abc import Mapping, Sequence

import streamlit as st

from treaty.registry.schemas import ColumnDocument, HistogramBins, ProfileDocument, ValueCount
from treaty.ui import texts as ui_texts
from treaty.ui.texts import pages
from treaty.ui.texts import profile as texts
from treaty.ui.widgets import charts, panels, viewer

OPENED = 12


def page() -> None:
    """Draw the profile named by the URL, or the form for a dataset."""
    proposal, dataset = viewer.asked_id("proposal"), st.query_params.get("dataset", "")
    if proposal is not None:
        shown(viewer.registry().profile_of_proposal(proposal))
        panels.link("review", ui_texts.REVIEW_DRAFT, proposal=str(proposal))
    elif dataset:
        shown(viewer.registry().profile(dataset, namespace=st.query_params.get("namespace")))
        st.caption(texts.FROM_STATES)
    else:
        dataset_form()


def dataset_form() -> None:
    """Draw the form for the dataset to profile."""
    st.title(pages.PROFILE)
    panels.show_flash()
    with st.form("profile", width=640):
        st.text_input(texts.DATASET, key="dataset", placeholder=ui_texts.CONTRACT_EXAMPLE)
        st.form_submit_button(texts.SHOW, type="primary", icon=":material/table_chart:", on_click=open_profile)


def open_profile() -> None:
    """Open the profile of the typed dataset."""
    typed = str(st.session_state.get("dataset") or "").strip()
    if typed:
        st.query_params["dataset"] = typed
    else:
        panels.flash(texts.NAME_MISSING, problem=True)


def shown(of: ProfileDocument) -> None:
    """Draw the whole profile; columns after the first few are collapsed."""
    st.title(ui_texts.esc(texts.title(of.object)) if of.object else pages.PROFILE)
    st.caption(ui_texts.esc(coverage_sentence(of)))
    for note in of.notes:
        st.warning(ui_texts.esc(note), icon=":material/info:")
    for position, each in enumerate(of.columns):
        column(each, of.words, opened=position < OPENED)


def coverage_sentence(of: ProfileDocument) -> str:
    """Describe how much data was read, in a sentence."""
    sample = texts.sampled(of.sampled) if of.sampled < 1 else ""
    parts = [name for name in of.partitions if name]
    partitions = texts.parted(len(parts)) if parts else ""
    return texts.read(of.rows, sample, partitions, len(of.columns))


def column(of: ColumnDocument, named: Mapping[str, str], *, opened: bool) -> None:
    """Draw one column: type, notes, facts and distribution."""
    label = f"**{ui_texts.esc(of.name)}** · {ui_texts.esc(kind(of))}"
    with st.expander(label, expanded=opened, key=f"column-{ui_texts.slug(of.name)}", on_change="rerun") as expander:
        if not expander.open:
            return
        for note in of.notes:
            st.markdown(f":orange[:material/info: {ui_texts.esc(note)}]")
        with st.container(horizontal=True, gap="medium"):
            for name, value in of.facts.items():
                panels.fact(named.get(name, name), ui_texts.value(value, viewer.unit_of(name)))
        if of.bins:
            bars(of.bins, of.name)
        counted(texts.ALL_VALUES if of.all_values else texts.FREQUENT_VALUES, of.values)
        counted(texts.MASKS, of.masks)


def kind(of: ColumnDocument) -> str:
    """Return the column's type, and the type that its texts can be read as."""
    reads = of.reads_as
    form = texts.written_as(list(reads.formats)) if reads and reads.formats else ""
    return ", ".join(
        filter(
            None,
            (of.type, texts.reads_as(reads.kind, form) if reads else "", texts.CLASSIFIED if of.classified else ""),
        )
    )


def bars(of: HistogramBins, name: str) -> None:
    """Draw the distribution of numbers, with a text alternative."""
    description = texts.bins(name, len(of.counts), of.edges[0], of.edges[-1])
    panels.show_chart(
        charts.distribution(of.edges, of.counts, metric=name), key=f"bins-{ui_texts.slug(name)}", alt=description
    )


def counted(title: str, counts: Sequence[ValueCount]) -> None:
    """Draw a table of values with their numbers of rows, if there are any."""
    if counts:
        rows = [{title: each.value, ui_texts.ROWS: each.count} for each in counts]
        grouped = st.column_config.NumberColumn(format="localized")
        st.dataframe(rows, hide_index=True, alt=title, width="content", column_config={ui_texts.ROWS: grouped})


page()
