"""Rows that fail: each with all checks that it breaks, and samples of them that tell nothing that is classified."""

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from support.analyzer_table import NOW
from support.orders import check, contract

from treaty.engine.checks.binding import bind
from treaty.engine.checks.bound_check import BoundChecks
from treaty.engine.core.errors import EngineError
from treaty.engine.evaluation.violation_samples import LONGEST, MASK
from treaty.engine.spark.scan import violating_rows
from treaty.engine.spark.scan.row_predicates import row_tests
from treaty.engine.spark.scan.scanner import scan
from treaty.engine.spark.scan.separate_statements import OtherDatasets
from treaty.engine.spark.sources.readers import schema_of

Row = tuple[str | None, int | None, str | None, str]
DDL = "name string, n int, `odd.name` string, part string"
COLUMNS = [{"name": name, "logicalType": "string"} for name in ("name", "n", "odd.name", "part")]
TABLES = 40
PROMISES: list[tuple[dict[str, Any], Callable[[Row, list[Row]], bool]]] = [
    (check("completeness", "named", column="name", mustBe=1), lambda row, _: row[0] is None),
    (check("completeness", "numbered", column="n", mustBe=1), lambda row, _: row[1] is None),
    (check("compliance", "large", predicate="n > 2", mustBe=1), lambda row, _: not (row[1] or 0) > 2),
    (
        check("compliance", "large-b", predicate="n > 2", where="name = 'b'", mustBe=1),
        lambda row, _: row[0] == "b" and not (row[1] or 0) > 2,
    ),
    (
        check("uniqueness", "name", column="name", scope="delta", mustBe=1),
        lambda row, table: row[0] is not None and shared(row, table, lambda each: each[0]),
    ),
    (
        check("uniqueness", "pair", columns=["name", "n"], scope="delta", mustBe=1),
        lambda row, table: row[:2] != (None, None) and shared(row, table, lambda each: each[:2]),
    ),
    (
        check("uniqueness", "pair-of-odd", columns=["`odd.name`"], where="n > 1", scope="delta", mustBe=1),
        lambda row, table: (
            (row[1] or 0) > 1
            and row[2] is not None
            and shared(row, [each for each in table if (each[1] or 0) > 1], lambda each: each[2])
        ),
    ),
    (check("mean", "no-row", column="n", mustBe=1), lambda row, table: False),
]


def shared(row: Row, table: list[Row], key: Callable[[Row], Any]) -> bool:
    return sum(key(each) == key(row) for each in table) > 1


def tables(seed: int) -> dict[str, list[Row]]:
    """Small tables, each a partition: few values, so that rows are alike; nulls, empty texts, quotes."""
    random = Random(seed)
    names = [None, "", "a", "b", "o'neil", "NULL", "back\\slash"]

    def row(part: str) -> Row:
        return random.choice(names), random.choice([None, 0, 1, 2, 3, -1]), random.choice(names), part

    parts = [str(each) for each in range(TABLES)]
    return {part: [row(part) for _ in range(random.randint(1, 8))] for part in parts}


@pytest.fixture(scope="module")
def given() -> dict[str, list[Row]]:
    return tables(seed=11)


@pytest.fixture(scope="module")
def frame(spark: Any, given: dict[str, list[Row]]) -> Any:
    return spark.createDataFrame([row for table in given.values() for row in table], DDL)


@pytest.fixture(scope="module")
def checks(frame: Any) -> BoundChecks:
    promised = contract(*(entry for entry, _ in PROMISES), properties=COLUMNS)
    return bind(promised.object("orders"), schema_of(frame))


@pytest.fixture(scope="module")
def found(frame: Any, checks: BoundChecks) -> list[tuple[Row, list[str], list[str]]]:
    flagged = violating_rows.flag_rows(frame, checks, partition_by=["part"])
    return [(tuple(each[:4]), each[4], each[5]) for each in flagged.collect()]


def test_rows_keep_their_order_of_columns_and_their_number(
    found: list[tuple[Row, list[str], list[str]]], given: dict[str, list[Row]]
) -> None:
    assert Counter(row for row, _, _ in found) == Counter(row for table in given.values() for row in table)


def test_a_row_names_all_checks_that_it_breaks_in_the_order_of_the_contract(
    found: list[tuple[Row, list[str], list[str]]], given: dict[str, list[Row]]
) -> None:
    for row, broken, unevaluated in found:
        assert broken == [entry["id"] for entry, breaks in PROMISES if breaks(row, given[row[3]])]
        assert unevaluated == []


