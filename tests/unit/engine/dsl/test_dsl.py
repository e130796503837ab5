"""Checks written in code are the checks that contracts hold."""

import inspect
from datetime import UTC, datetime
from typing import Any

import pytest
from support.bags import bag
from support.every import every

from treaty.contracts.document.reader import read
from treaty.contracts.errors import ContractError
from treaty.contracts.schema import Column, Schema
from treaty.engine.analyzers import ANALYZERS
from treaty.engine.checks.binding import bind
from treaty.engine.core.results import Outcome
from treaty.engine.dsl import (
    Check,
    at_least,
    at_most,
    between,
    equal_to,
    less_than,
    more_than,
    outside,
    satisfying,
    unlike,
)
from treaty.engine.dsl.columns import ColumnChecks
from treaty.engine.dsl.groups import GroupChecks
from treaty.engine.dsl.tables import TableChecks
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.request import EvaluationRequest

SCHEMA = Schema(
    (
        Column("id", "bigint"),
        Column("amount", "double"),
        Column("other", "double"),
        Column("status", "string"),
        Column("seen", "timestamp"),
    )
)
NOW = datetime(2026, 1, 5, tzinfo=UTC)
SOME = at_least(0.5)
CALLS: dict[str, tuple[Any, ...]] = {
    "is_complete": ("id",),
    "has_completeness": ("id", SOME),
    "are_complete": (["id", "status"],),
    "have_completeness": (["id", "status"], SOME),
    "are_any_complete": (["id", "status"],),
    "have_any_completeness": (["id", "status"], SOME),
    "is_contained_in": ("status", ["new", "paid"]),
    "is_in_range": ("amount", 0, 10),
    "is_non_negative": ("amount",),
    "is_positive": ("amount", SOME),
    "is_less_than": ("amount", "other"),
    "is_less_than_or_equal_to": ("amount", "other"),
    "is_greater_than": ("amount", "other"),
    "is_greater_than_or_equal_to": ("amount", "other"),
    "is_equal_to": ("amount", "other"),
    "has_pattern": ("status", "[a-z]+"),
    "has_format": ("status", "uuid"),
    "contains_email": ("status",),
    "contains_url": ("status",),
    "contains_credit_card_number": ("status",),
    "contains_social_security_number": ("status",),
    "has_data_type": ("status", "integer"),
    "has_consistent_type": ("status",),
    "has_type_consistency": ("status", SOME),
    "has_min": ("amount", SOME),
    "has_max": ("amount", at_most(3)),
    "has_range": ("amount", less_than(3)),
    "has_mean": ("amount", between(1, 2)),
    "has_sum": ("amount", more_than(1)),
    "has_standard_deviation": ("amount", SOME),
    "has_variance": ("amount", SOME),
    "has_skewness": ("amount", outside(1, 2)),
    "has_kurtosis": ("amount", SOME),
    "has_zeros": ("amount", equal_to(0)),
    "has_ratio_of_sums": ("amount", "other", SOME),
    "has_min_length": ("status", SOME),
    "has_max_length": ("status", SOME),
    "is_fresh": ("seen", at_most(3600)),
    "has_column": ("id",),
    "is_unique": ("id",),
    "has_uniqueness": (["id", "status"], SOME),
    "has_distinctness": ("id", SOME),
    "has_unique_value_ratio": ("id", SOME),
    "has_unique_row_ratio": ("id", SOME),
    "is_primary_key": (["id", "status"],),
    "has_duplicate_rows": (equal_to(0), ["id"]),
    "has_count_distinct": ("id", unlike(3)),
    "has_approx_count_distinct": ("id", SOME),
    "has_entropy": ("status", SOME),
    "has_mutual_information": ("status", "id", SOME),
    "has_determination": ("id", "status", SOME),
    "has_correlation": ("amount", "other", SOME),
    "has_approx_quantile": ("amount", 0.9, SOME),
    "has_exact_quantile": ("amount", 0.9, SOME),
    "has_interquartile_range": ("amount", SOME),
    "has_histogram_values": ("status", SOME),
    "has_kll_buckets": ("amount", SOME),
    "has_predictability": ("status", ["id", "amount"], 0.97),
    "has_size": (SOME,),
    "has_column_count": (SOME,),
    "satisfies": ("amount > 0",),
    "satisfies_if": ("status = 'paid'", "amount > 0"),
    "has_sql": ("SELECT count(*) FROM {object}", SOME),
    "refers_to": ("id", "titles", "id"),
    "matches": ("titles", "id"),
}


def made(name: str) -> Check:
    found: Check = getattr(Check.error("orders"), name)(*CALLS[name])
    return found


def test_every_method_has_a_case() -> None:
    methods = {
        name
        for group in (ColumnChecks, GroupChecks, TableChecks)
        for name, _ in inspect.getmembers(group, inspect.isfunction)
        if not name.startswith("_") and name != "that"
    }
    assert methods == set(CALLS)


