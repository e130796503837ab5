import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.contract_texts import COLUMNS, HEAD, HOSTILE, ORDERS, TABLE, check
from support.every import every

from treaty.contracts.assertions import Assertion
from treaty.contracts.document import odcs, schema_validation, yaml_syntax
from treaty.contracts.document.model import ContractCheck
from treaty.contracts.document.reader import read
from treaty.contracts.errors import ContractError


@every(("text", "code", "line"), HOSTILE.values(), ids=HOSTILE.keys())
def test_a_bad_document_is_refused_with_code_and_line(text, code, line):
    with pytest.raises(ContractError) as error:
        read(text.encode() if isinstance(text, str) else text)
    assert (code, line) in {(fault.code, fault.line) for fault in error.value.faults}


@every("text", [text for text, *_ in HOSTILE.values()], ids=HOSTILE.keys())
def test_every_fault_says_where(text):
    with pytest.raises(ContractError) as error:
        read(text.encode() if isinstance(text, str) else text)
    assert all(fault.where and fault.message for fault in error.value.faults)


def test_all_faults_are_said_at_once():
    text = check("mustBeBetween: [2, 1]\n              scope: [all]\n              where: amout > 1") + "ownr: me\n"
    with pytest.raises(ContractError) as error:
        read(text.replace("number", "int").encode())
    codes = [fault.code for fault in error.value.faults]
    assert codes == ["odcs-value", "check-limit-order", "check-scope", "predicate-column", "odcs-unknown-key"]


def test_a_fault_names_the_nearest_known_word():
    with pytest.raises(ContractError) as error:
        read((HEAD + "tegs: [a]\n").encode())
    assert error.value.faults[0].remedy == "did you mean 'tags'?"


def test_no_fault_holds_a_value_of_the_document():
    text = (
        check("mustBeLessThan: {a: hunter2}\n              scope: hunter2") + "status2: hunter2\nname: {a: hunter2}\n"
    )
    with pytest.raises(ContractError) as error:
        read(text.encode())
    assert "hunter2" not in str(error.value)


def test_the_source_is_kept_byte_for_byte():
    assert read(ORDERS.encode()).source == ORDERS.encode()


def test_a_byte_order_mark_is_read_over():
    assert read(b"\xef\xbb\xbf" + HEAD.encode()).id == "shop"


def test_layout_does_not_change_the_fingerprint():
    assert read(HEAD.encode()).fingerprint == read(f"# a comment\n\n{HEAD}".encode()).fingerprint


def test_the_head_is_read():
    contract = read(ORDERS.encode())
    assert (contract.id, contract.name, contract.version, contract.status) == (
        "shop-orders",
        "orders of the shop",
        "1.2.0",
        "active",
    )


def test_the_id_stands_for_a_missing_name():
    assert read(HEAD.encode()).name == "shop"


def test_a_document_of_3_2_needs_no_status():
    text = HEAD.replace("v3.1.0", "v3.2.0").replace("status: draft\n", "context: help\n")
    assert read(text.encode()).status == "draft"


def test_a_column_of_3_1_needs_no_logical_type():
    assert read((COLUMNS + "      - {name: a}\n").encode()).objects[0].properties[0].logical_type is None


def test_the_table_knows_its_keys_and_partitions():
    orders = read(ORDERS.encode()).object("orders")
    assert orders.primary_key == ("order_id", "line")
    assert orders.partition_columns == ("day",)
    assert orders.properties[7].items.properties[0].name == "label"


def test_an_unknown_object_is_a_key_error():
    with pytest.raises(KeyError):
        read(ORDERS.encode()).object("customers")


def test_the_terms_are_read():
    assert read(ORDERS.encode()).terms.aliases[0].namespace == "s3://lake"


def checks() -> dict[str, ContractCheck]:
    return {each.id: each for each in read(ORDERS.encode()).objects[0].checks}


CHECKS = {
    "enough-rows": ("library", "rowCount", {}, "error", Assertion("mustBeGreaterThan", 100)),
    "unique-lines": (
        "library",
        "duplicateValues",
        {"columns": ["order_id", "line"]},
        "warning",
        Assertion("mustBe", 0),
    ),
    "orders-text": ("text", "text", {}, "error", None),
    "german-share": (
        "treaty",
        "compliance",
        {"predicate": "country = 'DE'"},
        "warning",
        Assertion("mustBeBetween", (0.2, 0.6)),
    ),
    "known-status": (
        "library",
        "invalidValues",
        {"validValues": ["new", "paid", "on", "yes"], "unit": "percent"},
        "error",
        Assertion("mustBeLessOrEqualTo", 1),
    ),
    "orders-status-approx_count_distinct": (
        "treaty",
        "approx_count_distinct",
        {},
        "error",
        Assertion("mustBeLessOrEqualTo", 12),
    ),
    "by-hand": (
        "sql",
        "sql",
        {"query": "SELECT count(*) FROM {object}"},
        "error",
        Assertion("mustBe", 0),
    ),
    "elsewhere": ("custom", "soda", {"implementation": "checks.yaml"}, "error", None),
    "city-known": (
        "treaty",
        "completeness",
        {},
        "error",
        Assertion("mustBeGreaterOrEqualTo", 0.9),
    ),
}


