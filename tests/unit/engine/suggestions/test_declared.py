"""Suggestions: which histories promise what, and that a promise is kept by the data that it was learned on."""

import json
from collections.abc import Sequence
from datetime import date, timedelta
from math import exp, log
from statistics import NormalDist
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stdnum import ean
from support.bags import bag
from support.every import every
from support.histories import history, related, steady
from support.orders import NOW

from treaty.contracts.document.model import Contract
from treaty.contracts.document.reader import read
from treaty.contracts.document.writer import write
from treaty.contracts.editing.patches import Patch, apply, skeleton
from treaty.contracts.schema import Column, Schema
from treaty.engine.checks.binding import bind
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.profile.document import document
from treaty.engine.profile.table_profile import plain
from treaty.engine.suggestions.declared import COLUMN_SUGGESTIONS, TABLE_SUGGESTIONS
from treaty.engine.suggestions.selection.holdout_test import holdout_candidates, learned
from treaty.engine.suggestions.selection.pipeline import suggest

Days = Sequence[dict[str, Sequence[Any]]]
INT, TEXT, DOUBLE = {"x": "bigint"}, {"x": "string"}, {"x": "double"}


def kinds(types: dict[str, str], days: Days) -> set[str]:
    return {each.candidate.kind for each in holdout_candidates(related(types, days))}


def daily(make: Any, days: int = 10) -> Days:
    return [{"x": make(day)} for day in range(days)]


FEW = ["new", "paid", "sent"] * 10
MANY = list(range(100))
PLACES = [each * 0.7 for each in range(-100, 100)]
CODES = [f"AB-{each:03d}" for each in range(20)]
CASES = ("trimmed", "lower_case", "upper_case", "digits")
MIXED = ["Blue", "red", "RED 7", " x"] * 25
LONG = [f"{each:03d}{'X' * 64}" for each in range(20)]
WAVES = [float(each) for each in range(-50, 50)]
DATE = {"x": "date"}
EVEN = [(each + 0.5) / 1000 for each in range(1000)]
BELL = [NormalDist(50, 5).inv_cdf(share) for share in EVEN]
SHAPES = [EVEN, BELL, [exp(value / 10) for value in BELL], [-3 * log(1 - share) for share in EVEN]]


