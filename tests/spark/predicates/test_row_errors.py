"""Rows on which a part of a predicate cannot be evaluated: the scan goes on, they are told apart, and none passes."""

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from support.every import every
from support.predicate_fuzz import (
    KINDS,
    TRUTH,
    UNDECIDED,
    Case,
    asked,
    judged,
    random_cases,
    random_rows,
)
from support.predicate_fuzz import SCHEMA as FUZZED
from support.predicate_texts import BENIGN, ROWS, TYPES, ddl
from support.predicate_texts import SCHEMA as ORDERS

from treaty.contracts.predicates import grammar
from treaty.contracts.predicates.parser import parse
from treaty.contracts.schema import Column, Schema

ORDERS_TRIED = 40
ANSI = "spark.sql.ansi.enabled"
# For a few rows compiling takes longer than interpreting.
INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
# What would evaluate an author's text otherwise than as it stands.
AS_WRITTEN = {
    **INTERPRETED,
    "spark.sql.subexpressionElimination.enabled": "false",
    "spark.sql.optimizer.excludedRules": ",".join(
        f"org.apache.spark.sql.catalyst.optimizer.{rule}"
        for rule in (
            "BooleanSimplification", "ConstantFolding", "LikeSimplification", "NullPropagation", "OptimizeIn",
            "PushFoldableIntoBranches", "ReorderAssociativeOperator", "SimplifyBinaryComparison", "SimplifyCasts",
            "SimplifyConditionals", "UnwrapCastInBinaryComparison",
        )
    ),
}  # fmt: skip


@contextmanager
def settings(spark: Any, changed: dict[str, str]) -> Iterator[None]:
    before = {name: spark.conf.get(name, None) for name in changed}
    for name, value in changed.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            spark.conf.unset(name) if value is None else spark.conf.set(name, value)


def frame(spark: Any, rows: list[tuple[Any, ...]], types: dict[str, str]) -> Any:
    return spark.createDataFrame(rows, ddl(types)).coalesce(1)


def author_says(spark: Any, table: Any, texts: list[str]) -> list[Any]:
    """Row by row and text by text what Spark makes of them under ANSI; see `asked`."""
    with settings(spark, {ANSI: "true", **AS_WRITTEN}):
        return list(table.selectExpr(*map(asked, texts)).collect())


def ours_says(spark: Any, table: Any, predicates: list[Any], *, ansi: str = "true") -> list[list[tuple[Any, Any]]]:
    """Row by row the value of each predicate and whether it errs."""
    said = [sql for each in predicates for sql in (each.sql, each.errs or "FALSE")]
    with settings(spark, {ANSI: ansi}):
        return [list(zip(row[::2], row[1::2], strict=True)) for row in table.selectExpr(*said).collect()]


