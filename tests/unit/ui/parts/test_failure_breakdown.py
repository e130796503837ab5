"""What narrows down why a check fails: since when, in which partitions, in which rows; and how to see it again."""

import ast
import importlib
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from treaty.engine.core.results import CheckResult, RunResult
from treaty.registry.schemas import CheckHistoryItemOut, DatasetOut, RunOut, ViolationSampleOut
from treaty.ui.parts.run import failure_breakdown, reproduction

NOW = datetime(2026, 3, 10, tzinfo=UTC)
BASE: dict[str, Any] = {
    "check_id": "c", "name": "c", "severity": "error", "scope": "delta", "sentence": "s", "column": None,
    "dimension": None, "value": None, "measurement": "size", "finding": None, "row_count": None, "violating_rows": None,
    "unevaluated": 0, "threshold": None, "reference": None, "reason": None, "band": None,
}  # fmt: skip


def run_id(day: int) -> UUID:
    return UUID(int=day + 1)


def result(day: int, outcome: str, *, version: str = "1.0.0", partition: str | None = None) -> CheckHistoryItemOut:
    told = {"outcome": outcome, "version": version, "partition": partition, "run_id": run_id(day)}
    return CheckHistoryItemOut.model_validate({**BASE, **told, "finished_at": NOW + timedelta(days=day)})


def course(outcomes: str) -> list[CheckHistoryItemOut]:
    """A result a day: p passed, f failed."""
    return [result(day, {"p": "passed", "f": "failed"}[each]) for day, each in enumerate(outcomes)]


@pytest.mark.parametrize(
    ("outcomes", "day", "said"),
    [
        ("ppf", 2, "First failure"),
        ("pff", 2, "Failed in 2 runs in a row, first 9 days ago"),
        ("pfpff", 4, "Failed in 2 runs in a row, first 7 days ago"),
        ("fff", 2, "Failed in all 3 known runs, first 10 days ago"),
        ("f", 0, "First failure"),
        ("pffp", 1, "First failure"),
    ],
)
def test_since_when_a_check_fails_is_told_from_its_results(outcomes: str, day: int, said: str) -> None:
    found = failure_breakdown.since(course(outcomes), run_id(day))
    assert found is not None
    assert failure_breakdown.sentence(found, now=NOW + timedelta(days=10)) == said


@pytest.mark.parametrize(("outcomes", "day"), [("pp", 1), ("pf", 7), ("", 0)])
def test_nothing_is_told_of_a_run_in_which_it_did_not_fail(outcomes: str, day: int) -> None:
    assert failure_breakdown.since(course(outcomes), run_id(day)) is None


def test_of_several_partitions_of_a_run_one_that_fails_counts() -> None:
    found = failure_breakdown.since([result(0, "passed"), result(1, "passed"), result(1, "failed")], run_id(1))
    assert found is not None
    assert (found.times, found.never_passed) == (1, False)


def test_a_version_that_judges_for_the_first_time_is_named() -> None:
    found = failure_breakdown.since([result(0, "passed"), result(1, "failed", version="2.0.0")], run_id(1))
    assert found is not None
    assert failure_breakdown.sentence(found, now=NOW).endswith("that was the first run with version 2.0.0")


@pytest.mark.parametrize(
    ("failed", "passed", "shared"),
    [
        (["day=1/region=SE", "day=2/region=SE"], ["day=1/region=DE"], ("region = SE",)),
        (["day=1/region=SE", "day=2/region=SE"], ["day=3/region=SE"], ()),
        (["day=1/region=SE"], ["day=1/region=DE"], ()),
        (["day=1/region=a%2Fb", "day=2/region=a%2Fb"], ["day=1/region=DE"], ("region = a/b",)),
        (["day=1", "day=2"], [], ()),
        ([None, None], ["x=1"], ()),
    ],
)
def test_what_failing_partitions_have_in_common_and_no_other_has(
    failed: list[str | None], passed: list[str], shared: tuple[str, ...]
) -> None:
    results = [result(0, "failed", partition=each) for each in failed]
    results += [result(0, "passed", partition=each) for each in passed]
    assert failure_breakdown.parts(results) == shared


def sample(*rows: tuple[str | None, ...], masked: tuple[str, ...] = ()) -> ViolationSampleOut:
    columns = ("warehouse", "status", "day")
    return ViolationSampleOut(check_id="c", columns=columns, masked=masked, rows=rows, expires_at=NOW)


ROWS = [("WH-7", "open", "d")] * 5 + [("WH-1", "shipped", "d")]


