"""What happened to a contract, the newest first: chosen by kind and by who did it, and taken away as a file."""

import csv
import io
from collections.abc import Sequence

import streamlit as st

from registry.api.schemas import ContractOut
from ui import contract_rows, panels, session, words
from ui.contract_rows import Event
from ui.words import contract as texts

SHOWN = 100
# What a spreadsheet would take for a formula.
FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def draw(contract: ContractOut) -> None:
    """Drafts, versions, runs that did not pass and incidents, as far as the filters leave them."""
    registry = session.registry()
    found = contract_rows.activity(
        contract,
        registry.proposals(contract_id=contract.id, limit=SHOWN),
        registry.incidents(contract_id=contract.id, limit=SHOWN),
    )
    if not found:
        panels.empty(texts.NOTHING_HAPPENED, texts.EVENTS_APPEAR)
        return
    left = filtered(found)
    if not left:
        panels.empty(texts.NOTHING_MATCHES, texts.OTHER_EVENTS)
        return
    zone = session.timezone()
    rows = [{words.WHEN: words.moment(each.time, timezone=zone), **said(each)} for each in left]
    link = st.column_config.LinkColumn(words.OPEN, display_text=words.OPEN)
    panels.table(rows, key="activity", alt=texts.EVENTS_TABLE, **{words.OPEN: link})
    st.download_button(
        texts.DOWNLOAD_EVENTS, exported(left), file_name=f"{contract.id}-activity.csv", mime="text/csv", key="events"
    )


def filtered(found: Sequence[Event]) -> list[Event]:
    """The events that the filters leave, which stand in the address."""
    people = sorted({each.who for each in found if each.who})
    with st.container(horizontal=True, vertical_alignment="bottom", key="which-events"):
        kinds = [words.ALL, *dict.fromkeys(each.kind for each in found)]
        kind = st.selectbox(words.KIND, kinds, key="event", bind="query-params", width=220)
        who = st.selectbox(words.WHO, [words.ALL, *people], key="actor", bind="query-params", width=220)
    return [each for each in found if kind in (words.ALL, each.kind) and who in (words.ALL, each.who)]


def said(event: Event) -> dict[str, str]:
    """The event as a row, without its time."""
    return {
        words.KIND: event.kind,
        words.WHO: event.who,
        words.WHAT: event.what,
        words.OPEN: event.address,
    }


def exported(found: Sequence[Event]) -> str:
    """The events as CSV, times in UTC; a text that a spreadsheet would compute is quoted by an apostrophe."""
    out = io.StringIO()
    write = csv.writer(out)
    write.writerow((words.WHEN, words.KIND, words.WHO, words.WHAT, words.OPEN))
    for each in found:
        write.writerow((words.utc(each.time), *map(plain, said(each).values())))
    return out.getvalue()


def plain(text: str) -> str:
    """The text as a cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(FORMULAS) else text
