"""What of a document is found by which words."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treaty.registry.browse.document_text import MOST_WORDS, DocumentText, described, index_words, query_words

DOCUMENT = b"""
apiVersion: v3.1.0
kind: DataContract
id: shop-orders
name: Orders
domain: sales
tags: [gold, gold]
description: {purpose: What was sold, usage: For reports}
team:
  name: Shop
  members: [{username: ada}]
schema:
- name: orders
  physicalName: /lake/orders
  tags: [daily]
  quality: [{name: not a name of the contract}]
  properties:
  - name: customerId
    description: Who bought
  - name: lines
    items: {name: line, properties: [{name: quantity, businessName: How many}]}
"""


def test_a_document_is_described_by_its_names_labels_and_texts() -> None:
    assert described(DOCUMENT) == DocumentText(
        names=("Orders", "orders", "/lake/orders", "customerId", "lines", "line", "quantity", "How many"),
        prose=("What was sold", "For reports", "Who bought"),
        tags=("gold", "daily"),
        people=("Shop", "ada"),
        objects=("orders",),
        domain="sales",
    )


@pytest.mark.parametrize("body", [b"", b"[", b"[]", b"\xff", b"schema: 1\ntags: {}\nteam: [1]\ndescription: 3"])
def test_what_cannot_be_read_is_described_by_nothing(body: bytes) -> None:
    assert described(body) == DocumentText()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("customer_id", ["customer", "id"]),
        ("customerId", ["customerid", "customer", "id"]),
        ("HTTPServer2Go", ["httpserver2go", "httpserver2", "go"]),
        ("Größe", ["grosse"]),
        ("/lake/orders-2026.v1", ["lake", "orders", "2026", "v1"]),
        ("!!! ' \" * ( ) : \\ \x00", []),
    ],
)
def test_a_text_is_found_by_its_words_whole_and_in_parts(text: str, found: list[str]) -> None:
    assert index_words([text]) == found


@given(st.text())
def test_a_question_holds_letters_and_digits_alone(text: str) -> None:
    assert all(re.fullmatch("[a-z0-9]+", each) for each in query_words(text))


@given(st.from_regex(r"\w{1,20}", fullmatch=True), st.integers(1, 20))
def test_the_beginning_of_a_word_is_the_beginning_of_its_spelling(word: str, size: int) -> None:
    whole, beginning = query_words(word), query_words(word[:size])
    assert len(whole) != 1 or len(beginning) != 1 or whole[0].startswith(beginning[0])


def test_a_question_is_no_longer_than_a_dozen_words_and_a_document_no_longer_than_thousands() -> None:
    assert len(query_words("a " * 100)) == 12
    assert len(index_words(["a b"] * MOST_WORDS)) == MOST_WORDS
