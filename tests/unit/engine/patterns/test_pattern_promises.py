"""A learned pattern in a contract: its checks bind and share their counts; what is exact is in the standard's words."""

from typing import Any

import pytest

from treaty.contracts.schema import Column, Schema
from treaty.engine.analyzers import ANALYZERS
from treaty.engine.analyzers.conformity_test import ConformityCounts
from treaty.engine.analyzers.pattern_conformity import PatternConformity
from treaty.engine.patterns.contract_checks import checks, options
from treaty.engine.patterns.inference import LearnedPattern
from treaty.engine.patterns.language.parser import parse

SCHEMA = Schema((Column("day", "string"),))


def learned(
    text: str = "<digit>{4}-<digit>{2}", bad: int = 0, floor: float = 0.5, family: str = "widths"
) -> LearnedPattern:
    return LearnedPattern(family=family, pattern=parse(text), trained=ConformityCounts(bad, 100), floor=floor)


def analyzer(entry: Any) -> PatternConformity:
    given = dict(entry["implementation"])
    assert given.pop("mustBeGreaterThan") == 0.01
    found = ANALYZERS[given.pop("analyzer")].model_validate(given)
    assert isinstance(found, PatternConformity)
    return found


def test_a_warning_and_an_error_share_their_two_counts() -> None:
    warned, failed = (analyzer(each).bind(SCHEMA) for each in checks("day", learned(bad=3)))
    assert {each.key for each in warned.parts.values()} == {each.key for each in failed.parts.values()}


def test_without_a_floor_one_check_says_it_all() -> None:
    (only,) = checks("day", learned(floor=0.0))
    assert only["severity"] == "error"


def test_what_spark_may_not_be_given_is_no_check() -> None:
    long = "|".join(f"value{n}" for n in range(100))
    assert checks("day", learned(long, family="vocabulary")) == []


@pytest.mark.parametrize(
    ("given", "written"),
    [
        (learned(), {"pattern": "^(?:[0-9]{4}-[0-9]{2})$"}),
        (learned(bad=1), {}),
        (learned(family="characters"), {}),
        (learned("<word>+<word>+"), {}),
    ],
    ids=["exact", "with bad values", "characters alone", "not safe"],
)
def test_a_pattern_of_the_standard_is_written_where_it_is_exact(given: LearnedPattern, written: dict[str, str]) -> None:
    assert options(given) == written
