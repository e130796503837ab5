"""Every case on real Spark: one scan answers all, whole and in partitions, merged without Spark."""

from typing import Any

import pytest
from support import cases_apart
from support.agreement import BOUND, agrees
from support.analyzer_cases import CASES
from support.analyzer_table import SCHEMA, Case
from support.every import every
from support.frames import case_frame

from treaty.engine.analyzers import ANALYZERS
from treaty.engine.spark.scan.scanner import scan
from treaty.engine.spark.sources.readers import schema_of
from treaty.engine.states import bag as bags
from treaty.engine.states.bag import StateBag
from treaty.engine.states.planning.scan_plan import plan


@pytest.fixture(scope="module")
def whole(spark: Any) -> StateBag:
    return scan(case_frame(spark), plan(BOUND.values()))[""]


@pytest.fixture(scope="module")
def parted(spark: Any) -> dict[str, StateBag]:
    return scan(case_frame(spark), plan(BOUND.values()), partition_by=["part"])


@pytest.fixture(scope="module")
def merged(parted: dict[str, StateBag]) -> StateBag:
    together = bags.merge(parted.values())
    assert together is not None
    return together


@pytest.fixture(scope="module")
def merged_of_packed(parted: dict[str, StateBag]) -> StateBag:
    together = bags.merge(bags.unpack(each.pack()) for each in parted.values())
    assert together is not None
    return together


def test_every_analyzer_has_cases() -> None:
    assert {case.analyzer.name for case in (*CASES, *cases_apart.CASES)} == set(ANALYZERS)


def test_the_frame_has_the_types_the_cases_name(spark: Any) -> None:
    assert schema_of(case_frame(spark)) == SCHEMA


@every("case", CASES, ids=lambda case: case.id)
def test_one_scan_of_the_whole_table_answers(case: Case, whole: StateBag) -> None:
    assert agrees(whole, case)


@every("case", CASES, ids=lambda case: case.id)
def test_partitions_merged_without_spark_answer_the_same(case: Case, merged: StateBag) -> None:
    assert agrees(merged, case)


@every("case", CASES, ids=lambda case: case.id)
def test_packed_states_answer_the_same(case: Case, merged_of_packed: StateBag) -> None:
    assert agrees(merged_of_packed, case)


def test_partitions_bear_the_names_of_their_folders(parted: dict[str, StateBag]) -> None:
    assert set(parted) == {"part=a", "part=b", "part=c", "part=__HIVE_DEFAULT_PARTITION__"}
    assert [each.rows for _, each in sorted(parted.items())] == [1, 2, 2, 1]
