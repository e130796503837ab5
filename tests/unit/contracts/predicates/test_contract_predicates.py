from collections.abc import Collection
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.every import every
from support.predicate_texts import BENIGN, COLUMNS, HOSTILE, SCHEMA

from treaty.contracts.limits.safe_regex import UnsafeRegex, inspect_regex
from treaty.contracts.predicates.parser import PredicateError, literal, parse, quote, quote_path


def reads_as_itself(text: str, columns: Collection[str] | None = None) -> None:
    """What is written is a predicate itself and is written the same; what guards a part is guarded again."""
    predicate = parse(text, columns)
    if not any(guard in predicate.sql for guard in ("CASE WHEN", "INTERVAL '0' SECOND", "try_add(add_months")):
        again = parse(predicate.sql, columns)
        assert (again.sql, again.columns) == (predicate.sql, predicate.columns)


def said(entry: dict[str, Any]) -> str:
    return str(entry["text"])[:60]


@every("entry", BENIGN, ids=said)
def test_a_benign_predicate_is_admitted_and_written_so_that_it_reads_as_itself(entry):
    reads_as_itself(entry["text"], COLUMNS)
    parse(entry["text"], schema=SCHEMA)


@every("entry", HOSTILE, ids=said)
def test_a_hostile_predicate_is_refused_with_its_codes(entry):
    with pytest.raises(PredicateError) as error:
        parse(entry["text"], COLUMNS)
    assert {fault.code for fault in error.value.faults} == set(entry["codes"])
    assert all(fault.message for fault in error.value.faults)


@every("entry", HOSTILE, ids=said)
def test_a_hostile_predicate_is_refused_where_the_types_are_known(entry):
    with pytest.raises(PredicateError):
        parse(entry["text"], schema=SCHEMA)


def test_the_corpora_are_large_and_say_nothing_twice():
    for corpus in (BENIGN, HOSTILE):
        texts = [entry["text"] for entry in corpus]
        assert len(texts) == len(set(texts)) >= 200
        assert sum(entry.get("held_out", False) for entry in corpus) >= 50


WRITTEN = {
    "amount/quantity > 2": "try_divide(`amount`, `quantity`) > 2",
    "amount % 2 = 0": "try_mod(`amount`, 2) = 0",
    "amount + 1 > 2": "try_add(`amount`, 1) > 2",
    "cast(note as int) = 1": "TRY_CAST(`note` AS INT) = 1",
    "note::timestamp_ntz = created": "TRY_CAST(`note` AS TIMESTAMP_NTZ) = `created`",
    "to_date(note) = day": "TRY_CAST(`note` AS DATE) = `day`",
    "a.b = 1 and `c.d` = 2": "(`a`.`b` = 1) AND (`c.d` = 2)",
    "a or b and c": "`a` OR (`b` AND `c`)",
    "(a or b) or c": "(`a` OR `b`) OR `c`",
    "not a = b": "NOT (`a` = `b`)",
    "a is not null": "NOT (`a` IS NULL)",
    "regexp_like(a, 'x')": "CASE WHEN length(`a`) <= 1024 THEN `a` RLIKE 'x' END",
    'a = "it\'s"': "`a` = 'it\\'s'",
    "a = '$\\{b}'": "`a` = '$\\{b}'",
    "LENGTH(a) > 1": "length(`a`) > 1",
    "größe > 1": "`größe` > 1",
    "-a > -1": "try_subtract(0, `a`) > (-1)",
}


@pytest.mark.parametrize(("text", "sql"), WRITTEN.items())
def test_a_predicate_is_written_with_quoted_names_and_forms_that_give_null(text, sql):
    assert parse(text).sql == sql


def test_the_columns_are_named_in_order_of_first_use():
    assert parse("b > 0 and a.c = b and `x.y` = 1").columns == ("b", "a.c", "`x.y`")


def test_a_name_with_a_dot_is_one_column_where_the_table_has_it():
    assert parse("`ship.to` = 'x'", COLUMNS).columns == ("ship.to",)


def test_a_field_of_a_struct_that_nobody_described_is_admitted():
    assert parse("address.city = 'x'", ["address"]).columns == ("address.city",)


@pytest.mark.parametrize("name", ["current_user", "`CURRENT_DATE`", "_metadata.file_name", "session_user"])
def test_what_spark_takes_for_a_function_is_refused_without_columns_too(name):
    with pytest.raises(PredicateError):
        parse(f"{name} = 'x'")


def test_a_column_may_bear_the_name_of_a_function():
    assert parse("`user` = 'x'", ["user"]).sql == "`user` = 'x'"


def test_all_faults_are_said_at_once():
    with pytest.raises(PredicateError) as error:
        parse("amunt > 0 and rand() > 1 and status rlike '(a+)+'", COLUMNS)
    assert [fault.code for fault in error.value.faults] == ["predicate-column", "predicate-function", "predicate-regex"]
    assert error.value.faults[0].remedy == "did you mean 'amount'?"


