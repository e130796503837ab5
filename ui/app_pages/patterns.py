"""Patterns of text columns over all tables: columns with a pattern, and narrower or wider ones."""

from collections.abc import Sequence

import streamlit as st

from treaty.registry.client import ClientError
from treaty.registry.core.enums import Permission
from treaty.registry.schemas import CommonPatternOut, PatternColumnOut, PatternInfoOut
from treaty.ui import texts as ui_texts
from treaty.ui.parts.contract import contract_rows
from treaty.ui.texts import pages
from treaty.ui.texts import patterns as texts
from treaty.ui.widgets import panels, step_runner, viewer

SHOWN = 100
UNUSABLE = 422


def page() -> None:
    """Draw the pattern named by the URL, then the common domains."""
    st.title(pages.PATTERNS)
    panels.show_flash()
    pattern = st.text_input(texts.PATTERN, key="pattern", bind="query-params", placeholder=texts.PATTERN_EXAMPLE)
    if pattern:
        one(pattern)
    domains(viewer.registry().patterns(SHOWN))


def one(pattern: str) -> None:
    """Draw the pattern's figures, columns and neighbors, or the reason if it is invalid."""
    try:
        info = viewer.registry().pattern_columns(pattern)
    except ClientError as error:
        if error.status != UNUSABLE:
            raise
        st.warning(ui_texts.esc(panels.sentence(error)), icon=":material/info:")
        return
    if not info.columns:
        panels.empty(texts.NO_CARRIER, texts.FEW_MATCH)
        return
    figures(info)
    carriers(info.columns)
    for key, neighbours in (("narrower", info.narrower), ("wider", info.wider)):
        if neighbours:
            title, alt = texts.NEIGHBOURS[key]
            st.subheader(title)
            pattern_table(neighbours, key=key, alt=alt)


def figures(info: PatternInfoOut) -> None:
    """Draw the statistics of the pattern."""
    if info.domain is None:
        st.caption(texts.TOO_FEW_COLUMNS)
        return
    with st.container(horizontal=True, gap="medium"):
        panels.fact(texts.MEANS, info.domain.name or ui_texts.NOTHING)
        panels.fact(ui_texts.COLUMNS, ui_texts.count(info.domain.columns), help_text=texts.COLUMNS_OF_ALL)
        panels.fact(texts.DO_NOT_MATCH, texts.share(info.domain.impurity), help_text=texts.MEAN_OVER_COLUMNS)
        panels.fact(texts.FALSE_ALARMS, texts.share(info.domain.false_alarms), help_text=texts.ALARMS_ESTIMATED)


def carriers(columns: Sequence[PatternColumnOut]) -> None:
    """Draw the columns with the pattern, those with the most matches first."""
    st.subheader(texts.CARRIERS)
    rows = [
        {
            ui_texts.CONTRACT: each.contract_id,
            ui_texts.TABLE: each.object,
            ui_texts.COLUMN: each.column,
            texts.MATCH: texts.share(1 - each.impurity),
            texts.MEANS: each.means or "",
            ui_texts.OPEN: contract_rows.address("contract", id=each.contract_id),
        }
        for each in columns
    ]
    link = st.column_config.LinkColumn(texts.CONTRACT_PAGE, display_text=ui_texts.OPEN)
    panels.table(rows, key="carriers", alt=texts.CARRIERS_TABLE, **{ui_texts.OPEN: link})


def domains(patterns: Sequence[CommonPatternOut]) -> None:
    """Draw the common domains, most columns first, and the button to learn them again."""
    st.subheader(texts.DOMAINS)
    if not patterns:
        panels.empty(texts.NOTHING_LEARNED, texts.LEARNED_BY_NIGHT)
    else:
        pattern_table(patterns, key="domains", alt=texts.DOMAINS_TABLE)
    if viewer.may(Permission.DRAFT):
        st.button(texts.LEARN, key="learn", icon=":material/refresh:", on_click=learn)


def pattern_table(patterns: Sequence[CommonPatternOut], *, key: str, alt: str) -> None:
    """Draw patterns as a table; each links to its columns."""
    rows = [
        {
            texts.PATTERN: each.pattern,
            texts.MEANS: each.name or "",
            ui_texts.COLUMNS: ui_texts.count(each.columns),
            texts.SHARE_UNMATCHED: texts.share(each.impurity),
            texts.FALSE_ALARMS: texts.share(each.false_alarms),
            ui_texts.OPEN: contract_rows.address("patterns", pattern=each.pattern),
        }
        for each in patterns
    ]
    panels.table(
        rows,
        key=key,
        alt=alt,
        **{ui_texts.OPEN: st.column_config.LinkColumn(texts.ITS_COLUMNS, display_text=ui_texts.OPEN)},
    )


def learn() -> None:
    """Start a task that learns the patterns."""
    step_runner.run_step(viewer.registry().learn_patterns, done=texts.LEARNED_SOON)


page()
