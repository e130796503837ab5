"""Every analyzer's cases on Spark Connect: one scan answers all, whole and in partitions."""

from collections.abc import Callable
from typing import Any

import pytest
from support import connected
from support.agreement import agrees
from support.analyzer_cases import CASES
from support.analyzer_table import Case
from support.every import every

from treaty.engine.states import bag as bags
from treaty.engine.states.bag import StateBag

Client = Callable[..., Any]


@pytest.fixture(scope="module")
def whole(client: Client) -> StateBag:
    return bags.unpack(client(connected.states_of_cases, ())[""])


@pytest.fixture(scope="module")
def parted(client: Client) -> StateBag:
    merged = bags.merge(map(bags.unpack, client(connected.states_of_cases, ("part",)).values()))
    assert merged is not None
    return merged


def test_the_session_is_one_of_spark_connect(client: Client) -> None:
    assert client(connected.kind).startswith("pyspark.sql.connect")


def test_the_frame_has_the_types_the_cases_name(client: Client) -> None:
    assert client(connected.schema_is_as_the_cases_name_it)


@every("case", CASES, ids=lambda case: case.id)
def test_one_scan_of_the_whole_table_answers(case: Case, whole: StateBag) -> None:
    assert agrees(whole, case)


@every("case", CASES, ids=lambda case: case.id)
def test_partitions_merged_without_spark_answer_the_same(case: Case, parted: StateBag) -> None:
    assert agrees(parted, case)
