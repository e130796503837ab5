"""Limits that are metrics of other datasets: read, put in words, bound, resolved and judged."""

from math import inf, nan

import pytest
from support.orders import SCHEMA, check, contract, result, run, states

from treaty.contracts.assertions import ANOMALIES, OPERATORS, PAIRED, Assertion, ReferenceLimit
from treaty.contracts.errors import ContractError
from treaty.engine.analyzers.numbers import Mean
from treaty.engine.analyzers.rows import Size
from treaty.engine.checks.binding import bind
from treaty.engine.checks.dataset_limits import ReferencedMetric, ReferenceValue, datasets, promise, referenced_metrics

TITLES = {"dataset": "titles", "analyzer": "size"}
PRICE = {"dataset": "titles", "analyzer": "mean", "column": "price", "where": "price > 0"}
ROWS = {"id": [1, 2, 3, 4], "amount": [1.0] * 4, "status": ["new"] * 4}

WORDS = [
    (TITLES, "the size of titles"),
    (PRICE, "the mean of price in titles where price > 0"),
    ({"dataset": "t", "analyzer": "uniqueness", "columns": ["a", "b"]}, "the uniqueness of a, b in t"),
    ({"dataset": "t", "analyzer": "approx_quantile", "quantile": 0.5, "column": "a"},
     "the approx quantile quantile 0.5 of a in t"),
]  # fmt: skip


@pytest.mark.parametrize(("limit", "words"), WORDS)
def test_a_limit_that_refers_reads_well(limit: dict[str, object], words: str) -> None:
    (bound,) = bind(contract(check("size", mustBeLessOrEqualTo=limit)).object("orders"), SCHEMA).checks
    assert bound.sentence == f"size must be at most {words}"
    assert (bound.threshold, bound.breaking) == (None, None)


def test_one_of_a_pair_may_refer() -> None:
    (read,) = contract(check("size", mustBeBetween=[1, TITLES])).object("orders").checks
    assert read.assertion == Assertion("mustBeBetween", (1, ReferenceLimit("titles", "size")))
    assert read.assertion.sentence() == "be between 1 and the size of titles"
    assert read.assertion.resolved({"the size of titles": 4}) == Assertion("mustBeBetween", (1, 4))


@pytest.mark.parametrize("value", [inf, -inf, nan])
def test_a_limit_that_is_no_finite_number_is_not_evaluated(value: float) -> None:
    (bound,) = bind(contract(check("size", mustBeLessOrEqualTo=TITLES)).object("orders"), SCHEMA).checks
    assert bound.check.assertion
    reason = promise(bound.check.assertion, {"the size of titles": ReferenceValue(value)})
    assert reason == "the size of titles is not a finite number"


@pytest.mark.parametrize("operator", sorted(set(OPERATORS) - {ANOMALIES}))
@pytest.mark.parametrize("value", [inf, -inf, nan])
def test_no_assertion_holds_for_an_infinite_value_or_nan(operator: str, value: float) -> None:
    limit = (-5, 5) if operator in PAIRED else 5
    assert not Assertion(operator, limit).holds(value)


def test_an_assertion_whose_limit_is_not_known_judges_nothing() -> None:
    given = Assertion("mustBe", ReferenceLimit("titles", "size"))
    with pytest.raises(TypeError, match="without a known value"):
        given.holds(3)
    with pytest.raises(KeyError, match="the size of titles"):
        given.resolved({})
    assert given.resolved({"the size of titles": 3}).holds(3)


FAULTS = [
    ({"dataset": "titles"}, "is missing 'analyzer'"),
    ({"analyzer": "size"}, "is missing 'dataset'"),
    ({"dataset": 3, "analyzer": "size"}, "is missing 'dataset'"),
    ({**TITLES, "where": "price >"}, "is not a condition"),
    ({**TITLES, "where": "(select 1) > 0"}, "may not use"),
]


@pytest.mark.parametrize(("limit", "message"), FAULTS)
def test_a_limit_that_cannot_be_read_is_a_fault_at_its_place(limit: object, message: str) -> None:
    with pytest.raises(ContractError, match=message) as refused:
        contract(check("size", mustBe=limit))
    assert "implementation.mustBe" in refused.value.faults[0].where


UNBOUND = [
    ({"dataset": "titles", "analyzer": "sise"}, "unknown analyzer 'sise'"),
    ({"dataset": "titles", "analyzer": "mean"}, "Field required"),
    ({**TITLES, "colour": "red"}, "Extra inputs are not permitted"),
]


@pytest.mark.parametrize(("limit", "message"), UNBOUND)
def test_a_limit_that_names_no_metric_is_a_fault(limit: object, message: str) -> None:
    given = contract(check("size", mustBe=limit))
    with pytest.raises(ContractError, match=message):
        bind(given.object("orders"), SCHEMA)
    assert referenced_metrics(given.object("orders")) == {}


def test_what_is_wanted_of_other_datasets_is_told() -> None:
    given = contract(
        check("size", "a", mustBeBetween=[TITLES, PRICE]),
        check("size", "b", mustBe=TITLES),
        check("referential_integrity", "c", column="id", dataset="people", mustBe=1),
        check("dataset_match", "d", keys=["id"], dataset="titles", mustBe=1),
        {"id": "e", "type": "library", "metric": "rowCount", "mustBe": 1},
    ).object("orders")
    assert referenced_metrics(given) == {
        "the size of titles": ReferencedMetric("titles", Size()),
        WORDS[1][1]: ReferencedMetric("titles", Mean(column="price", where="price > 0")),
    }
    assert datasets(given) == ("people", "titles")


JUDGED = [
    (ReferenceValue(4), "passed", 4, None),
    (ReferenceValue(3), "failed", 3, None),
    (ReferenceValue("many"), "not_evaluated", "many", "cannot be compared"),
    (ReferenceValue(reason="titles was never measured"), "not_evaluated", None,
     "the size of titles is unknown: titles was never measured"),
    (None, "not_evaluated", None, "the size of titles is unknown: no value was provided"),
]  # fmt: skip


@pytest.mark.parametrize(("referent", "outcome", "limit", "reason"), JUDGED)
def test_a_check_is_judged_by_what_its_limit_refers_to(
    referent: ReferenceValue | None, outcome: str, limit: object, reason: str | None
) -> None:
    given = contract(check("size", mustBeLessOrEqualTo=TITLES))
    known = {"the size of titles": referent} if referent else {}
    found = result(run(given, {"": states(given, ROWS)}, reference_values=known))
    assert (str(found.outcome), found.value, found.threshold) == (outcome, 4, limit)
    assert reason in str(found.reason) if reason else found.reason is None


def test_a_result_says_where_its_limit_comes_from() -> None:
    given = contract(check("size", mustBeLessOrEqualTo=TITLES))
    known = {"the size of titles": ReferenceValue(3, origin={"run": "17"})}
    found = result(run(given, {"": states(given, ROWS)}, reference_values=known))
    assert found.reference == {"the size of titles": {"value": 3, "run": "17"}}
    assert found.sentence == "size must be at most the size of titles"
    assert found.finding == "4 rows (required: at most 3)"


def test_every_result_has_its_limit_as_plain_data() -> None:
    given = contract(check("size", mustBeBetween=[1, 9]), properties=[])
    found = result(run(given, {"": states(given, ROWS)}))
    assert (found.threshold, found.reference) == ([1, 9], None)
    assert promise(Assertion("mustBe", 1), {}) == Assertion("mustBe", 1)
