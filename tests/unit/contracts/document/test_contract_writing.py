import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from support.contract_texts import ORDERS
from support.every import every
from support.linting import lint

from treaty.contracts.document.reader import read
from treaty.contracts.document.writer import write
from treaty.contracts.document.yaml_syntax import parse
from treaty.contracts.errors import ContractError

AMBIGUOUS = """on off yes no y n true false True null ~ 1 1_000 0x1F 0o17 017 0b1 1e3 1.0 .5 1. +1 -1 .inf .nan 12:30
12:30:45 2022-08-02 2022-08-02T10:00:00Z = << - ? : # & * ! | > % @ ` {a} [a] 'a' "a" a:b 1,000""".split()  # noqa: SIM905


def test_orders_round_trip():
    document = read(ORDERS.encode()).document
    assert read(write(document)).document == document


def test_writing_is_canonical():
    written = write(read(ORDERS.encode()).document)
    assert write(read(written).document) == written


def test_the_order_of_keys_does_not_matter():
    document = read(ORDERS.encode()).document
    assert write(dict(reversed(document.items()))) == write(document)


def test_the_head_comes_first():
    lines = write(read(ORDERS.encode()).document).decode().splitlines()
    assert [line.partition(":")[0] for line in lines[:6]] == ["apiVersion", "kind", "id", "name", "version", "status"]


@every("text", [*AMBIGUOUS, "", " a", "a ", "a\nb", "a\tb", "a # b", "a: b", "é", "\u2028", "😀"])
def test_text_stays_text_for_readers_of_both_versions(text):
    source = write({"name": text, "tags": [text]})
    assert parse(source).data == {"name": text, "tags": [text]}
    assert yaml.safe_load(source) == {"name": text, "tags": [text]}


@pytest.mark.parametrize("number", [0, -1, 10**30, 1.5, 1e-7, 1e300, 1e16, -0.0])
def test_numbers_stay_numbers_for_readers_of_both_versions(number):
    source = write({"name": number})
    assert parse(source).data == yaml.safe_load(source) == {"name": number}


def test_shared_parts_are_written_out():
    shared = ["a"]
    assert b"&" not in write({"tags": shared, "x": shared})


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (float("nan"), "yaml-number"),
        (float("inf"), "yaml-number"),
        (10**70, "yaml-number"),
        ({1: 2}, "yaml-key-type"),
        (object(), "yaml-type"),
        (b"a", "yaml-type"),
        ("\ud800", "text-encoding"),
        ("a" * 300_000, "text-size"),
    ],
)
def test_what_could_not_be_read_again_is_not_written(value, code):
    with pytest.raises(ContractError) as error:
        write({"name": value})
    assert [fault.code for fault in error.value.faults] == [code]


def test_endless_nesting_is_not_written():
    endless: list = []
    endless.append(endless)
    with pytest.raises(ContractError, match="yaml-depth"):
        write({"tags": endless})


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40) | st.sampled_from(AMBIGUOUS)
PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**60), 10**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(TEXT, PLAIN, max_size=5))
def test_plain_data_is_read_as_it_was_written(document):
    assert parse(write(document)).data == document


NAMES = st.text("abcdefgh_é. `'\"", min_size=1, max_size=6).filter(str.strip)
COLUMNS = st.fixed_dictionaries(
    {"name": NAMES, "logicalType": st.sampled_from(["string", "number", "date"])},
    optional={
        "required": st.booleans(),
        "description": TEXT,
        "tags": st.lists(TEXT, max_size=3),
        "examples": st.lists(st.integers() | TEXT, max_size=3),
        "customProperties": st.lists(st.fixed_dictionaries({"property": TEXT, "value": TEXT}), max_size=2),
    },
)
TABLES = st.fixed_dictionaries(
    {"name": NAMES, "properties": st.lists(COLUMNS, max_size=4, unique_by=lambda each: each["name"].casefold())}
)


@given(st.lists(TABLES, max_size=2, unique_by=lambda each: each["name"].casefold()), TEXT)
def test_documents_round_trip(tables, purpose):
    head = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": "a", "version": "1", "status": "draft"}
    document = {**head, "description": {"purpose": purpose}, "schema": tables}
    source = write(document)
    contract = read(source)
    assert contract.document == document
    assert write(contract.document) == source


def test_what_is_written_passes_lint_of_another_tool():
    assert lint(write(read(ORDERS.encode()).document)) == []


def test_json_documents_can_be_written():
    document = json.loads(json.dumps(read(ORDERS.encode()).document))
    assert read(write(document)).fingerprint == read(ORDERS.encode()).fingerprint
