"""Programs as suggestions: what a contract gets of them, and how what arrives is judged by that."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import ROUND_CEILING, ROUND_FLOOR
from typing import Any

import numpy
import pytest
from support.orders import NOW, SCHEMA, contract, states

from treaty.contracts.document.model import Contract
from treaty.engine.checks.binding import bind
from treaty.engine.core.learning_options import ProgramOptions
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.programs.analyzer_mapping import MEASURES
from treaty.engine.programs.explanations import sentence
from treaty.engine.programs.limits import limits, outward
from treaty.engine.programs.program import Clause
from treaty.engine.programs.stationarity import LEVEL
from treaty.engine.programs.suggestions import TableHistory, programs, suggestions
from treaty.engine.statistics.column_values import ColumnValues, column
from treaty.engine.statistics.statistics import STATISTICS, compute_statistics
from treaty.engine.statistics.summaries import summary

START = datetime(2026, 1, 1, tzinfo=UTC)
DAYS, ROWS = 24, 120
Values = dict[str, Sequence[Any]]


def rows(at: int, count: int = ROWS) -> Values:
    drawn = numpy.random.default_rng(at)
    codes = [f"AB-{each:02d}" for each in drawn.integers(0, 40, count)]
    return {"id": list(range(count)), "amount": drawn.normal(100, 5, count).tolist(), "status": codes}


def day(at: int) -> str:
    return f"day={(START + timedelta(days=at)).date()}"


def known(days: int = DAYS) -> TableHistory:
    tables = [{name: column(values) for name, values in rows(at).items() if name != "id"} for at in range(days)]
    told = {name: [compute_statistics(summary(each[name])) for each in tables] for name in ("amount", "status")}
    values = {
        name: {each: [row[each] for row in found] for each in MEASURES if each in found[0]}
        for name, found in told.items()
    }
    times = tuple(START + timedelta(days=at) for at in range(days))
    return TableHistory(
        names=tuple(map(day, range(days))),
        times=times,
        rows=(ROWS,) * days,
        values=values,
        texts=frozenset({"status"}),
        samples=tables[-1],
    )


@pytest.fixture(scope="module")
def drafted() -> list[dict[str, Any]]:
    return suggestions(known(), "orders")


def test_nothing_is_learned_from_partitions_of_an_incident(drafted: list[dict[str, Any]]) -> None:
    given = known()
    amounts = {**given.values["amount"], "mean": [*given.values["amount"]["mean"][:-3], 140.0, 141.0, 139.0]}
    values, bad = {**given.values, "amount": amounts}, frozenset(given.names[-3:])
    taught = suggestions(replace(given, values=values), "orders")
    told = suggestions(replace(given, values=values, excluded_partitions=bad), "orders")
    assert all(set(each["evidence"]["details"]["set_aside"]) >= bad for each in told if each["column"] == "amount")
    assert not all(set(each["evidence"]["details"]["set_aside"]) >= bad for each in taught)


def test_each_says_what_its_program_would_have_alarmed_on_learned_anew(drafted: list[dict[str, Any]]) -> None:
    for each in drafted:
        assert each["evidence"]["judged_on"] == 10
        assert each["evidence"]["back_test"] == []
        assert each["sentence"].endswith("backtest: would have alarmed on 0 of the last 10 partitions")


@pytest.fixture(scope="module")
def promised(drafted: list[dict[str, Any]]) -> Contract:
    return contract(*(each["patch"]["quality"] for each in drafted))


def broken(promised: Contract, arriving: Values) -> set[str]:
    """The statistics whose checks fail on a partition that comes after the others."""
    table = {day(at): states(promised, rows(at)).pack() for at in range(DAYS - 3, DAYS)}
    table[day(DAYS)] = states(promised, arriving).pack()
    run = evaluate(
        EvaluationRequest(
            contract=promised, object_name="orders", states=table, delta=[day(DAYS)], started_at=NOW, finished_at=NOW
        )
    )
    ours = [each for each in run.results if "-program-" in (each.check_id or "")]
    assert {each.outcome.value for each in ours} <= {"passed", "failed"}
    return {(each.check_id or "").split("-program-")[0] for each in ours if each.outcome == "failed"}


def test_every_measure_is_of_a_statistic_that_there_is() -> None:
    assert MEASURES.keys() <= STATISTICS.keys()


def test_a_draft_says_which_later_limits_may_judge() -> None:
    told = suggestions(known(), "orders", ProgramOptions(refit="within: 10%"))
    bound = bind(contract(*(each["patch"]["quality"] for each in told)).object("orders"), SCHEMA).checks
    assert {each.detector.refit for each in bound if each.detector} == {"within: 10%"}  # type: ignore[union-attr]
    assert all(each.detector.has_width for each in bound if each.detector)  # type: ignore[union-attr]


def test_each_clause_is_a_check_that_binds_and_names_its_program(promised: Contract) -> None:
    bound = bind(promised.object("orders"), SCHEMA).checks
    assert {each.detector.name for each in bound if each.detector} == {"program"}
    assert {each.detector.of for each in bound} == {"the table", "all columns", "amount", "status"}  # type: ignore[union-attr]
    assert {each.scope for each in bound} == {"delta"}


def test_a_clean_partition_keeps_its_programs(promised: Contract) -> None:
    assert broken(promised, rows(900)) == set()


HALF = ROWS // 2
ISSUES: dict[str, tuple[dict[str, Any], set[str]]] = {
    "another unit": ({"amount": [1000 * each for each in rows(900)["amount"]]}, {"amount"}),
    "missing values": ({"amount": [None] * HALF + list(rows(900)["amount"][HALF:])}, {"amount", "table"}),
    "lower case": ({"status": [each.lower() for each in rows(900)["status"]]}, {"status"}),
    "blanks around": ({"status": [f" {each}" for each in rows(900)["status"]]}, {"status"}),
}


@pytest.mark.parametrize("issue", ISSUES)
def test_an_issue_breaks_the_program_of_its_column(issue: str, promised: Contract) -> None:
    changed, where = ISSUES[issue]
    assert broken(promised, {**rows(900), **changed}) == where


def test_fewer_rows_break_the_tables_check(promised: Contract) -> None:
    assert "table" in broken(promised, {name: values[:12] for name, values in rows(900).items()})


def test_the_evidence_says_what_was_seen_and_what_it_counts_for(drafted: list[dict[str, Any]]) -> None:
    for each in drafted:
        evidence = each["evidence"]
        assert evidence["held"] + len(evidence["failed_on"]) == evidence["partitions"] <= DAYS
        assert len(evidence["history"]) == DAYS
        low, high = evidence["limits"]
        seen = [(name, value) for name, value in evidence["history"] if value is not None]
        below = [name for name, value in seen if low is not None and value < low]
        above = [name for name, value in seen if high is not None and value > high]
        outside = [name for name, _ in seen if name in {*below, *above}]
        assert outside == evidence["failed_on"]
        assert evidence["details"]["table_rate"] <= evidence["details"]["table_budget"] == 0.01
        assert each["severity"] == "error"


def test_a_partition_whose_values_were_missing_is_set_aside() -> None:
    given = known()
    complete = [0.4 if at == 17 else 1.0 for at in range(DAYS)]
    amount = {**given.values["amount"], "complete_ratio": complete}
    found = suggestions(replace(given, values={**given.values, "amount": amount}), "orders")
    told = {each["column"]: each["evidence"]["details"]["set_aside"] for each in found}
    assert told == {None: [day(17)], "amount": [day(17)], "status": []}


def test_a_young_table_has_no_programs_and_says_how_far_it_is() -> None:
    young = known(9)
    assert suggestions(young, "orders") == []
    found = programs(young, ProgramOptions()).columns
    assert {name: str(each) for name, each in found.items()} == {
        "amount": "learning: 9 of 14 partitions",
        "status": "learning: 9 of 14 partitions",
    }


def test_programs_of_short_histories_warn() -> None:
    assert {each["severity"] for each in suggestions(known(14), "orders")} == {"warning"}


def test_columns_without_a_sample_have_their_guards() -> None:
    found = suggestions(replace(known(), samples={}), "orders")
    assert [each["patch"]["quality"]["implementation"]["analyzer"] for each in found] == [
        "size", "mean_completeness", "completeness", "completeness"
    ]  # fmt: skip


@pytest.mark.parametrize("odd", [[None] * ROWS, [1e308, -1e308] * HALF, [5.0] * ROWS])
def test_odd_columns_have_finite_limits(odd: list[float | None]) -> None:
    given = known()
    same = compute_statistics(summary(column(odd)))
    values = {"amount": {name: [same.get(name)] * DAYS for name in MEASURES if name in same}}
    found = suggestions(replace(given, values=values, samples={"amount": column(odd)}), "orders")
    limits = [limit for each in found for limit in each["evidence"]["limits"] if limit is not None]
    assert limits
    assert numpy.isfinite(limits).all()


@pytest.mark.parametrize(("half", "lower"), [(8e-8, 1.0), (5e-7, 1.0), (2e-6, 1 - 2e-6), (0.01, 0.99), (2.0, None)])
def test_a_limit_that_rounding_separates_from_the_greatest_value_is_that_value(half: float, lower: float) -> None:
    assert limits(STATISTICS["complete_ratio"], LEVEL, 1.0, half) == (lower, None)


@pytest.mark.parametrize(("half", "upper"), [(8e-11, 0.0), (2e-6, 2e-6), (0.01, 0.01)])
@pytest.mark.parametrize("name", ["new_of_values", "zero_ratio"])
def test_a_limit_that_rounding_separates_from_the_least_value_is_that_value(
    name: str, half: float, upper: float
) -> None:
    assert limits(STATISTICS[name], LEVEL, 0.0, half) == (None, upper)


@pytest.mark.parametrize(
    ("value", "low", "high"),
    [
        (1.23456789, 1.23456, 1.23457),
        (-1.23456789, -1.23457, -1.23456),
        (0.0, 0.0, 0.0),
        (12345678.0, 12345600, 12345700),
    ],
)
def test_limits_are_rounded_outwards(value: float, low: float, high: float) -> None:
    assert (outward(value, ROUND_FLOOR), outward(value, ROUND_CEILING)) == (low, high)


def test_a_column_of_missing_texts_is_no_crash() -> None:
    nothing = ColumnValues(numpy.array([None] * ROWS, dtype=object))
    same = compute_statistics(summary(nothing))
    values = {"status": {name: [same.get(name)] * DAYS for name in MEASURES if name in same}}
    found = suggestions(replace(known(), values=values, samples={"status": nothing}), "orders")
    assert {each["column"] for each in found} == {None, "status"}


@pytest.mark.parametrize(("distinct", "error"), [(10_000, 0.0), (20_000, 325.0), (1_000_000, 16_250.0)])
def test_a_count_that_a_sketch_tells_moves_by_its_error_at_least(distinct: int, error: float) -> None:
    given = replace(known(), values={"word": {"complete_ratio": [1.0] * DAYS, "distinct_count": [distinct] * DAYS}})
    newest = given.histories["word"].newest
    assert newest is not None
    assert newest.guessed == pytest.approx(error)
    assert STATISTICS["distinct_count"].floor(newest) == pytest.approx(max(1.0, error))
    said = sentence(
        Clause(
            statistic="distinct_count",
            change=LEVEL,
            lower=1.0,
            upper=None,
            middle=2.0,
            width=1.0,
            rate=0.001,
            points=DAYS,
        ),
        newest.guessed,
    )
    assert ("standard error of the count" in said) is (error > 0)


def with_states(given: TableHistory) -> TableHistory:
    """The same, with what distances are told from."""
    tables = [{name: summary(column(values)) for name, values in rows(at).items()} for at in range(len(given.names))]
    apart = {
        "amount": [{"curve": each["amount"].curve} for each in tables],
        "status": [{of: getattr(each["status"], of) for of in ("values", "masks", "shapes")} for each in tables],
    }
    return replace(given, distance_parts=apart)


def test_distances_are_offered_where_their_states_are_known() -> None:
    given = with_states(known())
    series = given.histories["status"].series
    assert numpy.isnan(series["l1_of_values"][0])
    expected = compute_statistics(summary(column(rows(5)["status"])), summary(column(rows(4)["status"])))
    for name in ("l1_of_values", "new_of_masks", "chi_squared_of_masks"):
        assert series[name][5] == pytest.approx(expected[name])
    found = suggestions(given, "orders")
    told = [each for each in found if each["patch"]["quality"]["implementation"]["analyzer"] == "distance"]
    assert told
    for each in told:
        assert "from the previous partition" in each["expression"]
        assert each["evidence"]["limits"][0] is None
        assert len(each["evidence"]["history"]) == DAYS


def test_what_an_incident_spoilt_is_not_compared_with() -> None:
    given = with_states(known())
    odd = summary(column(["zz"] * ROWS))
    apart = [*given.distance_parts["status"]]
    apart[9] = {of: getattr(odd, of) for of in ("values", "masks", "shapes")}
    spoilt = replace(
        given, distance_parts={**given.distance_parts, "status": apart}, excluded_partitions=frozenset({day(9)})
    )
    series = spoilt.histories["status"].series["l1_of_values"]
    assert len(series) == DAYS - 1
    assert numpy.nanmax(series) < 1.5
    taught = replace(spoilt, excluded_partitions=frozenset()).histories["status"].series["l1_of_values"]
    assert taught[9:11] == pytest.approx([2.0, 2.0])
