"""Header of the contract page: status, owner, last verdict, next run and service levels."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

import streamlit as st

from treaty.registry.schemas import ContractOut, DeadlineOut, RunSummaryOut
from treaty.ui import texts as ui_texts
from treaty.ui.parts.contract import inferred_consumers
from treaty.ui.texts import contract as texts
from treaty.ui.widgets import panels, viewer

# Fewer gaps between runs do not show how often they occur.
GAPS = 4


def draw(contract: ContractOut) -> None:
    """Draw name, state, version, owner, last verdict and the expected next run."""
    registry = viewer.registry()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.title(ui_texts.esc(contract.name or contract.id), width="content")
        st.markdown(ui_texts.VERSIONS["active" if contract.active_version else "none"].badge, width="content")
        st.markdown(verdict(contract).badge, width="content")
    deadlines = registry.deadlines(contract.id) if contract.active_version else []
    with st.container(horizontal=True, gap="medium", key="facts"):
        panels.fact(ui_texts.CONTRACT, contract.id)
        panels.fact(ui_texts.VERSION, contract.active_version or ui_texts.NOTHING)
        panels.fact(texts.OWNER, contract.owner)
        panels.fact(ui_texts.CONSUMERS, ui_texts.count(len(registry.subscriptions(contract_id=contract.id))))
        panels.time(texts.LAST_RUN, contract.last_run.finished_at if contract.last_run else None)
        following(contract, deadlines)
        promised(deadlines)
        panels.fact(texts.OPEN_DRAFTS, ui_texts.count(contract.open_proposals))
    if contract.last_run:
        panels.link("run", texts.OPEN_LAST_REPORT, id=str(contract.last_run.id))
    for each in registry.upstream(contract.id):
        inferred_consumers.bad_data(each)


def verdict(contract: ContractOut) -> ui_texts.StatusLabel:
    """Return the label of the last verdict."""
    return ui_texts.VERDICTS[contract.last_run.verdict] if contract.last_run else ui_texts.NEVER


def following(contract: ContractOut, deadlines: Sequence[DeadlineOut]) -> None:
    """Draw the expected next run: the next deadline, else an estimate from past runs."""
    due = min((each.due_at for each in deadlines if each.due_at), default=None)
    if due:
        panels.fact(texts.NEXT_RUN, texts.by_then(moment(due)), help_text=texts.DATA_ARE_DUE)
    elif expected := rhythm(contract.runs):
        panels.fact(texts.NEXT_RUN, texts.about_then(moment(expected)), help_text=texts.AS_RUNS_CAME)
    else:
        panels.fact(texts.NEXT_RUN, texts.WHEN_DATA_COME)


def promised(deadlines: Sequence[DeadlineOut]) -> None:
    """Draw the number of service levels and how many are missed; the help text lists them."""
    if not deadlines:
        panels.fact(texts.SERVICE_LEVELS, texts.NONE_PROMISED)
        return
    missed = sum(each.missed_at is not None for each in deadlines)
    sentences = [each.sentence or each.fault or each.name for each in deadlines]
    panels.fact(texts.SERVICE_LEVELS, texts.levels(len(deadlines), missed), help_text="; ".join(sentences))


def rhythm(runs: Sequence[RunSummaryOut]) -> datetime | None:
    """Estimate the next run from the median gap between runs; None if there are too few."""
    times = sorted({each.finished_at for each in runs})
    gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(times)]
    return times[-1] + timedelta(seconds=median(gaps)) if len(gaps) >= GAPS else None


def moment(time: datetime) -> str:
    """Return the time in the viewer's zone."""
    return ui_texts.moment(time, timezone=viewer.timezone())