def test_no_quality_entry_is_lost():
    assert checks().keys() == CHECKS.keys()


@pytest.mark.parametrize("name", CHECKS)
def test_a_quality_entry_becomes_a_check(name):
    found = checks()[name]
    assert (found.kind, found.analyzer, found.arguments, found.severity, found.assertion) == CHECKS[name]


def test_a_check_knows_the_property_that_it_stands_on():
    standing = {name: check.column for name, check in checks().items() if check.column}
    assert standing == {
        "known-status": "status",
        "orders-status-approx_count_distinct": "status",
        "by-hand": "status",
        "elsewhere": "status",
        "city-known": "address.city",
    }


def test_a_check_knows_its_filter_scope_and_place():
    found = checks()["german-share"]
    assert found.where == "status <> 'test' AND `ship.to` IS NOT NULL AND address.city LIKE 'B%'"
    assert (found.scope, found.dimension, found.path) == ("delta", "consistency", "schema[0].quality[3]")
    assert ORDERS.splitlines()[found.line - 1].strip() == "- id: german-share"


@pytest.mark.parametrize("severity", ["error", "Critical", "high", "major", "medium", "blocker", "fatal"])
def test_a_serious_severity_is_an_error(severity):
    text = TABLE + f"          - {{id: c, metric: nullValues, mustBe: 0, severity: {severity}}}\n"
    assert read(text.encode()).objects[0].checks[0].severity == "error"


@pytest.mark.parametrize(("word", "nearest"), [("warnnig", "did you mean 'warning'? "), ("P1", "")])
@pytest.mark.parametrize(
    "rule",
    [
        "metric: nullValues, mustBe: 0",
        "type: sql, query: 'SELECT count(*) FROM {object}', mustBe: 0",
        "type: custom, engine: treaty, implementation: {analyzer: size, mustBeGreaterThan: 0}",
    ],
)
def test_a_severity_that_is_none_is_a_fault_of_the_document(word: str, nearest: str, rule: str) -> None:
    with pytest.raises(ContractError) as refused:
        read((TABLE + f"          - {{id: c, {rule}, severity: {word}}}\n").encode())
    (fault,) = refused.value.faults
    assert (fault.code, fault.message) == ("check-severity", "is not a severity")
    assert fault.where.endswith(".severity")
    assert fault.remedy.startswith(f"{nearest}allowed: warning, warn, info")


def test_another_engine_has_its_own_severities() -> None:
    text = TABLE + "          - {id: c, type: custom, engine: soda, implementation: x, severity: P1}\n"
    assert read(text.encode()).objects[0].checks[0].severity == "error"


@pytest.mark.parametrize("severity", ["info", "warning", "WARN", "low", "minor", "trivial"])
def test_a_mild_severity_is_a_warning(severity):
    text = TABLE + f"          - {{id: c, metric: nullValues, mustBe: 0, severity: {severity}}}\n"
    assert read(text.encode()).objects[0].checks[0].severity == "warning"


def test_derived_ids_are_told_apart_by_number():
    entry = "          - {metric: nullValues, mustBe: 0}\n"
    taken = entry.replace("metric", "id: orders-amount-nullValues-2, metric")
    found = read((TABLE + entry * 2 + taken).encode()).objects[0].checks
    assert [each.id for each in found] == [
        "orders-amount-nullValues",
        "orders-amount-nullValues-3",
        "orders-amount-nullValues-2",
    ]


def test_a_deep_document_is_read_in_no_time():
    column = "{name: a, logicalType: string}"
    for _ in range(20):
        column = f"{{name: a, logicalType: object, properties: [{column}]}}"
    assert read(f"{COLUMNS}      - {column}\n".encode()).objects[0].properties[0].name == "a"


def test_a_document_full_of_faults_is_refused_in_no_time_with_the_first_of_them():
    with pytest.raises(ContractError) as error:
        read((HEAD + "".join(f"key{number}: 1\n" for number in range(15_000))).encode())
    assert len(error.value.faults) == 200


def refused_or_read(source: bytes) -> None:
    with suppress(ContractError):
        read(source)


@given(st.binary())
def test_bytes_are_read_or_refused(source):
    refused_or_read(source)


@given(st.text(alphabet="ab01:-?&*!|>{}[],'\"#% \n\t.~<=\\"))
def test_text_is_read_or_refused(text):
    refused_or_read(text.encode())


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.data())
def test_a_document_with_a_wrong_part_is_read_or_refused(data):
    lines = ORDERS.splitlines()
    index = data.draw(st.integers(0, len(lines) - 1))
    key = lines[index].partition(":")[0]
    lines[index] = f"{key}: {json.dumps(data.draw(PLAIN))}"
    refused_or_read("\n".join(lines).encode())


@every("text", [text for text, *_ in HOSTILE.values()], ids=HOSTILE.keys())
def test_the_fast_validator_and_the_telling_one_agree_on_every_piece(text: str | bytes) -> None:
    document = {}
    with suppress(ContractError):
        document = yaml_syntax.parse(text if isinstance(text, bytes) else text.encode()).data
    for version in odcs.VERSIONS:
        for _, definition, content in schema_validation._pieces(document):
            told = schema_validation._validator(version, definition).is_valid(content)
            assert schema_validation._is_accepted(version, definition, content) == told
