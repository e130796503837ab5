"""Contracts judged on Spark Connect: one run for all checks, faults of contracts, errors without data."""

from collections.abc import Callable
from typing import Any

import pytest
from support import connected
from support.orders import check, contract
from support.verbs import ENDLESS

from treaty.contracts.errors import ContractError
from treaty.engine.core.errors import EngineKilled
from treaty.engine.core.results import RunResult
from treaty.engine.spark.process.child import ChildSettings, SparkChild

Client = Callable[..., Any]
COLUMNS = [
    {"name": "id", "logicalType": "integer"},
    {"name": "amount", "logicalType": "number"},
    {"name": "status", "logicalType": "string"},
    {"name": "day", "logicalType": "string"},
    {"name": "gone", "logicalType": "string"},
]
# The check, its outcome and its value; where it has none, a part of the reason.
CHECKS: dict[str, tuple[dict[str, Any], str, Any]] = {
    "rows": (check("size", mustBe=5), "passed", 5),
    "rows missed": (check("size", mustBe=4), "failed", 5),
    "rows of a status": (check("size", where="status = 'new'", mustBe=2), "passed", 2),
    "present": (check("completeness", column="id", mustBe=1), "passed", 1.0),
    "missing": (check("completeness", column="amount", mustBe=1), "failed", 0.8),
    "unique": (check("uniqueness", column="id", mustBe=1), "failed", 0.75),
    "unique together": (check("uniqueness", columns=["id", "amount"], mustBe=1), "passed", 1.0),
    "unique where": (check("uniqueness", column="id", where="amount > 0", mustBe=1), "passed", 1.0),
    "key": (check("primary_key", columns=["id"], mustBe=1), "failed", 0.6),
    "distinct": (check("count_distinct", column="status", mustBe=2), "passed", 2),
    "holds": (check("compliance", predicate="amount >= 0", mustBe=0.8), "passed", 0.8),
    "row errors": (check("compliance", predicate="cast(status as int) > 0", mustBe=1), "failed", 0.0),
    "of values": (check("contained_in", column="status", values=["new", "paid"], mustBe=1), "passed", 1.0),
    "mean": (check("mean", column="amount", mustBe=3.75), "passed", 3.75),
    "smallest": (check("minimum", column="status", mustBe="new"), "passed", "new"),
    "quantile": (check("approx_quantile", column="id", quantile=0.5, mustBe=3), "passed", 3),
    "nothing": (check("mean", column="amount", where="id > 9", mustBe=1), "not_applicable", "nothing to measure"),
    "lost column": (check("mean", column="gone", mustBe=1), "not_evaluated", "no column `gone`"),
    "known": (check("referential_integrity", column="id", dataset="known", mustBe=1), "failed", 0.6),
    "asked": (check("sql", query="select count(*) from orders where id > 2", mustBe=3), "passed", 3),
    "divided": (check("sql", query="select sum(1 / amount) from orders", mustBe=3), "not_evaluated", "for some rows"),
}


@pytest.fixture(scope="module")
def run(client: Client) -> RunResult:
    named = [{**entry, "id": name.replace(" ", "-")} for name, (entry, _, _) in CHECKS.items()]
    return client(connected.judged, contract(*named, properties=COLUMNS).source)


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_ends_as_on_any_spark(name: str, run: RunResult) -> None:
    _, outcome, expected = CHECKS[name]
    (found,) = [each for each in run.results if each.check_id == name.replace(" ", "-")]
    if found.value is None:
        assert (str(found.outcome), expected in str(found.reason)) == (outcome, True), found.reason
    else:
        assert (str(found.outcome), found.value) == (outcome, expected)


def test_partitions_are_judged_each_on_its_own(client: Client) -> None:
    given = contract(check("completeness", "amounts", column="amount", mustBe=1), properties=COLUMNS[:4])
    found = client(connected.judged, given.source, ("day",)).results
    assert {(each.partition, str(each.outcome)) for each in found if each.check_id == "amounts"} == {
        ("day=a", "passed"),
        ("day=b", "failed"),
    }


def test_all_faults_of_a_contract_come_back_at_once(client: Client) -> None:
    faulty = contract(
        check("zzz", "one", mustBe=1),
        check("compliance", "two", predicate="reflect('java.lang.System', 'exit', 1) = 1", mustBe=1),
        properties=COLUMNS[:4],
    )
    with pytest.raises(ContractError) as caught:
        client(connected.judged, faulty.source)
    assert len(caught.value.faults) == 2


ERRORS = {
    "max(cast(status as int))": "CAST_INVALID_INPUT (SQLSTATE 22018)",
    "sum(1 / amount)": "DIVIDE_BY_ZERO (SQLSTATE 22012)",
    "max(raise_error(status))": "USER_RAISED_EXCEPTION (SQLSTATE P0001)",
    "sum(nowhere)": "UNRESOLVED_COLUMN.WITH_SUGGESTION (SQLSTATE 42703)",
    "sum(id +": "PARSE_SYNTAX_ERROR (SQLSTATE 42601)",
}


@pytest.mark.parametrize("aggregate", ERRORS)
def test_errors_are_told_by_condition_and_never_with_data(aggregate: str, client: Client) -> None:
    assert client(connected.error_of, aggregate) == (ERRORS[aggregate], False)


def test_the_child_process_cancels_jobs_on_the_server_and_stays_each_time(server: str) -> None:
    child = SparkChild(ChildSettings(remote=server))
    try:
        assert child._call("support.verbs:job", 100) == 295
        first = child._process.pid
        for _ in range(2):
            child.settings = ChildSettings(remote=server, limit_seconds=1)
            with pytest.raises(
                EngineKilled, match="the request exceeded its limit of 1 s; its Spark jobs were cancelled"
            ):
                child._call("support.verbs:job", ENDLESS)
            child.settings = ChildSettings(remote=server)
            assert child._call("support.verbs:job", 100) == 295
        assert child._process.pid == first
    finally:
        child.close()
