"""Every analyzer of the table of cases: the rows that are named are as many as its states say break it."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from support.analyzer_cases import CASES
from support.analyzer_table import NOW, SCHEMA
from support.every import every
from support.frames import case_frame
from support.orders import contract

from treaty.contracts.assertions import Assertion
from treaty.contracts.document.model import ContractCheck
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.bound import MetricValue
from treaty.engine.checks.bound_check import BoundCheck, BoundChecks
from treaty.engine.spark.scan import violating_rows
from treaty.engine.spark.scan.scanner import scan
from treaty.engine.states.planning.scan_plan import plan

# Of each analyzer so many cases: with columns, with filters, with other arguments.
EACH = 5


def promise(analyzer: Analyzer) -> Assertion:
    """That all rows are good, in the unit of the metric."""
    return Assertion("mustBe", 1) if analyzer.unit == "share" else Assertion("mustBe", 0)


def bound(analyzer: Analyzer) -> BoundCheck:
    check = ContractCheck(
        id=analyzer.identity, name=analyzer.phrase, kind="treaty", severity="error", analyzer=analyzer.name,
        assertion=promise(analyzer),
    )  # fmt: skip
    return BoundCheck(check=check, analyzer=analyzer, bound=analyzer.bind(SCHEMA))


def is_told(each: BoundCheck) -> bool:
    """Whether rows are judged by the table alone, and whether any may break it or leave it open."""
    parts = each.bound.parts if each.bound else {}
    apart = any(part.component.needs_own_statement for part in parts.values())
    return not apart and (each.breaking is not None or {"unevaluated", "unfiltered"} & parts.keys() != set())


def chosen() -> Iterator[BoundCheck]:
    """The first cases of each analyzer, and all whose rows may be left open."""
    taken: Counter[str] = Counter()
    for analyzer in {case.analyzer.identity: case.analyzer for case in CASES}.values():
        check = bound(analyzer)
        taken[analyzer.name] += 1
        if is_told(check) and (taken[analyzer.name] <= EACH or (check.bound and "unevaluated" in check.bound.parts)):
            yield check


CHECKS = list(chosen())
JUDGED = [each for each in CHECKS if each.breaking is not None]


@pytest.fixture(scope="module")
def read(spark: Any) -> dict[str, MetricValue]:
    bag = scan(case_frame(spark), plan(each.bound for each in CHECKS if each.bound))[""]
    return {each.check.id: each.bound.read(bag.values, now=NOW) for each in CHECKS if each.bound}


@pytest.fixture(scope="module")
def named(spark: Any) -> tuple[Counter[str], Counter[str]]:
    checks = BoundChecks(contract().object("orders"), SCHEMA, tuple(CHECKS))
    found = (
        violating_rows.flag_rows(case_frame(spark), checks)
        .select(violating_rows.BROKEN, violating_rows.UNEVALUATED)
        .collect()
    )
    return tuple(Counter(each for row in found for each in row[at]) for at in (0, 1))


def test_most_analyzers_of_shares_and_rows_name_rows() -> None:
    assert {each.check.analyzer for each in JUDGED} >= {
        "completeness", "combined_completeness", "compliance", "implication", "contained_in", "in_range", "comparison",
        "pattern_match", "data_type", "uniqueness", "unique_row_ratio", "duplicate_rows", "primary_key", "null_values",
        "missing_values", "invalid_values",
    }  # fmt: skip


@every("check", JUDGED, ids=lambda each: each.check.name)
def test_as_many_rows_are_named_as_its_states_say_break_it(
    check: BoundCheck, read: dict[str, MetricValue], named: tuple[Counter[str], Counter[str]]
) -> None:
    reading = read[check.check.id]
    if reading.broken is not None:
        assert named[0][check.check.id] == reading.broken


@every("check", CHECKS, ids=lambda each: each.check.name)
def test_as_many_rows_are_left_open_as_its_states_say(
    check: BoundCheck, read: dict[str, MetricValue], named: tuple[Counter[str], Counter[str]]
) -> None:
    reading = read[check.check.id]
    assert named[1][check.check.id] == reading.unevaluated + reading.unfiltered
