"""Words of a document that are changed in place: all other bytes stay."""

from itertools import takewhile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.exchanged import ODD
from support.versions import document

from treaty.contracts.document.writer import write
from treaty.contracts.document.yaml_syntax import parse
from treaty.contracts.editing.text_edits import with_property, with_status
from treaty.contracts.errors import ContractError

RECORD = "0e1" * 21 + "0"


def kept(before: bytes, after: bytes) -> int:
    """How many bytes of the one stand in the other before and behind what was put in."""
    prefix = alike(before, after)
    return prefix + alike(before[prefix:][::-1], after[prefix:][::-1])


def alike(one: bytes, other: bytes) -> int:
    """How many bytes both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


@pytest.mark.parametrize("status", ["proposed", "deprecated", "retired"])
@pytest.mark.parametrize("text", ODD)
def test_a_status_takes_the_place_of_the_other(text: str, status: str) -> None:
    before = text.encode()
    after = with_status(before, status)
    assert parse(after).data == {**parse(before).data, "status": status}
    assert kept(before, after) >= len(before) - len("|-\n  draft" if b"|-" in before else "active")


@pytest.mark.parametrize("text", ODD)
def test_a_document_that_has_the_status_is_not_touched(text: str) -> None:
    assert with_status(text.encode(), parse(text.encode()).data["status"]) == text.encode()


@pytest.mark.parametrize("text", [each for each in ODD if not each.startswith("?")])
def test_a_property_is_put_in_and_no_byte_goes(text: str) -> None:
    before = text.encode()
    after = with_property(before, "record", RECORD)
    was = parse(before).data
    entry = {"property": "record", "value": RECORD}
    assert parse(after).data == {**was, "customProperties": [entry, *was.get("customProperties", [])]}
    assert kept(before, after) == len(before)


def test_a_text_in_a_layout_that_takes_no_property_is_written_anew() -> None:
    (text,) = (each for each in ODD if each.startswith("?"))
    after = with_property(text.encode(), "record", RECORD)
    assert parse(after).data["customProperties"] == [{"property": "record", "value": RECORD}]


def test_a_property_of_that_name_is_replaced() -> None:
    once = with_property(ODD[1].encode(), "record", "a")
    assert parse(with_property(once, "record", "b")).data["customProperties"] == [{"property": "record", "value": "b"}]


@pytest.mark.search
@settings(max_examples=150, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"])), st.booleans(), st.booleans())
def test_whatever_a_document_says_stays_byte_for_byte(word: str, windows: bool, properties: bool) -> None:
    more = {"customProperties": [{"property": "own", "value": word}]} if properties else {}
    before = write(document(description={"purpose": word}, tags=[word], status="draft", **more))
    before = before.replace(b"\n", b"\r\n") if windows and "\n" not in word else before
    was = parse(before).data
    after = with_property(with_status(before, "active"), "record", RECORD)
    assert parse(after).data["status"] == "active"
    assert {**parse(after).data, "status": "draft", "customProperties": was.get("customProperties")} == {
        **was,
        "customProperties": was.get("customProperties"),
    }
    assert kept(before, with_property(before, "record", RECORD)) == len(before)
    assert kept(before, with_status(before, "active")) >= len(before) - len("draft")


@pytest.mark.parametrize("text", ["", "[]", "status: [", "status: &a draft"])
def test_what_is_no_document_is_refused(text: str) -> None:
    with pytest.raises(ContractError):
        with_status(text.encode(), "active")
    with pytest.raises(ContractError):
        with_property(text.encode(), "a", "b")
