"""Questions asked of stored states: which metric is meant, what partitions say of it together, what is lacking."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st
from support.bags import bag
from support.orders import ROWS, SCHEMA, check, contract, states

from treaty.contracts.errors import ContractError
from treaty.engine.analyzers.distinct import Uniqueness
from treaty.engine.analyzers.nulls import Completeness
from treaty.engine.analyzers.numbers import Maximum, Mean, Minimum
from treaty.engine.analyzers.quantiles import ApproxQuantile
from treaty.engine.analyzers.queries import Sql
from treaty.engine.analyzers.rows import Size
from treaty.engine.checks.binding import NOT_OF_VIEWS, bind
from treaty.engine.evaluation import state_queries
from treaty.engine.evaluation.state_queries import MetricAnswer, answers, bind_metric, metric, of_checks
from treaty.engine.states.bag import StateBag
from treaty.engine.states.planning.scan_plan import plan
from treaty.engine.states.state_files import StateFiles

ANALYZERS = [Size(), Mean(column="amount"), Completeness(column="amount"), Uniqueness(columns=("id",))]
ASKED = [bind_metric(each, SCHEMA) for each in ANALYZERS]
PLAN = plan(each.bound for each in ASKED if each.bound)


def held(rows: dict[str, list[Any]] = ROWS, **more: Any) -> StateBag:
    return bag(PLAN, SCHEMA, rows, **more)


def values(found: tuple[MetricAnswer, ...]) -> list[Any]:
    return [each.reading and each.reading.value for each in found]


@pytest.mark.parametrize(
    ("text", "analyzer"),
    [
        ("size", Size()),
        ("completeness:column=status", Completeness(column="status")),
        (" completeness : column = status ", Completeness(column="status")),
        ("approx_quantile:column=amount;quantile=0.9", ApproxQuantile(column="amount", quantile=0.9)),
        ('uniqueness:columns=["id", "status"]', Uniqueness(columns=("id", "status"))),
        ("uniqueness:columns=id", Uniqueness(columns=("id",))),
        ("size:where=status = 'a=b, c'", Size(where="status = 'a=b, c'")),
        ('mean:column="7"', Mean(column="7")),
    ],
)
def test_a_metric_is_named_with_its_arguments(text: str, analyzer: object) -> None:
    assert metric(text) == analyzer


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("completenes:column=a", "did you mean 'completeness'"),
        ("", "unknown analyzer"),
        ("mean", "argument.column Field required (mean accepts where, column"),
        ("mean:amount", "an argument has no value"),
        ("mean:column=7", "argument.column Input should be a valid string"),
        ("mean:column=a;colour=red", "argument.colour Extra inputs are not permitted"),
        ("size:where=sleep(9)", "argument.where calls 'sleep', which predicates may not call"),
    ],
)
def test_a_metric_that_there_is_not_is_refused_with_what_it_takes(text: str, said: str) -> None:
    with pytest.raises(ContractError) as refused:
        metric(text)
    assert said in str(refused.value)


def test_the_metrics_of_a_contract_are_those_of_its_checks_each_once() -> None:
    checks = [check("mean", "a", column="amount", mustBe=1), check("mean", "b", column="amount", mustBe=2)]
    query = check("sql", "d", query="SELECT count(*) FROM {object}", mustBe=1)
    found = of_checks(bind(contract(*checks, check("size", "c", mustBe=1), query).object("orders"), SCHEMA))
    assert [each.analyzer.name for each in found][-3:] == ["mean", "size", "sql"]
    assert (found[-1].bound, found[-1].reason) == (None, NOT_OF_VIEWS)


def test_a_metric_of_no_column_of_the_table_has_no_answer() -> None:
    (found,) = answers([bind_metric(Mean(column="gone"), SCHEMA)], [("a", held().pack())])
    assert (found.reading, found.reason) == (None, "the table has no column `gone`")


amounts = st.lists(st.one_of(st.none(), st.integers(-100, 100).map(float)), max_size=6)


@pytest.mark.search
@settings(max_examples=60, deadline=None)
@drawn(st.lists(amounts, min_size=1, max_size=5))
def test_partitions_together_say_what_their_rows_together_say(days: list[list[float | None]]) -> None:
    tables = [{"id": [*range(len(day))], "amount": day, "status": ["new"] * len(day)} for day in days]
    whole = {name: [value for each in tables for value in each[name]] for name in ROWS}
    parted = answers(ASKED, [(f"day={at}", held(each).pack()) for at, each in enumerate(tables)])
    assert values(parted) == values(answers(ASKED, [("", held(whole).pack())]))
    assert {each.merged for each in parted} == {len(days)}


def test_a_partition_that_lacks_a_state_leaves_that_metric_open_and_names_it() -> None:
    some = bag(plan([Size().bind(SCHEMA)]), SCHEMA, ROWS)
    size, mean, *_ = answers(ASKED, [("day=1", held().pack()), ("day=2", some.pack())])
    assert (size.reading and size.reading.value, size.merged, size.missing) == (8, 2, ())
    assert (mean.reading, mean.merged, mean.missing) == (None, 0, ("day=2",))
    assert mean.reason == "1 of 2 partitions have no state of it: validate them again"


def test_why_a_state_is_not_there_is_said() -> None:
    key = next(each for each in ASKED[1].keys if each.startswith("sum"))
    failed = held(failures={key: "Spark could not compute it: CAST_INVALID_INPUT"})
    _, mean, *_ = answers(ASKED, [("day=1", held().pack()), ("day=2", failed.pack())])
    assert mean.reason == "1 of 2 partitions have no state of it: Spark could not compute it: CAST_INVALID_INPUT"


def test_damaged_states_are_lacking_and_named() -> None:
    packed = held().pack()
    found = answers(ASKED, [("day=1", packed), ("day=2", packed[:-1] + bytes([packed[-1] ^ 1]))])
    assert {each.missing for each in found} == {("day=2",)}
    assert "the checksum differs" in (found[0].reason or "")


def test_frequencies_that_lie_in_files_are_read_and_a_lost_file_costs_its_metric_alone(tmp_path: Path) -> None:
    files = StateFiles(str(tmp_path / "states"))
    packed = [("day=1", held().pack(files)), ("day=2", held({**ROWS, "id": [5, 6, 7, 8]}).pack(files))]
    assert values(answers(ASKED, packed, files=files)) == [8, 2.5, 0.75, 1.0]
    (lost,) = [path for path in (tmp_path / "states").iterdir() if path.name in str(packed[0][1])]
    lost.unlink()
    *others, uniqueness = answers(ASKED, packed, files=files)
    assert values(tuple(others)) == [8, 2.5, 0.75]
    assert (uniqueness.missing, "is missing" in (uniqueness.reason or "")) == (("day=1",), True)


def test_no_partition_says_nothing() -> None:
    assert {(each.reading, each.reason) for each in answers(ASKED, [])} == {(None, state_queries.NO_PARTITION)}


def test_a_column_of_two_types_is_not_merged() -> None:
    smallest = bind_metric(Minimum(column="id"), SCHEMA)
    assert smallest.bound is not None
    texts = bag(plan([smallest.bound]), SCHEMA, {**ROWS, "id": ["a", "b", "c", "d"]})
    numbers = bag(plan([smallest.bound]), SCHEMA, ROWS)
    (found,) = answers([smallest], [("day=1", numbers.pack()), ("day=2", texts.pack())])
    assert (found.reading, found.reason) == (None, "the column is not of one type in all partitions")


def test_nothing_to_measure_is_no_value_with_its_reason() -> None:
    largest = bind_metric(Maximum(column="amount", where="status = 'gone'"), SCHEMA)
    given = contract(check("maximum", column="amount", where="status = 'gone'", mustBe=1))
    (found,) = answers([largest], [("day=1", states(given, ROWS).pack())])
    assert found.reason == "nothing to measure: no matching row has a value"


def test_a_prospect_says_what_an_answer_would_merge_without_reading_it() -> None:
    keys = {"day=1": frozenset(PLAN.keys), "day=2": frozenset(PLAN.keys)}
    assert [state_queries.prospect(each, keys).merged for each in ASKED] == [2, 2, 2, 2]
    assert state_queries.prospect(ASKED[1], keys | {"day=3": frozenset()}).missing == ("day=3",)
    assert (
        state_queries.prospect(
            bind_metric(Sql(query="SELECT count(*) FROM {object}", tables=("t",)), SCHEMA), keys
        ).merged
        == 0
    )
