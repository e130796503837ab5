"""Facts that metadata catalogs state about the datasets of a contract."""

from collections.abc import Mapping, Sequence

import streamlit as st

from treaty.registry.schemas import ContractOut
from treaty.registry.schemas.catalogs import CatalogStatementOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import catalogs as texts
from treaty.ui.widgets import panels, viewer

Row = dict[str, str]


def draw(contract: ContractOut) -> None:
    """Draw what catalogs state, on request."""
    with st.expander(texts.CATALOGS, key="catalogs", icon=":material/menu_book:", on_change="rerun") as opened:
        if not opened.open:
            return
        statements = fetched(contract)
        if not statements:
            panels.empty(texts.NO_STATEMENT, texts.CONNECT_ONE)
            return
        zone = viewer.timezone()
        link = st.column_config.LinkColumn(ui_texts.OPEN, display_text=ui_texts.OPEN)
        rows = [table_row(each, timezone=zone) for each in statements]
        panels.table(rows, key="statements", alt=texts.TABLES, **{ui_texts.OPEN: link})
        if columns := [row for each in statements for row in column_rows(each)]:
            panels.table(columns, key="statement-columns", alt=texts.COLUMNS)


def fetched(contract: ContractOut) -> list[CatalogStatementOut]:
    """Fetch what catalogs state about each dataset of the contract, each statement once."""
    registry = viewer.registry()
    statements = [
        statement
        for each in contract.datasets
        for statement in registry.catalog_statements(each.name, namespace=each.namespace, contract_id=contract.id)
    ]
    return list({(each.connection, each.facts.identifier): each for each in statements}.values())


def table_row(statement: CatalogStatementOut, *, timezone: str) -> Row:
    """Return what a catalog states about a table as a row."""
    facts = statement.facts
    return {
        texts.CATALOG: f"{statement.connection} ({statement.kind})",
        texts.TABLE: ".".join(facts.identifier),
        texts.OWNERS: ", ".join(facts.owners),
        texts.TAGS: tags(facts.tags),
        texts.DOMAIN: facts.domain or "",
        texts.PRIMARY_KEY: ", ".join(facts.primary_key),
        texts.COMMENT: facts.description,
        texts.SINCE: ui_texts.moment(statement.read_at, timezone=timezone),
        texts.CONFIRMED: ui_texts.moment(statement.dropped_at or statement.confirmed_at, timezone=timezone),
        texts.STATE: texts.DROPPED if statement.dropped_at else texts.PRESENT,
        ui_texts.OPEN: facts.link or "",
    }


def column_rows(statement: CatalogStatementOut) -> Sequence[Row]:
    """Return a row for each column with a comment or tags."""
    return [
        {
            texts.CATALOG: statement.connection,
            texts.COLUMN: each.name,
            texts.TYPE: each.type,
            texts.TAGS: tags(each.tags),
            texts.COMMENT: each.comment,
        }
        for each in statement.facts.columns
        if each.comment or each.tags
    ]


def tags(values: Mapping[str, str | None]) -> str:
    """Return tags as a text: 'level=high, finance'."""
    return ", ".join(name if value is None else f"{name}={value}" for name, value in values.items())
