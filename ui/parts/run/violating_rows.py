"""Table of the rows that violate a check, with masked and missing values explained."""

from collections.abc import Mapping, Sequence

import streamlit as st

from treaty.registry.client import ClientError
from treaty.registry.schemas import CheckResultOut, RunOut, ViolationSampleOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import run as texts
from treaty.ui.widgets import viewer


def read(run: RunOut) -> Mapping[str, ViolationSampleOut]:
    """Fetch the samples of a run by check id; {} if there are none or the viewer may not see them."""
    if not any(each.outcome == "failed" for each in run.results):
        return {}
    try:
        return {each.check_id: each for each in viewer.registry().samples(run.id)}
    except ClientError:
        return {}


class DrawnRows:
    """The rows that a page shows so far. Checks of one cause have the same rows, which are shown once."""

    def __init__(self) -> None:
        self._checks: dict[frozenset[tuple[str | None, ...]], str] = {}

    def earlier_check(self, sample: ViolationSampleOut | None, check: str) -> str | None:
        """Return the name of the first check with the same rows; None if it is this one, or has no rows."""
        if sample is None or not sample.rows:
            return None
        first = self._checks.setdefault(frozenset(sample.rows), check)
        return None if first == check else first


def draw(sample: ViolationSampleOut, results: Sequence[CheckResultOut], *, key: str) -> None:
    """Draw the sample as a table, with its size and the reason for masked values."""
    st.caption(ui_texts.esc(caption(sample, results)))
    headings = {column: heading(sample, column) for column in sample.columns}
    rows = [
        {headings[column]: ui_texts.cell(cell) for column, cell in zip(sample.columns, row, strict=True)}
        for row in sample.rows
    ]
    st.dataframe(rows, hide_index=True, key=f"rows-{key}", alt=texts.BREAKING_ROWS)


def heading(sample: ViolationSampleOut, column: str) -> str:
    """Return the column's name, with a note if it is masked."""
    return f"{column} ({ui_texts.MASKED})" if column in sample.masked else column


def caption(sample: ViolationSampleOut, results: Sequence[CheckResultOut]) -> str:
    """Describe the size and expiry of the sample, and masked columns. May contain foreign text."""
    broken = sum(each.violating_rows or 0 for each in results)
    shown = texts.sample_count(len(sample.rows), max(broken, len(sample.rows)))
    until = ui_texts.moment(sample.expires_at, timezone=viewer.timezone())
    masked = texts.masked(list(sample.masked)) if sample.masked else ""
    return texts.kept_until(shown, until, masked)
