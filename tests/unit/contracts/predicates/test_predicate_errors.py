"""Which rows of a predicate err, said in SQL: written by hand for what matters, by law for the rest."""

from contextlib import suppress
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.predicate_fuzz import SCHEMA as KINDS
from support.predicate_fuzz import random_cases, random_tree

from treaty.contracts.predicates.parser import PredicateError, parse
from treaty.contracts.predicates.types import IncomparableTypes, comparison_type, element, group, widens
from treaty.contracts.schema import Column, Schema

TYPES = {
    "n": "int", "big": "bigint", "x": "double", "d": "decimal(10,2)", "s": "string", "yes": "boolean", "day": "date",
    "ts": "timestamp", "items": "array<int>", "words": "array<string>", "m": "map<string,int>", "a": "struct<b:string>",
    "`odd.one`": "struct<c:int>", "raw": "binary", "span": "interval day to second",
}  # fmt: skip
SCHEMA = Schema(tuple(Column(name.strip("`"), kind) for name, kind in TYPES.items()))

ERRS = {
    "n > 0": None,
    "n + 1 > 0": "(`n` IS NOT NULL AND (try_add(`n`, 1) > 0) IS NULL)",
    "x + 1 > 0": None,
    "x / n > 0": "(`n` IS NOT NULL AND `x` IS NOT NULL AND (try_divide(`x`, `n`) > 0) IS NULL)",
    "s = 5": "(`s` IS NOT NULL AND (TRY_CAST(`s` AS BIGINT) = 5) IS NULL)",
    "s > 1.5": "(`s` IS NOT NULL AND (TRY_CAST(`s` AS DOUBLE) > 1.5) IS NULL)",
    "a.b = 5": "(`a`.`b` IS NOT NULL AND (TRY_CAST(`a`.`b` AS BIGINT) = 5) IS NULL)",
    "`odd.one`.c = '5'": None,
    "n = 'five'": "(`n` IS NOT NULL AND (`n` = TRY_CAST('five' AS BIGINT)) IS NULL)",
    "day > '2026-01-01'": None,
    "ts > '2026-01-01 00:00:00'": None,
    "yes = 'true'": None,
    "s = 'text'": None,
    "CAST(n AS BIGINT) > 1": None,
    "CAST(n AS STRING) > '1'": None,
    "CAST(big AS INT) > 1": "(`big` IS NOT NULL AND (TRY_CAST(`big` AS INT) > 1) IS NULL)",
    "TRY_CAST(s AS INT) IS NULL": None,
    "try_divide(x, n) > 1": None,
    "length(s) > 1": None,
    "yes OR s = 5": "((`yes` OR (TRY_CAST(`s` AS BIGINT) = 5)) IS NULL AND"
    " ((`s` IS NOT NULL AND (TRY_CAST(`s` AS BIGINT) = 5) IS NULL)))",
}


@pytest.mark.parametrize(("text", "errs"), ERRS.items())
def test_the_rows_that_err_are_said_in_sql(text, errs):
    assert parse(text, schema=SCHEMA).errs == errs


