"""Patterns and Spark: the same texts match, and what is learned from is a bounded sample."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from treaty.engine.analyzers.named_formats import matches
from treaty.engine.patterns.lake_index import PatternLake
from treaty.engine.patterns.language.parser import parse
from treaty.engine.protocol.progress import no_progress
from treaty.engine.protocol.requests import DraftRequest, LakeRequest, LakeTable, TableSource, TextsRequest
from treaty.engine.spark.handlers.draft import draft
from treaty.engine.spark.profile.patterns import learn, texts

PATTERNS = [
    "<digit>{4}-<digit>{2}", "<num>", "<word>+", "<word>+ <word>+", "<hex>{2,4}|<upper>+", "(/<alphanum>+){1,3}",
    "[<letter><digit> .\\-\\[\\]^&]{1,8}", "a\\+b\\|c", "<any>*", "<lower>*\\\\", "<letter>+(-<letter>+)*", "'<digit>'",
]  # fmt: skip
VALUES = [
    "", " ", "2024-01", "2024-1", "-1.50", "1.", "Zürich", "مرحبا بالعالم", "東京 tower", "ab", "ABC", "/a/b2",
    "/a/b/c/d",
    "a.b[1]^&", "a+b|c", "x\\", "a-b-c", "a-", "line\n", "\nline", "\r", "\u0085", "\u2028", "😀 a", "'1'", "a'b", "\t",
]  # fmt: skip


def test_spark_matches_the_texts_that_the_pattern_does(spark: Any) -> None:
    frame = spark.createDataFrame([(at, value) for at, value in enumerate(VALUES)], "at int, text string")
    parsed = [parse(each) for each in PATTERNS]
    found = frame.selectExpr("at", *[f"{matches('text', each.regex)} as p{n}" for n, each in enumerate(parsed)])
    for row in found.orderBy("at").collect():
        told = [row[f"p{n}"] for n in range(len(parsed))]
        assert told == [each.matches(VALUES[row["at"]]) for each in parsed], VALUES[row["at"]]


@pytest.mark.parametrize("rows", [50, 5000])
def test_at_most_so_many_rows_are_drawn_from_the_whole_table(spark: Any, tmp_path: Path, rows: int) -> None:
    path = str(tmp_path / "table")
    long = "if(id % 2 = 0, null, repeat('x', 2000)) as `long one`"
    spark.range(1000).selectExpr("cast(id as string) as text", "id as number", long).write.parquet(path)
    found = texts(spark, TextsRequest(TableSource(path), (), rows))
    assert set(found) == {"text", "long one"}
    drawn = [int(each or 0) for each in found["text"]]
    assert len(drawn) == min(rows, 1000)
    assert min(drawn) < 300
    assert max(drawn) > 700
    assert {len(each) for each in found["long one"] if each is not None} == {1025}
    assert None in found["long one"]


def test_only_the_columns_that_are_asked_for_are_read(spark: Any, tmp_path: Path) -> None:
    path = str(tmp_path / "table")
    spark.sql("select 'a' as one, 'b' as other, 1 as number").write.parquet(path)
    assert texts(spark, TextsRequest(TableSource(path), ("other", "number"))) == {"other": ("b",)}


CODES = [f"{'ABCDEFGH'[at % 8]}{at % 7}-{at * 37 % 9000 + 1000}" for at in range(200)]


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """The index of a lake of tables with codes and with words."""
    words = ["red", "dark green", "blue", "Light yellow", "grey", "black"]
    tables = {f"t{at}": {"code": CODES[at:], "colour": words * 20} for at in range(8)}
    folder = tmp_path / "lake"
    PatternLake(folder).add(tables)
    return folder


def days(spark: Any, path: Path, *shares: float) -> DraftRequest:
    """Parts of a table by day, of whose codes such shares are written otherwise."""
    for day, share in enumerate(shares):
        bad = round(share * 100)
        rows = [("n/a" if at < bad else CODES[(at + day) % 200], f"{at % 9}x") for at in range(100)]
        spark.createDataFrame(rows, "code string, secret string").write.parquet(f"{path}/day=2026-01-0{day + 1}")
    return DraftRequest(source=TableSource(str(path), partition_by=("day",)), contract_id="t", object="t")


@pytest.mark.parametrize(("last", "kinds"), [(0.0, {"pattern", "pattern_drift"}), (0.9, set())])
def test_a_pattern_that_the_lake_knows_is_suggested_where_newer_days_keep_it(
    spark: Any, tmp_path: Path, lake: Path, last: float, kinds: set[str]
) -> None:
    request = days(spark, tmp_path / "t", 0, 0, 0, 0, last)
    found = draft(spark, replace(request, lake=str(lake))).suggestions
    told = [each for each in found if each["column"] == "code" and each["kind"].startswith("pattern")]
    assert {each["kind"] for each in told} == kinds
    for each in told:
        assert parse(each["evidence"]["details"]["pattern"]["pattern"]).matches("C3-4711")
        assert (each["evidence"]["learned_on"], each["evidence"]["judged_on"]) == (4, 1)
        assert each["evidence"]["catches"] > 0
        assert each["patch"]["quality"]["implementation"]["scope"] == "delta"


def test_other_options_are_compared_on_newer_days(spark: Any, tmp_path: Path, lake: Path) -> None:
    request = replace(days(spark, tmp_path / "t", 0, 0, 0, 0, 0.9), lake=str(lake), compare=True)
    choices = [each for each in draft(spark, request).choices if each["option"] == "method"]
    outcomes = {each["value"]: (each["checks"], each["evaluated"], each["alarmed_on"]) for each in choices}
    assert outcomes["treaty"] == (2, 1, ("day=2026-01-05",))
    assert outcomes["fmdv"] == (1, 1, ("day=2026-01-05",))
    assert {each["value"] for each in choices if each["chosen"]} == {"treaty"}
    assert all(0 < each["catches"] <= 1 for each in choices)
    assert not draft(spark, replace(request, compare=False)).choices


def test_nothing_is_learned_without_a_lake_and_of_classified_columns(spark: Any, tmp_path: Path, lake: Path) -> None:
    request = days(spark, tmp_path / "t", 0, 0, 0)
    told = """apiVersion: v3.1.0
