"""The catalog: every contract by words, owner, domain, tag and state, or what one subscribes to, each with how its
last runs came out; what is asked stands in the address."""

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
    """Draws the search, what there is to choose from, and what was found."""
    st.title(pages.CATALOG)
    panels.show_flash()
    asked = st.text_input(
        ui_texts.SEARCH,
        key="q",
        bind="query-params",
        type="search",
        placeholder=texts.SEARCHED_IN_CATALOG,
        live=True,
    )
    chosen, mine = labels(), st.toggle(texts.ONLY_SUBSCRIBED, key=MINE, bind="query-params")
    question = repr((asked or "", sorted(chosen.items()), mine))
    found = viewer.registry().search(asked or "", labels=chosen, subscribed=mine, limit=ROWS, cursor=cursor(question))
    choose(found, chosen)
    result_list(found, question, anything=bool(asked or chosen or mine))


def labels() -> dict[LabelKind, str]:
    """What the address asks for, beside the words."""
    asked = {kind: st.query_params.get(kind.value, "") for kind in LabelKind}
    return {kind: value for kind, value in asked.items() if value and value != ui_texts.ALL}


def choose(found: CatalogPageOut, chosen: dict[LabelKind, str]) -> None:
    """One choice for each kind of label, with how many contracts have which."""
    with st.container(horizontal=True, key="filters"):
        for kind in LabelKind:
            counts = {each.value: each.count for each in found.facets.get(kind.value, ())}
            values = [ui_texts.ALL, *dict.fromkeys([*counts, *filter(None, [chosen.get(kind)])])]
            st.selectbox(
                kind.value.capitalize(),
                values,
                key=kind.value,
                bind="query-params",
                width=200,
                format_func=lambda value, counts=counts: f"{value} ({counts[value]})" if value in counts else value,
            )


def result_list(found: CatalogPageOut, question: str, *, anything: bool) -> None:
    """A portion of what was found, and the way to the next."""
    st.caption(texts.contract_count(found.total))
    if not found.items:
        nothing(anything=anything)
    for item in found.items:
        row(item)
    if found.next:
        st.button(texts.MORE, key="more", on_click=_turn, args=(question, found.next))


def nothing(*, anything: bool) -> None:
    """What can be done where nothing matches; with `anything` asked, to ask for everything again."""
    panels.empty(texts.NOTHING_MATCHES, texts.ASK_FOR_LESS)
    with st.container(horizontal=True, vertical_alignment="center"):
        if anything:
            st.button(texts.SHOW_ALL, key="clear", icon=":material/filter_alt_off:", on_click=clear)
        contract_requests.form()
        if viewer.may(Permission.DRAFT):
            panels.link("draft", pages.DRAFT)
        panels.link("profile", pages.PROFILE)


def clear() -> None:
    """Asks for every contract."""
    st.session_state.update({"q": "", MINE: False, **{kind.value: ui_texts.ALL for kind in LabelKind}})


def row(item: CatalogItemOut) -> None:
    """A contract: how its last runs came out, its name, and what it says of itself."""
    state = (ui_texts.VERSIONS.get(item.state) or ui_texts.PROPOSALS["in_review"]).word.lower()
    version = ui_texts.version(item.version) if item.version else ""
    told = (item.id, version, state, texts.owner(item.owner), item.domain or "", ", ".join(item.tags))
    about = " · ".join(part for part in (*told, item.description or "") if part)
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
    """The verdicts of the last runs as signs, the newest last. Holds no foreign text."""
    marks = (ui_texts.VERDICTS[each.verdict] for each in item.recent)
    return "".join(f":{each.colour}[{ui_texts.GLYPHS[each.word]}]" for each in marks)


def cursor(question: str) -> str | None:
    """Where the portion begins; None: with the best, as whenever something else is asked."""
    before, place = st.session_state.get(CURSORS, (None, None))
    return place if before == question else None


def _turn(question: str, place: str) -> None:
    st.session_state[CURSORS] = question, place


page()
