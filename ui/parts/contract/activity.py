"""Activity of a contract, newest first, with filters and a CSV export."""

import csv
import io
from collections.abc import Sequence

import streamlit as st

from treaty.registry.schemas import ContractOut
from treaty.ui import texts as ui_texts
from treaty.ui.parts.contract import contract_rows
from treaty.ui.parts.contract.contract_rows import ActivityEvent
from treaty.ui.texts import contract as texts
from treaty.ui.widgets import panels, viewer

SHOWN = 100
# Prefixes that a spreadsheet interprets as a formula.
FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def draw(contract: ContractOut) -> None:
    """Draw proposals, versions, incidents and runs that did not pass, as filtered."""
    registry = viewer.registry()
    history = contract_rows.activity(
        contract,
        registry.proposals(contract_id=contract.id, limit=SHOWN),
        registry.incidents(contract_id=contract.id, limit=SHOWN),
    )
    if not history:
        panels.empty(texts.NOTHING_HAPPENED, texts.EVENTS_APPEAR)
        return
    left = filtered(history)
    if not left:
        panels.empty(texts.NOTHING_MATCHES, texts.OTHER_EVENTS)
        return
    zone = viewer.timezone()
    rows = [{ui_texts.WHEN: ui_texts.moment(each.time, timezone=zone), **activity_row(each)} for each in left]
    link = st.column_config.LinkColumn(ui_texts.OPEN, display_text=ui_texts.OPEN)
    panels.table(rows, key="activity", alt=texts.EVENTS_TABLE, **{ui_texts.OPEN: link})
    st.download_button(
        texts.DOWNLOAD_EVENTS, exported(left), file_name=f"{contract.id}-activity.csv", mime="text/csv", key="events"
    )


def filtered(events: Sequence[ActivityEvent]) -> list[ActivityEvent]:
    """Return the events that match the filters; the URL stores the filters."""
    people = sorted({each.actor for each in events if each.actor})
    with st.container(horizontal=True, vertical_alignment="bottom", key="which-events"):
        kinds = [ui_texts.ALL, *dict.fromkeys(each.kind for each in events)]
        kind = st.selectbox(ui_texts.KIND, kinds, key="event", bind="query-params", width=220)
        who = st.selectbox(ui_texts.WHO, [ui_texts.ALL, *people], key="actor", bind="query-params", width=220)
    return [each for each in events if kind in (ui_texts.ALL, each.kind) and who in (ui_texts.ALL, each.actor)]


def activity_row(event: ActivityEvent) -> dict[str, str]:
    """Return the event as a table row, without its time."""
    return {
        ui_texts.KIND: event.kind,
        ui_texts.WHO: event.actor,
        ui_texts.DESCRIPTION: event.description,
        ui_texts.OPEN: event.address,
    }


def exported(events: Sequence[ActivityEvent]) -> str:
    """Return the events as CSV, with times in UTC and without formulas."""
    out = io.StringIO()
    write = csv.writer(out)
    write.writerow((ui_texts.WHEN, ui_texts.KIND, ui_texts.WHO, ui_texts.DESCRIPTION, ui_texts.OPEN))
    for each in events:
        write.writerow((ui_texts.utc(each.time), *map(plain, activity_row(each).values())))
    return out.getvalue()


def plain(text: str) -> str:
    """Return the text as a cell that no spreadsheet interprets as a formula."""
    return f"'{text}" if text.startswith(FORMULAS) else text
