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
from treaty.contracts.predicates.date_functions import FORMATTED_FUNCTIONS
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
    "a text in another format": "to_date(t, 'yyyy-MM-dd') = day",
    "a text that is no timestamp in its format": "to_timestamp(t, 'yyyy-MM-dd') = ts",
    "a text that is no second in its format": "unix_timestamp(t, 'yyyy-MM-dd') > 0",
    "a text that is no number in its format": "to_number(s, '9') = 2",
    "a whole quotient by zero": "10 div n = 5",
    "a positive remainder by zero": "pmod(10, n) = 0",
    "a date of no calendar": "make_date(2026, months, 1) > day",
    "a moment beyond all timestamps": "timestampadd(YEAR, months, ts) > ts",
    "seconds beyond all timestamps": "timestamp_seconds(big) < ts",
    "a number rounded beyond a long": "round(big, -1) = 0",
    "a double beyond a decimal": "CAST(big * 1e30 AS DECIMAL(38, 0)) > 1",
    "an element that is divided by zero": "exists(array(n, n), i -> 10 / i = 5)",
    "an element among numbers that is none": "array_max(array(n, s)) = 2",
    "a value too long for an extraction": "regexp_extract(long, '^(a)') = 'a'",
    "a value too long for a replacement by a pattern": "regexp_replace(long, 'a', 'b') = 'bb'",
    "a value too long for a split": "size(split(long, 'a')) = 3",
    "a value too long for an edit distance": "levenshtein(long, 'aa') = 0",
    "an error behind IS NULL": "CAST(s AS INT) IS NOT NULL AND n IS NOT NULL",
    "an error beside an undecided side": "n IS NULL OR CAST(s AS INT) = 2",
    "an error behind a comparison": "NOT (CAST(s AS INT) > 2)",
}
# What Spark does without an end, or refuses before it looks at a row.
OURS_ALONE = (
    "a value too long for a regular expression",
    "a value too long for a pattern with a gap",
    "a number too wide for a count of days",
    "a value too long for an extraction",
    "a value too long for a replacement by a pattern",
    "a value too long for a split",
    "a value too long for an edit distance",
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
    "decode(n, 2, 1, CAST(s AS INT)) = 1": (True, "errs", None),
    "try_to_date(t, 'yyyy-MM-dd') IS NULL": (False, True, True),
    "try_to_number(s, '9') IS NULL": (False, True, True),
    "exists(array(n, 2), i -> 10 / i = 5)": (True, True, True),
    "forall(array(n, 5), i -> 10 / i = 5)": (False, False, False),
    "size(filter(array(n), i -> 10 / i = 5)) = 1": (True, "errs", False),
    "transform(array(n), i -> 10 / i)[0] = 5": (True, "errs", None),
    "regexp_substr(long, 'a') IS NOT NULL": (True, "errs", False),
    "CAST(x AS DECIMAL(5, 0)) IS NULL": (False, True, True),
    "(n, s) IN ((2, '2'), (0, 'x'))": (True, False, False),
    "(n, CAST(s AS INT)) IN ((2, 2), (0, 5))": (True, "errs", False),
    "n LIKE ANY ('2', '%0%0%')": (True, False, None),
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
    "moment": "q far s", "timestamp": "q far u", "array": "a", "items": "a k", "scalar": "i s", "bytes": "s",
    "whole": "t i l", "map": "k", "constant": "'a' ''", "separator": "'-'", "path": "'$.x'", "count": "2 -1000",
    "position": "2 -3 1000", "size": "0 5 1000",
}  # fmt: skip
OTHERWISE = {
    "abs": "t i l d w s", "if": "b,i,s", "nvl2": "s,i,s", "coalesce": "i,s", "nvl": "i,s", "ifnull": "p,s",
    "mod": "l,t w,d", "nullif": "l,s", "zeroifnull": "l", "nullifzero": "d", "nanvl": "d,s",
    "size": "a k", "cardinality": "k",
    "element_at": "a,i k,s a,l", "try_element_at": "a,i a,s k,s", "get": "a,i a,l", "array_contains": "a,i a,l",
    "date_trunc": "'week',q 'quarter',far 'hour',s", "add_months": "p,i far,l s,i",
    "try_add": "l,l far,i", "try_subtract": "l,t far,q",
    "try_multiply": "l,l w,w", "try_divide": "w,t i,i", "try_mod": "l,t w,d",
    "ltrim": "s '1',u", "rtrim": "s '1',u", "btrim": "s u,'1'", "equal_null": "i,s w,d", "decode": "i,s,u,1,2",
    "positive": "l s", "negative": "l t s w", "floor": "t l d w s m,1 l,-18", "ceil": "l d s m,18 t,1",
    "ceiling": "w m,-3", "round": "d d,1 w,2 l,-18 t,-1 m,-2 d,-18 f,-1", "bround": "w d,18 i,-9 m,-2",
    "pmod": "l,t w,d i,i t,t s,l d,w", "div": "l,t l,l i,t s,l t,t", "getbit": "l,63 t,7", "pi": "|", "e": "|",
    "shiftleft": "t,i l,l i,s", "shiftright": "l,i", "shiftrightunsigned": "l,t i,i", "hex": "s l t", "sha2": "s,512",
    "levenshtein": "s,u i,s", "replace": "s,'1','22' s,'','x' u,'-'", "repeat": "s,100", "space": "1000",
    "regexp_extract": "s,'(.*)' i,'([0-9])',0", "regexp_extract_all": "s,'([0-9])',1", "split": "s,'' u,'-',2 u,'-',-9",
    "regexp_replace": "s,'','$0$0' u,'([0-9])','$1'", "regexp_count": "s,'' i,'1'", "regexp_substr": "s,'x' u,''",
    "regexp_instr": "s,''", "like": "s,'%1%2%' i,'1'", "ilike": "u,'A%'", "to_number": "s,'9,999.99' u,'S99'",
    "try_to_number": "s,'$0.00'", "datediff": "far,p DAY,p,q MONTH,far,s SECOND,q,n MILLISECOND,q,n",
    "date_diff": "p,far HOUR,n,q", "timestampdiff": "YEAR,far,q WEEK,p,s QUARTER,q,n", "date_sub": "far,l p,s",
    "date_add": "far,i p,l DAY,i,q YEAR,l,far", "dateadd": "p,i SECOND,l,q", "timestampadd": "MONTH,i,n HOUR,s,far",
    "date_part": "'YEAR',far 'SECOND',q 'HOUR',s 'DOY',far", "datepart": "'YEAROFWEEK',far 'DAYOFWEEK_ISO',p",
    "next_day": "far,'MON' s,'su'", "make_date": "i,t,t i,i,i l,s,1", "months_between": "far,q,true q,n s,p",
    "date_format": "q,'yyyy' far,'E' n,'D' s,'hh' p,'SSSSSS'", "from_unixtime": "l l,'yyyy' t i,'MMMM'",
    "unix_timestamp": "q far s n u,'yyyy-MM-dd' s,'yyyy'", "to_unix_timestamp": "p u,'uuuu' s,'SSSSSS'",
    "unix_seconds": "q far n s", "unix_millis": "q n p", "unix_micros": "q far", "timestamp_seconds": "l t i",
    "timestamp_millis": "l i", "timestamp_micros": "l", "array": "i,s w,d | s,u", "sort_array": "a a,false",
    "array_sort": "a", "map_contains_key": "k,s", "array_position": "a,i", "array_remove": "a,t", "array_append": "a,i",
    "array_prepend": "a,l", "arrays_overlap": "a,array(t,l)", "array_except": "a,a", "array_intersect": "a,array(t)",
    "array_union": "a,array(i)", "exists": "a,z->z/t>z", "forall": "a,z->z+l>z*i", "filter": "a,z->z%t=z",
    "transform": "a,z->z*z+i a,z->array(z)", "map_filter": "k,(y,v)->v/t>i",
}  # fmt: skip


