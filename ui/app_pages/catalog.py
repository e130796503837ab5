"""Catalog: search contracts by text, owner, domain, tag and state; the URL stores the query."""

import streamlit as st

from treaty.registry.core.enums import LabelKind, Permission
from treaty.registry.schemas import CatalogItemOut, CatalogPageOut
from treaty.ui import texts as ui_texts
from treaty.ui.parts.inbox import contract_requests
from treaty.ui.texts import contract as texts
from treaty.ui.texts import pages
from treaty.ui.widgets import panels, viewer

ROWS = 50
MINE = "subscribed"
CURSORS = "_catalog_cursors"


def page() -> None:
    """Draw the search, the filters and the results."""
    st.title(pages.CATALOG)
    panels.show_flash()
    query = st.text_input(
        ui_texts.SEARCH,
        key="q",
        bind="query-params",
        type="search",
        placeholder=texts.SEARCHED_IN_CATALOG,
        live=True,
    )
    chosen, mine = labels(), st.toggle(texts.ONLY_SUBSCRIBED, key=MINE, bind="query-params")
    question = repr((query or "", sorted(chosen.items()), mine))
    results = viewer.registry().search(query or "", labels=chosen, subscribed=mine, limit=ROWS, cursor=cursor(question))
    choose(results, chosen)
    result_list(results, question, anything=bool(query or chosen or mine))


def labels() -> dict[LabelKind, str]:
    """Return the label filters in the URL."""
    filters = {kind: st.query_params.get(kind.value, "") for kind in LabelKind}
    return {kind: value for kind, value in filters.items() if value and value != ui_texts.ALL}


def choose(page: CatalogPageOut, chosen: dict[LabelKind, str]) -> None:
    """Draw one filter for each kind of label, with the number of contracts per value."""
    with st.container(horizontal=True, key="filters"):
        for kind in LabelKind:
            counts = {each.value: each.count for each in page.facets.get(kind.value, ())}
            values = [ui_texts.ALL, *dict.fromkeys([*counts, *filter(None, [chosen.get(kind)])])]
            st.selectbox(
                kind.value.capitalize(),
                values,
                key=kind.value,
                bind="query-params",
                width=200,
                format_func=lambda value, counts=counts: f"{value} ({counts[value]:,})" if value in counts else value,
            )


def result_list(page: CatalogPageOut, question: str, *, anything: bool) -> None:
    """Draw a page of results, and the button for the next page."""
    st.caption(texts.contract_count(page.total))
    if not page.items:
        nothing(anything=anything)
    for item in page.items:
        row(item)
    if page.next:
        st.button(texts.MORE, key="more", on_click=_turn, args=(question, page.next))


def nothing(*, anything: bool) -> None:
    """Draw the empty state with the next steps.

    `anything`: a search or filter is set, so that it can be cleared."""
    panels.empty(texts.NOTHING_MATCHES, texts.ASK_FOR_LESS)
    with st.container(horizontal=True, vertical_alignment="center"):
        if anything:
            st.button(texts.SHOW_ALL, key="clear", icon=":material/filter_alt_off:", on_click=clear)
        contract_requests.form()
        if viewer.may(Permission.DRAFT):
            panels.link("draft", pages.DRAFT)
        panels.link("profile", pages.PROFILE)


def clear() -> None:
    """Clear the search and all filters."""
    st.session_state.update({"q": "", MINE: False, **{kind.value: ui_texts.ALL for kind in LabelKind}})


def row(item: CatalogItemOut) -> None:
    """Draw a contract: its last verdict and runs, name and details."""
    state = (ui_texts.VERSIONS.get(item.state) or ui_texts.PROPOSALS["in_review"]).word.lower()
    version = ui_texts.version(item.version) if item.version else ""
    details = (item.id, version, state, texts.owner(item.owner), item.domain or "", ", ".join(item.tags))
    about = " · ".join(part for part in (*details, item.description or "") if part)
    last = item.recent[-1] if item.recent else None
    mark = ui_texts.VERDICTS[last.verdict] if last else ui_texts.NEVER
    key = f"contract-{ui_texts.slug(item.id)}"
    with panels.row(mark, age=last.finished_at if last else None, about=about, key=key), st.container(horizontal=True):
        if item.version:
            panels.link("contract", item.name or item.id, id=item.id)
        else:
            st.markdown(f"**{ui_texts.esc(item.name or item.id)}**", width="content")
        if len(item.recent) > 1:
            st.markdown(course(item), width="content", help=texts.last_runs(len(item.recent)))


def course(item: CatalogItemOut) -> str:
    """Return the verdicts of the last runs as glyphs, newest last. Contains no foreign text."""
    marks = (ui_texts.VERDICTS[each.verdict] for each in item.recent)
    return "".join(f":{each.colour}[{ui_texts.GLYPHS[each.word]}]" for each in marks)


def cursor(question: str) -> str | None:
    """Return the cursor of the page of results; None means the first page, also after a new query."""
    before, place = st.session_state.get(CURSORS, (None, None))
    return place if before == question else None


def _turn(question: str, place: str) -> None:
    st.session_state[CURSORS] = question, place


page()
