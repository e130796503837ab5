"""Patterns: what text columns of all tables look like, which columns carry a pattern, and what stands beside it."""

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
    """Draws the pattern that the address names, then the common domains."""
    st.title(pages.PATTERNS)
    panels.show_flash()
    asked = st.text_input(texts.PATTERN, key="pattern", bind="query-params", placeholder=texts.PATTERN_EXAMPLE)
    if asked:
        one(asked)
    domains(viewer.registry().patterns(SHOWN))


def one(pattern: str) -> None:
    """The pattern's figures, its columns, and its neighbours; why not, where the text is no pattern."""
    try:
        found = viewer.registry().pattern_columns(pattern)
    except ClientError as error:
        if error.status != UNUSABLE:
            raise
        st.warning(ui_texts.esc(panels.sentence(error)), icon=":material/info:")
        return
    if not found.columns:
        panels.empty(texts.NO_CARRIER, texts.FEW_MATCH)
        return
    figures(found)
    carriers(found.columns)
    for key, beside in (("narrower", found.narrower), ("wider", found.wider)):
        if beside:
            title, alt = texts.NEIGHBOURS[key]
            st.subheader(title)
            pattern_table(beside, key=key, alt=alt)


def figures(found: PatternInfoOut) -> None:
    """What the index knows of the pattern."""
    if found.domain is None:
        st.caption(texts.TOO_FEW_COLUMNS)
        return
    with st.container(horizontal=True, gap="medium"):
        panels.fact(texts.MEANS, found.domain.name or ui_texts.NOTHING)
        panels.fact(ui_texts.COLUMNS, ui_texts.count(found.domain.columns), help_text=texts.COLUMNS_OF_ALL)
        panels.fact(texts.DO_NOT_MATCH, texts.share(found.domain.impurity), help_text=texts.MEAN_OVER_COLUMNS)
        panels.fact(texts.FALSE_ALARMS, texts.share(found.domain.false_alarms), help_text=texts.ALARMS_ESTIMATED)


def carriers(found: Sequence[PatternColumnOut]) -> None:
    """The columns that carry it, the purest first."""
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
        for each in found
    ]
    link = st.column_config.LinkColumn(texts.CONTRACT_PAGE, display_text=ui_texts.OPEN)
    panels.table(rows, key="carriers", alt=texts.CARRIERS_TABLE, **{ui_texts.OPEN: link})


def domains(found: Sequence[CommonPatternOut]) -> None:
    """The common domains, those of most columns first, and the way to learn them anew."""
    st.subheader(texts.DOMAINS)
    if not found:
        panels.empty(texts.NOTHING_LEARNED, texts.LEARNED_BY_NIGHT)
    else:
        pattern_table(found, key="domains", alt=texts.DOMAINS_TABLE)
    if viewer.may(Permission.DRAFT):
        st.button(texts.LEARN, key="learn", icon=":material/refresh:", on_click=learn)


def pattern_table(found: Sequence[CommonPatternOut], *, key: str, alt: str) -> None:
    """Patterns as a table; each leads to its columns."""
    rows = [
        {
            texts.PATTERN: each.pattern,
            texts.MEANS: each.name or "",
            ui_texts.COLUMNS: ui_texts.count(each.columns),
            texts.SHARE_UNMATCHED: texts.share(each.impurity),
            texts.FALSE_ALARMS: texts.share(each.false_alarms),
            ui_texts.OPEN: contract_rows.address("patterns", pattern=each.pattern),
        }
        for each in found
    ]
    panels.table(
        rows,
        key=key,
        alt=alt,
        **{ui_texts.OPEN: st.column_config.LinkColumn(texts.ITS_COLUMNS, display_text=ui_texts.OPEN)},
    )


def learn() -> None:
    """Has patterns learned now."""
    step_runner.run_step(viewer.registry().learn_patterns, done=texts.LEARNED_SOON)


page()