def test_as_many_rows_are_named_as_the_states_count(
    found: list[tuple[Row, list[str], list[str]]], frame: Any, checks: BoundChecks
) -> None:
    named = Counter((row[3], check_id) for row, broken, _ in found for check_id in broken)
    for part, bag in scan(frame, checks.plan, partition_by=["part"]).items():
        for each in checks.checks:
            assert each.bound
            counted = each.bound.read(bag.values, now=NOW).broken
            if each.breaking is not None:
                assert (part, each.check.id, named[part.removeprefix("part="), each.check.id]) == (
                    part,
                    each.check.id,
                    counted,
                )


def of(spark: Any, ddl: str, values: list[tuple[Any, ...]], *entries: dict[str, Any], **words: Any) -> Any:
    """A frame and the checks bound to it."""
    frame = spark.createDataFrame(values, ddl)
    properties = [{"name": each.name, "logicalType": "string", **words.get(each.name, {})} for each in schema_of(frame)]
    return frame, bind(contract(*entries, properties=properties).object("orders"), schema_of(frame))


def test_two_checks_with_one_description_stay_two(spark: Any) -> None:
    twins = [{**check("compliance", name, predicate="n > 1", mustBe=1), "name": "n is large"} for name in ("a", "b")]
    frame, checks = of(spark, "n int", [(1,), (2,)], *twins)
    assert violating_rows.flag_rows(frame, checks).orderBy("n").collect() == [(1, ["a", "b"], []), (2, [], [])]


def test_a_table_without_checks_and_one_without_rows_have_empty_lists(spark: Any) -> None:
    frame, none = of(spark, "n int", [(1,)])
    assert violating_rows.flag_rows(frame, none).collect() == [(1, [], [])]
    empty, checks = of(spark, "n int", [], check("uniqueness", "c", column="n", mustBe=1))
    assert violating_rows.flag_rows(empty, checks).collect() == []


def test_a_key_of_the_dataset_is_compared_over_all_partitions(spark: Any) -> None:
    frame, checks = of(spark, "n int, day string", [(1, "a"), (1, "b")], check("uniqueness", "c", column="n", mustBe=1))
    assert [each[2] for each in violating_rows.flag_rows(frame, checks, partition_by=["day"]).collect()] == [
        ["c"],
        ["c"],
    ]


def test_a_table_that_has_such_a_column_already_is_refused(spark: Any) -> None:
    frame, checks = of(spark, "Broken_Checks int", [(1,)])
    with pytest.raises(EngineError, match="already has a column broken_checks: rename or drop it"):
        violating_rows.flag_rows(frame, checks)


def test_rows_that_another_dataset_does_not_have_are_named_once_each(spark: Any) -> None:
    values = [(1, "a"), (1, "a"), (2, None), (3, "c"), (None, None), (9, "z")]
    words = {"columns": ["n", "name"], "other_columns": ["m", "label"], "where": "n < 9"}
    entries = [
        check("referential_integrity", "known", dataset="others", mustBe=1, **words),
        check("referential_integrity", "gone", dataset="nowhere", mustBe=1, **words),
        check("referential_integrity", "unlike", column="n", dataset="others", other_column="label", mustBe=1),
    ]
    frame, checks = of(spark, "n int, name string", values, *entries)
    others = OtherDatasets(
        {"others": spark.createDataFrame([(1, "a"), (1, "a"), (2, None), (4, "d")], "m bigint, label string")}
    )
    told = violating_rows.flag_rows(frame, checks, other_datasets=others).collect()
    assert Counter((each[0], tuple(each[2])) for each in told) == Counter(
        {(1, ()): 2, (2, ()): 1, (3, ("known",)): 1, (None, ()): 1, (9, ()): 1}
    )
    known, gone, unlike = (test.reason for test in row_tests(checks, others, []))
    assert known is None
    assert str(gone).startswith("the dataset nowhere cannot be read: ")
    assert unlike == "`n` is an integer and cannot be compared with `label`, which is text"


