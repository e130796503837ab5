"""Patterns: what text columns of all tables look like, which columns carry a pattern, and what stands beside it."""

from collections.abc import Sequence

import streamlit as st

from registry.api.schemas import CarriedOut, CarrierOut, DomainOut
from registry.client import ClientError
from registry.words import Permission
from ui import actions, contract_rows, panels, session, words

SHOWN = 100
UNUSABLE = 422
OPEN = "Open"


def page() -> None:
    """Draws the pattern that the address names, then the common domains."""
    st.title("Patterns")
    panels.told()
    asked = st.text_input("Pattern", key="pattern", bind="query-params", placeholder="<digit>{4}-<digit>{2}-<digit>{2}")
    if asked:
        one(asked)
    domains(session.registry().patterns(SHOWN))


def one(pattern: str) -> None:
    """The pattern's figures, its columns, and its neighbours; why not, where the text is no pattern."""
    try:
        found = session.registry().carriers(pattern)
    except ClientError as error:
        if error.status != UNUSABLE:
            raise
        st.warning(words.esc(panels.sentence(error)), icon=":material/info:")
        return
    if not found.carriers:
        panels.empty("No column carries it", "Of no column that you may read do nine in ten values have this pattern.")
        return
    figures(found)
    carriers(found.carriers)
    for title, beside in (("Narrower", found.narrower), ("Wider", found.wider)):
        if beside:
            st.subheader(title)
            listed(beside, key=title.lower(), alt=f"{title} patterns, the nearest first")


def figures(found: CarriedOut) -> None:
    """What the index knows of the pattern."""
    if found.domain is None:
        st.caption("Too few columns have it for the index to say how good it is.")
        return
    with st.container(horizontal=True, gap="medium"):
        panels.fact("Means", found.domain.name or words.NOTHING)
        panels.fact(
            "Columns", words.count(found.domain.columns), help_text="of all tables, also those you may not read"
        )
        panels.fact("Values that do not match", share(found.domain.impurity), help_text="the mean over these columns")
        panels.fact("False alarms", share(found.domain.false_alarms), help_text="estimated, where it is promised")


def carriers(found: Sequence[CarrierOut]) -> None:
    """The columns that carry it, the purest first."""
    st.subheader("Columns that carry it")
    rows = [
        {
            "Contract": each.contract_id,
            "Table": each.object,
            "Column": each.column,
            "Match": share(1 - each.impurity),
            "Means": each.means or "",
            "Open": contract_rows.address("contract", id=each.contract_id),
        }
        for each in found
    ]
    link = st.column_config.LinkColumn("Contract's page", display_text=OPEN)
    panels.table(rows, key="carriers", alt="Columns that carry the pattern", Open=link)


def domains(found: Sequence[DomainOut]) -> None:
    """The common domains, those of most columns first, and the way to learn them anew."""
    st.subheader("Common domains")
    if not found:
        panels.empty("Nothing learned yet", "Patterns are learned by night, from tables that contracts are about.")
    else:
        listed(found, key="domains", alt="Common domains, those of most columns first")
    if session.may(Permission.DRAFT):
        st.button("Learn now", key="learn", icon=":material/refresh:", on_click=learn)


def listed(found: Sequence[DomainOut], *, key: str, alt: str) -> None:
    """Patterns as a table; each leads to its columns."""
    rows = [
        {
            "Pattern": each.pattern,
            "Means": each.name or "",
            "Columns": words.count(each.columns),
            "Do not match": share(each.impurity),
            "False alarms": share(each.false_alarms),
            "Open": contract_rows.address("patterns", pattern=each.pattern),
        }
        for each in found
    ]
    panels.table(rows, key=key, alt=alt, Open=st.column_config.LinkColumn("Its columns", display_text=OPEN))


def share(of: float) -> str:
    """A share in per cent."""
    return f"{of:.1%}"


def learn() -> None:
    """Has patterns learned now."""
    actions.attempt(session.registry().learn_patterns, done="Patterns are learned as soon as a worker can.")


page()
