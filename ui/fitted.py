"""The fits of a check: which limits its program learned after they were approved, and which of them judge."""

from typing import Any

import streamlit as st

from registry.api.schemas import FitOut, ResultOut, RunOut
from ui import panels, session, words


def section(report: RunOut, check: ResultOut) -> None:
    """The check's fits as a table; nothing where it has none."""
    found = session.registry().fits(report.contract_id, report.object, check.check_id)
    if not found:
        return
    with st.expander(f"Limits learned since they were approved ({len(found):,})", key="fits", on_change="rerun") as it:
        if it.open:
            panels.table([row(each) for each in found], key="fits-rows", alt="Fits of the check, the newest first")


def row(fit: FitOut) -> dict[str, Any]:
    """A fit, as a row."""
    return {
        "Learned": words.moment(fit.created, timezone=session.timezone()),
        "Fit": fit.name,
        "Admits": words.limits(fit.lower, fit.upper),
        "From": f"{words.several(fit.points, 'partition')} to {fit.last}",
        "Would have alarmed": f"{len(fit.alarms):,} of {fit.judged:,}",
        "Because of": words.REASONS[fit.reason],
        "Judges": "yes" if fit.admitted else "no: it is beyond what was approved",
        "Beside version": fit.version,
    }
