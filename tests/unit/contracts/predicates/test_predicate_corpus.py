"""What people write is admitted, up to one in a hundred; what is refused is refused with what to write instead."""

from collections import Counter

import pytest
from support.predicate_corpus.counts import VIOLATIONS
from support.predicate_corpus.families import FAMILIES, refusals
from support.predicate_corpus.table import SCHEMA

from treaty.contracts.predicates.parser import PredicateError, parse

TEXTS = [text for family in FAMILIES.values() for text in family]
VAGUE = {"", "see the reference of predicates for the allowed functions", "see the grammar of predicates"}


def test_the_corpus_is_large_and_says_nothing_twice():
    assert [text for text, times in Counter(TEXTS).items() if times > 1] == []
    assert len(TEXTS) >= 400
    assert set(VIOLATIONS) <= set(TEXTS)


def test_at_most_one_in_a_hundred_is_refused():
    refused = {text for family in FAMILIES for text in refusals(family)}
    assert len(refused) <= len(TEXTS) / 100, refused


def test_what_is_refused_is_refused_with_what_to_write_instead():
    faults = [fault for family in FAMILIES for error in refusals(family).values() for fault in error.faults]
    assert [fault.message for fault in faults if fault.remedy in VAGUE] == []


INSTEAD = {
    "order_date <= current_date()": "compare with a column",
    "created_at < now()": "compare with a column",
    "count(*) > 0": "SELECT count(*)",
    "(country, currency) = ('DE', 'EUR')": "one by one",
    "parse_url(website, 'HOST') = 'x'": "try_parse_url",
    "created_at = to_utc_timestamp(local_time, 'Europe/Berlin')": "add an interval",
    "array('a', 'b')[0] = country": "get(array(a, b), 0)",
    "is_gift = quantity IN (1)": "parentheses",
    "round(unit_price, quantity) = 1": "from -18 to 18",
    "regexp_extract(email, '@', 1) = ''": "in parentheses",
    "to_date(us_date, 'YYYY-MM-DD') = order_date": "yyyy-MM-dd",
    "exists(items, i -> exists(tags, t -> t = i.sku))": "exists(tags, t -> t <> '')",
    "forall(tags, t -> array_contains(scores, 1))": "arrays_overlap",
    "items[0].quantity > 0": "name a field",
    "split(email) IS NULL": "pass 2 to 3",
    "tags = scores": "compare values of one type",
    "lpad(postal_code, quantity, '0') = ''": "from 0 to 1000",
}


@pytest.mark.parametrize(("text", "remedy"), INSTEAD.items())
def test_a_refusal_names_what_to_write(text, remedy):
    with pytest.raises(PredicateError) as error:
        parse(text, schema=SCHEMA)
    assert any(remedy in fault.remedy for fault in error.value.faults)


WRITTEN = {
    "extract(YEAR FROM order_date) = 1": "extract(YEAR FROM `order_date`) = 1",
    "items[0].qty > 1": "get(`items`, 0).`qty` > 1",
    "array_max(items.qty) > 1": "array_max(`items`.`qty`) > 1",
    "to_date(us_date, 'MM/dd/yyyy') = order_date": "CAST(try_add(try_to_timestamp(`us_date`, 'MM/dd/yyyy'), "
    "INTERVAL '0' SECOND) AS DATE) = `order_date`",
    "pmod(quantity, 7) = 1": "pmod(`quantity`, nullif(7, 0)) = 1",
    "size(tags) = 1": "array_size(`tags`) = 1",
    "status LIKE ANY ('a%', 'b')": "(`status` LIKE 'a%') OR (`status` LIKE 'b')",
    "comment LIKE '%!%' ESCAPE '!'": "`comment` LIKE '%\\\\%'",
    "exists(tags, t -> t = country)": "exists(`tags`, `t` -> `t` = `country`)",
    "position('a' IN email) > 0": "position('a', `email`) > 0",
    "trim(LEADING 'S' FROM status) = ''": "trim(LEADING 'S' FROM `status`) = ''",
}


@pytest.mark.parametrize(("text", "sql"), WRITTEN.items())
def test_a_predicate_is_written_so_that_no_row_ends_the_scan(text, sql):
    assert parse(text, schema=SCHEMA).sql == sql


def test_fields_of_elements_are_read_columns():
    assert parse("items[0].qty > 1 AND array_max(items.qty) > 1", schema=SCHEMA).columns == ("items", "items.qty")