WRONG_TYPES = {
    "n": "int", "big": "bigint", "tiny": "tinyint", "x": "double", "d": "decimal(38,0)", "s": "string", "t": "string",
    "yes": "string", "day": "date", "ts": "timestamp", "items": "array<int>", "long": "string", "months": "int",
}  # fmt: skip
WRONG_SCHEMA = Schema(tuple(Column(name, kind) for name, kind in WRONG_TYPES.items()))
GOOD, BAD, NULL = range(3)
WRONG_ROWS: list[tuple[Any, ...]] = [
    (
        2, 2, 2, 2.0, Decimal(2), "2", "2026-01-01", "true", date(2026, 1, 1), datetime(2026, 1, 1), [2, 2], "aa", 2
    ),
    (
        0, 2**63 - 1, -128, float("nan"), Decimal("9" * 38), "two", "2026-02-30", "perhaps", date(9999, 12, 31),
        datetime(9999, 12, 31), [], "a" * 1025, 2**31 - 1,
    ),
    (None,) * len(WRONG_TYPES),
]  # fmt: skip
# Each true on the good row, in error on the bad one, null on the null one.
ERRING = {
    "a text that is no number": "CAST(s AS INT) = 2",
    "a text beside a number": "s = 2",
    "a number beside a text": "2 >= s",
    "a text among numbers": "s IN (1, 2)",
    "a text between numbers": "s BETWEEN 1 AND 2.5",
    "a text that is no date": "to_date(t) = day",
    "a text beside a date": "t = day",
    "a text beside a timestamp": "ts >= t",
    "a text that is no timestamp": "CAST(t AS TIMESTAMP) = ts",
    "a text that is no truth": "CAST(yes AS BOOLEAN)",
    "a text beside a truth": "yes = true",
    "a text that is calculated with": "s + 1 = 3",
    "a text that a function takes for a number": "abs(s) = 2",
    "a text that a function takes for a date": "year(t) = 2026",
    "a division by zero": "10 / n = 5",
    "a remainder by zero": "10 % n = 0",
    "a sum beyond a long": "big + 1 = 3",
    "a difference beyond a long": "-3 - big < 0",
    "a product beyond a long": "big * 2 = 4",
    "a sum beyond a decimal": "d + d = 4",
    "the opposite of the least": "-tiny = -2",
    "the size of the least": "abs(tiny) = 2",
    "a number too wide for its cast": "CAST(big AS INT) = 2",
    "no number as a whole number": "CAST(x AS INT) = 2",
    "a decimal too long for its cast": "CAST(d AS DECIMAL(5, 0)) = 2",
    "a number too wide for a count of characters": "left(s, big) = '2'",
    "a number too wide for a count of days": "date_add(day, big) > day",
    "a month beyond all calendars": "add_months(day, months) > day",
    "a date too late for a timestamp": "ts < date_add(day, months)",
    "an index beyond an array": "items[1] = 2",
    "an element that is not there": "element_at(items, 1) = 2",
    "the element of index zero": "element_at(items, n) = 2",
    "a value too long for a regular expression": "long RLIKE '^a+$'",
    "a value too long for a pattern with a gap": "long LIKE '%a%a%'",
    "an error behind IS NULL": "CAST(s AS INT) IS NOT NULL AND n IS NOT NULL",
    "an error beside an undecided side": "n IS NULL OR CAST(s AS INT) = 2",
    "an error behind a comparison": "NOT (CAST(s AS INT) > 2)",
}
# What Spark does without an end, or refuses before it looks at a row.
OURS_ALONE = (
    "a value too long for a regular expression",
    "a value too long for a pattern with a gap",
    "a number too wide for a count of days",
)
# Each with what it gives on the three rows; 'errs' where it errs.
HIDDEN = {
    "coalesce(CAST(s AS INT), 2) = 2": (True, "errs", True),
    "CAST(s AS INT) IS NULL": (False, "errs", True),
    "s <=> 2": (True, "errs", False),
    "greatest(CAST(s AS INT), n) = 2": (True, "errs", None),
    "concat_ws('-', CAST(s AS INT), 'x') = '2-x'": (True, "errs", False),
    "nvl2(CAST(s AS INT), TRUE, FALSE)": (True, "errs", False),
    "nullif(CAST(s AS INT), 3) = 2": (True, "errs", None),
    "CASE WHEN CAST(s AS INT) = 2 THEN TRUE ELSE FALSE END": (True, "errs", False),
    "if(n = 0, CAST(s AS INT), 2) = 2": (True, "errs", True),
    "n = 0 OR 10 / n > 1": (True, True, None),
    "10 / n > 1 OR n = 0": (True, True, None),
    "NOT (n <> 0 AND 10 / n > 1)": (False, True, None),
    "n IN (0, CAST(s AS INT))": (True, True, None),
    "n IN (CAST(s AS INT), 0)": (True, True, None),
    "n BETWEEN 1 AND CAST(s AS INT)": (True, False, None),
    "CASE WHEN n = 0 THEN TRUE ELSE 10 / n > 1 END": (True, True, None),
    "if(n = 0, 0, 10 / n) >= 0": (True, True, None),
    "coalesce(n, CAST(s AS INT)) >= 0": (True, True, None),
    "TRY_CAST(s AS INT) IS NULL": (False, True, True),
    "try_divide(10, n) IS NULL": (False, True, True),
    "coalesce(try_add(big, 1), 0) = 0": (False, True, True),
    "try_to_timestamp(t) IS NULL": (False, True, True),
    "get(items, 5) IS NULL": (True, True, True),
    "try_divide(CAST(s AS INT), n) IS NULL": (False, "errs", True),
}


