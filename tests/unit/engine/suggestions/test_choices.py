"""Options of a draft compared: one option at a time, each evaluated on the table's own history."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treaty.engine.core.learning_options import BoundName, ProgramOptions
from treaty.engine.programs.analyzer_mapping import MEASURES
from treaty.engine.programs.constraints import BOUNDS
from treaty.engine.programs.suggestions import TableHistory, programs
from treaty.engine.protocol.progress import no_progress
from treaty.engine.statistics.column_values import column
from treaty.engine.statistics.statistics import compute_statistics
from treaty.engine.statistics.summaries import summary
from treaty.engine.suggestions.choices.outcomes import ChoiceOutcome
from treaty.engine.suggestions.choices.programs import newest_times, program_choices

START, DAYS, ROWS = datetime(2026, 1, 1, tzinfo=UTC), 40, 120


def history(days: int = DAYS, odd: int | None = None) -> TableHistory:
    """Amounts by day; of the odd day, a twentieth is missing."""
    drawn = numpy.random.default_rng(3)
    values = [drawn.normal(100, 5, ROWS).tolist() for _ in range(days)]
    tables = [column([None if at == odd and not row % 20 else each for row, each in enumerate(day)])
              for at, day in enumerate(values)]  # fmt: skip
    rows = [compute_statistics(summary(each)) for each in tables]
    return TableHistory(
        names=tuple(f"day={(START + timedelta(days=at)).date()}" for at in range(days)),
        times=tuple(START + timedelta(days=at) for at in range(days)),
        rows=(ROWS,) * days,
        values={"amount": {name: [each[name] for each in rows] for name in MEASURES if name in rows[0]}},
        texts=frozenset(),
        samples={"amount": tables[-1]},
    )


def outcomes(of: TableHistory, options: ProgramOptions) -> list[ChoiceOutcome]:
    return list(program_choices(of, options, programs(of, options), no_progress))


@pytest.mark.parametrize(
    ("options", "values"),
    [
        (
            ProgramOptions(),
            {
                "false_alarms": [1.0, 0.25, 4.0],
                "bound": ["measured", "paper", "proven"],
                "clauses": [3, 1, 5],
                "history": [40, 20],
            },
        ),
        (
            ProgramOptions(bound=BoundName.PROVEN, clauses=1, false_alarms=8),
            {
                "false_alarms": [8.0, 2.0, 32.0],
                "bound": ["proven", "measured", "paper"],
                "clauses": [1, 3, 5],
                "history": [40, 20],
            },
        ),
    ],
    ids=["defaults", "others"],
)
def test_each_option_is_changed_alone_and_the_chosen_value_comes_first(
    options: ProgramOptions, values: dict[str, list[Any]]
) -> None:
    compared = outcomes(history(), options)
    assert {name: [each.value for each in compared if each.option == name] for name in values} == values
    firsts = [next(each for each in compared if each.option == name) for name in values]
    assert [each.chosen for each in compared].count(True) == len(values)
    assert all(each.chosen for each in firsts)
    assert len({(each.checks, each.evaluated, each.alarmed_on, each.catches) for each in firsts}) == 1


def test_a_short_history_is_not_halved() -> None:
    compared = outcomes(history(27), ProgramOptions())
    assert [each.option for each in compared].count("history") == 0


def test_partitions_that_would_have_alarmed_are_named() -> None:
    of = history(odd=DAYS - 2)
    compared = [each for each in outcomes(of, ProgramOptions(false_alarms=4)) if each.option != "history"]
    assert {each.alarmed_on for each in compared} == {(of.names[DAYS - 2],)}
    assert {each.evaluated for each in compared} == {10}


def test_an_outcome_is_what_a_draft_with_that_option_learns() -> None:
    of, options = history(), ProgramOptions(false_alarms=4)
    other = next(each for each in outcomes(of, options) if each.value == BoundName.PROVEN)
    alone = outcomes(of, options.model_copy(update={"bound": BoundName.PROVEN}))[0]
    assert (other.checks, other.alarmed_on, other.catches) == (alone.checks, alone.alarmed_on, alone.catches)


def test_every_bound_can_be_chosen() -> None:
    assert set(BOUNDS) == set(BoundName)


@settings(max_examples=25, deadline=None)
@given(times=st.integers(1, DAYS))
def test_the_newest_times_are_what_a_table_without_the_earlier_ones_has(times: int) -> None:
    whole = history()
    part = newest_times(replace(whole, distance_parts={"amount": [{"curve": at} for at in range(DAYS)]}), times)
    assert part.names == whole.names[-times:]
    assert part.values["amount"]["mean"] == whole.values["amount"]["mean"][-times:]
    assert [each["curve"] for each in part.distance_parts["amount"]] == list(range(DAYS))[-times:]