@every("name", CALLS)
def test_a_promise_binds_to_its_analyzer(name: str) -> None:
    (bound,) = bind(made(name).contract().objects[0], SCHEMA).checks
    assert bound.analyzer is not None
    assert bound.analyzer.name in ANALYZERS
    assert bound.reason is None


@every("name", CALLS)
def test_a_promise_written_as_a_contract_is_read_as_the_same(name: str) -> None:
    check = made(name)
    (back,) = read(check.document(SCHEMA)).objects[0].checks
    (ours,) = check.promises
    assert (back.id, back.severity, back.analyzer, back.where, back.scope, back.assertion) == (
        ours.id, ours.severity, ours.analyzer, ours.where, ours.scope, ours.assertion,
    )  # fmt: skip
    kind = ANALYZERS[ours.analyzer]
    assert kind.model_validate(dict(back.arguments)) == kind.model_validate(dict(ours.arguments))


def test_a_chain_leaves_its_beginning_as_it_was() -> None:
    start = Check.error("orders").is_complete("id")
    start.is_complete("status")
    assert [each.id for each in start.promises] == ["id-completeness"]


def test_promises_of_one_analyzer_have_ids_of_their_own() -> None:
    check = Check.error().has_size(at_least(1)).has_size(at_most(9)).is_complete("id").is_complete("id", where="id > 1")
    assert [each.id for each in check.promises] == ["size", "size-2", "id-completeness", "id-completeness-2"]


def test_words_of_the_caller_are_kept() -> None:
    check = Check.warning().has_mean(
        "amount", at_most(3), id="m", name="the mean", where="status = 'paid'", scope="dataset"
    )
    (promise,) = check.promises
    assert (promise.id, promise.name, promise.where, promise.scope, promise.severity) == (
        "m", "the mean", "status = 'paid'", "dataset", "warning",
    )  # fmt: skip
    assert promise.arguments == {"column": "amount"}


def test_checks_of_two_severities_are_added() -> None:
    both = Check.error("orders").is_complete("id") + Check.warning().is_complete("status")
    assert [each.severity for each in both.contract().objects[0].checks] == ["error", "warning"]
    assert [each.id for each in (both + both).promises] == [
        "id-completeness", "status-completeness", "id-completeness-2", "status-completeness-2",
    ]  # fmt: skip


def test_two_promises_of_one_id_are_refused() -> None:
    check = Check.error().is_complete("id", id="a").is_complete("status", id="a")
    with pytest.raises(ContractError, match="several checks have the id a"):
        check.contract()


def test_a_function_judges_but_is_not_written() -> None:
    check = Check.error("orders").has_size(lambda rows: rows % 2 == 0)
    with pytest.raises(ContractError, match="a Python function, which a document cannot contain"):
        check.document(SCHEMA)
    (bound,) = bind(check.contract().objects[0], SCHEMA).checks
    assert bound.sentence == "size must satisfy the given function"
    assert satisfying(lambda value: value == 3, "be three").holds(3)


@pytest.mark.parametrize("known", ["is_complete", "satisfies"])
def test_unknown_columns_are_told_not_raised(known: str) -> None:
    call = {"is_complete": "nowhere", "satisfies": "nowhere > 1"}[known]
    check: Check = getattr(Check.error("orders"), known)(call)
    (bound,) = bind(check.contract().objects[0], SCHEMA).checks
    assert bound.reason is not None
    assert "nowhere" in bound.reason


def test_an_unknown_analyzer_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(ContractError, match="did you mean 'completeness'"):
        bind(Check.error().that("completness", SOME, column="id").contract().objects[0], SCHEMA)


def judged(check: Check, rows: int) -> tuple[Outcome, str | None]:
    plan = bind(check.contract().objects[0], SCHEMA).plan
    packed = bag(plan, SCHEMA, {column.name: [None] * rows for column in SCHEMA}).pack()
    run = evaluate(
        EvaluationRequest(
            contract=check.contract(),
            object_name="orders",
            states={"": packed},
            delta=[""],
            started_at=NOW,
            finished_at=NOW,
        )
    )
    (result,) = run.results
    return result.outcome, result.reason


@pytest.mark.parametrize(
    ("function", "outcome", "reason"),
    [
        (lambda rows: rows % 2 == 0, Outcome.PASSED, None),
        (lambda rows: rows > 4, Outcome.FAILED, None),
        (lambda rows: rows / 0 > 1, Outcome.NOT_EVALUATED, "raised ZeroDivisionError"),
        (lambda rows: rows > "a", Outcome.NOT_EVALUATED, "raised TypeError"),
    ],
)
def test_a_function_that_fails_is_told_and_never_passes(function: Any, outcome: Outcome, reason: str | None) -> None:
    found, told = judged(Check.error("orders").has_size(function), rows=4)
    assert found is outcome
    assert (reason or "") in (told or "")