WRITTEN = {
    "s = 5": "TRY_CAST(`s` AS BIGINT) = 5",
    "s IN (1, '2')": "TRY_CAST(`s` AS BIGINT) IN (1, TRY_CAST('2' AS BIGINT))",
    "s = x": "TRY_CAST(`s` AS DOUBLE) = `x`",
    "s = day": "TRY_CAST(`s` AS DATE) = `day`",
    "s = ts": "TRY_CAST(`s` AS TIMESTAMP) = `ts`",
    "day = ts": "TRY_CAST(`day` AS TIMESTAMP) = `ts`",
    "s = yes": "TRY_CAST(`s` AS BOOLEAN) = `yes`",
    "yes IS TRUE": "`yes` IS TRUE",
    "s IS TRUE": "CASE WHEN (`s` IS NOT NULL AND TRY_CAST(`s` AS BOOLEAN) IS NULL) THEN NULL"
    " ELSE TRY_CAST(`s` AS BOOLEAN) IS TRUE END",
    "s + 1 = 2": "try_add(TRY_CAST(`s` AS BIGINT), 1) = 2",
    "s = raw": "`s` = `raw`",
    "length(n) = 1": "length(`n`) = 1",
    "year(s) = 2026": "year(TRY_CAST(`s` AS DATE)) = 2026",
    "hour(s) = 1": "hour(TRY_CAST(`s` AS TIMESTAMP)) = 1",
    "left(s, big) = 'x'": "left(`s`, TRY_CAST(`big` AS INT)) = 'x'",
    "day + 1 > day": "try_add(`day`, 1) > `day`",
    "ts - ts > span": "try_subtract(`ts`, `ts`) > `span`",
    "m.k = 1": "`m`.`k` = 1",
    "m['k'] = '1'": "try_element_at(`m`, 'k') = TRY_CAST('1' AS BIGINT)",
    "items[0] = '1'": "get(`items`, 0) = TRY_CAST('1' AS BIGINT)",
    "s LIKE '%a'": "`s` LIKE '%a'",
    "s LIKE 'a%b'": "CASE WHEN length(`s`) <= 1024 THEN `s` LIKE 'a%b' END",
    "try_to_date(s) IS NULL": "TRY_CAST(`s` AS DATE) IS NULL",
}


@pytest.mark.parametrize(("text", "sql"), WRITTEN.items())
def test_what_spark_would_read_as_something_else_is_written_so_that_it_cannot_end_the_scan(text, sql):
    assert parse(text, schema=SCHEMA).sql == sql


NEVER = {
    "items = 1": "compares an array with a number",
    "items[0] = day": "compares a number with a date or timestamp",
    "n = yes": "compares a number with a condition",
    "m = m": "compares a map",
    "span = s": "compares an interval with a text",
    "n IN (1, day)": "compares a number with a date or timestamp",
    "n BETWEEN 1 AND yes": "compares a number with a condition",
    "coalesce(n, day) = n": "compares a number with a date or timestamp",
    "CASE WHEN yes THEN n ELSE day END = n": "compares a number with a date or timestamp",
    "s + s = 1": "uses arithmetic on a text and a text",
    "day + day = day": "uses arithmetic on a date or timestamp and a date or timestamp",
    "day + x > day": "uses arithmetic on a date or timestamp and a number",
    "yes + 1 = 1": "uses arithmetic on a condition and a number",
    "INTERVAL '1' DAY + INTERVAL '1' MONTH = span": "uses arithmetic on an interval and an interval",
    "-day = day": "uses arithmetic on a date or timestamp",
    "year(n) = 1": "passes a number to a function that does not accept it",
    "upper(items) = 'x'": "passes an array to a function that does not accept it",
    "array_contains(items, s)": "compares a number with a text",
    "size(s) = 1": "passes a text to a function that does not accept it",
    "abs(yes) = 1": "passes a condition to a function that does not accept it",
    "items LIKE 'x'": "matches a value that is not text",
    "CAST(items AS INT) = 1": "casts an array, struct or map",
    "n[0] = 1": "takes an element of a value that is neither an array nor a map",
    "a.c = 'x'": "reads 'a.c', which is not a column",
    "n.b = 1": "reads 'n.b', which is not a column",
    "n": "has a value instead of a condition",
    "s AND yes": "has a value instead of a condition",
    "if(n, 1, 2) = 1": "has a value instead of a condition",
}


@pytest.mark.parametrize(("text", "message"), NEVER.items())
def test_what_can_never_work_is_refused_with_the_reason(text, message):
    with pytest.raises(PredicateError) as error:
        parse(text, schema=SCHEMA)
    assert [fault.message for fault in error.value.faults] == [message]


def test_what_would_be_written_too_long_is_refused():
    text = "s"
    for _ in range(15):
        text = f"CAST(coalesce({text}, '1') AS INT)"
    with pytest.raises(PredicateError) as error:
        parse(f"{text} = 1", schema=SCHEMA)
    assert {fault.code for fault in error.value.faults} == {"predicate-size"}


