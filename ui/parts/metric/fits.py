"""Fits of a check: limits that its program learned after approval, and which are active."""

from typing import Any

import streamlit as st

from treaty.registry.schemas import CheckResultOut, FitOut, RunOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import metric as texts
from treaty.ui.widgets import panels, viewer


def section(report: RunOut, check: CheckResultOut) -> None:
    """Draw the check's fits as a table, if it has any."""
    fits_of_check = viewer.registry().fits(report.contract_id, report.object, check.check_id)
    if not fits_of_check:
        return
    with st.expander(texts.learned_since(len(fits_of_check)), key="fits", on_change="rerun") as it:
        if it.open:
            panels.table([row(each) for each in fits_of_check], key="fits-rows", alt=texts.FITS)


def row(fit: FitOut) -> dict[str, Any]:
    """Return a fit as a table row."""
    return {
        texts.LEARNED: ui_texts.moment(fit.created_at, timezone=viewer.timezone()),
        ui_texts.FIT: fit.name,
        texts.ADMITS: ui_texts.limits(fit.lower, fit.upper),
        texts.FROM: texts.learned_from(fit.points, fit.last_partition),
        texts.WOULD_HAVE_ALARMED: ui_texts.part(len(fit.backtest_alarms), fit.backtest_points),
        texts.BECAUSE_OF: ui_texts.REASONS[fit.reason],
        texts.JUDGES: texts.IT_JUDGES if fit.is_active else texts.IT_DOES_NOT_JUDGE,
        texts.BESIDE_VERSION: fit.version,
    }
