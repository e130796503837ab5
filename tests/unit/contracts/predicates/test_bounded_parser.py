"""Texts that are hard to parse: each is accepted or refused within the limits, whatever it is nested in."""

import logging
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
from sqlglot.errors import ParseError
from sqlglot.parsers.hive import HiveParser
from support.every import every

from bench.trust import sql_texts
from bench.trust.parsers import READERS, SEED, read
from treaty.contracts.errors import suggest_nearest
from treaty.contracts.limits import bounded_parser
from treaty.contracts.limits.bounded_parser import MAX_STEPS, MAX_TOKENS, ParserLimitExceeded
from treaty.contracts.predicates import parser
from treaty.contracts.predicates.parser import PredicateError, parse
from treaty.contracts.queries import parser as queries
from treaty.contracts.queries.rewriter import MAX_WRITTEN
from treaty.registry.lineage.events.sql_statements import writes

SHARE = 120


@pytest.fixture(autouse=True)
def deadline() -> Iterator[None]:
    """End a test that hangs, as parsing without limits would."""

    def expire(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, expire)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.search
@pytest.mark.parametrize("reader", READERS)
def test_generated_texts_are_accepted_or_refused(reader: str) -> None:
    for text in sql_texts.texts(SHARE, seed=SEED):
        read(READERS[reader], text)


@every("word", (*sql_texts.type_words(), *sql_texts.CALLS))
@pytest.mark.parametrize("brackets", ["()", "<>"])
def test_a_word_nested_thirty_times_ends_in_a_predicate_or_a_fault(word: str, brackets: str) -> None:
    nested = f"{word}{brackets[0]}" * 30 + "a" + brackets[1] * 30
    for reader in READERS.values():
        read(reader, nested)
        read(reader, f"insert into t partition (ds = {nested}) select 1")


@every("word", ("int", "struct", "date", "decimal", "timestamp_ntz"))
def test_nested_type_words_are_refused_as_too_deep(word: str) -> None:
    with pytest.raises(PredicateError) as error:
        parse(f"{word}(" * 30 + "a" + ")" * 30 + " > 1")
    assert [fault.code for fault in error.value.faults] == ["predicate-depth"]


def test_the_parser_takes_as_many_steps_as_allowed_and_no_more() -> None:
    text = "int(" * 30 + "a" + ")" * 30
    kind = bounded_parser._parser("spark", commands=False)
    instance = kind(dialect=bounded_parser._dialect("spark"))
    with pytest.raises(ParserLimitExceeded):
        instance.parse(bounded_parser.tokens_of(text), text)
    assert instance.steps == MAX_STEPS + 1


LONGEST = {
    "a list": "a in (" + ",".join("1" * 380) + ")",
    "conditions": " and ".join(["a > 1"] * 130),
    "type words": " and ".join(["year(date(ts)) > month(date(b))"] * 45),
    "cases": "case " + "when a = 1 then b " * 80 + "end is not null",
}


@every("text", LONGEST.values(), ids=list(LONGEST))
def test_a_predicate_of_nearly_four_hundred_parts_is_within_the_limits(text: str) -> None:
    assert len(bounded_parser.tokens_of(text)) < MAX_TOKENS
    assert parse(text).columns


ENDLESS = (
    "from x insert into t",
    "from x insert overwrite t select 1 insert into u",
    "(from x insert)",
    "with a as (from x insert) b",
)


@every("text", ENDLESS)
def test_a_loop_that_never_advances_is_ended(text: str) -> None:
    for reader in READERS.values():
        read(reader, text)
        read(reader, f"{text}, partition (ds = '1')")


def test_a_loop_of_the_parser_ends_at_the_limit_without_the_exception_for_insert() -> None:
    kind = bounded_parser._parser("spark", commands=False)
    endless = type("Endless", (kind,), {"STATEMENT_PARSERS": {}})(dialect=bounded_parser._dialect("spark"))
    with pytest.raises(ParserLimitExceeded):
        endless.parse(bounded_parser.tokens_of(ENDLESS[0]), ENDLESS[0])


COPYING = {
    "calls of a call": "date[null].f(1e9) :: " * 190,
    "calls after an arrow": "int(null) -> f[1e9]." * 190,
    "calls of a condition": "(" + " and ".join(f"a{at} = {at}" for at in range(200)) + ")" + ".f(1)" * 150,
    "casts of a cast": "x" + "::int" * 600,
}


@every("text", COPYING.values(), ids=list(COPYING))
def test_each_copy_of_an_operand_counts_as_many_steps_as_it_has_nodes(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded_parser, "MAX_CPU_SECONDS", float("inf"))
    with pytest.raises(ParserLimitExceeded):
        bounded_parser.statements(bounded_parser.tokens_of(text), text)


