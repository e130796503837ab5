"""What would have been enough for a failed check to pass."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treaty.registry.schemas import CheckResultOut
from treaty.ui.parts.run.sufficient_change import sentence
from treaty.ui.widgets.charts import ChartBand

FIELDS = dict.fromkeys(CheckResultOut.model_fields)


def result(value: Any, **fields: Any) -> CheckResultOut:
    return CheckResultOut.model_construct(**{**FIELDS, "outcome": "failed", "value": value, **fields})


CASES: list[tuple[str, CheckResultOut, ChartBand, str | None]] = [
    ("too few", result("612"), ChartBand(1009, 1522), "Would pass with at least 1,009: 397 more"),
    ("too many", result("1600"), ChartBand(1009, 1522), "Would pass with at most 1,522: 78 less"),
    (
        "a share of rows",
        result(str(595 / 612), row_count=612, violating_rows=17),
        ChartBand(0.99, None),
        "Would pass with 11 fewer violating rows",
    ),
    (
        "all rows",
        result(str(3 / 4), row_count=4, violating_rows=1),
        ChartBand(1, 1),
        "Would pass with 1 fewer violating row",
    ),
    (
        "a number of rows",
        result("7", row_count=100, violating_rows=7),
        ChartBand(None, 5),
        "Would pass with 2 fewer violating rows",
    ),
    (
        "a mean with violating rows",
        result("0.5", row_count=100, violating_rows=7),
        ChartBand(0.75, None),
        "Would pass with at least 0.75: 0.25 more",
    ),
    ("below a strict limit", result("4"), ChartBand(5, None, strict=True), "Would pass with more than 5: 1 more"),
    ("at a strict limit", result("5"), ChartBand(None, 5, strict=True), "Would pass with less than 5"),
    (
        "a share at a strict limit",
        result("0.99", row_count=100, violating_rows=1),
        ChartBand(0.99, None, strict=True),
        "Would pass with 1 fewer violating row",
    ),
    (
        "rows at a strict limit",
        result("5", row_count=100, violating_rows=5),
        ChartBand(None, 5, strict=True),
        "Would pass with 1 fewer violating row",
    ),
    ("passed", result("1100", outcome="passed"), ChartBand(1009, 1522), None),
    ("no number", result("text"), ChartBand(1009, 1522), None),
    ("no value", result(None), ChartBand(1009, 1522), None),
    ("infinite", result("inf"), ChartBand(1009, 1522), None),
    ("no limits", result("5"), ChartBand(), None),
    ("another reason", result("5"), ChartBand(0, 10), None),
]


@pytest.mark.parametrize(("failed", "band", "words"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_the_smallest_sufficient_change_is_named(failed: CheckResultOut, band: ChartBand, words: str | None) -> None:
    assert sentence(failed, band) == words


@given(st.integers(1, 10_000), st.booleans(), st.data())
def test_that_many_rows_fewer_satisfy_the_limit_and_one_less_does_not(
    rows: int, strict: bool, data: st.DataObject
) -> None:
    violating, most = data.draw(st.integers(1, rows)), data.draw(st.integers(1 if strict else 0, rows))
    limit, share = (rows - most) / rows, (rows - violating) / rows
    words = sentence(
        result(str(share), row_count=rows, violating_rows=violating), ChartBand(limit, None, strict=strict)
    )
    least = violating - (most - 1 if strict else most)
    if least <= 0:
        assert words is None
        return
    assert words is not None
    assert int(words.removeprefix("Would pass with ").split()[0].replace(",", "")) == least