def test_rows_on_which_a_check_or_its_filter_cannot_be_evaluated_are_named(spark: Any) -> None:
    positive = "cast(name AS int) > 0"
    entries = [
        check("compliance", "own", predicate=positive, mustBe=1),
        check("compliance", "filtered", predicate=positive, where="name <> 'y'", mustBe=1),
        check("completeness", "filter", column="name", where=positive, mustBe=1),
    ]
    values = [(1, "1"), (2, "x"), (3, None), (4, "-1"), (5, "y")]
    frame, checks = of(spark, "n int, name string", values, *entries)
    told = {row[0]: (row[2], row[3]) for row in violating_rows.flag_rows(frame, checks).collect()}
    assert told == {
        1: ([], []),
        2: (["own", "filtered"], ["own", "filtered", "filter"]),
        3: (["own"], []),
        4: (["own", "filtered"], []),
        5: (["own"], ["own", "filter"]),
    }
    bag = scan(frame, checks.plan)[""]
    read = {each.check.id: each.bound.read(bag.values, now=NOW) for each in checks.checks if each.bound}
    for check_id, reading in read.items():
        assert reading.broken == sum(check_id in broken for broken, _ in told.values())
        counted = reading.unevaluated + reading.unfiltered
        assert counted == sum(check_id in unevaluated for _, unevaluated in told.values())


PEOPLE = [
    (1, "ann@x.org", "new", bytearray(b"\x00\xff"), ("Bonn", 1.5), "a"),
    (2, None, "ne'w", None, None, "a"),
    (3, "bo@x.org", None, None, None, "b"),
    (4, "cy@x.org", "x" * 500, None, None, "b"),
]
PEOPLE_DDL = "id int, email string, status string, raw binary, place struct<town:string,lat:double>, day string"
SECRET = {"email": {"classification": "Confidential"}}


@pytest.fixture(scope="module")
def people(spark: Any) -> Any:
    entries = [
        check("compliance", "small", predicate="id < 1", mustBe=1),
        check("completeness", "mail", column="email", mustBe=1),
        check("uniqueness", "key", column="id", mustBe=1),
        check("compliance", "mails", predicate="email LIKE 'a%'", mustBe=1),
    ]
    return of(spark, PEOPLE_DDL, PEOPLE, *entries, **SECRET)


@pytest.fixture(scope="module")
def sampled(people: Any) -> dict[str, Any]:
    only = {"small": ["day=a"], "mail": [], "key": [], "mails": []}
    return {each.check_id: each for each in violating_rows.sample(*people, only, limit=3, partition_by=["day"])}


def test_a_sample_shows_the_columns_of_the_check_first_and_no_classified_value(sampled: dict[str, Any]) -> None:
    assert sampled["mails"].columns == ("email", "day", "id", "status", "raw", "place")
    assert sampled["mails"].masked == ("email",)
    assert {row[0] for row in sampled["mails"].rows} == {MASK, None}
    assert not any("@" in (cell or "") for each in sampled.values() for row in each.rows for cell in row)


def test_a_sample_has_rows_of_the_partitions_that_failed_alone(sampled: dict[str, Any]) -> None:
    small = sampled["small"]
    assert sorted(row[small.columns.index("id")] for row in small.rows) == ["1", "2"]
    assert "key" not in sampled


def test_values_are_text_that_is_cut_and_null_stays_null(sampled: dict[str, Any]) -> None:
    mails = sampled["mails"]
    by_id = {row[2]: dict(zip(mails.columns, row, strict=True)) for row in mails.rows}
    assert set(by_id) == {"2", "3", "4"}
    assert (by_id["2"]["email"], by_id["2"]["status"], by_id["3"]["status"]) == (None, "ne'w", None)
    assert by_id["4"]["status"] == "x" * (LONGEST - 1) + "…"
    first = sampled["small"].rows[[row[0] for row in sampled["small"].rows].index("1")]
    assert {"AP8=", '{"town":"Bonn","lat":1.5}'} <= set(first)


def test_the_same_rows_are_chosen_however_they_lie(spark: Any) -> None:
    entry = check("compliance", "c", predicate="n < 0", mustBe=1)
    values = [(each,) for each in range(500)]
    one, checks = of(spark, "n int", values, entry)
    chosen = [
        violating_rows.sample(frame, checks, {"c": []}, limit=4)
        for frame in (one.coalesce(1), one.repartition(7), one.orderBy("n", ascending=False))
    ]
    assert chosen[0] == chosen[1] == chosen[2]
    assert len(chosen[0][0].rows) == 4


def test_all_samples_are_read_at_once(people: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    frame, checks = people
    asked = []
    kind = type(frame)
    plain = kind.collect
    monkeypatch.setattr(kind, "collect", lambda self: asked.append(1) or plain(self))
    violating_rows.sample(frame, checks, {each.check.id: [] for each in checks.checks})
    assert asked == [1]
