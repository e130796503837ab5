from copy import deepcopy

import pytest
from support.contract_texts import ORDERS
from support.linting import lint

from treaty.contracts.document.reader import read
from treaty.contracts.document.writer import write
from treaty.contracts.editing.patches import Patch, apply, skeleton
from treaty.contracts.errors import ContractError
from treaty.contracts.schema import Column, Schema

DOCUMENT = read(ORDERS.encode()).document
CHECK = {
    "id": "new",
    "type": "custom",
    "engine": "treaty",
    "implementation": {"analyzer": "mean", "mustBeGreaterThan": 1},
}
SCHEMA = Schema(
    (
        Column("id", "bigint", nullable=False),
        Column("amount", "decimal(10,2)"),
        Column("at", "timestamp_ntz"),
        Column("who", "struct<name:string,home:struct<city:string>>"),
        Column("lines", "array<struct<sku:string,count:int>>"),
        Column("extra", "map<string,string>"),
        Column("flags", "array<array<boolean>>"),
        Column("on", "string"),
        Column("ship.to", "string"),
        Column("day", "date"),
        Column("hour", "int"),
    )
)


def table(document):
    return document["schema"][0]


def column(document, name):
    return next(each for each in table(document)["properties"] if each["name"] == name)


def test_a_key_of_a_column_is_set():
    assert column(apply(DOCUMENT, [Patch("orders", "country", {"required": True})]), "country")["required"] is True


def test_a_check_is_added_to_a_column():
    changed = apply(DOCUMENT, [Patch("orders", "country", {"quality": CHECK})])
    assert column(changed, "country")["quality"] == [CHECK]


def test_a_check_is_added_behind_those_of_a_table():
    changed = apply(DOCUMENT, [Patch("orders", None, {"quality": CHECK})])
    assert table(changed)["quality"] == [*table(DOCUMENT)["quality"], CHECK]


def test_a_service_level_is_of_the_document_and_takes_the_place_of_the_one_with_its_id():
    level = {"id": "in-time", "property": "frequency", "value": 1, "unit": "d", "element": "orders"}
    changed = apply(DOCUMENT, [Patch("orders", None, {"slaProperties": level})])
    assert changed["slaProperties"] == [*DOCUMENT.get("slaProperties", []), level]
    assert "slaProperties" not in table(changed)
    later = {**level, "value": 2}
    assert apply(changed, [Patch("orders", None, {"slaProperties": later})])["slaProperties"][-1] == later


@pytest.mark.parametrize(
    "words", [{"quality": [1]}, {"quality": "x"}, {"slaProperties": ["x"]}, {"slaProperties": {"a": 1}}]
)
def test_what_is_no_entry_is_refused_by_whoever_reads_the_document(words):
    with pytest.raises(ContractError):
        read(write(apply(DOCUMENT, [Patch("orders", None, words)])))


def test_a_check_takes_the_place_of_the_one_with_its_id():
    changed = apply(DOCUMENT, [Patch("orders", None, {"quality": {**CHECK, "id": "unique-lines"}})])
    assert [each.get("id") for each in table(changed)["quality"]] == [
        each.get("id") for each in table(DOCUMENT)["quality"]
    ]
    assert table(changed)["quality"][1]["implementation"] == CHECK["implementation"]


def test_checks_without_an_id_do_not_replace_each_other():
    entry = {"type": "text", "description": "a"}
    changed = apply(DOCUMENT, [Patch("orders", "day", {"quality": entry}), Patch("orders", "day", {"quality": entry})])
    assert column(changed, "day")["quality"] == [entry, entry]


@pytest.mark.parametrize("name", ["address.city", "tags.label", "ship.to"])
def test_nested_and_dotted_columns_are_found(name):
    assert "unique" in str(apply(DOCUMENT, [Patch("orders", name, {"unique": True})]))


def test_nothing_that_is_handed_in_is_changed():
    before, entry = deepcopy(DOCUMENT), deepcopy(CHECK)
    changed = apply(DOCUMENT, [Patch("orders", "country", {"quality": entry, "required": True})])
    column(changed, "country")["quality"][0]["implementation"]["analyzer"] = "other"
    assert (before, entry) == (DOCUMENT, CHECK)


def test_all_unknown_places_are_named_at_once():
    with pytest.raises(ContractError) as error:
        apply(DOCUMENT, [Patch("order", None, {}), Patch("orders", "contry", {}), Patch("orders", "day", {})])
    assert {(fault.code, fault.remedy) for fault in error.value.faults} == {
        ("unknown-object", "did you mean 'orders'?"),
        ("unknown-column", "did you mean 'country'?"),
    }


def test_patched_documents_are_read():
    changed = apply(DOCUMENT, [Patch("orders", "country", {"quality": CHECK, "unique": True})])
    assert read(write(changed)).object("orders").properties[3].unique


def test_ids_that_are_their_elements_own_pass():
    assert read(write(DOCUMENT)).object("orders")


def test_an_id_twice_in_one_list_is_named():
    changed = deepcopy(dict(DOCUMENT))
    table(changed)["quality"].append(table(changed)["quality"][0])
    with pytest.raises(ContractError, match=r"id-duplicate at line \d+, schema\[0\]\.quality\[4\]\.id"):
        read(write(changed))


def base():
    return skeleton(
        contract_id="shop-orders",
        name="orders",
        object_name="orders",
        physical_name="/lake/orders",
        schema=SCHEMA,
        partition_by=("day", "hour"),
        aliases=[("file", "/lake/orders")],
    )


def test_a_skeleton_is_read_with_its_types_partitions_and_aliases():
    contract = read(write(base()))
    orders = contract.object("orders")
    assert [each.logical_type for each in orders.properties] == [
        "integer",
        "number",
        "timestamp",
        "object",
        "array",
        "object",
        "array",
        "string",
        "string",
        "date",
        "integer",
    ]
    assert [each.physical_type for each in orders.properties] == [each.type for each in SCHEMA]
    assert orders.partition_columns == ("day", "hour")
    assert orders.properties[0].required
    assert [(each.namespace, each.name) for each in contract.terms.aliases] == [("file", "/lake/orders")]


def test_a_skeleton_knows_the_inside_of_structs_and_arrays():
    who, lines = read(write(base())).object("orders").properties[3:5]
    assert who.properties[1].properties[0].name == "city"
    assert [each.name for each in lines.items.properties] == ["sku", "count"]


def test_a_skeleton_of_a_table_without_columns_is_read():
    empty = skeleton(contract_id="a", name="a", object_name="a", physical_name="a", schema=Schema(()))
    assert read(write(empty)).object("a").properties == ()


def test_a_skeleton_passes_lint_of_another_tool():
    assert lint(write(base())) == []
