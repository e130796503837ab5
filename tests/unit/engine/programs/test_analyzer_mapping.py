"""Statistics of programs and the analyzers that measure them: of the same column both tell the same."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.bags import bag

from treaty.contracts.schema import Column, Schema
from treaty.engine.programs.analyzer_mapping import MEASURES, OF_ALL, OF_NUMBERS, OF_TEXTS
from treaty.engine.states import bag as bags
from treaty.engine.states.planning.scan_plan import plan
from treaty.engine.statistics.column_values import column
from treaty.engine.statistics.statistics import STATISTICS, compute_statistics
from treaty.engine.statistics.summaries import summary

SCHEMA = Schema((Column("amount", "double"), Column("code", "string")))
NUMBERS = st.lists(st.none() | st.sampled_from([0.0, -0.0, 1.0, -2.5]) | st.floats(-1e6, 1e6), max_size=40)
WORDS = st.sampled_from(["", "AB-1", " ab", "É٣", "ǅ"]) | st.text("aAbB1- ", max_size=5)
TEXTS = st.lists(st.none() | WORDS, max_size=40)
OF_TYPE = {"amount": OF_NUMBERS, "code": OF_TEXTS}


def alone(name: str) -> list[str]:
    """The statistics of a column that compare it with no other partition."""
    return [each for each in (*OF_ALL, *OF_TYPE[name]) if not STATISTICS[each].is_distance]


def measured(name: str, *parts: Sequence[Any]) -> dict[str, Any]:
    """What the analyzers say of a column in partitions, from their merged states."""
    bound = {each: MEASURES[each](name).bind(SCHEMA) for each in alone(name)}
    planned = plan(bound.values())
    other = {"amount": "code", "code": "amount"}[name]
    stored = [bag(planned, SCHEMA, {name: values, other: [None] * len(values)}) for values in parts]
    values = bags.merged(stored).values if len(stored) > 1 else stored[0].values
    return {each: analyzer.value(values) for each, analyzer in bound.items()}


def compared(name: str, first: list[Any], second: list[Any]) -> None:
    found, whole = measured(name, first, second), measured(name, [*first, *second])
    told = compute_statistics(summary(column([*first, *second], is_text=name == "code")))
    assert found == pytest.approx({each: told[each] for each in found}, rel=1e-9, abs=1e-9)
    assert whole == pytest.approx(found, rel=1e-9, abs=1e-9)


@given(NUMBERS, NUMBERS)
@settings(max_examples=60)
def test_of_numbers_the_states_tell_what_the_values_do(first: list[Any], second: list[Any]) -> None:
    compared("amount", first, second)


@given(TEXTS, TEXTS)
@settings(max_examples=60)
def test_of_texts_the_states_tell_what_the_values_do(first: list[Any], second: list[Any]) -> None:
    compared("code", first, second)


def test_every_statistic_but_the_row_count_has_an_analyzer() -> None:
    assert STATISTICS.keys() - MEASURES.keys() == {"row_count"}
