"""The rows that break a check: a table of texts, with what is masked and what is missing said in words."""

from collections.abc import Mapping, Sequence

import streamlit as st

from treaty.registry.client import ClientError
from treaty.registry.schemas import CheckResultOut, RunOut, ViolationSampleOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import run as texts
from treaty.ui.widgets import viewer


def read(run: RunOut) -> Mapping[str, ViolationSampleOut]:
    """The samples of a run by check; {} where no check failed, where none are kept any more, or may not be seen."""
    if not any(each.outcome == "failed" for each in run.results):
        return {}
    try:
        return {each.check_id: each for each in viewer.registry().samples(run.id)}
    except ClientError:
        return {}


def draw(sample: ViolationSampleOut, results: Sequence[CheckResultOut], *, key: str) -> None:
    """The sample as a table, how many more rows there are, and why some values cannot be read."""
    st.caption(ui_texts.esc(caption(sample, results)))
    headings = {column: heading(sample, column) for column in sample.columns}
    rows = [
        {headings[column]: ui_texts.cell(cell) for column, cell in zip(sample.columns, row, strict=True)}
        for row in sample.rows
    ]
    st.dataframe(rows, hide_index=True, key=f"rows-{key}", alt=texts.BREAKING_ROWS)


def heading(sample: ViolationSampleOut, column: str) -> str:
    """The column's name, and that it is masked."""
    return f"{column} ({ui_texts.MASKED})" if column in sample.masked else column


def caption(sample: ViolationSampleOut, results: Sequence[CheckResultOut]) -> str:
    """How many of how many rows are shown, until when, and which columns are masked. May hold foreign text."""
    broken = sum(each.violating_rows or 0 for each in results)
    shown = texts.sample_count(len(sample.rows), max(broken, len(sample.rows)))
    until = ui_texts.moment(sample.expires_at, timezone=viewer.timezone())
    masked = texts.masked(list(sample.masked)) if sample.masked else ""
    return texts.kept_until(shown, until, masked)