@pytest.mark.parametrize(
    ("rows", "shares", "said"),
    [
        (ROWS, {}, "warehouse is WH-7 in 5 of 6 sampled rows; its share of all rows is unknown"),
        (
            ROWS,
            {"warehouse": {"WH-7": 0.031}},
            "warehouse is WH-7 in 5 of 6 sampled rows; 3.1 % of all rows in the partition have it",
        ),
    ],
)
def test_the_value_that_most_broken_rows_share_is_told_with_how_common_it_is(
    rows: list[tuple[str, ...]], shares: dict[str, dict[str, float]], said: str
) -> None:
    found = failure_breakdown.segment(sample(*rows), excluded={"status", "day"}, shares=shares)
    assert found is not None
    assert found.sentence == said


@pytest.mark.parametrize(
    ("rows", "masked", "shares"),
    [
        (ROWS[:4], (), {}),
        (ROWS, ("warehouse",), {}),
        (ROWS, (), {"warehouse": {"WH-7": 0.8}}),
        ([*ROWS, *[("WH-1", "x", "d")] * 5], (), {}),
    ],
    ids=["too few rows", "masked", "as common everywhere", "half of them only"],
)
def test_what_explains_nothing_is_not_told(
    rows: list[tuple[str, ...]], masked: tuple[str, ...], shares: dict[str, dict[str, float]]
) -> None:
    assert failure_breakdown.segment(sample(*rows, masked=masked), excluded={"status", "day"}, shares=shares) is None


def report(partitions: tuple[str, ...], location: str = "/lake/orders") -> RunOut:
    dataset = DatasetOut(
        id=run_id(0), namespace="file", name="n", object="orders", location=location, format="delta",
        partition_by=("day",),
    )  # fmt: skip
    told: dict[str, Any] = {
        "id": run_id(0), "contract_id": "shop", "version": "1.0.0", "object": "orders", "partitions": partitions,
        "verdict": "failed", "outcome_counts": {}, "rows": 1, "started_at": NOW, "finished_at": NOW, "reason": None,
        "fingerprint": "f", "dataset": dataset, "task_id": None, "lineage_run": None, "dataset_fingerprint": None,
        "results": (), "history": {},
    }  # fmt: skip
    return RunOut.model_validate(told)


HOSTILE = '/lake/"""\n__import__("os")#\'{x}'


@pytest.mark.parametrize("location", ["/lake/orders", HOSTILE])
def test_the_python_of_a_run_names_its_partitions_and_holds_foreign_text_as_literals_alone(location: str) -> None:
    told = reproduction.program(report(("day=2026-02-25", "day=2026-02-26")), location)
    calls = [each for each in ast.walk(ast.parse(told)) if isinstance(each, ast.Call)]
    texts = [each.value for each in ast.walk(ast.parse(told)) if isinstance(each, ast.Constant)]
    assert {ast.unparse(each.func) for each in calls} == {
        "spark.read.format", "spark.read.format('delta').load", "read", "Path", "Path('shop-1.0.0.yaml').read_bytes",
        "verify", "print", f"spark.read.format('delta').load({location!r}).where",
    }  # fmt: skip
    assert location in texts
    assert "(`day` = '2026-02-25') OR (`day` = '2026-02-26')" in texts


def test_the_python_of_a_run_reads_what_results_have() -> None:
    program = ast.parse(reproduction.program(report(()), "/lake/orders"))
    read = {(ast.unparse(each.value), each.attr) for each in ast.walk(program) if isinstance(each, ast.Attribute)}
    assert {name for of, name in read if of == "result"} <= CheckResult.model_fields.keys()
    assert {name for of, name in read if of == "run"} == {"results"} <= RunResult.model_fields.keys()
    for each in ast.walk(program):
        if isinstance(each, ast.ImportFrom) and each.module:
            assert all(hasattr(importlib.import_module(each.module), name.name) for name in each.names)


@pytest.mark.parametrize("partitions", [("",), (), tuple(f"day={each}" for each in range(30))])
def test_partitions_that_cannot_be_named_leave_the_whole_table(partitions: tuple[str, ...]) -> None:
    assert ".where(" not in reproduction.program(report(partitions), "/lake/orders")


def test_the_command_judges_the_same_version_of_the_same_table() -> None:
    assert reproduction.command(report(()), "/lake/orders") == [
        "treaty", "verify", "/lake/orders", "--contract", "shop-1.0.0.yaml", "--partition-by", "day",
    ]  # fmt: skip
