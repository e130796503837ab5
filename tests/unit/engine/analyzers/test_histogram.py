"""The arguments of a histogram, and what its bins ask of Spark."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from support.analyzer_table import SCHEMA
from support.oracles import STATE_OF

from treaty.contracts.schema import Column
from treaty.engine.analyzers.base import NotApplicableToTable
from treaty.engine.analyzers.histogram import Histogram
from treaty.engine.components.distributions import equal_width, of_values, position


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"bins": 3, "edges": [1, 2]}, "bins or edges, not both"),
        ({"bins": 3, "low": 1}, "give low and high together"),
        ({"low": 1, "high": 2}, "give low and high together, and only with bins"),
        ({"edges": [1]}, "at least 2"),
        ({"edges": [2, 1]}, "greater than the previous one"),
        ({"edges": [1, 1]}, "greater than the previous one"),
        ({"bins": 2, "low": 2, "high": 1}, "greater than the previous one"),
        ({"bins": 2, "low": 2, "high": 2}, "greater than the previous one"),
        ({"edges": ["2026-01-02", "2026-01-01"]}, "greater than the previous one"),
        ({"edges": ["2026-01-01T00:00:00+02:00", "2026-01-01T00:00:00+02:00"]}, "greater than the previous one"),
        ({"edges": ["a", "b"]}, "all numbers, or all dates or times"),
        ({"edges": [1, "2026-01-01"]}, "all numbers, or all dates or times"),
        ({"edges": [1, 2], "share_of": "x"}, "all numbers, or all dates or times"),
        ({"edges": [1, 2], "share_of": 3}, "in one of the bins"),
        ({"bins": 0}, "greater than or equal to 1"),
        ({"bins": 1001}, "less than or equal to 1000"),
        ({"edges": [float("nan"), 1]}, "finite number"),
    ],
)
def test_arguments_that_contradict_each_other_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Histogram.model_validate({"column": "id", **arguments})


@pytest.mark.parametrize(
    ("column", "arguments"),
    [
        ("status", {"edges": ("2026-01-01", "2026-01-02")}),
        ("status", {"bins": 3}),
        ("day", {"edges": (1, 2)}),
        ("id", {"edges": ("2026-01-01", "2026-01-02")}),
        ("id", {"share_of": "x"}),
        ("nested", {}),
    ],
)
def test_a_column_of_another_type_has_no_such_bins(column: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(NotApplicableToTable):
        Histogram(column=column, **arguments).bind(SCHEMA)


@pytest.mark.parametrize(
    ("arguments", "groups"),
    [({}, 1), ({"bins": 3}, 1), ({"bins": 3, "low": 0, "high": 1}, 0), ({"edges": (0, 1)}, 0), ({"share_of": 1}, 0)],
)
def test_only_what_the_data_decides_costs_a_grouping(arguments: dict[str, Any], groups: int) -> None:
    parts = Histogram(column="id", **arguments).bind(SCHEMA).parts.values()
    assert sum(part.component.grouping for part in parts) == groups


def test_the_share_of_a_value_may_be_written_as_value() -> None:
    assert Histogram.model_validate({"column": "id", "value": 3}) == Histogram(column="id", share_of=3)


@given(st.integers(-100, 100), st.integers(1, 100), st.integers(1, 50), st.data())
def test_every_number_between_the_ends_lies_in_the_bin_around_it(low: int, width: int, bins: int, data: Any) -> None:
    edges = equal_width(low / 4, (low + width) / 4, bins)
    value = data.draw(st.one_of(st.sampled_from(edges), st.floats(low / 4, (low + width) / 4)))
    at = position(edges, value)
    assert at is not None
    assert edges[at] <= value
    assert value < edges[at + 1] or (at == bins - 1 and value == edges[-1])


def test_a_thousand_values_are_shown_and_the_others_counted() -> None:
    values = [f"{number:05}" for number in range(1500)] + ["often"] * 3
    found = of_values(STATE_OF["frequencies"](values), Column("x", "string"), 7)
    assert found.filled == 1501
    assert [each["value"] for each in found.plain["values"][:2]] == ["often", "00000"]
    assert (len(found.plain["values"]), found.plain["other"], found.plain["null"]) == (
        1000,
        {"values": 501, "count": 501},
        7,
    )
