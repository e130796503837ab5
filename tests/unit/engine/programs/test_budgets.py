"""Budgets of programs: every clause pays, small rates are bounded, and a draft notes what it cannot pay for."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from support.orders import contract

from treaty.engine.anomaly.learned_programs import ProgramClause
from treaty.engine.cli.draft import _print_draft
from treaty.engine.core.learning_options import ProgramOptions
from treaty.engine.programs.constraints import BOUNDS, WIDTHS, past
from treaty.engine.programs.explanations import budget_notes
from treaty.engine.programs.guards import guards, refit_guard
from treaty.engine.programs.history import Batch, ColumnHistory
from treaty.engine.programs.newest_partitions import FINER, HOURLY, TIMES, newest
from treaty.engine.programs.program import Clause, ColumnProgram, verdict
from treaty.engine.programs.recipe import GUARDS
from treaty.engine.programs.stationarity import LEVEL
from treaty.engine.programs.suggestions import TableHistory, programs, suggested_clauses
from treaty.engine.programs.table_budget import QUARTERS, TableGuard, Unpaid, allowance
from treaty.engine.programs.table_programs import TableProgram
from treaty.engine.protocol.requests import DraftResult
from treaty.engine.statistics.column_values import ColumnValues
from treaty.engine.statistics.statistics import STATISTICS
from treaty.engine.statistics.summaries import NumberSummary

START = datetime(2026, 1, 5, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
ROWS = 200


def table(step: timedelta, count: int, columns: int = 2, *, sampled: bool = True, seed: int = 0) -> TableHistory:
    """A table whose statistics are drawn: means with a day's season, now and then a null."""
    random = numpy.random.default_rng([seed, count])
    times = tuple(START + at * step for at in range(count))
    day = 10 * numpy.sin(2 * numpy.pi * numpy.array([time.timestamp() for time in times]) / DAY.total_seconds())

    def column(at: int) -> dict[str, Any]:
        mean = 100 + day + random.standard_normal(count)
        complete = 1 - random.integers(0, 2, count) / ROWS if at % 2 else numpy.ones(count)
        spread = 5 + day / 5 + 0.1 * random.standard_normal(count)
        return {"complete_ratio": complete, "mean": mean, "standard_deviation": spread, "maximum": mean + 3 * spread}

    return TableHistory(
        names=tuple(map(str, times)),
        times=times,
        rows=tuple(ROWS + int(each) for each in random.integers(-5, 6, count)),
        values={f"c{at}": {name: each.tolist() for name, each in column(at).items()} for at in range(columns)},
        texts=frozenset(),
        samples={f"c{at}": ColumnValues(random.normal(100, 5, ROWS)) for at in range(columns)} if sampled else {},
    )


def clauses(found: TableProgram) -> list[Clause]:
    of_columns = [each for of in found.columns.values() if isinstance(of, ColumnProgram) for each in of.clauses]
    return [*found.guards.values(), *of_columns]


@settings(max_examples=25, deadline=None)
@given(
    step=st.sampled_from([MINUTE, 15 * MINUTE, HOUR, DAY, 7 * DAY]),
    count=st.integers(14, 120),
    columns=st.integers(1, 4),
    alarms=st.floats(0.01, 1000),
    sampled=st.booleans(),
)
def test_every_clause_pays_and_all_together_keep_to_the_budget(
    step: timedelta, count: int, columns: int, alarms: float, *, sampled: bool
) -> None:
    history = table(step, count, columns, sampled=sampled)
    found = programs(history, ProgramOptions(false_alarms=alarms))
    assert all(each.rate > 0 for each in clauses(found))
    assert found.rate == pytest.approx(sum(each.rate for each in clauses(found)))
    assert found.rate <= found.budget * (1 + 1e-9)
    assert found.budget == allowance(alarms, next(iter(history.histories.values())).cadence.yearly)
    drafted = suggested_clauses(found, history, "t")
    assert len({each["patch"]["quality"]["id"] for each in drafted}) == len(drafted) == len(clauses(found))
    limits = [each["patch"]["quality"]["implementation"]["mustHaveNoAnomalies"] for each in drafted]
    assert all(each["rate"] > 0 for each in limits)


def _normal(low: Any, high: Any) -> Any:
    return stats.norm.cdf(low) + stats.norm.sf(high)


