"""States that Spark wrote, compared without it: keys shared, patterns, distances; all from one reading."""

import random
import string
from typing import Any

import pytest

from treaty.contracts.schema import Column, Schema
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.characters import PatternShare, UpperShare
from treaty.engine.analyzers.distinct import ApproxDistinctness, CountDistinct
from treaty.engine.analyzers.keys import ApproxCountKeys
from treaty.engine.analyzers.numbers import StandardDeviation
from treaty.engine.analyzers.quantiles import ApproxQuantile
from treaty.engine.components.theta_sketch import KeyOverlap, overlap
from treaty.engine.spark.scan.scanner import scan
from treaty.engine.states import bag as bags
from treaty.engine.states.bag import StateBag
from treaty.engine.states.planning.scan_plan import plan
from treaty.engine.statistics.column_values import column
from treaty.engine.statistics.distances import distances
from treaty.engine.statistics.statistics import compute_statistics
from treaty.engine.statistics.summaries import summary

TYPES = {"word": "string", "number": "bigint", "moment": "timestamp", "free": "string"}
SCHEMA = Schema(tuple(Column(name, kind) for name, kind in TYPES.items()))
ROWS = 12_000  # more than a theta sketch keeps
SCRIPTS = string.printable + "äÖß€日本語Жд٣½ǅ😀\u0301ªİ"

KEYS: dict[str, Analyzer] = {
    "word": ApproxCountKeys(columns=("word",)),
    "number": ApproxCountKeys(columns=("number",)),
    "moment": ApproxCountKeys(columns=("moment",)),
    "pair": ApproxCountKeys(columns=("word", "moment")),
}
OTHERS: dict[str, Analyzer] = {
    "looks": PatternShare(column="free"),
    "masks": PatternShare(column="word"),
    "unique_ratio": ApproxDistinctness(column="free"),
    "upper_share": UpperShare(column="free"),
    "quantiles": ApproxQuantile(column="number", quantile=0.5),
    "moments": StandardDeviation(column="number"),
    "frequencies": CountDistinct(columns=("word",)),
}
BOUND = {name: each.bind(SCHEMA) for name, each in (KEYS | OTHERS).items()}


@pytest.fixture(scope="module")
def parts(spark: Any) -> dict[str, StateBag]:
    """Partitions `here`, and `there`, which has the second half of the keys of `here` and as many others."""
    free = free_texts()
    side = spark.sql(
        f"SELECT 'here' AS side, id FROM range({ROWS}) UNION ALL "
        f"SELECT 'there' AS side, id + {ROWS // 2} AS id FROM range({ROWS})"
    )
    texts = spark.createDataFrame(list(enumerate(free)), "id bigint, free string")
    frame = side.join(texts, "id", "left").selectExpr(
        "side",
        "concat('Key-', id) AS word",
        "id AS number",
        "timestamp_seconds(1700000000 + id) AS moment",
        "free",
    )
    found = scan(frame, plan(BOUND.values()), partition_by=["side"])
    return {name.removeprefix("side="): each for name, each in found.items()}


def free_texts() -> list[str]:
    """Texts of characters of many kinds, always the same."""
    draw = random.Random(7)
    return ["".join(draw.choices(SCRIPTS, k=draw.randint(0, 80))) for _ in range(500)]


def state(parts: dict[str, StateBag], side: str, name: str, component: str) -> Any:
    return parts[side].values[BOUND[name].parts[component].key]


@pytest.mark.parametrize("name", KEYS)
def test_keys_that_two_partitions_share_are_told_from_their_sketches(name: str, parts: dict[str, StateBag]) -> None:
    found: KeyOverlap = overlap(*(state(parts, side, name, "keys") for side in ("here", "there")))
    assert found.shared.low <= ROWS / 2 <= found.shared.high
    for share in (found.of_left, found.of_right):
        assert share is not None
        assert share.low <= 0.5 <= share.high
        assert 0 < share.error < 0.03


@pytest.mark.parametrize("name", KEYS)
def test_sketches_of_keys_merge_as_sets(name: str, parts: dict[str, StateBag]) -> None:
    merged = bags.merged([parts["here"], parts["there"]])
    value = BOUND[name].value(merged.values)
    assert value == pytest.approx(1.5 * ROWS, rel=0.05)


def test_masks_hold_no_letter_and_no_digit_of_the_texts(parts: dict[str, StateBag]) -> None:
    details = BOUND["looks"].read(parts["here"].values).details
    assert details is not None
    shown = "".join(each["value"] for each in details["values"])
    kept = set(string.punctuation + string.whitespace)
    assert set(shown) <= kept | set("Aa0x")
    assert kept <= set(shown)
    assert max(len(each["value"]) for each in details["values"]) == 64


def test_distances_are_told_from_what_spark_wrote(parts: dict[str, StateBag]) -> None:
    kinds = {"quantiles": "ranks", "moments": "moments", "frequencies": "frequencies"}
    found = {
        kind: distances(kind, *(state(parts, side, kind, component) for side in ("here", "there")))
        for kind, component in kinds.items()
    }
    exact = {
        ("quantiles", "kolmogorov_smirnov"): 0.5,
        ("quantiles", "earth_movers_distance"): ROWS / 2,
        ("frequencies", "l1"): 1.0,
        ("frequencies", "chi_squared"): 0.5,
        ("moments", "cohens_d"): 12**0.5 / 2,
    }
    for (kind, name), expected in exact.items():
        told = found[kind][name]
        assert told is not None
        assert told.low - 1e-3 <= expected <= told.high + 1e-3, name


def test_patterns_are_compared_from_what_spark_wrote(parts: dict[str, StateBag]) -> None:
    sides = [state(parts, side, "masks", "masks") for side in ("here", "there")]
    told = distances("pattern_profile", *sides)["l1"]
    here = {1: 10, 2: 90, 3: 900, 4: 9000, 5: 2000}
    there = {4: 4000, 5: 8000}
    expected = sum(abs(here[at] - there.get(at, 0)) for at in here) / ROWS
    assert told is not None
    assert (told.value, told.error) == (pytest.approx(expected), 0)


@pytest.mark.parametrize("name", ["unique_ratio", "upper_share"])
def test_of_texts_of_all_scripts_spark_counts_what_memory_does(name: str, parts: dict[str, StateBag]) -> None:
    told = compute_statistics(summary(column([*free_texts(), None])))[name]
    assert told is not None
    assert 0 < told < 1
    assert BOUND[name].value(parts["here"].values) == pytest.approx(told, rel=0 if name == "upper_share" else 0.02)