@pytest.fixture(scope="module")
def wrong(spark: Any) -> Any:
    return frame(spark, WRONG_ROWS, WRONG_TYPES)


@pytest.fixture(scope="module", params=["true", "false"], ids=["ansi", "not ansi"])
def answers(spark: Any, wrong: Any, request: pytest.FixtureRequest) -> dict[str, list[tuple[Any, Any]]]:
    texts = [*ERRING.values(), *HIDDEN]
    found = ours_says(spark, wrong, [parse(text, schema=WRONG_SCHEMA) for text in texts], ansi=request.param)
    return {text: [row[at] for row in found] for at, text in enumerate(texts)}


@every("kind", ERRING)
def test_a_row_that_cannot_be_evaluated_is_an_error_and_no_other_row_is(answers, kind):
    good, bad, null = answers[ERRING[kind]]
    assert (good, bad) == ((True, False), (None, True))
    assert null == (None, False) or "IS N" in ERRING[kind]


@every("text", HIDDEN)
def test_an_error_counts_where_no_other_part_decides(answers, text):
    expected = [(None, True) if each == "errs" else (each, False) for each in HIDDEN[text]]
    assert answers[text] == expected


def test_spark_itself_ends_at_each_of_these_rows(spark, wrong):
    kinds = [kind for kind in ERRING if kind not in OURS_ALONE]
    said = author_says(spark, wrong, [ERRING[kind] for kind in kinds])
    assert [kind for kind, answer in zip(kinds, said[BAD], strict=True) if answer is not None] == []
    assert [kind for kind, answer in zip(kinds, said[GOOD], strict=True) if answer is None] == []


def test_a_benign_predicate_says_what_its_author_wrote(spark):
    table = frame(spark, ROWS, TYPES)
    texts = [entry["text"] for entry in BENIGN]
    said = author_says(spark, table, texts)
    with settings(spark, INTERPRETED):
        ours = ours_says(spark, table, [parse(text, schema=ORDERS) for text in texts])
    wrongly = [
        (text, number, TRUTH[answer], value)
        for number, (answers, values) in enumerate(zip(said, ours, strict=True))
        for text, answer, value in zip(texts, answers, values, strict=True)
        if answer is not None and value != (TRUTH[answer], False)
    ]
    assert wrongly == []


# For each kind of argument the columns whose values go furthest; `far` is a date beyond all timestamps.
FURTHEST = {
    "any": "i s", "text": "s", "texts": "u", "number": "t l d w s", "int": "i l d s", "scale": "", "date": "p far s",
    "moment": "q far s", "timestamp": "q far u", "array": "a", "items": "a k",
}  # fmt: skip
OTHERWISE = {
    "abs": "t i l d w s", "if": "b,i,s", "nvl2": "s,i,s", "coalesce": "i,s", "nvl": "i,s", "ifnull": "p,s",
    "mod": "l,t w,d", "nullif": "l,s", "zeroifnull": "l", "nullifzero": "d", "nanvl": "d,s",
    "element_at": "a,i k,s a,l", "try_element_at": "a,i a,s k,s", "get": "a,i a,l", "array_contains": "a,i a,l",
    "date_trunc": "'week',q 'quarter',far 'hour',s", "add_months": "p,i far,l s,i",
    "months_between": "far,q q,n s,p", "try_add": "l,l far,i", "try_subtract": "l,t far,q",
    "try_multiply": "l,l w,w", "try_divide": "w,t i,i", "try_mod": "l,t w,d",
}  # fmt: skip


