"""Inference: what a column is promised, by a small lake made for it, and what is said where nothing is."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from support.every import every

from treaty.engine import patterns
from treaty.engine.analyzers.conformity_test import ConformityCounts, ConformitySeverity
from treaty.engine.core.learning_options import PatternMethod, PatternOptions
from treaty.engine.patterns import contract_checks
from treaty.engine.patterns.fmdv import (
    VARIANTS,
    InferredPattern,
    NoPatternReason,
    Objective,
    PatternLimits,
    infer_domain,
)
from treaty.engine.patterns.index import PatternIndex, indexed, merge_indexes
from treaty.engine.patterns.inference import infer
from treaty.engine.patterns.lake_sums import PatternSums
from treaty.engine.patterns.swapped_columns import swapped_columns
from treaty.engine.patterns.value_shapes import SHAPES


def _times(chance: Random) -> str:
    return f"{chance.randint(0, 23)}:{chance.randint(0, 59):02d}"


def _dates(chance: Random) -> str:
    return f"2024-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}"


def _codes(chance: Random) -> str:
    return "".join(chance.choices("ABCDEFGHIJ", k=2)) + f"{chance.randint(0, 9999):04d}"


def _names(chance: Random) -> str:
    return " ".join(
        "".join(chance.choices("aeioubdfgr", k=chance.randint(2, 9))).title() for _ in range(chance.randint(1, 4))
    )


KINDS = (_times, _dates, _codes, _names)


def column(kind: object, seed: int, rows: int = 100) -> list[str]:
    chance = Random(seed)
    return [kind(chance) for _ in range(rows)]  # type: ignore[operator]


@pytest.fixture(scope="module")
def lake() -> PatternIndex:
    columns = [column(kind, seed) for seed in range(12) for kind in KINDS]
    return indexed(columns, sources=[at // 4 for at in range(len(columns))])


@pytest.fixture(scope="module")
def sums(lake: PatternIndex) -> PatternSums:
    return lake.sums


def domain(values: list[str], sums: PatternSums, variant: str = "union", **limits: object) -> str:
    found = infer_domain(values, sums, replace(VARIANTS[variant], **{"m": 2, **limits}))  # type: ignore[arg-type]
    return found.pattern.text if isinstance(found, InferredPattern) else found.name


def test_the_lake_generalizes_what_the_values_alone_do_not(sums: PatternSums) -> None:
    assert domain(["9:07", "8:30", "7:15"], sums, objective=Objective.IMPURITY) == "<digit>+:<digit>{2}"


VARIANT_CASES = [
    ("FMDV", ["2024-01-02", "2024-03-04"], "2024-<digit>{2}-<digit>{2}"),
    ("FMDV", ["9:07 AB1234", "10:15 CD0000"], "NO_EVIDENCE"),
    ("FMDV-V", ["9:07 AB1234", "10:15 CD0000"], "<digit>+:<digit>{2} <upper>{2}<digit>{4}"),
    ("FMDV-H", [*["2024-01-02", "2024-03-04"] * 20, "-"], "2024-<digit>{2}-<digit>{2}"),
    ("FMDV", [*["2024-01-02", "2024-03-04"] * 20, "-"], "HETEROGENEOUS"),
    ("union", ["2024-01-02", "9:07", "10:15"] * 5, "<digit>+:<digit>{2}|2024-<digit>{2}-<digit>{2}"),
    ("union", [], "NO_VALUES"),
    ("union", ["a" * 2000], "TOO_LONG"),
    ("union", ["-".join("abcdefghijklmnopqrstuvwxyz" * 2)] * 3, "TOO_LONG"),
    ("union", ["#!$", "#!%"], "HETEROGENEOUS"),
    ("union", ["~a~", "~b~"], "NO_EVIDENCE"),
]


@pytest.mark.parametrize(("variant", "values", "expected"), VARIANT_CASES)
def test_each_variant_cuts_as_it_says(variant: str, values: list[str], expected: str, sums: PatternSums) -> None:
    limits = {"objective": Objective.IMPURITY}
    assert domain(values, sums, variant, **limits) == expected


def test_the_cut_off_share_is_at_most_theta(sums: PatternSums) -> None:
    dirty = [*["9:07"] * 90, *["-"] * 10]
    assert domain(dirty, sums, "FMDV-VH", theta=0.05) == "HETEROGENEOUS"
    found = infer_domain(dirty, sums, PatternLimits(m=2, theta=0.1, structures=1))
    assert isinstance(found, InferredPattern)
    assert found.discarded == pytest.approx(0.1)


def test_more_columns_are_asked_for_than_there_are(sums: PatternSums) -> None:
    assert domain(["9:07"], sums, m=1000) == NoPatternReason.NO_EVIDENCE.name


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_promised_holds_for_more_of_the_same_and_not_for_other_columns(
    kind: object, lake: PatternIndex
) -> None:
    learned = infer(column(kind, 100), lake).learned
    assert learned is not None
    assert learned.judge(learned.count(column(kind, 101, 1000))).severity is ConformitySeverity.NONE
    others = [other for other in KINDS if other is not kind]
    assert all(
        learned.judge(learned.count(column(other, 102, 1000))).severity is ConformitySeverity.ERROR for other in others
    )


def test_a_few_bad_values_are_a_warning_and_many_an_error(lake: PatternIndex) -> None:
    learned = infer(column(_dates, 100), lake).learned
    assert learned is not None
    assert learned.judge(ConformityCounts(1, 1000)).severity is ConformitySeverity.NONE
    assert learned.judge(ConformityCounts(80, 1000)).severity is ConformitySeverity.WARNING
    assert learned.judge(ConformityCounts(999, 1000)).severity is ConformitySeverity.ERROR


def test_columns_that_were_swapped_look_like_each_other(lake: PatternIndex) -> None:
    older = {kind.__name__: column(kind, 200, 300) for kind in KINDS}
    newer = {kind.__name__: column(kind, 201, 300) for kind in KINDS}
    assert swapped_columns(older, newer, lake) == []
    swapped = {**newer, "_times": newer["_dates"], "_dates": newer["_times"], "new": ["x"] * 300}
    assert {each.column: each.like[0] for each in swapped_columns(older, swapped, lake)} == {
        "_times": "_dates",
        "_dates": "_times",
    }
    (broken,) = swapped_columns(older, {**newer, "_codes": ["?"] * 300}, lake)
    assert (broken.column, broken.like, broken.comparison.newer.bad) == ("_codes", (), 300)


PATHS = [
    (["https://a.com/x/y", "https://b.org/z", "https://www.c.net/q-1/r/"], "https:/(/[<digit><lower>-.]+){2,4}[/]?"),
    (["/a/b", "/c/d/e"], "(/<lower>+){2,4}"),
    (["a/B1", "c/d/e"], "[<digit><letter>]+(/[<digit><letter>]+){1,4}"),
    (["/srv/2024/a.csv", "/srv/2025/b/c.csv"], "/srv(/[<digit><lower>.]+){2,4}"),
    (["a/b", "c"], None),
    (["//", "//a"], None),
    (["/a", "/" + "b" * 2000], None),
]


@pytest.mark.parametrize(("values", "text"), PATHS)
def test_paths_may_be_of_another_depth(values: list[str], text: str | None) -> None:
    found = SHAPES["paths"](values)
    assert (found and found.text) == text
    if found is not None:
        assert found.is_safe
        assert all(map(found.matches, values))


BAD_INPUT = [
    ("no values", [], "there are no values"),
    ("only nulls", [None, None], "there are no values"),
    ("too few", ["a", None, "b"], "2 values are too few to learn from; at least 5 are needed"),
    ("values of a megabyte", ["a" * 1_000_000] * 20, None),
    ("control characters", ["a\x00b\x01", "\x1b[0m", "\r\n\t", "\x7f", "\x85"], None),
    ("lone surrogates", ["\ud800", "a\udfff", "\udc80\udc81", "b", "c"], None),
    ("right to left", ["שלום עולם", "مرحبا بالعالم", "سلام دنیا", "שלום", "עולם"], None),
    ("ten thousand formats", ["-" * (n % 90) + "a" * (n // 90) + "." * (n % 7) for n in range(10_000)], None),
    ("empty texts", [""] * 20, None),
    ("one value", ["x"] * 20, None),
]


@pytest.mark.parametrize(("_", "values", "reason"), BAD_INPUT, ids=[each[0] for each in BAD_INPUT])
def test_bad_input_has_a_stated_outcome(
    _: str, values: list[str | None], reason: str | None, lake: PatternIndex
) -> None:
    result = infer(values, lake)
    assert result.reason
    if reason is not None:
        assert (result.learned, result.reason) == (None, reason)
    if result.learned is not None:
        texts = [value for value in values if value is not None]
        assert result.learned.pattern.is_safe or result.learned.family == "vocabulary"
        assert result.learned.judge(result.learned.count(texts)).severity is ConformitySeverity.NONE


def test_the_package_itself_infers(lake: PatternIndex) -> None:
    values = column(_dates, 1)
    assert patterns.infer(values, lake).learned == infer(values, lake).learned
    assert not hasattr(patterns, "learned")


def test_an_empty_lake_leaves_what_the_values_say_themselves() -> None:
    result = infer(column(_dates, 1), indexed([]))
    assert result.lake is NoPatternReason.NO_EVIDENCE
    assert result.learned is not None


def test_lakes_add_up_whatever_the_order() -> None:
    one, other = (indexed([column(kind, seed) for kind in KINDS]) for seed in (1, 2))
    here, there = merge_indexes([one, other]), merge_indexes([other, one])
    assert here.sums.texts == there.sums.texts
    assert here.calibration.cells == there.calibration.cells
    assert dict(here.background.columns) == dict(there.background.columns)
    assert (here.optimism.observed, here.sums.size) == (there.optimism.observed, 8)


DATES = ["2024-01-02", "2024-03-04", "2024-05-06", "2024-07-08", "2024-09-10"]
OPTION_CASES: list[tuple[str, dict[str, Any], list[str], str | None]] = [
    ("the method of the paper", {"method": "fmdv"}, DATES, "2024-<digit>{2}-<digit>{2}"),
    ("least coverage", {"method": "cmdv"}, DATES, "2024-<digit>{2}-<digit>{2}"),
    ("no segments", {"method": "fmdv"}, [f"9:0{at} AB{at}234" for at in range(5)], None),
    ("segments", {"method": "fmdv-v"}, [f"9:0{at} AB{at}234" for at in range(5)], "segments"),
    ("no rows cut", {"method": "fmdv"}, [*DATES * 8, "-"], None),
    ("rows cut", {"method": "fmdv-h"}, [*DATES * 8, "-"], "2024-<digit>{2}-<digit>{2}"),
    ("theta", {"method": "fmdv-h", "max_discarded": 0.0}, [*DATES * 8, "-"], None),
    ("m", {"method": "fmdv", "min_columns": 100}, DATES, None),
    ("tau", {"method": "fmdv", "max_tokens": 2}, DATES, None),
    ("r", {"method": "fmdv", "max_impurity": 0.001}, ["9:07", "8:30", "7:15", "6:45", "5:05"], "any"),
]


@every(("name", "options", "values", "pattern"), OPTION_CASES, ids=[each[0] for each in OPTION_CASES])
def test_options_of_the_paper_decide_which_pattern_is_learned(
    lake: PatternIndex, name: str, options: dict[str, Any], values: list[str], pattern: str | None
) -> None:
    result = infer(values, lake, options=PatternOptions(**options))
    assert (result.learned is None) == (pattern is None), name
    if result.learned and pattern and "<" in pattern:
        assert result.learned.pattern.text == pattern
    if result.learned:
        assert (result.learned.family, result.learned.floor) == (options["method"], 0.0)
        assert all(each.columns >= lake.least_columns for each in result.learned.inferred.segments)  # type: ignore[union-attr]
        assert result.learned.inferred.fpr <= options.get("max_impurity", 0.1)  # type: ignore[union-attr]


def test_a_method_alarms_on_any_significant_growth(lake: PatternIndex) -> None:
    learned = infer(DATES * 20, lake, options=PatternOptions(method=PatternMethod.FMDV)).learned
    assert learned is not None
    entries = contract_checks.checks("day", learned)
    assert [each["severity"] for each in entries] == ["error"]
    assert learned.judge(ConformityCounts(10, 100)).severity is ConformitySeverity.ERROR
    assert learned.judge(ConformityCounts(0, 100)).severity is ConformitySeverity.NONE


def test_options_limit_what_treaty_takes_from_the_lake(lake: PatternIndex) -> None:
    by_default = infer(DATES, lake)
    beyond = infer(DATES, lake, options=PatternOptions(min_columns=1000))
    assert isinstance(by_default.lake, InferredPattern)
    assert beyond.lake is NoPatternReason.NO_EVIDENCE
    assert infer(DATES, lake, options=PatternOptions()) == by_default