def test_no_fault_holds_a_text_of_the_predicate():
    with pytest.raises(PredicateError) as error:
        parse("reflect('hunter2') = 'hunter2' and status like '%h%u%n%hunter2%' and status rlike '(hunter2+)+'")
    assert "hunter2" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "quoted"), [("a", "`a`"), ("a.b", "`a`.`b`"), ("`a.b`.c", "`a.b`.`c`"), ("`a``b`", "`a``b`")]
)
def test_a_path_is_quoted_part_by_part(name, quoted):
    assert quote_path(name) == quoted


def test_a_name_is_quoted_as_one_whatever_it_holds():
    assert quote("we`ird.name") == "`we``ird.name`"


NASTY = st.text(st.characters(exclude_categories=["Cs"])) | st.text("'\"\\${}\n\r\t\x00%_;-/*`\u202e\u2028")


@given(NASTY)
@example("${env:HOME}")
@example("\\'; DROP TABLE x; --")
@example("$\\{")
@example("\\u0041\\101\\n")
def test_a_literal_is_read_as_the_text_that_it_stands_for(text):
    predicate = parse(f"a = {literal(text)}")
    assert predicate.sql == f"`a` = {literal(text)}"


@given(st.text("ab`.'\\ é-;", min_size=1).filter(str.strip))
def test_a_quoted_name_is_read_as_itself(name):
    assert parse(f"{quote(name)} = 1", [name]).columns == (name,)


def admitted_or_refused(text: str) -> None:
    with suppress(PredicateError):
        reads_as_itself(text)


@given(st.text())
def test_any_text_is_admitted_or_refused(text):
    admitted_or_refused(text)


WORDS = """amount price a.b `c.d` 'x' "y" 1 2.5 -3 ( ) , = <> < >= <=> + - * / % || and or not is null true in between
like rlike case when then else end cast as int date interval day '1' upper ( coalesce ( if ( ; -- /* */ :: [ ] . x
select exists any distinct * ? : @ ! $ { } current_date""".split()  # noqa: SIM905


@given(st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join))
def test_any_words_of_sql_are_admitted_or_refused(text):
    admitted_or_refused(text)


ATOMS = st.sampled_from(["a", "b.c", "1", "2.5", "'x'", "true", "null", "`d.e`", "date '2026-01-01'"])
SHAPES = (
    "({} + {})", "({} / {})", "({} = {})", "({} and {})", "({} or {})", "coalesce({}, {})", "({} between 1 and {})",
    "({} in ({}, 3))", "(case when {} then {} end)", "(not {} is null) = {}", "(cast({} as int) > {})", "(- {} < {})",
)  # fmt: skip
TREES = st.recursive(
    ATOMS,
    lambda inner: st.tuples(st.sampled_from(SHAPES), inner, inner).map(lambda parts: parts[0].format(*parts[1:])),
    max_leaves=12,
)


@given(TREES)
def test_any_condition_is_written_so_that_it_reads_as_itself(text):
    admitted_or_refused(f"{text} is null")


ADMITTED_REGEXES = (
    "", "^$", "a|b", "^x+$", ".*", r"[\w.-]+", r"[]a]", r"[^]a]", r"\$\{", r"^\d{4}-\d{2}-\d{2}$", r"(ab|cd)+",
    r"^[a-z0-9]+(-[a-z0-9]+)*$", r"^\w+@\w+\.\w+$", r"^[^@\s]+@[^@\s]+\.[a-z]{2,10}$", r"^(new|paid|sent)$",
    r"^\+?\d{1,3}-?\d{3}-?\d{4}( x\d{1,5})?$", r"^(?:[0-9a-f]{8})-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$",
    r"^https?://[^/]+/.*$", r"^(\d{1,3}\.){3}\d{1,3}$", r"^[\w.]+@[\w]+(\.\w{2,8})+$", r"a+?b", r"\bword\b",
)  # fmt: skip
REFUSED_REGEXES = (
    r"(a+)+$", r"(a|a)*$", r"(a|aa)+$", r"\w*\w*\w*@", r"(.*a){8}", r".*a.*", r"(?=a)", r"(?<=a)b", r"(a)\1", r"(?i)a",
    r"a++", r"a{2,3}{4}", r"(a?){25}a{25}", "a?" * 30, r"\p{Lu}", r"[a&&b]", r"(a*)*", r"((a+)b?)+", r"(x+x+)+y",
    r"\d+\s*\d+", r"a{1001}", "(", ")", "[", "*a", r"\Qx", r"\k<a>", r"(?P<a>b)", r"(?#x)", "a" * 513, r"(\w+\d+)*",
    r"([a-z]+)*x", r"(a|b|ab)*c", r"a{,3}", "a\\", r"[\d-z]+\d+", r"[z-a]", "é+[^a]+x",
)  # fmt: skip


@pytest.mark.parametrize("pattern", ADMITTED_REGEXES)
def test_a_safe_regex_is_admitted(pattern):
    inspect_regex(pattern)


@every("pattern", REFUSED_REGEXES, ids=lambda pattern: pattern[:30])
def test_an_unsafe_regex_is_refused(pattern):
    with pytest.raises(UnsafeRegex):
        inspect_regex(pattern)


@given(st.text("ab.*+?()[]{}|^$\\d,12-é:&"))
def test_any_pattern_is_admitted_or_refused(pattern):
    with suppress(UnsafeRegex):
        inspect_regex(pattern)
