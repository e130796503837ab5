"""What people write, on a table of good rows, bad ones and nulls: every admitted predicate gives what Spark gives."""

from typing import Any

import pytest
from support.every import every
from support.predicate_corpus.counts import VIOLATIONS
from support.predicate_corpus.families import FAMILIES, admitted
from support.predicate_corpus.table import ROWS, SCHEMA, TYPES
from support.predicate_fuzz import TRUTH, asked
from support.predicate_texts import ddl

from treaty.contracts.predicates.parser import parse

# For a few rows compiling takes longer than interpreting.
INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
ANSI = "spark.sql.ansi.enabled"


@pytest.fixture(scope="module")
def table(spark: Any) -> Any:
    for name, value in INTERPRETED.items():
        spark.conf.set(name, value)
    yield spark.createDataFrame(ROWS, ddl(TYPES)).coalesce(1)
    for name in (*INTERPRETED, ANSI):
        spark.conf.unset(name)


def ours(spark: Any, table: Any, texts: list[str], *, ansi: bool) -> list[list[tuple[Any, Any]]]:
    """Row by row the value of each predicate and whether it errs."""
    spark.conf.set(ANSI, str(ansi).lower())
    predicates = [parse(text, schema=SCHEMA) for text in texts]
    said = [sql for each in predicates for sql in (each.sql, each.errs or "FALSE")]
    return [list(zip(row[::2], row[1::2], strict=True)) for row in table.selectExpr(*said).collect()]


@every("family", FAMILIES)
def test_a_predicate_gives_what_spark_gives_and_errs_where_spark_ends(spark, table, family):
    texts = admitted(family)
    spark.conf.set(ANSI, "true")
    theirs = table.selectExpr(*map(asked, texts)).collect()
    wrong = [
        (text, number, answer, value)
        for number, (answers, values) in enumerate(zip(theirs, ours(spark, table, texts, ansi=True), strict=True))
        for text, answer, value in zip(texts, answers, values, strict=True)
        if value != ((None, True) if answer is None else (TRUTH[answer], False))
    ]
    assert wrong == []


@every("family", FAMILIES)
def test_no_predicate_depends_on_the_rules_of_the_session(spark, table, family):
    texts = admitted(family)
    with_ansi, without = (ours(spark, table, texts, ansi=ansi) for ansi in (True, False))
    assert [
        (text, number)
        for number, rows in enumerate(zip(with_ansi, without, strict=True))
        for text, first, second in zip(texts, *rows, strict=True)
        if first != second
    ] == []


def test_as_many_rows_violate_as_were_counted_by_hand(spark, table):
    found = ours(spark, table, list(VIOLATIONS), ansi=True)
    counted = {text: sum(row[at][0] is False for row in found) for at, text in enumerate(VIOLATIONS)}
    assert counted == VIOLATIONS
