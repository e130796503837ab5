"""Profiles read by real Spark: types of texts, odd data, portions, samples, progress."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from treaty.engine.core.errors import EngineError
from treaty.engine.profile.format import ColumnDocument, ProfileDocument
from treaty.engine.protocol.requests import ProfileRequest, TableSource
from treaty.engine.spark.profile import profiler as profiles

ROWS = 60
# Column by column: its type, its value in a row, and what is told of it.
READ: dict[str, tuple[str, Any, tuple[Any, ...]]] = {
    "whole": ("string", lambda at: str(at - 3), ("integer", "bigint", 1.0, (), 0)),
    "code": ("string", lambda at: f"{at:05d}", ("integer", "bigint", 1.0, (), ROWS)),
    "price": ("string", lambda at: f"{at}.50", ("decimal", "double", 1.0, (), 0)),
    "power": ("string", lambda at: f"{at}e2", ("fractional", "double", 1.0, (), 0)),
    "truth": ("string", lambda at: ("true", "False")[at % 2], ("boolean", "boolean", 1.0, (), 0)),
    "iso": ("string", lambda at: f"2026-01-{at % 28 + 1:02d}", ("date", "date", 1.0, (), 0)),
    "moment": ("string", lambda at: f"2026-01-01 10:00:{at % 60:02d}", ("timestamp", "timestamp", 1.0, (), 0)),
    "german": ("string", lambda at: f"{at % 28 + 1:02d}.02.2026", ("date", "date", 1.0, ("dd.MM.yyyy",), 0)),
    "british": ("string", lambda at: f"{at % 28 + 1:02d}/02/2026", ("date", "date", 1.0, ("dd/MM/yyyy",), 0)),
    "american": ("string", lambda at: f"02/{at % 28 + 1:02d}/2026", ("date", "date", 1.0, ("MM/dd/yyyy",), 0)),
    "either": (
        "string",
        lambda at: f"0{at % 9 + 1}/0{at % 8 + 1}/2026",
        ("date", "date", 1.0, ("dd/MM/yyyy", "MM/dd/yyyy"), 0),
    ),
    "named": ("string", lambda at: f"{at % 28 + 1:02d}-Feb-2026", ("date", "date", 1.0, ("dd-MMM-yyyy",), 0)),
    "packed": ("string", lambda at: f"202602{at % 28 + 1:02d}", ("date", "date", 1.0, ("yyyyMMdd",), 0)),
    "stamped": (
        "string",
        lambda at: f"{at % 28 + 1:02d}.02.2026 07:{at:02d}",
        ("timestamp", "timestamp_ntz", 1.0, ("dd.MM.yyyy HH:mm",), 0),
    ),
    "mostly": ("string", lambda at: "n/a" if at % 20 == 0 else str(at), ("integer", "bigint", 0.95, (), 0)),
    "no_day": ("string", lambda at: f"{at % 28 + 31}.02.2026", ()),
    "words": ("string", lambda at: f"word {at}", ()),
    "blank": ("string", lambda _: None, ()),
    "typed": ("int", lambda at: at % 3, ()),
    "day": ("int", lambda at: at % 6, ()),
}


@pytest.fixture(scope="module")
def table(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("profiles") / "t"
    ddl = ", ".join(f"{name} {kind}" for name, (kind, _, _) in READ.items())
    rows = [tuple(make(at) for _, make, _ in READ.values()) for at in range(ROWS)]
    spark.createDataFrame(rows, ddl).coalesce(1).write.partitionBy("day").parquet(str(path))
    return str(path)


def asked(table: str, **words: Any) -> ProfileRequest:
    return ProfileRequest(source=TableSource(table, partition_by=("day",)), object="t", **words)


def told(spark: Any, request: ProfileRequest, heard: list[str] | None = None) -> ProfileDocument:
    hear = heard if heard is not None else []
    return ProfileDocument.model_validate(profiles.profile(spark, request, hear.append))


@pytest.fixture(scope="module")
def found(spark: Any, table: str) -> ProfileDocument:
    return told(spark, asked(table))


def column(of: ProfileDocument, name: str) -> ColumnDocument:
    return next(each for each in of.columns if each.name == name)


@pytest.mark.parametrize("name", [name for name in READ if name != "day"])
def test_texts_read_as_what_they_hold(found: ProfileDocument, name: str) -> None:
    reads = column(found, name).reads_as
    assert (reads and (reads.kind, reads.type, reads.share, reads.formats, reads.padded)) == (READ[name][2] or None)


FACTS = [
    ("whole", "minimum", -3),
    ("whole", "maximum", 56),
    ("price", "maximum", 59.5),
    ("power", "maximum", 5900.0),
    ("iso", "minimum", "2026-01-01"),
    ("iso", "median", "2026-01-13"),
    ("german", "maximum", "2026-02-28"),
    ("american", "maximum", "2026-02-28"),
    ("named", "minimum", "2026-02-01"),
    ("stamped", "minimum", "2026-02-01T07:00:00"),
    ("mostly", "minimum", 1),
    ("whole", "completeness", 1.0),
    ("blank", "completeness", 0.0),
    ("words", "maximum_length", 7),
]


@pytest.mark.parametrize(("name", "fact", "value"), FACTS)
def test_facts_are_those_of_the_values_that_were_read(found: ProfileDocument, name: str, fact: str, value: Any) -> None:
    assert column(found, name).facts[fact] == value


@pytest.mark.parametrize("name", ["code", "either", "words", "no_day", "truth"])
def test_of_codes_and_of_dates_that_may_be_others_no_value_is_told(found: ProfileDocument, name: str) -> None:
    assert "minimum" not in column(found, name).facts


def test_values_of_few_are_counted_whatever_the_type(found: ProfileDocument) -> None:
    assert [(each.value, each.count) for each in column(found, "typed").values] == [("0", 20), ("1", 20), ("2", 20)]


def test_notes_say_what_is_odd(found: ProfileDocument) -> None:
    assert column(found, "code").notes == ("60 values start with a zero: they are treated as codes, not as numbers",)
    assert column(found, "blank").notes == ("no row has a value",)
    assert "dd/MM/yyyy and MM/dd/yyyy equally well" in column(found, "either").notes[0]


def test_portions_of_columns_and_of_partitions_tell_the_same(
    spark: Any, table: str, found: ProfileDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(profiles, "AGGREGATES", 60)
    monkeypatch.setattr(profiles, "PARTITIONS", 4)
    heard: list[str] = []
    parted = told(spark, asked(table), heard)
    assert parted.partitions == found.partitions == tuple(f"day={at}" for at in range(6))
    assert parted.columns == found.columns
    assert heard[:2] == [f"first scan, column group 1 of 5, partitions {part} of 6" for part in ("1 to 4", "5 to 6")]


def test_progress_is_told_scan_by_scan(spark: Any, table: str) -> None:
    heard: list[str] = []
    told(spark, asked(table, columns=("whole",)), heard)
    assert heard == ["first scan", "second scan"]


def test_one_scan_is_enough_where_the_first_leaves_nothing_open(spark: Any, tmp_path: Path) -> None:
    spark.range(1000).write.parquet(str(tmp_path / "t"))
    heard: list[str] = []
    assert told(spark, ProfileRequest(source=TableSource(str(tmp_path / "t")), object="t"), heard).rows == 1000
    assert heard == ["first scan"]


def test_first_rows_that_mislead_cost_a_reading_and_nothing_else(spark: Any, tmp_path: Path) -> None:
    late = "if(id < 1000, concat('n', id), string(id))"
    rows = spark.range(20_000).selectExpr(f"{late} as late", "concat('w', id % 5) as word")
    rows.coalesce(1).write.parquet(str(tmp_path / "t"))
    heard: list[str] = []
    found = told(spark, ProfileRequest(source=TableSource(str(tmp_path / "t")), object="t"), heard)
    assert heard == ["first scan", "first scan, text types", "second scan"]
    reads, facts = column(found, "late").reads_as, column(found, "late").facts
    assert reads
    assert (reads.kind, reads.share, facts["minimum"]) == ("integer", 0.95, 1000)
    assert column(found, "word").reads_as is None


def test_what_too_many_masks_leave_open_is_counted_by_a_third_scan(spark: Any, tmp_path: Path) -> None:
    shapes = (
        "repeat('a', int(id % 15)) || '-' || repeat('A', int(id div 15 % 15)) || '-' || repeat('0', int(id div 225))"
    )
    rows = spark.range(3375).selectExpr(f"{shapes} as shape", "concat('w', id) as word")
    rows.coalesce(1).write.parquet(str(tmp_path / "t"))
    heard: list[str] = []
    request = ProfileRequest(source=TableSource(str(tmp_path / "t")), object="t")
    found = profiles.history(profiles.opened(spark, request), request, heard.append)
    assert heard == ["first scan", "second scan", "third scan"]
    shape, word = found.columns
    told = {name: shape.metric_value(measured, found.whole) for name, measured in shape.traits.items()}
    assert told == {"trimmed": 1, "lower_case": 225 / 3375, "upper_case": 225 / 3375, "digits": 3150 / 3375}
    assert (word.traits, word.mask_counts(found.whole)[1]) == ({}, 0)


def test_a_sample_says_that_it_is_one(spark: Any, tmp_path: Path) -> None:
    spark.range(20_000).write.parquet(str(tmp_path / "t"))
    found = told(spark, ProfileRequest(source=TableSource(str(tmp_path / "t")), object="t", sample=2000))
    assert (found.sampled, 1700 <= found.rows <= 2300) == (0.1, True)
    assert found.notes[0].startswith("about 10.0 % of the rows were read")
    whole = told(spark, ProfileRequest(source=TableSource(str(tmp_path / "t")), object="t", sample=30_000))
    assert (whole.sampled, whole.rows, whole.notes) == (1.0, 20_000, ())


ODD: dict[str, Sequence[tuple[Any, ...]]] = {
    "empty": [],
    "one row": [(1, 1.0, "a", None)],
    "nulls": [(None, None, None, None)] * 40,
    "not numbers": [(1, float("nan"), "NaN", None), (2, float("inf"), "inf", None)] * 20,
}


@pytest.mark.parametrize("case", ODD)
def test_odd_tables_are_profiled(spark: Any, tmp_path: Path, case: str) -> None:
    frame = spark.createDataFrame(list(ODD[case]), "a bigint, b double, c string, d array<int>")
    frame.coalesce(1).write.parquet(str(tmp_path / "t"))
    found = told(spark, ProfileRequest(source=TableSource(str(tmp_path / "t")), object="t"))
    assert found.rows == len(ODD[case])
    assert [each.name for each in found.columns] == ["a", "b", "c", "d"]
    assert all("completeness" in each.facts for each in found.columns)


def test_an_unknown_column_is_named_with_the_nearest(spark: Any, table: str) -> None:
    with pytest.raises(EngineError, match=r"no column wohle .*whole"):
        told(spark, asked(table, columns=("wohle",)))