@given(st.integers(0, 2**32))
def test_any_predicate_is_written_once_for_all(seed):
    """The same text gives the same predicate; what is written is balanced and holds no form that could raise."""
    (case,) = random_cases(Random(seed), 1)
    assert parse(case.text, schema=KINDS) == case.predicate
    for sql in filter(None, (case.predicate.sql, case.predicate.errs)):
        assert sql.count("(") - sql.count(")") == case.text.count("(") - case.text.count(")") == 0
        assert not any(f" {sign} " in sql for sign in ("+", "*", "/", "%"))
        assert "CAST(" not in sql.replace("TRY_CAST(", "")


@given(st.integers(0, 2**32))
def test_any_tree_is_admitted_or_refused_where_the_types_are_known(seed):
    with suppress(PredicateError):
        parse(random_tree(Random(seed), depth=6).text(), schema=KINDS)


UNSTORABLE = {
    "cast(n as decimal(99,99)) > 1": "predicate-type",
    "n::decimal(38,39) > 1": "predicate-type",
    "try_cast(s as decimal(39)) > 1": "predicate-type",
    "cast(n as decimal(0)) > 1": "predicate-type",
    f"n > {'9' * 39}": "predicate-number",
    f"n > 0.{'0' * 38}1": "predicate-number",
    f"n in (1, {'1' * 20}.{'1' * 20})": "predicate-number",
    "x > 1e999": "predicate-number",
    "x between 0 and 1.8e308": "predicate-number",
}


@pytest.mark.parametrize(("text", "code"), UNSTORABLE.items())
def test_a_literal_or_type_that_spark_cannot_store_is_a_fault(text, code):
    with pytest.raises(PredicateError) as error:
        parse(text, schema=SCHEMA)
    assert [fault.code for fault in error.value.faults] == [code]


@pytest.mark.parametrize(
    "text", ["cast(n as decimal(38,38)) > 1", f"n > {'9' * 38}", f"n > 0.{'0' * 37}1", "x > 1e308", f"n > {'0' * 60}7"]
)
def test_the_largest_literals_and_types_are_accepted(text):
    assert parse(text, schema=SCHEMA).columns


MEETING = [
    (["int", "bigint"], "bigint"),
    (["int", "double"], "double"),
    (["int", "decimal(10,2)"], "decimal"),
    (["string", "int"], "bigint"),
    (["string", "tinyint", "float"], "double"),
    (["string", "decimal(10,2)"], "double"),
    (["string", "varchar(3)"], "string"),
    (["date", "timestamp"], "timestamp"),
    (["string", "date"], "date"),
    (["timestamp_ntz", "date"], "timestamp_ntz"),
    (["timestamp", "timestamp_ntz"], "timestamp"),
    (["string", "boolean"], "boolean"),
    (["any", "value"], "any"),
    (["any", "int"], "int"),
    ([], "any"),
]


@pytest.mark.parametrize(("types", "met"), MEETING)
def test_values_that_meet_take_one_type(types, met):
    assert comparison_type(types) == met
    assert comparison_type(types[::-1]) == met


@pytest.mark.parametrize(
    "pair", [("int", "date"), ("array<int>", "int"), ("string", "map<int,int>"), ("int", "boolean")]
)
def test_values_that_never_meet_are_named(pair):
    with pytest.raises(IncomparableTypes):
        comparison_type(pair)


def test_types_are_told_apart_by_their_first_word():
    assert group("interval day to second") == "interval"
    assert group("decimal(38,0)") == "number"
    assert group("variant") is None
    assert element("map<struct<a:int,b:int>,array<string>>") == "array<string>"
    assert element("array<struct<a:int>>") == "struct<a:int>"
    assert element("int") == "any"
    assert widens("int", "bigint")
    assert not widens("bigint", "int")
    assert widens("date", "string")
    assert not widens("decimal(10,2)", "decimal(5,2)")
