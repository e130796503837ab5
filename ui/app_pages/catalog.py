"""The catalog: every contract by words, owner, domain, tag and state; what is asked stands in the address."""

import streamlit as st

from registry.api.schemas import CatalogItem, CatalogPage
from registry.words import LabelKind
from ui import panels, session, words
from ui.words import contract as texts
from ui.words import pages

ROWS = 20
CURSORS = "_catalog_cursors"


def page() -> None:
    """Draws the search, what there is to choose from, and what was found."""
    st.title(pages.CATALOG)
    asked = st.text_input(
        words.SEARCH,
        key="q",
        bind="query-params",
        type="search",
        placeholder=texts.SEARCHED_IN_CATALOG,
        live=True,
    )
    chosen = labels()
    found = session.registry().search(asked or "", labels=chosen, limit=ROWS, cursor=cursor(asked or "", chosen))
    choose(found, chosen)
    listed(found, asked or "", chosen)


def labels() -> dict[LabelKind, str]:
    """What the address asks for, beside the words."""
    asked = {kind: st.query_params.get(kind.value, "") for kind in LabelKind}
    return {kind: value for kind, value in asked.items() if value and value != words.ALL}


def choose(found: CatalogPage, chosen: dict[LabelKind, str]) -> None:
    """One choice for each kind of label, with how many contracts have which."""
    with st.container(horizontal=True, key="filters"):
        for kind in LabelKind:
            counts = {each.value: each.count for each in found.facets.get(kind.value, ())}
            values = [words.ALL, *dict.fromkeys([*counts, *filter(None, [chosen.get(kind)])])]
            st.selectbox(
                kind.value.capitalize(),
                values,
                key=kind.value,
                bind="query-params",
                width=200,
                format_func=lambda value, counts=counts: f"{value} ({counts[value]})" if value in counts else value,
            )


def listed(found: CatalogPage, asked: str, chosen: dict[LabelKind, str]) -> None:
    """A portion of what was found, and the way to the next."""
    st.caption(texts.found(found.total))
    if not found.items:
        nothing(anything=bool(asked or chosen))
    for item in found.items:
        row(item)
    if found.next:
        st.button(texts.MORE, key="more", on_click=_turn, args=(asked, chosen, found.next))


def nothing(*, anything: bool) -> None:
    """What can be done where nothing matches; with `anything` asked, to ask for everything again."""
    panels.empty(texts.NOTHING_MATCHES, texts.ASK_FOR_LESS)
    with st.container(horizontal=True, vertical_alignment="center"):
        if anything:
            st.button(texts.SHOW_ALL, key="clear", icon=":material/filter_alt_off:", on_click=clear)
        panels.link("draft", pages.DRAFT)


def clear() -> None:
    """Asks for every contract."""
    st.session_state.update({"q": "", **{kind.value: words.ALL for kind in LabelKind}})


def row(item: CatalogItem) -> None:
    """A contract: its state, name and what it says of itself."""
    told = (item.id, words.version(item.version) if item.version else "", texts.owner(item.owner), item.domain or "")
    about = " · ".join(part for part in (*told, ", ".join(item.tags), item.description or "") if part)
    mark = words.VERSIONS.get(item.state) or words.PROPOSALS["in_review"]
    with panels.row(mark, age=None, about=about, key=f"contract-{words.slug(item.id)}"):
        if item.version:
            panels.link("contract", item.name or item.id, id=item.id)
        else:
            st.markdown(f"**{words.esc(item.name or item.id)}**")


def cursor(asked: str, chosen: dict[LabelKind, str]) -> str | None:
    """Where the portion begins; None: with the best, as whenever something else is asked."""
    question, place = st.session_state.get(CURSORS, (None, None))
    return place if question == _question(asked, chosen) else None


def _turn(asked: str, chosen: dict[LabelKind, str], place: str) -> None:
    st.session_state[CURSORS] = _question(asked, chosen), place


def _question(asked: str, chosen: dict[LabelKind, str]) -> str:
    return repr((asked, sorted(chosen.items())))


page()