# By name: what draws values, and the share beyond a lower and an upper limit.
NOISE: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]] = {
    "normal": (
        lambda random, size: random.standard_normal(size),
        _normal,
    ),
    "Student's t": (
        lambda random, size: random.standard_t(4, size),
        lambda low, high: stats.t.cdf(low, 4) + stats.t.sf(high, 4),
    ),
    "lognormal": (
        lambda random, size: numpy.exp(random.standard_normal(size)),
        lambda low, high: stats.lognorm.cdf(low, 1) + stats.lognorm.sf(high, 1),
    ),
    "contaminated": (
        lambda random, size: random.standard_normal(size) * numpy.where(random.random(size) < 0.01, 10, 1),
        lambda low, high: 0.99 * _normal(low, high) + 0.01 * _normal(low / 10, high / 10),
    ),
}  # fmt: skip


@pytest.mark.parametrize("noise", NOISE)
@pytest.mark.parametrize("points", [30, TIMES, 120, HOURLY, FINER])
def test_no_more_clean_values_lie_beyond_a_width_than_the_measured_bound_says(noise: str, points: int) -> None:
    draw, beyond = NOISE[noise]
    drawn = draw(numpy.random.default_rng(points), (1500, points))
    middle, spread = drawn.mean(axis=1), drawn.std(axis=1, ddof=1)
    widths = numpy.array([each for each in WIDTHS if each >= 5])
    real = numpy.array([beyond(middle - each * spread, middle + each * spread).mean() for each in widths])
    known = past(STATISTICS["mean"], LEVEL, draw(numpy.random.default_rng(7), points), 0.0)
    assert known is not None
    # The quarter of Chebyshev's bound was measured on real tables, whose tails are not as heavy as the lognormal one.
    tolerance = 1.4 if noise == "lognormal" and points <= TIMES else 1.0
    assert (real <= tolerance * BOUNDS["measured"].rate(known, widths)).all()


@pytest.mark.parametrize(
    ("step", "kept"), [(MINUTE, FINER), (15 * MINUTE, FINER), (HOUR, HOURLY), (DAY, TIMES), (7 * DAY, TIMES)]
)
def test_the_finer_the_partitions_the_more_are_read(step: timedelta, kept: int) -> None:
    names = [f"at={START + at * step:%Y-%m-%dT%H:%M}" for at in range(kept + 10)]
    assert [name for _, name in newest(names)] == names[10:]


def lags(found: TableProgram) -> set[tuple[int, str | None]]:
    return {(each.change.lag, each.change.unit) for each in clauses(found)}


def test_an_hourly_table_has_clauses_that_compare_with_the_day_before() -> None:
    found = programs(table(HOUR, HOURLY), ProgramOptions(false_alarms=2.0))
    assert (24, "hours") in lags(found)
    assert budget_notes(found, {}) == ()


NOTES = [
    (
        HOUR,
        62,
        1.0,
        "no clause besides guards fits 1 false alarm per quarter of 2,192 partitions: the first",
    ),
    (HOUR, 62, 2.5, "no clause besides guards of c"),
    (MINUTE, 62, 0.01, "62 partitions cover less than a day: only changes between partitions are limited"),
    (DAY, 30, 0.01, "no guard of"),
]


@pytest.mark.parametrize(("step", "count", "alarms", "words"), NOTES)
def test_a_draft_notes_what_its_budget_does_not_pay_for(step: timedelta, count: int, alarms: float, words: str) -> None:
    history = table(step, count, {1.0: 2, 2.5: 4}.get(alarms, 30))
    notes = budget_notes(programs(history, ProgramOptions(false_alarms=alarms)), history.histories)
    assert any(each.startswith(words) for each in notes), notes


@pytest.mark.parametrize(("step", "count"), [(HOUR, 62), (HOUR, 120), (15 * MINUTE, 300), (MINUTE, 1500)])
def test_the_budget_that_a_note_names_pays_for_a_clause(step: timedelta, count: int) -> None:
    history = table(step, count)
    (note,) = [
        each
        for each in budget_notes(programs(history, ProgramOptions(false_alarms=0.2)), history.histories)
        if "no clause besides guards fits" in each
    ]
    alarms = float(note.split("--false-alarms ")[1].split(" ")[0].replace(",", ""))
    assert any(not each.guard for each in clauses(programs(history, ProgramOptions(false_alarms=alarms))))


def test_a_budget_that_pays_for_all_has_no_note() -> None:
    history = table(DAY, 40)
    assert budget_notes(programs(history, ProgramOptions()), history.histories) == ()


