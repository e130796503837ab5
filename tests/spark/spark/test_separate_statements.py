"""What is read apart, on real Spark: look-ups, reconciliation and queries; each fails alone."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.analyzer_table import SCHEMA, Case
from support.cases_apart import CASES, OTHERS
from support.every import every
from support.frames import case_frame
from support.orders import check, contract

from treaty.engine.analyzers.queries import Sql
from treaty.engine.analyzers.references import DatasetMatch, ReferentialIntegrity
from treaty.engine.evaluation.evaluator import NOT_AT_ONCE
from treaty.engine.session.verify import measure, verify
from treaty.engine.spark.scan import separate_statements
from treaty.engine.spark.scan.scanner import scan
from treaty.engine.spark.scan.separate_statements import UNEVALUATED, OtherDatasets
from treaty.engine.spark.sources.readers import schema_of
from treaty.engine.states.bag import StateBag
from treaty.engine.states.planning.scan_plan import plan

BOUND = {case.id: case.analyzer.bind(SCHEMA) for case in CASES}


@pytest.fixture(scope="module")
def others(spark: Any) -> OtherDatasets:
    return OtherDatasets({name: spark.createDataFrame(rows, ddl) for name, (ddl, rows) in OTHERS.items()})


@pytest.fixture(scope="module")
def answers(spark: Any, others: OtherDatasets) -> StateBag:
    """All cases on the whole table."""
    frame, asked = case_frame(spark), plan([], of_all=BOUND.values())
    rows = scan(frame, asked)[""]
    found = separate_statements.whole_table_states(frame, asked, others)
    assert found is not None
    return rows.union(StateBag(*_packed(found)))


def _packed(found: StateBag) -> tuple[Any, Any]:
    """The bag after it was bytes."""
    from treaty.engine.states import bag as bags

    again = bags.unpack(found.pack())
    return again.entries, again.schema


def test_every_case_is_its_own() -> None:
    assert len(BOUND) == len(CASES)


@every("case", CASES, ids=lambda case: case.id)
def test_the_whole_table_answers(case: Case, answers: StateBag) -> None:
    reading = BOUND[case.id].read(answers.values)
    assert (type(reading.value), reading.value) == (type(case.expected), case.expected)
    wanted = {name: given for name in ("broken", "counted", "details") if (given := getattr(case, name)) is not None}
    assert {name: getattr(reading, name) for name in wanted} == wanted


def test_partitions_are_looked_up_and_asked_each_by_itself(spark: Any, others: OtherDatasets) -> None:
    found = ReferentialIntegrity(columns=("id",), dataset="people").bind(SCHEMA)
    asked = Sql(query="SELECT count(*) FROM {object} WHERE price > 0").bind(SCHEMA)
    pairs = DatasetMatch(keys=("id",), dataset="prices", other_keys=("key",)).bind(SCHEMA)
    bags = scan(case_frame(spark), plan([found, asked, pairs]), partition_by=["part"], other_datasets=others)
    read = {name: [each.read(bag.values) for each in (found, asked, pairs)] for name, bag in bags.items()}
    assert {name: [each.value for each in readings] for name, readings in read.items()} == {
        "part=a": [1.0, 2, 1.0],
        "part=b": [0.5, 0, 1.0],
        "part=c": [0.0, 1, 0.0],
        "part=__HIVE_DEFAULT_PARTITION__": [0.0, 1, 0.0],
    }


FAILING = [
    (ReferentialIntegrity(columns=("id",), dataset="nowhere"), "the dataset nowhere cannot be read"),
    (ReferentialIntegrity(columns=("id",), dataset="people", other_columns=("name",)), "is an integer"),
    (ReferentialIntegrity(columns=("price",), dataset="prices"), "2 decimal places"),
    (ReferentialIntegrity(columns=("id",), dataset="people", other_columns=("gone",)), "no column `gone`"),
    (DatasetMatch(keys=("id",), dataset="people", compare=(("id", "name"),)), "is text"),
    (Sql(query="SELECT max(cast(status AS int)) FROM {object}"), UNEVALUATED),
    (Sql(query="SELECT count(*) FROM {object} WHERE id / (id - 1) > 0"), UNEVALUATED),
    (Sql(query="SELECT max(day) FROM {object}"), "of type date"),
    (Sql(query="SELECT sum(huge) FROM {object}"), "ARITHMETIC_OVERFLOW"),
]


def test_what_errs_fails_alone_and_says_why(spark: Any, others: OtherDatasets) -> None:
    sound = Sql(query="SELECT count(*) FROM {object}").bind(SCHEMA)
    bound = [analyzer.bind(SCHEMA) for analyzer, _ in FAILING]
    found = separate_statements.whole_table_states(case_frame(spark), plan([], of_all=[*bound, sound]), others)
    assert found is not None
    keys = [
        next(key for name, part in each.parts.items() if (key := part.key) and part.component.needs_own_statement)
        for each in bound
    ]
    reasons = [found.failures.get(key, "") for key in keys]
    assert [words in reason for reason, (_, words) in zip(reasons, FAILING, strict=True)] == [True] * len(FAILING)
    assert set(found.entries) == {sound.parts["answer"].key}
    assert "back" not in "".join(reasons)


VALUES = st.one_of(st.none(), st.integers(0, 4))
TEXTS = st.sampled_from([None, "", "a", "b", "a\x1fb"])
MINE = st.lists(st.tuples(VALUES, TEXTS, VALUES), max_size=8)
THEIRS = st.lists(st.tuples(VALUES, TEXTS, VALUES), max_size=6)


def oracle_found(mine: list[Any], theirs: list[Any]) -> tuple[int, int]:
    known = {row[:2] for row in theirs}
    judged = [row[:2] for row in mine if None not in row[:2]]
    return len(judged), sum(1 for row in judged if row not in known)


def oracle_matched(mine: list[Any], theirs: list[Any]) -> tuple[int, ...]:
    ours, others = (Counter(row[:2] for row in rows) for rows in (mine, theirs))
    value = {row[:2]: row[2] for row in theirs}
    single = [row for row in mine if ours[row[:2]] == 1 and others[row[:2]] == 1]
    same = sum(1 for row in single if value[row[:2]] == row[2])
    duplicated = sum(1 for row in mine if others[row[:2]] and (ours[row[:2]] > 1 or others[row[:2]] > 1))
    there = sum(1 for row in mine if not others[row[:2]])
    here = sum(1 for row in theirs if not ours[row[:2]])
    return len(mine), same, len(single) - same, duplicated, there, here


@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(MINE, THEIRS), min_size=12, max_size=12))
def test_joins_agree_with_python_whatever_the_rows(spark: Any, cases: list[Any]) -> None:
    ddl = "case int, a {}, b string, v {}"
    rows = [[(at, *row) for at, case in enumerate(cases) for row in case[side]] for side in (0, 1)]
    mine = spark.createDataFrame(rows[0], ddl.format("int", "bigint"))
    theirs = spark.createDataFrame(rows[1], ddl.format("bigint", "smallint"))
    found = ReferentialIntegrity(columns=("case", "a", "b"), dataset="t").bind(schema_of(mine))
    pairs = DatasetMatch(keys=("case", "a", "b"), dataset="t", compare=(("v", "v"),)).bind(schema_of(mine))
    given = OtherDatasets({"t": theirs})
    parted = scan(mine, plan([found]), partition_by=["case"], other_datasets=given)
    for at, (ours, other) in enumerate(cases):
        if ours:
            assert parted[f"case={at}"].values[found.parts["matches"].key] == oracle_found(ours, other)
    whole = separate_statements.whole_table_states(mine, plan([], of_all=[pairs]), given)
    assert whole is not None
    summed = tuple(map(sum, zip(*(oracle_matched(*case) for case in cases), strict=True)))
    assert whole.values[pairs.parts["matches"].key] == summed


def test_rows_are_matched_by_their_keys_not_by_order_or_hash(spark: Any) -> None:
    mine = spark.createDataFrame([("a", "z"), ("b", "y")], "k string, v string")
    theirs = spark.createDataFrame([("b", "y"), ("a", "z")], "k string, v string")
    promise = contract(check("dataset_match", keys=["k"], dataset="t", compare=["v"], mustBe=1), properties=[])
    (found,) = [each for each in verify(mine, promise, other_datasets={"t": theirs}).results if each.check_id == "c"]
    assert (found.value, found.outcome) == (1.0, "passed")


def test_every_dangling_row_counts_not_every_dangling_value(spark: Any) -> None:
    mine = spark.createDataFrame([(1,)] + [(2,)] * 99, "k int")
    theirs = spark.createDataFrame([(1,)], "k int")
    promise = contract(check("referential_integrity", column="k", dataset="t", mustBe=1), properties=[])
    (found,) = [each for each in verify(mine, promise, other_datasets={"t": theirs}).results if each.check_id == "c"]
    assert (found.value, found.violating_rows, found.outcome) == (0.01, 99, "failed")


def test_a_frame_is_judged_with_others_beside_it(spark: Any) -> None:
    mine = spark.createDataFrame([(1, "x"), (2, "y"), (9, None)], "id bigint, status string")
    titles = spark.createDataFrame([(1, 3.0), (2, 5.0)], "id int, amount double")
    promise = contract(
        check("size", "as-many", mustBeLessOrEqualTo={"dataset": "titles", "analyzer": "size"}),
        check(
            "maximum", "below", column="id", mustBeLessThan={"dataset": "titles", "analyzer": "mean", "column": "id"}
        ),
        check("size", "lost", mustBe={"dataset": "nowhere", "analyzer": "size"}),
        check("referential_integrity", "known", column="id", dataset="titles", mustBe=1),
        {"id": "asked", "type": "sql", "query": "select count(*) from orders where id > 5", "mustBe": 0},
        properties=[],
    )
    run = verify(mine, promise, other_datasets={"titles": titles})
    found = {each.check_id: each for each in run.results}
    assert {name: (str(each.outcome), each.value, each.threshold) for name, each in found.items()} == {
        "as-many": ("failed", 3, 2),
        "below": ("failed", 9, 1.5),
        "lost": ("not_evaluated", 3, None),
        "known": ("failed", 2 / 3, 1),
        "asked": ("failed", 1, 0),
    }
    assert found["as-many"].sentence == "size must be at most the size of titles"
    assert found["as-many"].reference == {"the size of titles": {"value": 2, "measured": "now"}}
    assert found["lost"].reason == "the size of nowhere is unknown: no value was provided"
    given = verify(mine, promise, other_datasets={"titles": titles}, references={"the size of nowhere": 3})
    assert {each.check_id: str(each.outcome) for each in given.results}["lost"] == "passed"


def test_partitions_known_by_their_states_alone_are_not_looked_up(spark: Any) -> None:
    frame = spark.createDataFrame([(1, "a"), (2, "b")], "id int, part string")
    promise = contract(
        check("referential_integrity", "known", column="id", dataset="t", mustBe=1),
        check("uniqueness", "one", column="id", mustBe=1),
        properties=[],
    )
    earlier = measure(frame.where("part = 'a'"), promise, object_name="orders", partition_by=["part"])
    run = verify(
        frame.where("part = 'b'"), promise, partition_by=["part"], earlier=earlier, other_datasets={"t": frame}
    )
    assert {each.check_id: (str(each.outcome), each.reason) for each in run.results} == {
        "known": ("not_evaluated", NOT_AT_ONCE),
        "one": ("passed", None),
    }
