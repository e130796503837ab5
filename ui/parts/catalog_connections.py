"""Connections to metadata catalogs: their health, a test, reading now, and the form that adds one."""

from collections.abc import Sequence

import streamlit as st

from treaty.registry.schemas.catalogs import (
    CatalogConnectionIn,
    CatalogConnectionOut,
    CatalogKindOut,
    CatalogOptionOut,
    CatalogTestStepOut,
)
from treaty.ui import texts as ui_texts
from treaty.ui.texts import catalogs as texts
from treaty.ui.widgets import panels, people_forms, step_runner, viewer

STEPS = "_catalog_steps"
Row = dict[str, str]


def draw() -> None:
    """Draw the connections, the steps of one, and the form for another."""
    registry = viewer.registry()
    connections = registry.catalogs()
    if connections:
        zone = viewer.timezone()
        rows = [connection_row(each, timezone=zone) for each in connections]
        panels.table(rows, key="catalogs", alt=texts.CONNECTIONS)
        actions({each.name: each for each in connections})
    else:
        panels.empty(texts.NO_CONNECTION, texts.WHAT_FOR)
    st.subheader(texts.ADD_CONNECTION)
    form(registry.catalog_kinds())


def connection_row(connection: CatalogConnectionOut, *, timezone: str) -> Row:
    """Return a connection as a table row."""
    checked = ui_texts.moment(connection.checked_at, timezone=timezone) if connection.checked_at else ""
    return {
        ui_texts.NAME: connection.name,
        ui_texts.KIND: connection.kind,
        texts.ADDRESS: connection.address,
        ui_texts.STATE: ui_texts.glyph(ui_texts.CATALOGS[connection.state]),
        texts.NUMBER_OF_TABLES: ui_texts.count(connection.tables),
        texts.CONFIRMED: checked,
        ui_texts.WHY: connection.error or "",
    }


def actions(connections: dict[str, CatalogConnectionOut]) -> None:
    """Draw the buttons of the selected connection, and the steps of its last test."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="catalog-actions"):
        name = st.selectbox(texts.CATALOG, list(connections), key="catalog", width=320) or next(iter(connections))
        st.button(texts.TEST, key="test-catalog", on_click=tested, args=(name,))
        st.button(texts.READ_NOW, key="read-catalog", on_click=read, args=(name,))
        st.button(texts.REMOVE, key="remove-catalog", on_click=removed, args=(connections[name],), help=texts.FORGETS)
    tested_name, steps = st.session_state.get(STEPS, ("", ()))
    if tested_name == name:
        panels.table([step_row(each) for each in steps], key="catalog-steps", alt=texts.STEPS)


def step_row(step: CatalogTestStepOut) -> Row:
    """Return a step of a test as a table row."""
    result = ui_texts.OUTCOMES["passed" if step.ok else "failed"]
    return {texts.STEP: step.name, ui_texts.STATE: ui_texts.glyph(result), texts.DETAIL: step.detail}


def tested(name: str) -> None:
    """Test the connection and store the steps for the next rendering."""

    def test() -> None:
        st.session_state[STEPS] = name, tuple(viewer.registry().test_catalog(name))

    step_runner.run_step(test)


def read(name: str) -> None:
    """Start a read of the catalog."""
    step_runner.run_step(lambda: viewer.registry().read_catalog(name), done=texts.READING)


def removed(connection: CatalogConnectionOut) -> None:
    """Remove the connection."""
    step_runner.run_step(
        lambda: viewer.registry().remove_catalog(connection.name, etag=connection.etag), done=texts.REMOVED
    )


def form(kinds: Sequence[CatalogKindOut]) -> None:
    """Draw the form for a new connection; the options are those of the selected kind."""
    by_name = {each.name: each for each in kinds}
    kind = by_name[st.selectbox(ui_texts.KIND, list(by_name), key="catalog-kind", width=320) or next(iter(by_name))]
    st.caption(texts.to_grant(list(kind.permissions)))
    with st.form("catalog", width=640):
        st.text_input(ui_texts.NAME, key="catalog-name", max_chars=63, placeholder=texts.NAME_EXAMPLE)
        st.text_input(texts.ADDRESS, key="catalog-address", max_chars=500, placeholder=texts.ADDRESS_EXAMPLE)
        st.text_input(texts.SECRET, key="catalog-secret", max_chars=300, help=texts.SECRET_IS_NAMED)
        st.text_area(texts.NAMESPACES, key="catalog-namespaces", help=texts.NAMESPACES_ARE, height=80)
        for option in kind.options:
            option_input(kind, option)
        st.checkbox(texts.PRIVATE, key="catalog-private", help=texts.PRIVATE_IS)
        st.form_submit_button(ui_texts.ADD, type="primary", icon=":material/add:", on_click=added, args=(kind,))


def option_input(kind: CatalogKindOut, option: CatalogOptionOut) -> None:
    """Draw the input of an option."""
    key, label = option_key(kind, option), option.name.replace("_", " ").replace("-", " ").capitalize()
    if option.choices:
        at = option.choices.index(option.default) if option.default in option.choices else 0
        st.selectbox(label, list(option.choices), index=at, key=key, help=option.help)
    else:
        st.text_input(label, value=option.default, key=key, help=option.help, max_chars=2000)


def option_key(kind: CatalogKindOut, option: CatalogOptionOut) -> str:
    """Return the key of the input of an option."""
    return f"catalog-option-{kind.name}-{option.name}"


def added(kind: CatalogKindOut) -> None:
    """Add the connection as typed, and test it."""
    name, address = people_forms.input_text("catalog-name"), people_forms.input_text("catalog-address")
    if not (name and address):
        panels.flash(texts.CONNECTION_MISSING, problem=True)
        return
    options = {each.name: people_forms.input_text(option_key(kind, each)) for each in kind.options}

    def add() -> None:
        body = {
            "name": name,
            "kind": kind.name,
            "address": address,
            "secret": people_forms.input_text("catalog-secret") or None,
            "options": options,
            "namespaces": namespaces(people_forms.input_text("catalog-namespaces")),
            "private": bool(st.session_state.get("catalog-private")),
        }
        viewer.registry().add_catalog(CatalogConnectionIn.model_validate(body))
        st.session_state[STEPS] = name, tuple(viewer.registry().test_catalog(name))

    people_forms.attempt(add, done=texts.ADDED)


def namespaces(text: str) -> dict[str, str]:
    """Return the namespace by prefix of lines such as `shop = hive://metastore:9083`; a line without = is for all."""
    lines = [each.partition("=") for each in map(str.strip, text.splitlines()) if each]
    return {prefix.strip() if mark else "": (rest if mark else prefix).strip() for prefix, mark, rest in lines}