kind: DataContract
id: t
version: 1.0.0
status: active
schema: [{name: t, properties: [{name: code, classification: restricted}, {name: secret, classification: pii}]}]
"""
    for each in (
        request,
        replace(request, lake=str(lake / "nowhere")),
        replace(request, lake=str(lake), in_force=told.encode()),
    ):
        assert not [one for one in draft(spark, each).suggestions if one["kind"].startswith("pattern")]


def test_a_lake_reads_what_changed_and_forgets_what_is_not_named(spark: Any, tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in ("one", "two")]
    for path in paths:
        spark.createDataFrame([(code, code) for code in CODES], "code string, secret string").write.parquet(path)
    folder = tmp_path / "lake"
    known = [
        LakeTable(name=path, location=path, format=None, columns=("code",), as_of="1")
        for path in (*paths, str(tmp_path / "gone"))
    ]

    def learned(*tables: LakeTable) -> dict[str, Any]:
        return dict(learn(spark, LakeRequest(str(folder), tables), no_progress))

    first = learned(*known)
    assert (first["tables"], first["read"], first["columns"]) == (2, 2, 2)
    assert first["unreadable"] == [known[2].name]
    assert learned(*known[:2]) == {**first, "read": 0, "unreadable": []}
    assert learned(known[0], replace(known[1], as_of="2"))["read"] == 1
    assert learned(known[0])["tables"] == 1
    assert learned() == {"tables": 0, "read": 0, "columns": 0, "patterns": 0, "unreadable": []}
    assert not list(folder.rglob("*secret*"))
