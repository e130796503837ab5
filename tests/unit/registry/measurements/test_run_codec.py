"""Runs on their way to the registry: nothing of them is lost."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.orders import ROWS, check, contract, run, states

from treaty.engine.core.errors import StateError
from treaty.engine.core.results import RunResult, ViolationSample
from treaty.registry.measurements.runs import run_codec

PROMISED = contract(check("histogram", column="status", mustBe=2), check("mean", "m", column="amount", mustBe=2.5))
JUDGED = run(PROMISED, {"day=1": states(PROMISED, ROWS)})
VALUES = (
    st.none()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.decimals(allow_nan=False, allow_infinity=False)
)


def having(**values: Any) -> RunResult:
    """A run with these in a result and in a measurement."""
    result, measurement = JUDGED.results[0], JUDGED.measurements[0]
    told = result.model_copy(
        update={name: value for name, value in values.items() if name in type(result).model_fields}
    )
    found = {name: value for name, value in values.items() if name in type(measurement).model_fields}
    return JUDGED.model_copy(update={"results": (told,), "measurements": (measurement.model_copy(update=found),)})


def test_a_run_comes_back_as_it_was() -> None:
    assert run_codec.read(run_codec.written(JUDGED)) == JUDGED


@given(VALUES)
def test_a_value_comes_back_with_its_kind_and_every_digit(value: Any) -> None:
    back = run_codec.read(run_codec.written(having(value=value)))
    found = back.results[0].value, back.measurements[0].value
    assert [(type(each), str(each)) for each in found] == [(type(value), str(value))] * 2


@pytest.mark.parametrize("value", [float("inf"), float("nan"), Decimal("1.10")])
def test_numbers_that_plain_json_has_not_come_back(value: Any) -> None:
    back = run_codec.read(run_codec.written(having(value=value, details={"rows": {"a": value}}, threshold=[value])))
    assert [str(each) for each in (back.results[0].value, back.results[0].threshold[0])] == [str(value)] * 2
    assert str(back.measurements[0].details["rows"]["a"]) == str(value)  # type: ignore[index]


def test_limits_that_are_days_come_as_their_texts() -> None:
    assert run_codec.read(run_codec.written(having(threshold=date(2026, 1, 1)))).results[0].threshold == "2026-01-01"


def test_rows_of_the_table_stay_behind() -> None:
    sampled = JUDGED.model_copy(
        update={"samples": (ViolationSample(check_id="c", columns=("id",), masked=(), rows=(("1",),)),)}
    )
    assert run_codec.read(run_codec.written(sampled)) == JUDGED


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut short": lambda content: content[:-9],
    "something else": lambda _: b"[1]",
    "packed states": lambda _: states(PROMISED, ROWS).pack(),
    "a number that is none": lambda content: content.replace(b'"rows": 4', b'"rows": {"$decimal": "x"}'),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_what_is_no_run_is_told(name: str) -> None:
    with pytest.raises(StateError, match="is not an encoded run"):
        run_codec.read(DAMAGES[name](run_codec.written(JUDGED)))