def test_a_cost_beyond_the_largest_budget_is_no_advice() -> None:
    short = Unpaid(columns=("a", "b", TableGuard.ROWS, "c"), guards=True, nothing=False, alarms=None)
    (note,) = budget_notes(TableProgram(columns={}, rows=None, budget=0.01, unpaid=(short,)), {})
    assert note == (
        "no guard of a, b, the table and 1 more fits 0.913 false alarms per quarter of 91 partitions: "
        "one for each needs more than the largest budget, 1 % of the partitions"
    )


def test_a_note_about_the_completeness_of_the_table_names_all_columns() -> None:
    short = Unpaid(columns=(TableGuard.COMPLETENESS,), guards=True, nothing=False, alarms=2.0)
    (note,) = budget_notes(TableProgram(columns={}, rows=None, budget=0.01, unpaid=(short,)), {})
    assert note == (
        "no guard of all columns fits 0.913 false alarms per quarter of 91 partitions: "
        "one needs about 2 per quarter; use --false-alarms 2"
    )


def _summary(rows: int, present: int) -> NumberSummary:
    return NumberSummary(rows=rows, moments=(present, 5.0, 9.0), curve=None, distinct=None)


def counts(rows: list[int], present: list[float]) -> ColumnHistory:
    pairs = zip(rows, present, strict=True)
    return ColumnHistory.of(
        Batch(str(at), _summary(rows, round(share * rows)), START + at * DAY) for at, (rows, share) in enumerate(pairs)
    )


WIDEST = [
    ("row_count", 0, False),
    ("row_count", 5, False),
    ("row_count", 20, True),
    ("row_count", 9000, True),
    ("complete_ratio", 0.0, False),
    ("complete_ratio", 0.2, True),
    ("complete_ratio", 1.0, True),
]


@pytest.mark.parametrize(("name", "value", "holds"), WIDEST)
def test_the_widest_guard_is_broken_by_an_almost_empty_batch_alone_and_costs_almost_nothing(
    name: str, value: float, *, holds: bool
) -> None:
    known = counts([100, 120, 140] * 10, [0.9, 1.0, 0.95] * 10)
    widest, *narrower = guards(name, known, BOUNDS["measured"])
    assert verdict(widest, value, known).holds is holds
    assert 0 < widest.rate <= 1e-5 * QUARTERS
    assert all(each.rate > 10 * widest.rate for each in narrower)


@pytest.mark.parametrize("name", GUARDS)
def test_a_guard_is_refitted_by_its_own_rule(name: str) -> None:
    known, later = (
        counts([100, 120, 140] * 10, [0.9, 1.0, 0.95] * 10),
        counts([200, 240, 280] * 10, [0.95, 1.0, 0.97] * 10),
    )
    for each in guards(name, known, BOUNDS["measured"]):
        refitted = refit_guard(each, later)
        assert refitted is not None
        assert (refitted.width, refitted.rate, refitted.upper is None) == (each.width, each.rate, each.upper is None)


def test_a_past_with_an_empty_batch_or_without_a_day_has_no_guard_of_emptiness() -> None:
    empty = counts([100, 0, 120] * 10, [1.0] * 30)
    assert all(each.width for each in guards("row_count", empty, BOUNDS["measured"]))
    minutes = ColumnHistory(
        tuple(Batch(each.name, each.summary, START + at * MINUTE) for at, each in enumerate(empty.batches))
    )
    assert guards("row_count", minutes, BOUNDS["measured"]) == ()


def test_a_guard_in_a_contract_has_a_rate_and_no_width() -> None:
    widest = {"of": "x", "lower": 10.0, "rate": 0.00001}
    assert ProgramClause.model_validate({**widest, "refit": "tighten_only"}).is_guard
    assert not ProgramClause.model_validate({**widest, "width": 40.0}).is_guard
    assert not ProgramClause.model_validate({**widest, "lag": 1}).is_guard


def test_the_command_prints_the_notes_of_a_draft_beside_its_document(capsys: pytest.CaptureFixture[str]) -> None:
    note = "no clause besides guards fits 1 false alarm per quarter"
    document = contract().source
    _print_draft(DraftResult(document=document, suggestions=(), profile={"notes": [note]}), None, as_json=False)
    printed = capsys.readouterr()
    assert (printed.err, "orders" in printed.out) == (f"{note}\n", True)
