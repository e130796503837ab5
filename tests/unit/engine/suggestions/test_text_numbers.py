"""Texts that parse as numbers: what a draft says of them, how a sample is read, and which issues are tried."""

import re
from collections.abc import Sequence
from math import isnan
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.histories import history, steady

from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.statistics.column_values import objects
from treaty.engine.suggestions.column_samples import ColumnSample
from treaty.engine.suggestions.number_columns import number_column
from treaty.engine.suggestions.parsed_texts import numbers_of
from treaty.engine.suggestions.selection.holdout_test import holdout_candidates
from treaty.engine.suggestions.selection.issue_detection import trials
from treaty.engine.suggestions.selection.pipeline import suggest
from treaty.engine.suggestions.value_ranges import share_between

TEXT = {"x": "string"}
MANY = list(range(100))


def texts(*values: str | None) -> list[dict[str, Sequence[Any]]]:
    return steady(list(values))


WHOLE, PRICES = map(str, MANY), (f"{1 + each / 8}" for each in MANY)
SAID = {
    ("non_negative", *WHOLE): ("x, read as an integer,", "is never negative", "is at least 0", {"minimum": 0}),
    ("positive", *PRICES): ("x, read as a decimal,", "is always positive", "is above 0", {"exclusive_minimum": 0}),
    ("positive", "1e3", "2"): ("x, read as a number,", "is always positive", "is above 0", {"exclusive_minimum": 0}),
}


@pytest.mark.parametrize("case", SAID, ids=lambda case: " ".join(case[:2]))
def test_a_sign_of_texts_is_a_range_and_says_what_they_are_read_as(case: tuple[str, ...]) -> None:
    kind, *values = case
    subject, words, limit, bounds = SAID[case]
    found = {each.candidate.kind: each.candidate for each in holdout_candidates(history(TEXT, texts(*values * 10)))}
    implementation = found[kind].patch["quality"]["implementation"]
    assert found[kind].sentence == found[kind].patch["quality"]["name"] == f"{subject} {words}"
    assert found[kind].expression == f"{subject} {limit}"
    assert implementation == {
        "analyzer": "in_range", "column": "x", **bounds, "mustBeGreaterOrEqualTo": 1, "scope": "delta",
    }  # fmt: skip


# Texts, and the type of the numbers that they are; None: codes, or no numbers.
KINDS = {
    ("0", "7", "12"): "integer",
    ("-7", "12"): "integer",
    ("-7", "-9"): "integer",
    ("1", "9"): "integer",
    ("7", None): "integer",
    ("7", "1.5"): "decimal",
    ("1.50", "2.75"): "decimal",
    ("+1.5", "2.75"): "decimal",
    ("1e3", "7"): "fractional",
    ("00123", "00456"): None,
    ("123", "0456"): None,
    ("-01", "12"): None,
    ("005.13", "823.9"): None,
    ("12345", "94103"): None,
    ("2024", "1999"): None,
    ("+49123", "+4915"): None,
    ("7", "n/a"): None,
    ("7", ""): None,
    ("7", " 8"): None,
    ("true", "false"): None,
    ("2026-01-31", "2026-02-28"): None,
    ("a", "b"): None,
    (None, None): None,
}


@pytest.mark.parametrize(("values", "kind"), KINDS.items(), ids=str)
def test_texts_are_numbers_unless_they_identify_something(values: tuple[str | None, ...], kind: str | None) -> None:
    profile = history(TEXT, texts(*values * 10))
    numbers = number_column(profile.columns[0], HistorySlice.of(profile))
    assert (numbers and numbers.kind) == kind


@pytest.mark.parametrize("type_", ["int", "double", "decimal(9,2)"])
def test_typed_numbers_are_numbers_and_their_checks_do_not_parse(type_: str) -> None:
    profile = history({"x": type_}, steady([1, 7, 30] * 20))
    numbers = number_column(profile.columns[0], HistorySlice.of(profile))
    assert numbers is not None
    assert (numbers.is_text, numbers.is_whole, numbers.subject) == (False, type_ == "int", "x")
    found = [each for each in suggest(profile, "t") if each["kind"] in ("positive", "value_range")]
    assert "in_range" not in {each["patch"]["quality"]["implementation"]["analyzer"] for each in found}


def test_a_range_counts_the_values_that_are_present() -> None:
    profile = history(TEXT, steady([*map(str, MANY), *[None] * 900]))
    (found,) = [each.candidate for each in holdout_candidates(profile) if each.candidate.kind == "value_range"]
    assert found.sentence == "x, read as an integer, is between 0 and 200 in at least 98.0 % of the values"
    assert found.patch["quality"]["implementation"] == {
        "analyzer": "in_range", "column": "x", "minimum": 0, "maximum": 200, "mustBeGreaterOrEqualTo": 0.98,
        "scope": "delta",
    }  # fmt: skip


