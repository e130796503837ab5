"""Binding: what a contract's promises mean on a table, and all its faults at once."""

import pytest
from support.orders import PROPERTIES, ROWS, SCHEMA, check, contract, judged, on

from treaty.contracts.document.model import Contract
from treaty.contracts.errors import ContractError, Fault
from treaty.contracts.schema import Column, Schema
from treaty.engine.checks.binding import bind
from treaty.engine.checks.bound_check import BoundCheck, BoundChecks
from treaty.engine.checks.column_keywords import columns_of, derived_checks


def bound(given: Contract, schema: Schema = SCHEMA) -> BoundChecks:
    return bind(given.object("orders"), schema)


def only(given: Contract, schema: Schema = SCHEMA) -> BoundCheck:
    (found,) = bound(given, schema).checks
    return found


def faults(given: Contract, schema: Schema = SCHEMA) -> tuple[Fault, ...]:
    with pytest.raises(ContractError) as caught:
        bound(given, schema)
    return caught.value.faults


FAULTS = {
    "an unknown analyzer": (check("completness", column="id", mustBe=1), "ANALYZER", "did you mean 'completeness'?"),
    "an analyzer like no other": (check("zzz", mustBe=1), "ANALYZER", "use one of: approx_count_distinct"),
    "no column": (check("completeness", mustBe=1), "ARGUMENT", "implementation.column: Field required"),
    "an unknown argument": (check("size", colour="red", mustBe=1), "ARGUMENT", "(size accepts where)"),
    "an argument of another type": (check("mean", column=5, mustBe=1), "ARGUMENT", "valid string"),
    "a column that is no name": (check("uniqueness", columns=5, mustBe=1), "ARGUMENT", "valid tuple"),
    "an empty list of columns": (check("uniqueness", columns=[], mustBe=1), "ARGUMENT", "at least 1 item"),
    "an argument out of range": (check("approx_quantile", column="id", quantile=2, mustBe=1), "ARGUMENT", "less than"),
    "a predicate that is none": (check("compliance", predicate="amount >", mustBe=1), "ARGUMENT", "not a condition"),
    "a forbidden function": (check("compliance", predicate="rand() > 0", mustBe=1), "ARGUMENT", "calls 'rand'"),
    "no operator": (check("size"), "ASSERTION", "add an operator such as mustBe"),
    "an undeclared column": (check("mean", column="amonut", mustBe=1), "COLUMN", "did you mean 'amount'?"),
    "a predicate on such a column": (check("compliance", predicate="statsu = 1", mustBe=1), "COLUMN", "'status'?"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_says_what_where_and_what_to_do(name: str) -> None:
    entry, code, said = FAULTS[name]
    (fault,) = faults(contract(entry))
    assert fault.code == f"TR-CHECK-{code}"
    assert said in str(fault)
    assert fault.where.startswith("schema[0].quality[0]")
    assert fault.line is not None


def test_all_faults_are_told_at_once() -> None:
    entries = [
        check("completness", "a", column="id", mustBe=1),
        check("mean", "b", column="amonut"),
        check("size", "d", colour="red", mustBe=1),
    ]
    assert [fault.code.rsplit("-", 1)[1] for fault in faults(contract(*entries))] == [
        "ANALYZER", "ASSERTION", "COLUMN", "ARGUMENT",
    ]  # fmt: skip


def test_a_fault_holds_no_value_of_the_document() -> None:
    (fault,) = faults(contract(check("approx_quantile", column="id", quantile=1234567, mustBe=1)))
    assert "1234567" not in str(fault)


LOST = {
    "a column that the table lost": (Schema(SCHEMA.columns[:2]), "the table has no column `status`"),
    "a type that the analyzer does not take": (
        Schema((*SCHEMA.columns[:2], Column("status", "map<string,string>"))),
        "its type is map<string,string>",
    ),
}


@pytest.mark.parametrize("name", LOST)
def test_what_the_table_cannot_answer_is_bound_to_its_reason_alone(name: str) -> None:
    schema, reason = LOST[name]
    checks = bound(
        contract(check("approx_count_distinct", "lost", column="status", mustBe=1), check("size", "rows", mustBe=1)),
        schema,
    ).checks
    assert [(each.check.id, each.bound is None) for each in checks] == [("lost", True), ("rows", False)]
    assert reason in str(checks[0].reason)


def test_a_predicate_on_a_lost_column_is_bound_to_its_reason_alone() -> None:
    found = only(contract(check("compliance", predicate="status = 'new'", mustBe=1)), Schema(SCHEMA.columns[:2]))
    assert (found.bound, "'status'" in str(found.reason)) == (None, True)


STANDING = {
    "a metric of its column": (check("completeness", mustBe=1), "status is required"),
    "a metric of several columns": (check("uniqueness", mustBe=1), "status is unique"),
    "a column named all the same": (check("mean", column="amount", mustBe=1), "mean of amount must be 1"),
    "the row count": (check("size", mustBe=1), "there must be exactly 1 row"),
    "a predicate": (check("compliance", predicate="amount > 0", mustBe=1), "all rows satisfy amount > 0"),
}


@pytest.mark.parametrize("name", STANDING)
def test_a_check_on_a_property_is_about_that_property(name: str) -> None:
    entry, sentence = STANDING[name]
    found = only(contract(properties=on("status", quality=[entry])))
    assert (found.reason, found.sentence) == (None, sentence)
    assert found.column == ("amount" if "mean" in sentence else "status")


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"id": "c", "type": "sql", "query": "select count(*) from other", "mustBe": 0}, "reads the table 'other'"),
        ({"id": "c", "type": "custom", "engine": "soda", "implementation": "x"}, "type custom (soda)"),
    ],
)
def test_what_other_engines_check_is_not_executed_here(entry: dict[str, object], reason: str) -> None:
    found = only(contract(entry))
    assert found.bound is None
    assert reason in str(found.reason)