def furthest_calls() -> Iterator[str]:
    """Every function of the grammar on the values that go furthest: each kind of argument in each place."""
    for name, function in grammar.FUNCTIONS.items():
        kinds = [kind for kind in (*function.takes, *[function.takes[-1]] * 2) if kind != "scale"][: function.least]
        for at in range(max(len(FURTHEST[kind].split()) for kind in kinds)):
            columns = (FURTHEST[kind].split() for kind in kinds)
            yield f"{name}({', '.join(each[at % len(each)] for each in columns)}) IS NOT NULL AND i IS NOT NULL"
    for name, calls in OTHERWISE.items():
        yield from (f"{name}({call.strip('|')}) IS NOT NULL AND i IS NOT NULL" for call in calls.split())
    for name in FORMATTED_FUNCTIONS:
        for column in ("u", "s", "p", "far", "q", "beyond"):
            yield from (
                f"{name}({column}, '{each}') IS NOT NULL" for each in ("yyyy-MM-dd", "yyyy", "uuuu", "MM/dd/yy")
            )


def test_no_function_ends_the_scan_whatever_the_values(spark):
    calls = list(furthest_calls())
    functions = {*grammar.FUNCTIONS, *grammar.WRITTEN_OTHERWISE, *FORMATTED_FUNCTIONS}
    assert {call.partition("(")[0] for call in calls} == functions
    schema = Schema((*FUZZED.columns, Column("far", "date"), Column("beyond", "string")))
    more = ("*", "date_add(p, 2147000000) AS far", "concat('+999999', l) AS beyond")
    table = frame(spark, random_rows(Random(1), 60), KINDS).selectExpr(*more)
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
