"""Views: partitions chosen by their names, and checks that are judged over them, without Spark."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from support.every import every
from support.orders import NOW, PROPERTIES, ROWS, SCHEMA, check, result, run, states
from support.view_texts import CONDITIONS, KEYED, REFUSED, viewed
from support.view_texts import SCHEMA as MANY

from treaty.contracts.document.model import Contract, DataObject, Property
from treaty.contracts.errors import ContractError
from treaty.contracts.predicates.parser import PredicateError
from treaty.contracts.schema import Column, Schema
from treaty.engine.checks.binding import NOT_OF_VIEWS, bind
from treaty.engine.core.partitions import partition_names, views
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.evaluation.violation_samples import redact

DAYS = [f"day=2026-01-0{day}/country={country}" for day in (1, 2, 3) for country in ("DE", "FR")]
NONE = f"day={partition_names.NULL}/country={partition_names.NULL}"
TABLE = Schema((*SCHEMA.columns, Column("day", "string"), Column("country", "string")))


def bags(of: Contract, names: Sequence[str], rows: Mapping[str, Any] = ROWS) -> dict[str, Any]:
    return {name: states(of, rows, TABLE) for name in names}


@pytest.mark.parametrize(("text", "said"), REFUSED, ids=[text for text, _ in REFUSED])
def test_what_names_of_partitions_do_not_tell_is_refused_by_name(text: str, said: str) -> None:
    with pytest.raises(PredicateError) as refused:
        views.chosen(text, [], MANY)
    assert said in str(refused.value)


@every("text", CONDITIONS)
def test_what_is_true_is_chosen_and_what_is_not_is_chosen_by_its_negation_unless_null(text: str) -> None:
    names = [NAMED, NULLS]
    chosen, others = views.chosen(text, names, MANY), views.chosen(f"NOT ({text})", names, MANY)
    unknown = views.chosen(f"({text}) <=> NULL", names, MANY)
    assert sorted((*chosen, *others, *unknown)) == sorted(names)


VALUES = ["2026-01-01", "DE", "7", "7", "2.5", "0.5", "7.00", "2026-01-01 12:30:00", "true", "x/y=z"]
NAMED = partition_names.name(MANY.names, VALUES)
NULLS = partition_names.name(MANY.names, [None] * len(VALUES))


def test_null_is_below_no_number_though_spark_says_so_of_numbers_that_no_long_reaches() -> None:
    names, table = ["big=7", f"big={partition_names.NULL}"], Schema((Column("big", "bigint"),))
    assert views.chosen("big < 99999999999999999999", names, table) == ("big=7",)


MERGED = [f"day=2026-01-[01-03,31]/country={country}" for country in ("DE", "FR")]
BY_DAY = Schema((Column("day", "date"), Column("country", "string")))


@pytest.mark.parametrize(
    ("where", "chosen"),
    [
        (None, MERGED),
        ("country = 'DE'", MERGED[:1]),
        ("day BETWEEN '2026-01-01' AND '2026-01-31'", MERGED),
        ("day < '2026-01-04' OR day = '2026-01-31'", MERGED),
        ("day BETWEEN '2026-01-04' AND '2026-01-30'", []),
        ("day > '2026-01-02' AND country = 'none'", []),
        ("day > NULL", []),
        ("day LIKE '2026-01-%' AND country <> 'DE'", MERGED[1:]),
    ],
)
def test_merged_days_are_chosen_where_the_condition_is_the_same_for_all_of_them(
    where: str | None, chosen: list[str]
) -> None:
    assert views.chosen(where, MERGED, BY_DAY) == tuple(chosen)


@pytest.mark.parametrize(
    "where", ["day > '2026-01-01'", "day = '2026-01-31' AND country = 'FR'", "day IN ('2026-01-02')"]
)
def test_merged_days_that_a_condition_tells_apart_are_refused_by_name(where: str) -> None:
    with pytest.raises(
        PredicateError, match=r"only some of the days of day=2026-01-\[01-03,31\]/country=..,"
    ) as refused:
        views.chosen(where, MERGED, BY_DAY)
    assert (
        refused.value.faults[0].remedy == "select all of these days or none, or read the table again to separate them"
    )


def test_a_view_that_tells_merged_days_apart_leaves_its_checks_open_with_the_reason() -> None:
    checks = [check("size", name, scope=name, mustBeGreaterThan=0) for name in ("some", "whole", "dataset")]
    given = viewed(*checks, some="day > '2026-01-02'", whole="day >= '2026-01-01'")
    found = run(given, bags(given, ["day=2026-02-01/country=DE"]), bags(given, MERGED))
    assert {each.check_id: each.value for each in found.results if each.measurement} == {
        "some": None, "whole": 12, "dataset": 12,
    }  # fmt: skip
    assert result(found, "some").outcome == "not_evaluated"
    assert "view some is true for only some of the days of day=2026-01-[01-03,31]/country=DE" in (
        result(found, "some").reason or ""
    )


@pytest.mark.parametrize(
    ("where", "apart"),
    [("day > '2026-01-02'", True), ("country = 'DE'", False), ("day < '2026-02-01'", False), ("hour = 1", False)],
)
def test_a_view_tells_days_apart_where_it_is_true_for_some_of_them(where: str, apart: bool) -> None:
    of = viewed(check("size", mustBe=1), all="day IS NOT NULL", one=where).object("orders")
    assert views.tell_apart(of, TABLE, MERGED[0]) is apart
    assert not views.tell_apart(of, TABLE, DAYS[0])


def test_all_are_chosen_where_there_is_no_condition() -> None:
    assert views.chosen(None, ["a=1", ""], Schema(())) == ("a=1", "")


@drawn(st.dictionaries(st.text(min_size=1), st.one_of(st.none(), st.text(min_size=1)), min_size=1, max_size=3))
def test_the_values_of_a_name_are_those_that_it_was_made_of(given: dict[str, str | None]) -> None:
    name = partition_names.name(list(given), list(given.values()))
    expected = {column: None if value == partition_names.NULL else value for column, value in given.items()}
    assert partition_names.values(name) == expected


@pytest.mark.parametrize(
    ("declared", "recorded", "type_"),
    [
        ("date", "string", "date"),
        ("integer", "string", "bigint"),
        ("integer", "int", "int"),
        ("number", "string", "double"),
        ("number", "decimal(10,2)", "decimal(10,2)"),
        ("timestamp", "timestamp_ntz", "timestamp_ntz"),
        (None, "int", "int"),
        (None, None, "string"),
        ("boolean", None, "boolean"),
    ],
)
def test_a_partition_column_is_compared_as_the_contract_declares_it(
    declared: str | None, recorded: str | None, type_: str
) -> None:
    of = DataObject(name="orders", properties=(Property(name="part", logical_type=declared, partitioned=True),))
    table = Schema((Column("part", recorded),) if recorded else ())
    assert views.columns(of, table, ["part=1"]) == views.columns(of, table, []) == Schema((Column("part", type_),))


def test_a_value_that_is_none_of_its_type_is_said_with_its_partition() -> None:
    with pytest.raises(
        PredicateError, match="cannot be evaluated for partition hour=x: the value of hour is not of type int"
    ):
        views.chosen("hour = 1", ["hour=1", "hour=x"], Schema((Column("hour", "int"),)))


def test_a_table_without_partition_columns_has_no_views() -> None:
    with pytest.raises(PredicateError, match="the partition columns are none"):
        views.chosen("day = '2026-01-01'", [""], Schema(()))


@pytest.mark.parametrize(
    ("where", "value", "outcome"),
    [
        ("country = 'DE'", 12, "passed"),
        ("day = DATE '2026-01-01'", 8, "failed"),
        ("day BETWEEN '2026-01-01' AND '2026-01-02' OR day IS NULL", 20, "failed"),
        ("country IS NULL", 4, "failed"),
    ],
)
def test_a_check_over_a_view_is_judged_on_its_partitions_together(where: str, value: int, outcome: str) -> None:
    given = viewed(check("size", scope="mine", mustBe=12), mine=where)
    found = result(run(given, bags(given, DAYS[:1]), bags(given, [*DAYS[1:], NONE])))
    assert (found.value, found.outcome, found.scope, found.partition) == (value, outcome, "mine", None)
    assert found.sentence == "there must be exactly 12 rows over the view mine"


def test_a_view_that_chooses_no_partition_is_not_applicable() -> None:
    given = viewed(check("size", scope="uk", mustBe=1), uk="country = 'UK'")
    found = result(run(given, bags(given, DAYS)))
    assert (found.outcome, found.reason) == ("not_applicable", "view uk selects none of 6 partitions")


def test_a_measurement_over_a_view_is_told_apart_from_that_of_the_dataset() -> None:
    checks = [check("size", scope, scope=scope, mustBeGreaterThan=0) for scope in ("dataset", "eu", "de")]
    given = viewed(*checks, eu="country IN ('DE', 'FR')", de="country = 'DE'")
    found = run(given, bags(given, DAYS))
    assert sorted(each.value for each in found.measurements) == [12, 24, 24]
    assert len({each.identity for each in found.measurements}) == 3
    assert {each.check_id: each.value for each in found.results if each.measurement} == {
        "dataset": 24, "eu": 24, "de": 12,
    }  # fmt: skip


def test_a_scope_that_names_no_view_is_a_fault_with_the_nearest_name() -> None:
    given = viewed(check("size", scope="german", mustBe=1), germany="country = 'DE'")
    with pytest.raises(ContractError, match=r"unknown view 'german' \(did you mean 'germany'\?\)") as error:
        bind(given.object("orders"), TABLE)
    assert [(fault.code, fault.where) for fault in error.value.faults] == [
        ("TR-CHECK-SCOPE", "schema[0].quality[0].implementation.scope")
    ]
    with pytest.raises(ContractError, match="did you mean 'delta'"):
        bind(viewed(check("size", scope="deltas", mustBe=1)).object("orders"), TABLE)


def test_a_view_over_other_columns_than_those_of_partitions_is_a_fault() -> None:
    given = viewed(check("size", scope="dear", mustBe=1), dear="amount > 100")
    with pytest.raises(ContractError, match=r"view dear reads 'amount', which is not a partition column .*day"):
        bind(given.object("orders"), TABLE)


def test_a_view_that_its_partitions_cannot_tell_leaves_the_other_checks_judged() -> None:
    views_of = {"odd": "hour = 1", "even": "country = 'DE'"}
    checks = [check("size", name, scope=name, mustBeGreaterThan=0) for name in views_of]
    given = viewed(*checks, properties=PROPERTIES, **views_of)
    table = Schema((*TABLE.columns, Column("hour", "string")))
    found = evaluate(
        EvaluationRequest(
            contract=given,
            object_name="orders",
            states={name: states(given, ROWS, table).pack() for name in DAYS},
            delta=DAYS,
            started_at=NOW,
            finished_at=NOW,
        )
    )
    assert (result(found, "odd").outcome, result(found, "even").outcome) == ("not_evaluated", "passed")
    assert "view odd reads 'hour', which is not a partition column" in (result(found, "odd").reason or "")


def test_what_must_see_all_rows_at_once_says_nothing_of_a_view() -> None:
    given = viewed(check("sql", scope="eu", query="SELECT count(*) FROM {object}", mustBe=1), eu="country = 'DE'")
    (bound,) = [each for each in bind(given.object("orders"), TABLE).checks if each.check.id == "c"]
    assert (bound.bound, bound.reason) == (None, NOT_OF_VIEWS)


def test_rows_break_a_check_over_a_view_only_within_it() -> None:
    given = viewed(check("completeness", column="status", scope="de", mustBe=1), de="country = 'DE'")
    (bound,) = [each for each in bind(given.object("orders"), TABLE).checks if each.check.id == "c"]
    assert bound.breaking is not None
    assert bound.breaking.where == "`country` = 'DE'"


def test_a_partition_of_the_view_without_a_state_leaves_it_open() -> None:
    given = viewed(check("mean", column="amount", scope="de", mustBe=2.5), de="country = 'DE'")
    older = states(viewed(check("size", mustBe=1)), ROWS, TABLE)
    held = bags(given, DAYS)
    assert result(run(given, held | {DAYS[1]: older})).outcome == "passed"
    assert result(run(given, held | {DAYS[0]: older})).outcome == "not_evaluated"


def test_texts_of_classified_columns_are_not_kept_of_a_view_either() -> None:
    kinds = {"status": {"classification": "personal"}}
    properties = [{**each, **kinds.get(each["name"], {})} for each in (*PROPERTIES, *KEYED)]
    given = viewed(
        check("maximum", column="status", scope="de", mustBe="zzz"), properties=properties, de="country = 'DE'"
    )
    judged = run(given, bags(given, DAYS))
    assert result(judged).value == "paid"
    shown = redact(bind(given.object("orders"), TABLE), judged)
    assert (result(shown).value, "paid" in shown.model_dump_json()) == (None, False)
