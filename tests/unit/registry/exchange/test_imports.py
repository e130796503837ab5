"""Contracts made of other tools' files."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.contract_texts import HOSTILE, ORDERS
from support.every import every
from support.exchanged import DBT, DDL, JSON
from support.linting import lint
from support.orders import check
from support.versions import document

from treaty.contracts.document.reader import read
from treaty.contracts.document.writer import write
from treaty.contracts.errors import ContractError
from treaty.contracts.schema import LOGICAL
from treaty.engine.checks.executors import checks_with_runners
from treaty.engine.core.results import Runner
from treaty.registry.exchange.export_source import ImportSource
from treaty.registry.exchange.imports import FORMS, ImportedDocument, ImportFailed, import_documents, texts
from treaty.registry.exchange.spark_ddl import described


def made(form: str, text: str, name: str = "table") -> tuple[ImportedDocument, ...]:
    return import_documents(FORMS[form], [ImportSource("text", name, text.encode())])


def content(form: str, text: str, which: int = 0) -> Any:
    return read(made(form, text)[which].document).document


def columns(form: str, text: str, which: int = 0) -> dict[str, Any]:
    return {each["name"]: each for each in content(form, text, which)["schema"][0]["properties"]}


@pytest.mark.parametrize(("form", "text"), [("odcs", ORDERS), ("dbt", DBT), ("spark", DDL), ("spark", JSON)])
def test_what_is_made_is_sound_for_another_tool_and_judged_here(form: str, text: str) -> None:
    for each in made(form, text):
        assert lint(each.document) == []
        for table in read(each.document).objects:
            assert not [every for every in checks_with_runners(table) if every.reason and every.check.kind == "treaty"]


def test_a_document_stands_for_itself() -> None:
    (found,) = made("odcs", ORDERS)
    assert found == ImportedDocument("text", "shop-orders", "1.2.0", ORDERS.encode())


@pytest.mark.parametrize(
    ("text", "name", "partitioned"), [(DDL, "shop.orders", ["day"]), (JSON, "table", []), ("id int", "table", [])]
)
def test_the_schema_of_a_table_becomes_its_contract(text: str, name: str, partitioned: list[str]) -> None:
    found = read(made("spark", text)[0].document)
    assert (found.id, found.objects[0].physical_name) == (name, name)
    assert list(found.objects[0].partition_columns) == partitioned


def test_spark_says_types_nulls_and_comments() -> None:
    found = columns("spark", DDL)
    assert {name: each["physicalType"] for name, each in found.items()} == {
        "id": "bigint",
        "amount": "decimal(10,2)",
        "lines": "array<struct<item:int,more:map<string,bigint>>>",
        "ship.to": "string",
        "day": "date",
    }
    assert (found["id"]["required"], found["id"]["description"]) == (True, "the 'first' column")
    assert columns("spark", JSON)["lines"]["physicalType"] == "array<struct<item:decimal(10,2)>>"
    assert columns("spark", JSON)["id"]["description"] == "the first column"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "expected a name or a type"),
        ("id", 1, "expected a name or a type"),
        ("id BIGNT", 1, "did you mean 'bigint'"),
        ("id int,\nday dat e", 2, "not a Spark type"),
        ("id int\nday date", 2, "expected a comma or the end"),
        ("id map<int>", 1, "is not a valid map: it has 1 type arguments"),
        ("id array<int", 1, "expected '>'"),
        ("id int not", 1, "expected 'null'"),
        ("id int comment x", 1, "expected a quoted text"),
        ("create table a", 1, "expected '('"),
        ("id " + "array<" * 60 + "int" + ">" * 60, 1, "nested deeper"),
        ("id " + "array<" * 20_000, 1, "nested deeper"),
        ("a int, " * 60_000, None, "longer than"),
        ("a\x00b int", 1, "expected"),
        ("a int" + ", a int" * 5_000, None, "more than 4000 columns"),
        ('{"type": "struct", "fields": []}', 1, "has no columns"),
        ('{"type": "array"}', 1, "is not a table schema"),
        ('{"type": "struct", "fields": [{"name": "a", "type": "udt"}]}', 1, "not a Spark type"),
        ('{"type": "struct", "fields": [{"type": "int"}]}', 1, "has no name"),
        ('{"type": "struct", "fields": [{"name": "a", "type": ' + '{"type": "array", "elementType":' * 60, 1, "deeper"),
    ],
)  # fmt: skip
def test_what_is_no_schema_is_refused(text: str, line: int | None, words: str) -> None:
    with pytest.raises(ImportFailed) as error:
        made("spark", text)
    (faults,) = error.value.faults.values()
    assert words in str(error.value)
    assert faults[0].line == line


KINDS = st.sampled_from(sorted(set(LOGICAL) - {"array", "map", "struct"}))
TYPES = st.recursive(
    KINDS,
    lambda inner: st.one_of(
        inner.map("array<{}>".format),
        st.tuples(inner, inner).map(lambda pair: f"map<{pair[0]},{pair[1]}>"),
        st.lists(inner, min_size=1, max_size=3).map(
            lambda fields: f"struct<{','.join(f'f{place}:{each}' for place, each in enumerate(fields))}>"
        ),
    ),
    max_leaves=5,
)


@settings(max_examples=150, deadline=None)
@given(st.lists(TYPES, min_size=1, max_size=4), st.booleans())
def test_types_are_read_as_spark_writes_them(kinds: list[str], loud: bool) -> None:
    text = ", ".join(f"c{place} {each.upper() if loud else each}" for place, each in enumerate(kinds))
    found = [column.type for column, _ in described(text).columns]
    assert [each.lower() for each in found] == kinds


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=" abint<>(),:`'\"\\;-\n.123", max_size=40))
def test_any_text_is_a_schema_or_refused(text: str) -> None:
    try:
        found: Any = described(text).columns
    except ContractError as error:
        found = error.faults
    assert found


def test_models_and_sources_are_contracts() -> None:
    assert [each.contract_id for each in made("dbt", DBT)] == ["orders", "events"]
    assert columns("dbt", DBT, 1)["id"] == {"name": "id", "physicalType": "number(38)"}


def test_a_model_says_keys_types_and_descriptions() -> None:
    found = columns("dbt", DBT)
    assert content("dbt", DBT)["schema"][0]["description"] == "{{ doc('orders') }}"
    assert found["id"] == {
        "name": "id", "physicalType": "bigint", "description": "the number", "primaryKey": True,
        "primaryKeyPosition": 1, "logicalType": "integer", "required": True, "unique": True,
    }  # fmt: skip
    assert found["day"]["required"] is True
    assert found["amount"]["physicalType"] == "decimal(10,2)"


def test_tests_that_are_judged_here_become_checks_and_others_stay_with_dbt() -> None:
    (table,) = read(made("dbt", DBT)[0].document).objects
    told = [
        (each.runner, each.sentence, each.check.severity)
        for each in checks_with_runners(table)
        if each.check.path.find("quality") > 0
    ]
    here = [(sentence, severity) for runner, sentence, severity in told if runner is Runner.HERE]
    assert here == [
        ("id, day is unique", "error"),
        ("all rows satisfy amount > 0", "error"),
        ("all values of status are among new, paid where day > DATE '2020-01-01'", "warning"),
        ("all values of status are among 1, 2", "error"),
        ("all rows have a status that exists in states (other columns ['id'])", "error"),
        ("all rows have a status that exists in states (other columns ['id'])", "error"),
        ("status is required", "warning"),
    ]
    assert [runner for runner, *_ in told].count(Runner.ELSEWHERE) == 4
    assert [runner for runner, *_ in told].count(Runner.PEOPLE) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("version: 2", "has no models"),
        ("models: [{description: a}]", "has no name"),
        ("models: [{name: a, columns: [{data_type: int}]}]", "has no name"),
        ("models: [{name: a, data_tests: [[]]}]", "is not a data test"),
        ("models: [{name: a, data_tests: [{a: 1, b: 2}]}]", "is not a data test"),
        ("models: [{name: a}, {name: a}]", "like the document in text"),
        (f"models: [{'{name: a},' * 1_001}]", "more than 1000 models"),
        (f"models: [{{name: a, data_tests: [{'a,' * 4_001}]}}]", "more than 4000 tests"),
        ("models: &a [*a]", "has an anchor"),
        ("models: [{name: !!python/object a}]", "explicit tag"),
    ],
)
def test_what_is_no_dbt_file_is_refused(text: str, words: str) -> None:
    with pytest.raises(ImportFailed) as error:
        made("dbt", text)
    assert words in str(error.value)


KEYS = [
    "name",
    "description",
    "data_type",
    "columns",
    "data_tests",
    "tests",
    "constraints",
    "type",
    "expression",
    "config",
    "where",
    "severity",
    "arguments",
    "values",
    "quote",
    "to",
    "field",
    "not_null",
    "unique",
    "accepted_values",
    "relationships",
    "primary_key",
    "check",
    "id",
    "models",
]
SCALARS = st.one_of(
    st.sampled_from(["a", "id", "not_null", "unique", "ref('a')", "a > 1", "int", ""]), st.integers(), st.none()
)
SHAPES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)),
    max_leaves=12,
)
ONE = st.dictionaries(st.sampled_from(KEYS[-9:]), SHAPES, min_size=1, max_size=1)
TESTED = st.lists(st.one_of(SHAPES, ONE), max_size=3)


@pytest.mark.search
@settings(max_examples=300, deadline=None)
@given(SHAPES, TESTED, TESTED)
def test_whatever_shape_a_dbt_file_has_it_is_a_contract_or_refused(shape: Any, table: Any, column: Any) -> None:
    model = {
        "name": "a",
        "data_tests": table,
        "columns": [{"name": "id", "tests": column, "constraints": shape}, shape],
    }
    text = json.dumps({"models": [model, shape], "sources": shape})
    try:
        found = [read(each.document).id for each in made("dbt", text)]
    except ImportFailed as error:
        found = list(error.faults)
    assert found


def test_checks_without_a_meaning_are_refused_at_once() -> None:
    with pytest.raises(ImportFailed, match="did you mean 'mean'"):
        made("odcs", write(document(check("meen", mustBe=1))).decode())


@every("name", sorted(HOSTILE))
def test_hostile_documents_are_refused_in_every_form(name: str) -> None:
    found = HOSTILE[name]
    source = found if isinstance(found, str) else found[0]
    for form in ("odcs", "dbt", "spark"):
        with pytest.raises(ImportFailed):
            made(form, source if isinstance(source, str) else source.decode("latin-1"))


def test_a_folder_is_imported_as_a_whole_with_all_its_faults(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "a.yaml").write_text(ORDERS)
    (tmp_path / "deep" / "b.yml").write_text(ORDERS.replace("shop-orders", "other"))
    (tmp_path / "notes.txt").write_text("no contract")
    odcs = FORMS["odcs"]
    assert [each.contract_id for each in import_documents(odcs, texts(tmp_path, odcs))] == ["shop-orders", "other"]

    (tmp_path / "c.yaml").write_text("id: a")
    (tmp_path / "d.yaml").write_text("[")
    (tmp_path / "e.yaml").write_text(ORDERS)
    with pytest.raises(ImportFailed) as error:
        import_documents(odcs, texts(tmp_path, odcs))
    assert sorted(error.value.faults) == ["c.yaml", "d.yaml", "e.yaml"]


def test_a_folder_without_such_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImportFailed, match="contains 0 files"):
        list(texts(tmp_path, FORMS["spark"]))