# Two columns that are a key together, and one that the first determines; moments of which one is never the earlier.
TOLD = (
    {"x": "bigint", "y": "bigint", "z": "bigint"},
    [{"x": [at % 20 for at in MANY], "y": [at // 20 for at in MANY], "z": [at % 20 // 5 for at in MANY]}] * 10,
)
SENT = (
    {"x": "date", "y": "date"},
    [{"x": [date(2024, 1, 1 + at) for at in range(20)], "y": [date(2024, 1, 1 + at + at % 3) for at in range(20)]}]
    * 10,
)


SAME_DAY = (
    {"x": "date", "day": "date"},
    [{"x": [date(2024, 1, 1 + at)] * 3, "day": [date(2024, 1, 1 + at)] * 3} for at in range(10)],
)


EANS = [number + ean.calc_check_digit(number) for number in (f"{40063813000 + 37 * at:012d}" for at in MANY)]


NAMES = [f"Region {chr(65 + at)}o" for at in range(20)]


def named(name: str, kind: str, values: Sequence[Any]) -> tuple[dict[str, str], Days]:
    return {name: kind}, [{name: values}] * 10


def dates(make: Any) -> Days:
    return daily(lambda at: [date(2024, 1, 1 + at) + timedelta(days=days) for days in make(at)])


# Texts that parse as numbers or nearly so, and are none: codes with leading zeros, phone numbers, postal codes, years,
# and numbers with gaps that are written out.
NO_AMOUNTS: list[Days] = [
    steady([f"{each * 7:05d}" for each in MANY]),
    steady([f"{each % 40 * 7:03d}.{each % 10}" for each in MANY]),
    steady([f"+49{10 ** (6 + each % 3) + each % 40}" for each in MANY]),
    steady([f"{94000 + each % 50 * 7}" for each in MANY]),
    steady([str(2000 + each % 20) for each in MANY]),
    steady([*map(str, MANY), "n/a"]),
    steady([*map(str, MANY), ""]),
    steady([*map(str, MANY), " 7"]),
    [*steady([str(each) for each in MANY], days=9), {"x": ["07"]}],
]


APPEARS = [
    ("complete", INT, steady([1, 2, 3])),
    ("complete", TEXT, steady(["a"] * 10, days=1)),
    ("non_negative", INT, steady([0, 5, 9])),
    ("non_negative", DOUBLE, steady([0.0, 0.5, None])),
    *[("non_negative", TEXT, steady(texts)) for texts in (["0", "12", "700"], ["0.0", "12.5", None], ["0", "1e3"])],
    *[("positive", TEXT, steady(texts)) for texts in (["1", "12", "+700.5"], ["0.5", "12"], ["1e-3", "2E3", None])],
    ("positive", TEXT, daily(lambda day: [str(20 + day % 3), "190"])),
    ("positive", TEXT, daily(lambda day: [str(each) for each in range(1 + 100 * day, 41 + 100 * day)])),
    ("value_range", TEXT, steady([str(each - 50) for each in MANY])),
    ("value_range", TEXT, steady([f"{each / 8}" for each in MANY])),
    ("value_range", TEXT, steady([f"{each:.1e}" for each in MANY])),
    ("value_range", DOUBLE, steady([float(each) for each in range(100)])),
    ("value_range", INT, daily(lambda day: [day * 7 % 10 + each % 10 for each in MANY])),
    ("categorical", TEXT, steady(FEW)),
    ("categorical", TEXT, steady([*FEW, None])),
    ("categorical", INT, steady([0, 1, 1] * 40)),
    ("categorical", INT, steady([200, 404, 500, None] * 40)),
    *[("categorical", TEXT, steady(texts * 40)) for texts in (["0", "1", "1"], ["200", "404", None], ["01", "02"])],
    ("reads_as", TEXT, steady([str(each - 50) for each in MANY])),
    ("reads_as", TEXT, steady(["7", "-12"] * 60)),
    ("reads_as", TEXT, steady(["1.5", "2", None] * 40)),
    ("reads_as", TEXT, steady(["2026-01-31", "2024-02-29"] * 60)),
    ("unique", INT, daily(lambda day: range(100 * day, 100 * day + 100))),
    ("unique", TEXT, daily(lambda day: [f"k{day}-{each}" for each in range(20)])),
    ("row_count_band", INT, daily(lambda day: range(100 + day % 3))),
    ("mostly_complete", INT, daily(lambda day: [*MANY, *[None] * (8 + day % 3)])),
    ("minimum_band", DOUBLE, daily(lambda day: [each + day % 3 for each in WAVES])),
    ("maximum_band", DOUBLE, daily(lambda day: [each + day % 3 for each in WAVES])),
    ("mean_band", DOUBLE, daily(lambda day: [each + day % 3 for each in WAVES])),
    ("median_band", DOUBLE, daily(lambda day: [each + day % 3 for each in WAVES])),
    ("standard_deviation_band", DOUBLE, daily(lambda day: [each * (1 + day % 3 / 10) for each in WAVES])),
    ("approx_count_distinct_band", TEXT, daily(lambda day: [f"v{each}" for each in range(90 + day % 3)])),
    ("minimum_length_band", TEXT, steady(["abc", "abcdef"] * 50)),
    ("maximum_length_band", TEXT, steady(["abc", "abcdef"] * 50)),
    ("mean_length_band", TEXT, steady(["abc", "abcdef"] * 50)),
    ("trimmed", TEXT, steady(FEW)),
    ("upper_case", TEXT, steady(CODES)),
    ("lower_case", TEXT, steady(FEW)),
    *[(f"{trait}_share", TEXT, steady(MIXED)) for trait in CASES],
    *[(kind, TEXT, steady(LONG)) for kind in ("trimmed", "upper_case", "digits_share", "lower_case_share")],
    ("not_empty", TEXT, steady(FEW)),
    ("positive", DOUBLE, steady([0.1, 5.0])),
    ("positive", DOUBLE, daily(lambda day: [3.0 - 0.3 * day, 5.0])),
    ("positive", INT, daily(lambda day: range(1 + 100 * day, 100 + 100 * day))),
    ("positive", INT, daily(lambda day: [20 + day % 3, 90])),
    ("q25_band", DOUBLE, daily(lambda day: [each + day % 3 for each in WAVES])),
    ("q75_band", DOUBLE, daily(lambda day: [each + day % 3 for each in WAVES])),
    ("fixed_length", TEXT, steady(CODES)),
    ("shape", TEXT, steady(CODES)),
    ("has_small_letter", TEXT, steady(NAMES)),
    ("has_small_letter", TEXT, steady([f"{each}{'x' * 64}" for each in NAMES])),
    ("has_capital", TEXT, steady([*NAMES, None])),
    ("check_digit", TEXT, steady(EANS)),
    ("check_digit", TEXT, steady([*EANS * 2, EANS[0][:-1] + "x"])),
    ("check_digit", TEXT, steady(EANS[:12])),
    ("check_digit", INT, steady([*map(int, EANS), None])),
    ("mostly_categorical", TEXT, [*steady(FEW * 10, days=5), *steady([*FEW * 10, "odd"], days=5)]),
    ("unique_in_partition", TEXT, steady(CODES)),
    ("unique_in_partition", INT, daily(lambda day: [each**3 for each in range(100, 120 + day)])),
    ("unique_in_partition", INT, daily(lambda day: range(50 * day, 50 * day + 100))),
    ("percentage", *named("vat_pct", "double", [0.0, 19.5, 100.0])),
    ("probability", *named("ClickProbability", "double", [0.0, 0.5, 1.0])),
    ("latitude", *named("lat", "double", PLACES)),
    ("longitude", *named("le_longitude_deg", "double", PLACES)),
    ("heading", *named("heading", "double", [0.0, 359.0])),
    ("heading", *named("heading", "string", ["0", "359"])),
    ("month", *named("month", "int", [1, 12])),
    ("weekday", *named("weekday", "int", [0, 6])),
    ("hour", *named("hour", "int", [0, 23])),
    ("currency_code", *named("currency", "string", ["EUR", "USD"] * 10)),
    ("country_code", *named("shipCountry", "string", ["DE", "FR"] * 10)),
    ("email_address", *named("contact_email", "string", ["a@b.co", "cc@dd.eu"] * 10)),
    *[("fitted", DOUBLE, steady(numbers, days=3)) for numbers in SHAPES],
    ("fitted", TEXT, steady([f"{each:.4f}" for each in BELL], days=3)),
    ("not_in_future", DATE, dates(lambda day: range(-3, 1))),
    ("goes_on", DATE, dates(lambda day: range(-3, 1))),
    ("on_its_day", *SAME_DAY),
    ("determined", *TOLD),
    ("composite_key", *TOLD),
    ("in_order", *SENT),
]
ABSENT = [
    ("complete", INT, steady([1, None])),
    ("complete", INT, [*steady([1], days=9), {"x": [None]}]),
    ("complete", INT, steady([], days=3)),
    ("non_negative", INT, steady([-1, 5])),
    ("non_negative", TEXT, steady(["a"])),
    ("non_negative", INT, steady([None])),
    ("non_negative", DOUBLE, steady([float("nan")])),
    ("value_range", TEXT, steady(FEW)),
    *[(kind, TEXT, days) for kind in ("non_negative", "positive", "value_range") for days in NO_AMOUNTS],
    *[("positive", TEXT, steady(texts)) for texts in (["0", "12"], ["-0.5", "12.5"], ["-1e3", "1e3"])],
    ("positive", TEXT, daily(lambda day: [str(2 + day % 3), "190"])),
    ("non_negative", TEXT, steady(["-1", "12"])),
    ("value_range", TEXT, daily(lambda day: [str(1000 * day + each % 50) for each in MANY])),
    ("value_range", TEXT, steady(["5.5"] * 100)),
    ("value_range", TEXT, daily(lambda day: [str(100 * day + each) for each in MANY])),
    ("value_range", DOUBLE, steady([5.0] * 100)),
    ("value_range", DOUBLE, steady([1.0, 2.0, 3.0])),
    ("value_range", DOUBLE, steady([float("inf"), 1.0] * 50)),
    ("value_range", DOUBLE, steady([float("nan"), *map(float, MANY)])),
    ("value_range", INT, daily(lambda day: range(100 * day, 100 * day + 100))),
    ("value_range", DOUBLE, daily(lambda day: [1000.0 * day + each % 50 for each in MANY])),
    ("categorical", TEXT, steady(["a"] * 9)),
    ("categorical", TEXT, steady([f"v{each}" for each in range(201)] * 10, days=3)),
    ("categorical", TEXT, [*steady(FEW, days=9), {"x": ["gone"] * 30}]),
    ("categorical", TEXT, steady([f"{each}".rjust(200) for each in range(40)])),
    ("categorical", INT, steady([1, 2] * 60)),
    ("categorical", TEXT, steady(["1", "2", "3", "5", "8"] * 40)),
    ("categorical", INT, steady([1, 2, 3, 5, 8] * 40)),
    ("categorical", INT, steady([7] * 200)),
    ("categorical", INT, [*steady([200, 404] * 60, days=9), {"x": [200, 418] * 60}]),
    ("reads_as", TEXT, steady(["00123", "00456"] * 60)),
    ("reads_as", TEXT, steady(["7", "n/a"] * 60)),
    ("reads_as", INT, steady([7, 12] * 60)),
    ("unique", INT, steady(MANY)),
    ("unique", INT, daily(lambda day: [*range(100 * day, 100 * day + 100), 100 * day])),
    ("unique", INT, steady([1, 2, 3], days=1)),
    ("row_count_band", INT, steady([1] * 100, days=5)),
    ("row_count_band", INT, [*steady([1] * 100, days=9), {"x": [1]}]),
    ("row_count_band", INT, [*steady([1] * 100, days=9), {"x": []}]),
    ("mostly_complete", INT, daily(lambda day: [*MANY, *[None] * (1000 if day == 9 else 8)])),
    ("minimum_band", DOUBLE, steady([5.0] * 100)),
    ("maximum_band", DOUBLE, [*daily(lambda day: WAVES, days=9), {"x": [1e9]}]),
    ("mean_band", DOUBLE, steady(WAVES, days=5)),
    ("mean_band", DOUBLE, steady([*WAVES, float("inf")])),
    ("mean_band", INT, daily(lambda day: range(100 * day, 100 * day + 100))),
    ("median_band", TEXT, steady(FEW)),
    ("standard_deviation_band", DOUBLE, [*steady(WAVES, days=9), {"x": [0.0, 1e9]}]),
    ("approx_count_distinct_band", TEXT, daily(lambda day: [f"v{each}" for each in range(2**day)])),
    ("minimum_length_band", INT, steady(MANY)),
    ("maximum_length_band", TEXT, [*steady(FEW, days=9), {"x": ["x" * 60] * 30}]),
    ("mean_length_band", TEXT, [*steady(FEW, days=9), {"x": ["x" * 60] * 30}]),
    ("trimmed", TEXT, steady([*FEW, " new"])),
    ("trimmed", TEXT, [*steady(FEW, days=9), {"x": ["new "]}]),
    ("upper_case", TEXT, steady([*CODES, "ab-001"])),
    ("upper_case", TEXT, steady(["123"] * 30)),
    ("lower_case", TEXT, steady([*FEW, "New"])),
    *[(f"{trait}_share", TEXT, [*steady(MIXED, days=9), {"x": ["Other"] * 100}]) for trait in CASES],
    ("digits_share", TEXT, steady(["a", "1"] * 4)),
    ("digits_share", INT, steady(MANY)),
    ("not_empty", TEXT, steady([*FEW, ""])),
    ("not_empty", TEXT, steady([None])),
    ("positive", INT, steady([0, 5])),
    ("positive", INT, daily(lambda day: [2 + day % 3, 90])),
    ("positive", DOUBLE, steady([float("nan")])),
    *[(f"{each}_band", DOUBLE, [*daily(lambda day: WAVES, days=9), {"x": [1e9]}]) for each in ("q25", "q75")],
    ("fixed_length", TEXT, steady([*CODES, "AB-1"])),
    ("shape", TEXT, steady([*CODES, "AB001"])),
    ("has_small_letter", TEXT, steady([*NAMES, "IBM"])),
    ("has_small_letter", TEXT, steady(["123"] * 30)),
    ("has_capital", TEXT, [*steady(NAMES, days=9), {"x": ["eon", *map(str.lower, NAMES)]}]),
    ("check_digit", TEXT, steady(EANS[:8] * 20)),
    ("check_digit", TEXT, steady([*EANS[:1] * 5000, *(f"{int(each) + 1:013d}" for each in EANS[:50])])),
    ("check_digit", TEXT, steady([f"{int(each) + 1:013d}" for each in EANS])),
    ("check_digit", INT, steady(range(4006381300000, 4006381300100))),
    ("check_digit", DOUBLE, steady(list(map(float, EANS)))),
    ("mostly_categorical", TEXT, [*steady(FEW * 10, days=8), *steady(["odd", "new"] * 15, days=2)]),
    ("mostly_categorical", TEXT, daily(lambda day: [*FEW * 20, *[f"new {day // 4}"] * day], days=24)),
    ("unique_in_partition", TEXT, steady([*CODES, "AB-001"])),
    ("unique_in_partition", INT, daily(lambda day: [each**3 + 101 * day % 997 for each in range(100, 120)])),
    ("unique_in_partition", TEXT, steady(["a", "b", "c"])),
    ("percentage", *named("vat_pct", "double", [0.0, 101.0])),
    ("probability", *named("improbability", "double", [0.0, 1.0])),
    ("latitude", *named("plat", "double", PLACES)),
    ("longitude", *named("along", "double", PLACES)),
    ("heading", *named("heading", "string", ["0", "361"])),
    ("heading", *named("heading", "string", ["000", "359"])),
    ("month", *named("month", "int", [0, 11])),
    ("weekday", *named("weekday", "int", [-1, 6])),
    ("hour", *named("hour", "int", [0, 25])),
    ("currency_code", *named("currency", "string", ["EUR", "eur"] * 10)),
    ("country_code", *named("country", "string", ["DE", "Germany"] * 10)),
    ("email_address", *named("email", "string", ["a@b.co", "none"] * 10)),
    ("fitted", DOUBLE, steady([each % 7 + each / 1e6 for each in range(1000)], days=3)),
    ("fitted", TEXT, steady([f"{100 + each}" for each in range(1000)], days=3)),
    ("fitted", DOUBLE, steady(SHAPES[1][:500], days=3)),
    ("not_in_future", DATE, dates(lambda day: range(-3, 9))),
    ("not_in_future", INT, steady(MANY)),
    ("goes_on", DATE, dates(lambda day: range(-9 * day, 1 - 9 * day))),
    ("on_its_day", SAME_DAY[0], [*SAME_DAY[1][:9], {"x": [date(2024, 1, 11)], "day": [date(2024, 1, 10)]}]),
    ("determined", TOLD[0], [*TOLD[1][:-1], {**TOLD[1][0], "z": [1, *TOLD[1][0]["z"][1:]]}]),
    ("composite_key", TOLD[0], [*TOLD[1][:-1], {**TOLD[1][0], "x": [1, *TOLD[1][0]["x"][1:]]}]),
    ("in_order", SENT[0], [*SENT[1], {"x": [date(2024, 2, 1)], "y": [date(2024, 1, 1)]}]),
]


@pytest.mark.search
@every(("kind", "types", "days"), APPEARS)
def test_a_history_that_keeps_a_promise_suggests_it(kind: str, types: dict[str, str], days: Days) -> None:
    assert kind in kinds(types, days)


@pytest.mark.search
@every(("kind", "types", "days"), ABSENT)
def test_a_history_that_does_not_keep_a_promise_does_not_suggest_it(
    kind: str, types: dict[str, str], days: Days
) -> None:
    assert kind not in kinds(types, days)


def test_every_kind_has_histories_for_and_against_it() -> None:
    every = {*COLUMN_SUGGESTIONS, *TABLE_SUGGESTIONS}
    assert {kind for kind, *_ in APPEARS} == {kind for kind, *_ in ABSENT} == every


@pytest.mark.parametrize("days", [0, 1, 10])
def test_nothing_is_suggested_for_an_empty_history(days: int) -> None:
    assert kinds(INT, steady([], days=days)) == set()


BREAKS = {
    "complete": ([1] * 100, [None]),
    "non_negative": ([1] * 100, [-1]),
    "value_range": (MANY, [10**6] * 100),
    "row_count_band": ([1] * 100, [1] * 1000),
}


@pytest.mark.parametrize("kind", BREAKS)
@pytest.mark.parametrize("day", [7, 9])
def test_what_the_newer_part_breaks_is_not_suggested(kind: str, day: int) -> None:
    usual, broken = BREAKS[kind]
    days = steady(usual)
    assert kind in kinds(INT, days)
    assert kind not in kinds(INT, [*days[:day], {"x": broken}, *days[day + 1 :]])


@pytest.mark.parametrize(("partitions", "expected"), [(0, 0), (1, 1), (2, 2), (3, 2), (10, 7), (40, 28)])
def test_the_older_part_is_learned_on(partitions: int, expected: int) -> None:
    assert learned(history(INT, steady([1], days=partitions))) == expected


def test_evidence_says_on_what_it_held() -> None:
    days = [*steady([*MANY, None], days=9), {"x": [None]}]
    (found,) = [each for each in suggest(history(INT, days), "t") if each["kind"] == "non_negative"]
    evidence = found["evidence"]
    assert (evidence["rows"], evidence["partitions"], evidence["held"], evidence["failed_on"]) == (910, 9, 9, [])
    assert (evidence["learned_on"], evidence["judged_on"], evidence["limits"]) == (7, 3, [0, None])
    assert evidence["history"][0] == ["day=2024-01-01", 0]


def test_a_suggestion_keeps_its_identity_when_its_thresholds_change() -> None:
    def identities(top: int) -> dict[str, str]:
        found = suggest(history(INT, daily(lambda day: [each % top for each in MANY])), "t")
        return {each["kind"]: each["id"] for each in found}

    wide, narrow = identities(50), identities(7)
    assert {"complete", "row_count_band"} <= wide.keys() & narrow.keys()
    assert all(wide[kind] == narrow[kind] for kind in wide.keys() & narrow.keys())
    assert len(set(narrow.values())) == len(narrow)


def test_sentences_and_names_hold_no_value_of_the_data() -> None:
    secret = ["hunter2", "s3cr3t"] * 60
    for each in suggest(history({"x": "string", "y": "string"}, [{"x": secret, "y": secret}] * 10), "t"):
        told = [each["sentence"], each["id"], each["patch"].get("quality", {}).get("name", "")]
        assert not any(word in text for text in told for word in set(secret))


def test_suggestions_and_profiles_are_json_without_nan() -> None:
    wild = [float("nan"), float("inf"), 1.0, None]
    made = history({"x": "double", "y": "string"}, [{"x": wild, "y": ["a", "b", None, "c"]}] * 10)
    json.dumps([document(made, "t").model_dump(mode="json"), suggest(made, "t")], allow_nan=False)


@pytest.mark.parametrize(("value", "expected"), [(None, None), (3, 3), ("a", "a"), (0.5, 0.5), (float("nan"), None)])
def test_values_are_plain(value: Any, expected: Any) -> None:
    assert plain(value) == expected


def test_no_predicate_is_suggested_that_a_contract_may_not_hold() -> None:
    found = suggest(history({"${x}": "double"}, [{"${x}": list(map(float, MANY))}] * 10), "t")
    said = {each["kind"] for each in found}
    assert {"complete", "row_count_band"} <= said
    assert "value_range" not in said


def test_of_texts_whose_column_no_predicate_may_name_the_rest_is_suggested() -> None:
    texts = [f"{at % 7:x}{'long' * 20} and Mixed {at}" for at in range(200)]
    found = suggest(history({"${x}": "string"}, [{"${x}": texts}] * 10), "t")
    said = {each["kind"] for each in found}
    assert "complete" in said
    assert not {"trimmed", "upper_case", "lower_case", "digits_share"} & said


def test_ids_of_checks_on_unlike_names_differ() -> None:
    found = suggest(history({"größe": "bigint", "grüße": "bigint"}, [{"größe": [1, 2], "grüße": [3, 4]}] * 5), "t")
    ids = [each["patch"]["quality"]["id"] for each in found if "quality" in each["patch"]]
    assert len(ids) == len(set(ids)) == 2


TYPES = {"id": "bigint", "amount": "double", "status": "string", "a.b": "int"}
DAY = st.integers(1, 40).flatmap(
    lambda rows: st.fixed_dictionaries(
        {
            "amount": st.lists(st.one_of(st.none(), st.floats(-1e6, 1e6)), min_size=rows, max_size=rows),
            "status": st.lists(st.sampled_from(["new", "o'neil", None, "$a"]), min_size=rows, max_size=rows),
            "a.b": st.lists(st.integers(0, 5), min_size=rows, max_size=rows),
        }
    )
)


def promised(suggestions: Sequence[dict[str, Any]], schema: Schema) -> Contract:
    base = skeleton(contract_id="t", name="t", object_name="t", physical_name="t", schema=schema)
    patches = [Patch(each["object"], each["column"], each["patch"]) for each in suggestions]
    return read(write(apply(read(write(base)).document, patches)))


ONCE = {kind: (types, days) for kind, types, days in APPEARS}


@every("kind", ONCE)
def test_a_contract_may_hold_what_is_suggested(kind: str) -> None:
    types, days = ONCE[kind]
    schema = Schema(tuple(Column(name, type_) for name, type_ in types.items()))
    found = [each for each in holdout_candidates(related(types, days)) if each.candidate.kind == kind]
    patches = [{"object": "t", "column": each.column_name, "patch": each.candidate.patch} for each in found]
    assert bind(promised(patches, schema).object("t"), schema).checks


@pytest.mark.search
@settings(max_examples=25, deadline=None)
@given(st.lists(DAY, min_size=1, max_size=8))
def test_the_data_that_suggestions_were_learned_on_keeps_them(days: list[dict[str, Any]]) -> None:
    starts = [sum(len(day["amount"]) for day in days[:at]) for at in range(len(days))]
    whole = [{"id": range(start, start + len(day["amount"])), **day} for start, day in zip(starts, days, strict=True)]
    schema = Schema(tuple(Column(name, kind) for name, kind in TYPES.items()))
    contract = promised(suggest(history(TYPES, whole), "t"), schema)
    plan = bind(contract.object("t"), schema).plan
    packed = {f"day={at:02d}": bag(plan, schema, day).pack() for at, day in enumerate(whole)}
    found = evaluate(
        EvaluationRequest(
            contract=contract, object_name="t", states=packed, delta=sorted(packed), started_at=NOW, finished_at=NOW
        )
    )
    assert [each for each in found.results if each.outcome not in ("passed", "not_applicable")] == []