def test_a_text_is_no_check() -> None:
    assert bound(contract({"id": "c", "type": "text", "description": "be good"})).checks == ()


def test_the_row_count_of_the_standard_is_the_size() -> None:
    assert judged(contract({"id": "c", "metric": "rowCount", "mustBe": 4})).outcome == "passed"


PROMISES = {
    "required": (on("id", required=True), {"id-required"}),
    "unique": (on("id", unique=True), {"id-unique"}),
    "primary key": (on("id", primaryKey=True, primaryKeyPosition=1), {"id-required", "primary-key"}),
    "nothing": (PROPERTIES, set()),
}


@pytest.mark.parametrize("name", PROMISES)
def test_the_words_of_the_standard_are_checks(name: str) -> None:
    properties, expected = PROMISES[name]
    assert {each.id for each in derived_checks(contract(properties=properties).object("orders"))} == expected


KEYED = on("id", primaryKey=True, primaryKeyPosition=1)
KEPT = [
    ("id-required", KEYED, [1, 2, 3, 4], "passed"),
    ("id-required", KEYED, [1, 2, 3, None], "failed"),
    ("primary-key", KEYED, [1, 2, 3, 4], "passed"),
    ("primary-key", KEYED, [1, 2, 2, 4], "failed"),
    ("primary-key", KEYED, [None] * 4, "not_applicable"),
    ("id-unique", on("id", unique=True), [1, 2, None, None], "passed"),
    ("id-unique", on("id", unique=True), [1, 1, None, 2], "failed"),
    ("id-required", on("id", required=True), [1, 2, 3, 4], "passed"),
    ("id-required", on("id", required=True), [], "not_applicable"),
]


@pytest.mark.parametrize(("check_id", "properties", "ids", "outcome"), KEPT)
def test_promises_are_judged(check_id: str, properties: list[dict[str, object]], ids: list[int], outcome: str) -> None:
    rows = {"id": ids, "amount": [1.0] * len(ids), "status": ["new"] * len(ids)}
    assert judged(contract(properties=properties), rows, check_id).outcome == outcome


def test_a_key_of_two_columns_is_one_promise_in_the_order_of_their_positions() -> None:
    first = on("id", primaryKey=True, primaryKeyPosition=2)
    both = [
        each | {"primaryKey": True, "primaryKeyPosition": 1} if each["name"] == "status" else each for each in first
    ]
    rows = {**ROWS, "id": [1, 1, 2, 2], "status": ["new", "paid", "new", "paid"]}
    found = judged(contract(properties=both), rows, "primary-key")
    assert (found.column, found.outcome) == ("status, id", "passed")


def test_a_nested_field_is_no_key_because_it_is_named_like_one() -> None:
    inner = {"name": "customer", "logicalType": "object", "properties": [{"name": "id", "logicalType": "integer"}]}
    found = contract(properties=[*KEYED, inner]).object("orders")
    assert [each.id for each in derived_checks(found)] == ["id-required", "primary-key"]
    assert [path for path, _ in columns_of(found.properties)] == ["id", "amount", "status", "customer", "customer.id"]


@pytest.mark.parametrize("name", ["a.b", "x`y", "Größe", "select", "with space"])
def test_names_that_need_quotes_are_bound(name: str) -> None:
    schema = Schema((Column(name, "bigint"), Column("s", "struct<`" + name.replace("`", "``") + "`:bigint>")))
    properties = [
        {"name": name, "logicalType": "integer", "required": True, "quality": [check("mean", "m", mustBe=1)]},
        {"name": "s", "logicalType": "object"},
    ]
    found = bound(contract(properties=properties), schema).checks
    assert [(each.check.id, each.reason) for each in found] == [(f"{name}-required", None), ("m", None)]


def test_a_field_of_the_structs_in_an_array_is_a_column_of_the_table() -> None:
    schema = Schema((*SCHEMA.columns, Column("items", "array<struct<sku:string,qty:int>>")))
    entry = check("compliance", predicate="array_max(items.qty) > items[0].qty", mustBe=1)
    assert only(contract(entry), schema).bound is not None
    (fault,) = faults(contract(check("compliance", predicate="array_max(items.qtty) > 1", mustBe=1)), schema)
    assert fault.code == "TR-CHECK-COLUMN"
