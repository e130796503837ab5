"""Patterns and Spark: the same texts match, and what is learned from is a bounded sample."""

from pathlib import Path
from typing import Any

import pytest

from engine.analyzers.patterns import matches
from engine.patterns.language import parse
from engine.requests import Source, TextsRequest
from engine.spark.patterns import texts

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
    found = texts(spark, TextsRequest(Source(path), (), rows))
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
    assert texts(spark, TextsRequest(Source(path), ("other", "number"))) == {"other": ("b",)}