TYPES = ("varchar(10)", "char", "array<char(3)>", "struct<a: varchar(3), b: array<char(2)>>", "varchar(10)[]", "int")


@every("kind", TYPES)
@pytest.mark.parametrize(
    "form", ["cast(a as {}) = b", "a :: {} = b", "create table t (a {})", "{} 'x' = b", "struct<a {}>(1).a = 1"]
)
@pytest.mark.parametrize("dialect", ["spark", "hive", "databricks"])
def test_types_are_read_as_the_library_reads_them(kind: str, form: str, dialect: str) -> None:
    text = form.format(kind)
    tokens = bounded_parser.tokens_of(text, dialect)
    bounded = bounded_parser._parser(dialect, commands=True)
    as_library = type("AsLibrary", (bounded,), {"_parse_types": HiveParser._parse_types})
    bound, library = (each(dialect=bounded_parser._dialect(dialect)) for each in (bounded, as_library))
    assert trees(bound, tokens, text) == trees(library, tokens, text)


def trees(reader: Any, tokens: list[Any], text: str) -> list[str]:
    """Return the statements of a text; one that cannot be read is none."""
    with suppress(ParseError):
        return [repr(each) for each in reader.parse(tokens, text)]
    return []


def test_a_text_of_many_tokens_is_refused_before_it_is_parsed() -> None:
    with pytest.raises(PredicateError, match="more than 2000 words and signs"):
        parse("a>1" + "+1" * (MAX_TOKENS // 2))


def nested_query(levels: int, calls: int) -> str:
    """Return a query of subqueries within calls whose error conditions mention them several times."""
    value = "a"
    for _ in range(levels):
        value = f"(select max({'abs(' * calls}{value}{')' * calls}) from {{object}})"
    return f"select max(a) + {'abs(' * calls}{value}{')' * calls} from {{object}}"


def test_a_query_that_expands_is_refused_before_it_is_written() -> None:
    assert len(queries.parse(nested_query(1, 2)).sql) < MAX_WRITTEN
    for calls in (3, 4, 5):
        with pytest.raises(queries.QueryError, match="query-size"):
            queries.parse(nested_query(2, calls))


@every("seed", range(200))
def test_no_query_is_written_longer_than_allowed(seed: int) -> None:
    for text in (sql_texts.expansion(sql_texts.Random(seed)), nested_query(seed % 3, seed % 5)):
        with suppress(queries.QueryError):
            assert len(queries.parse(text).sql) < 2 * MAX_WRITTEN


def test_a_long_query_is_refused_before_its_placeholders_are_replaced() -> None:
    for text, column in (("select 1 " + "own table  " * 100_000, "a"), ("select max({column})" * 100, "a" * 100_000)):
        with pytest.raises(queries.QueryError, match="query-length"):
            queries.parse(text, column=column)


def test_threads_that_parse_at_once_do_not_mix_up_their_texts() -> None:
    def mixed_up(thread: int) -> list[str]:
        texts = [f"a{thread}_{at} = {at} and (b{thread} > 1 or c{thread} in (1, {at}))" for at in range(150)]
        columns = [(f"a{thread}_{at}", f"b{thread}", f"c{thread}") for at in range(150)]
        return [text for text, expected in zip(texts, columns, strict=True) if parse(text).columns != expected]

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(6) as threads:
            assert [text for texts in threads.map(mixed_up, range(6)) for text in texts] == []
    finally:
        sys.setswitchinterval(interval)


def test_trees_of_long_texts_are_not_cached() -> None:
    short, long = "a > 1", "a > 1" + " and a > 1" * 60
    assert parser.tree_of(short) is parser.tree_of(short)
    assert parser.tree_of(long) is not parser.tree_of(long)


MALFORMED = (
    "select map(1, 'x', 2), partition (1)", "select a -> '$[secret', partition (1)", "grant secret on partition (a)",
    "insert into t partition (ds = json_extract(a, '$[secret'))", "call secret(partition (1))",
)  # fmt: skip


@every("query", MALFORMED)
def test_a_malformed_statement_names_no_partition_and_is_not_logged(query: str) -> None:
    records: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: records.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger("sqlglot").addHandler(handler)
    try:
        assert all(each["partition"] is None for dialect in ("spark", "hive") for each in writes(query, dialect))
    finally:
        logging.getLogger("sqlglot").removeHandler(handler)
    assert records == []


def test_no_name_is_suggested_for_one_that_is_too_long_to_compare() -> None:
    assert suggest_nearest("amonut", ["amount"]) == "did you mean 'amount'?"
    assert suggest_nearest("amonut" * 40_000, ["amount" * 40_000]) == ""
    assert suggest_nearest("amonut", ["amount" * 40_000, "amount"]) == "did you mean 'amount'?"