NUMBERS = st.one_of(st.integers(-(10**12), 10**12), st.floats(-1e12, 1e12))


@given(NUMBERS, st.text(" \t\n", max_size=2), st.text(" \t\n", max_size=2))
def test_a_number_is_read_as_itself_with_or_without_blanks(number: float, before: str, after: str) -> None:
    assert numbers_of([f"{before}{number!r}{after}"]).tolist() == [float(number)]


@given(st.text("+-.0123456789eE xdfINa_,", max_size=6))
def test_what_is_read_as_a_number_is_one_to_python_too(text: str) -> None:
    (number,) = numbers_of([text]).tolist()
    assert isnan(number) or number == float(text)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-20, 20), min_size=1, max_size=40), st.integers(-25, 25), st.integers(0, 30))
def test_the_share_within_bounds_is_that_of_the_numbers(values: list[int], low: int, width: int) -> None:
    written = [*map(str, values), None]
    profile = history(TEXT, [{"x": written}])
    share = share_between(profile.columns[0], low, low + width)
    expected = sum(low <= each <= low + width for each in values) / len(values)
    assert share.of_sample is not None
    assert share.of_sample(ColumnSample(objects(written))) == pytest.approx(expected)
    assert share.of_part(HistorySlice.of(profile)) == [pytest.approx(expected)]


# A sample, and the share of its texts that are between 1 and 10.
SAMPLES = [
    (["1", "10", "0.99", "-5"], 0.5),
    (["1e1", " 5 ", "11", "12", None], 0.5),
    (["", "none", "5", "5a"], 0.25),
    ([None, None], None),
    ([], None),
]


@pytest.mark.parametrize(("sample", "share"), SAMPLES)
def test_a_text_that_is_no_number_is_out_of_bounds(sample: list[str | None], share: float | None) -> None:
    profile = history(TEXT, texts("1", "10"))
    measure = share_between(profile.columns[0], 1, 10).of_sample
    assert measure is not None
    assert measure(ColumnSample(objects(sample))) == share


def test_a_newer_partition_with_texts_that_are_none_is_measured_as_out_of_bounds() -> None:
    profile = history(TEXT, [{"x": ["1", "2", "30"]}, {"x": ["1", "2", "30"]}])
    later = history(TEXT, [{"x": ["1", "2", "30"]}, {"x": ["1", "none", "n/a", "-3"]}, {"x": ["none"]}, {"x": [None]}])
    share = share_between(profile.columns[0], 0, 100)
    assert share.of_part(HistorySlice.of(later))[2:] == [0, None]


def test_unit_changes_are_tried_on_texts_that_are_numbers() -> None:
    profile = history(TEXT, steady([f"{each / 8:.3f}" for each in range(1, 300)]))
    trial = trials(HistorySlice.of(profile), {})["x"]
    changed = [each for each in trial.issues if each.issue.name == "unit_change"]
    assert {each.setting for each in changed} == {(share, factor) for share in (10, 100) for factor in (10, 100, 1000)}
    (tenfold,) = [each.values for each in changed if each.setting == (100, 10)]
    assert numpy.allclose(numbers_of(tenfold), numbers_of(trial.sample.values) * 10)
    assert all(isinstance(each, str) for each in tenfold)


# How numbers are written, and what the texts of a generated sample look like.
WRITTEN = {"{:d}": r"-?[0-9]+", "{:.2f}": r"-?[0-9]+[.][0-9]{2}"}


@pytest.mark.parametrize("form", WRITTEN)
def test_a_sample_of_too_many_numbers_to_count_is_written_as_they_are(form: str) -> None:
    numbers = [each * 7919 % 20011 - 5000 for each in range(5000)]
    profile = history(TEXT, [{"x": [form.format(each) for each in numbers]}])
    assert profile.columns[0].values(profile.whole)[1] > 0
    sample = trials(HistorySlice.of(profile), {})["x"].sample.present.tolist()
    assert all(re.fullmatch(WRITTEN[form], each) for each in sample)
    read = numbers_of(sample)
    assert min(numbers) <= read.min() < read.max() <= max(numbers)
    assert numpy.median(read) == pytest.approx(numpy.median(numbers), abs=500)


@pytest.mark.parametrize("values", [["00123", "00456"], ["red", "blue"]])
def test_other_texts_have_no_unit(values: list[str]) -> None:
    profile = history(TEXT, texts(*values * 20))
    trial = trials(HistorySlice.of(profile), {})["x"]
    assert "unit_change" not in {each.issue.name for each in trial.issues}