def furthest_calls() -> Iterator[str]:
    """Every function of the grammar on the values that go furthest: each kind of argument in each place."""
    for name, function in grammar.FUNCTIONS.items():
        kinds = [kind for kind in (*function.takes, *[function.takes[-1]] * 2) if kind != "scale"][: function.least]
        for at in range(max(len(FURTHEST[kind].split()) for kind in kinds)):
            columns = (FURTHEST[kind].split() for kind in kinds)
            yield f"{name}({', '.join(each[at % len(each)] for each in columns)}) IS NOT NULL"
    for name, calls in OTHERWISE.items():
        yield from (f"{name}({call}) IS NOT NULL" for call in calls.split())


def test_no_function_ends_the_scan_whatever_the_values(spark):
    calls = list(furthest_calls())
    assert {call.partition("(")[0] for call in calls} == {*grammar.FUNCTIONS, *grammar.WRITTEN_OTHERWISE}
    schema = Schema((*FUZZED.columns, Column("far", "date")))
    table = frame(spark, random_rows(Random(1), 60), KINDS).selectExpr("*", "date_add(p, 2147000000) AS far")
    with settings(spark, INTERPRETED):
        for ansi in ("true", "false"):
            found = ours_says(spark, table, [parse(call, schema=schema) for call in calls], ansi=ansi)
            wrong = {call for row in found for call, (value, errs) in zip(calls, row, strict=True)
                     if errs is None or (errs and value is not None)}  # fmt: skip
            assert wrong == set()


def disagreements(spark: Any, table: Any, cases: list[Case], random: Random) -> tuple[list[str], Counter[str]]:
    """What predicates do otherwise than they promise, and how often what happened."""
    said = author_says(spark, table, [case.text for case in cases])
    ours = ours_says(spark, table, [case.predicate for case in cases])
    found, counted = [], Counter[str]()
    for at, case in enumerate(cases):
        values = [(theirs[at], *row[at]) for theirs, row in zip(said, ours, strict=True)]
        verdicts = [judged(theirs, (), *value) for theirs, *value in values]
        if UNDECIDED in verdicts:
            others = author_says(spark, table, case.turned(random, ORDERS_TRIED))
            verdicts = [judged(theirs, other, *value) for (theirs, *value), other in zip(values, others, strict=True)]
        found += [f"{case.text}: {verdict}" for verdict in verdicts if verdict]
        counted.update(rows=len(values), ended=sum(theirs is None for theirs, *_ in values))
        counted.update(errs=sum(errs for *_, errs in values))
    return found, counted


def analysed(spark: Any, table: Any, cases: list[Case]) -> list[Case]:
    """Those that Spark takes as their author wrote them: some are refused for types that the grammar reads."""
    from pyspark.errors import AnalysisException

    def taken(case: Case) -> bool:
        try:
            _ = table.selectExpr(case.text).schema
        except AnalysisException:
            return False
        return True

    return [case for case in cases if taken(case)]


def test_random_predicates_err_exactly_where_spark_would_end(spark):
    """FUZZ_PREDICATES=4000 searches further, with fresh seeds."""
    wanted, seed = int(os.environ.get("FUZZ_PREDICATES", "30")), 7
    if "FUZZ_PREDICATES" in os.environ:
        seed = Random().randrange(2**32)
    random = Random(seed)
    counted = Counter[str]()
    while counted["cases"] < wanted:
        table = frame(spark, random_rows(random, 60), KINDS)
        cases = analysed(spark, table, random_cases(random, 40))
        found, more = disagreements(spark, table, cases, random)
        assert found == [], f"seed {seed}"
        counted.update({**more, "cases": len(cases)})
    print(f"seed {seed}: {dict(counted)}")
    assert counted["ended"] > counted["rows"] / 20
