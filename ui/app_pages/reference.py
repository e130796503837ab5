"""Reference of the analyzers, by family, with an example of each."""

from itertools import groupby
from typing import Any

import streamlit as st

from treaty.registry.schemas import AnalyzerOut, ArgumentOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import reference as texts
from treaty.ui.widgets import panels, viewer


def page() -> None:
    """Draw the analyzers that match the search, by family."""
    st.title(texts.TITLE)
    st.caption(texts.INTRO)
    query = st.text_input(texts.FIND, placeholder=texts.FIND_BY, key="find")
    analyzers = [each for each in viewer.registry().analyzers() if matches(each, query)]
    if not analyzers:
        panels.empty(texts.NOT_FOUND, texts.NONE_HAS_IT)
    for family, members in groupby(analyzers, key=lambda each: each.family):
        group = list(members)
        st.subheader(texts.members(family, len(group)))
        for each in group:
            analyzer(each)


def matches(analyzer: AnalyzerOut, query: str) -> bool:
    """Return True if the analyzer's texts contain every word of the search."""
    names = [each.name for each in analyzer.arguments]
    text = " ".join([analyzer.name, analyzer.name.replace("_", " "), analyzer.description, *names]).casefold()
    return all(word in text for word in query.casefold().split())


def analyzer(of: AnalyzerOut) -> None:
    """Draw one analyzer, collapsed; its label has the first sentence of the description."""
    label = f"**{ui_texts.esc(of.name)}**: {ui_texts.prose(first_sentence(of.description))}"
    with st.expander(label, key=f"analyzer-{ui_texts.slug(of.name)}", on_change="rerun") as expander:
        if not expander.open:
            return
        for paragraph in of.description.split("\n\n"):
            st.markdown(ui_texts.prose(paragraph))
        with st.container(horizontal=True, gap="medium"):
            panels.fact(texts.UNIT, of.unit)
            panels.fact(texts.JUDGED_ON, ui_texts.SCOPES.get(of.scope, of.scope))
        st.markdown("\n".join(map(argument, of.arguments)))
        panels.source(of.example)


def first_sentence(text: str) -> str:
    """Return the text up to the end of its first sentence."""
    return " ".join(text.split("\n\n")[0].split()).split(". ")[0].rstrip(".")


def argument(of: ArgumentOut) -> str:
    """Return an argument as a list item: name, type, whether it is required, and meaning."""
    kind = ", ".join(filter(None, (ui_texts.esc(takes(of.form)), texts.REQUIRED if of.required else "")))
    meaning = f": {ui_texts.prose(of.description)}" if of.description else ""
    return f"- **{ui_texts.esc(of.name)}**{f' ({kind})' if kind else ''}{meaning}"


def takes(form: dict[str, Any]) -> str:
    """Describe the values of an argument in words, from its JSON schema."""
    if "enum" in form:
        named = [str(each) for each in form["enum"]]
        return ui_texts.either(named) if len(named) <= 3 else ", ".join(named)
    if "anyOf" in form:
        kinds = [takes(each) for each in form["anyOf"] if each.get("type") != "null"]
        return ui_texts.either(list(dict.fromkeys(kinds)))
    if form.get("type") == "array":
        return texts.A_LIST + (texts.list_of(inner) if (inner := takes(form.get("items", {}))) else "")
    return ui_texts.TYPES.get(str(form.get("type", "")), "")


page()
