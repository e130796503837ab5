"""Contracts in other forms: the same bytes, pages in which nothing runs, tests that dbt has."""

from html.parser import HTMLParser
from typing import Any

import pytest
import yaml
from jinja2 import Environment
from markdown_it import MarkdownIt
from support.contract_texts import ORDERS
from support.exchanged import DBT, DDL, HOSTILE, JSON, ODD, hostile
from support.linting import lint
from support.orders import check
from support.versions import document, with_column

from treaty.contracts.document.reader import read
from treaty.contracts.document.writer import write
from treaty.contracts.document.yaml_syntax import parse
from treaty.contracts.errors import ContractError
from treaty.engine.checks.executors import checks_with_runners
from treaty.registry.exchange import imports
from treaty.registry.exchange.document_summary import visible
from treaty.registry.exchange.export_source import ExportSource, ImportSource
from treaty.registry.exchange.exports import FORMS, RECORD

TAGS = {
    "html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p", "dl", "dt", "dd", "div", "table",
    "caption", "thead", "tbody", "tr", "th", "td", "details", "summary", "pre",
}  # fmt: skip
MARKS = {
    "inline", "text", "text_special", "heading", "paragraph", "bullet_list", "list_item",
    "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip


class Page(HTMLParser):
    """The tags, attributes and texts of a page."""

    def __init__(self, source: bytes) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.names: set[str] = set()
        self.texts: list[str] = []
        self.feed(source.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes a tag."""
        self.tags.add(tag)
        self.names |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        """Notes a text."""
        self.texts.append(data)


def exported(form: str, source: bytes, **said: str) -> bytes:
    return FORMS[form].write(ExportSource(source, **said))


def dbt(source: bytes) -> Any:
    return yaml.safe_load(exported("dbt", source))


@pytest.mark.parametrize("text", ODD)
def test_a_document_comes_back_from_its_export_byte_for_byte(text: str) -> None:
    written = exported("odcs", text.encode())
    (back,) = imports.import_documents(imports.FORMS["odcs"], [ImportSource("a", "a", written)])
    assert back.document == text.encode()


PATTERNS = """\
apiVersion: v3.1.0
kind: DataContract
id: orders
name: Orders
version: 1.0.0
status: active
schema:
  - name: orders
    properties:
      # Written by hand.
      - name: code
        logicalType: string
        quality:
          - {id: shape, type: custom, engine: treaty, implementation: {analyzer: pattern_match, pattern: '[A-Z]\\-\\s', mustBe: 1}}
      - {name: other, logicalType: string, logicalTypeOptions: {maxLength: 9}}
      - name: address
        logicalType: object
        properties:
          - {name: zip, logicalType: string}
      - name: plate
        logicalType: string
        logicalTypeOptions:
          minLength: 2
    quality:
      - {id: zips, type: custom, engine: treaty, implementation: {analyzer: pattern_match, column: address.zip, pattern: '^[0-9]{5}$', mustBeGreaterOrEqualTo: 1}}
      - {id: others, type: custom, engine: treaty, implementation: {analyzer: pattern_match, column: other, pattern: 'a|b', within: true, mustBe: 1}}
      - {id: plates, type: custom, engine: treaty, implementation: {analyzer: pattern_match, column: plate, pattern: 'B.', mustBe: 1}}
"""  # noqa: E501 - a line is a check


def test_pattern_checks_are_also_written_as_the_standard_does_and_are_no_second_checks() -> None:
    written = exported("odcs", PATTERNS.encode())
    (table,) = read(written).objects
    code, other, address, plate = table.properties
    assert code.options == {"pattern": r"^[A-Z]-[ \t\n\r\f\x0b]$"}
    assert other.options == {"maxLength": 9, "pattern": "a|b"}
    assert address.properties[0].options == {"pattern": "^[0-9]{5}$"}
    assert plate.options == {"minLength": 2, "pattern": r"^B[^\n]$"}
    assert [each.check.id for each in checks_with_runners(table)] == [
        each.check.id for each in checks_with_runners(read(PATTERNS.encode()).objects[0])
    ]
    assert lint(written) == []
    assert b"# Written by hand." in written
    assert exported("odcs", written) == written


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("mustBe: 1", "mustBeGreaterOrEqualTo: 0.99"),
        ("mustBe: 1", "mustBe: 1, where: 'code IS NOT NULL'"),
        ("mustBe: 1", "mustBe: 1, nulls: break"),
        ("engine: treaty,", "engine: treaty, severity: warning,"),
        ("[A-Z]", r"\b[A-Z]"),
        ("logicalType: string\n        quality", "physicalType: string\n        quality"),
    ],
)
def test_a_check_that_means_less_or_more_is_not_written_as_a_pattern(before: str, after: str) -> None:
    text = PATTERNS[: PATTERNS.index("      - {name: other")].replace(before, after)
    assert exported("odcs", text.encode()) == text.encode()


def test_a_pattern_beside_another_check_remains_a_check() -> None:
    text = PATTERNS.replace(
        "logicalType: string\n        quality",
        "logicalType: string\n        logicalTypeOptions: {pattern: x}\n        quality",
    )
    ids = [each.check.id for each in checks_with_runners(read(text.encode()).objects[0])]
    assert {"code-pattern", "shape"} <= set(ids)


def test_an_export_says_its_state_and_its_record() -> None:
    made = parse(exported("odcs", ORDERS.encode(), status="deprecated", record="ab12")).data
    assert (made["status"], made["customProperties"][0]) == ("deprecated", {"property": RECORD, "value": "ab12"})


@pytest.mark.parametrize("text", ODD)
def test_exports_are_sound_documents_for_another_tool(text: str) -> None:
    assert lint(exported("odcs", text.encode(), status="active", record="ab12")) == lint(text.encode()) == []


@pytest.mark.parametrize("word", HOSTILE)
def test_a_page_holds_whatever_a_document_says_as_text(word: str) -> None:
    page = Page(exported("html", hostile(word)))
    assert page.tags <= TAGS
    assert page.names <= {"lang", "charset", "http-equiv", "content", "name", "class"}
    assert page.texts.count(visible(word)) >= 3


def test_a_page_needs_nothing_from_elsewhere() -> None:
    page = exported("html", ORDERS.encode()).decode()
    assert "default-src &#x27;none&#x27;" in page
    assert "prefers-color-scheme: dark" in page
    assert [each for each in ("src=", "href=", "url(", "@import", "<script", "<link", "http:") if each in page] == []


@pytest.mark.parametrize("word", HOSTILE)
def test_markdown_holds_whatever_a_document_says_as_text(word: str) -> None:
    reader = MarkdownIt("commonmark", {"html": True}).enable("table")
    tokens = reader.parse(exported("markdown", hostile(word)).decode())
    kinds = {each.type for each in tokens} | {part.type for each in tokens for part in each.children or ()}
    assert {kind.removesuffix("_open").removesuffix("_close") for kind in kinds} <= MARKS


@pytest.mark.parametrize("word", HOSTILE)
def test_dbt_renders_what_a_document_says_to_just_that(word: str) -> None:
    model = dbt(hostile(word))["models"][0]
    assert Environment().from_string(model["description"]).render() == word.rstrip("\n")
    assert Environment().from_string(model["columns"][0]["data_type"]).render() == word.rstrip("\n")
    assert "data_tests" not in model


@pytest.mark.parametrize(
    ("words", "tests"),
    [
        ({"required": True}, ["not_null"]),
        ({"unique": True}, ["unique"]),
        ({"primaryKey": True}, ["not_null", "unique"]),
        ({"enum": [{"value": "a"}, {"value": "b"}]}, [{"accepted_values": {"arguments": {"values": ["a", "b"]}}}]),
        ({"enum": [{"value": "it's"}]}, []),
        ({"enum": [{"value": "{{ x }}"}]}, []),
        ({"quality": [{"id": "a", "metric": "nullValues", "mustBe": 0}]}, ["not_null"]),
        ({"quality": [{"id": "a", "metric": "nullValues", "mustBeLessThan": 5}]}, []),
        ({"quality": [{"id": "a", "metric": "duplicateValues", "mustBe": 0}]}, ["unique"]),
        (
            {"quality": [{"id": "a", "metric": "invalidValues", "arguments": {"validValues": ["x"]}, "mustBe": 0}]},
            [{"accepted_values": {"arguments": {"values": ["x"]}}}],
        ),
        (
            {"quality": [check("completeness", mustBe=1, severity="warning")]},
            [{"not_null": {"config": {"severity": "warn"}}}],
        ),
        (
            {"quality": [check("completeness", mustBe=1, where="id > 1")]},
            [{"not_null": {"config": {"where": "id > 1"}}}],
        ),
        ({"quality": [check("completeness", mustBeGreaterOrEqualTo=0.9)]}, []),
        ({"quality": [check("uniqueness", mustBe=1, scope="delta")]}, []),
        (
            {"quality": [check("contained_in", mustBe=1, values=[1, 2])]},
            [{"accepted_values": {"arguments": {"values": [1, 2], "quote": False}}}],
        ),
        ({"quality": [check("contained_in", mustBe=1, values=["x"], nulls="break")]}, []),
        (
            {"quality": [check("referential_integrity", mustBe=1, dataset="states", other_columns=["id"])]},
            [{"relationships": {"arguments": {"to": "ref('states')", "field": "id"}}}],
        ),
        ({"quality": [check("referential_integrity", mustBe=1, dataset="x') }}", other_columns=["id"])]}, []),
        (
            {"quality": [{"id": "a", "type": "custom", "engine": "dbt", "implementation": {"own": {"x": 1}}}]},
            [{"own": {"x": 1}}],
        ),
        ({"required": True, "quality": [check("completeness", mustBe=1, severity="warning")]}, ["not_null"]),
    ],
)  # fmt: skip
def test_dbt_has_the_tests_that_say_the_same(words: dict[str, Any], tests: list[Any]) -> None:
    source = write(with_column("status", **words))
    columns = {each["name"]: each for each in dbt(source)["models"][0]["columns"]}
    assert columns["status"].get("data_tests", []) == tests
    if not tests:
        assert "# Not supported by dbt: orders: " in exported("dbt", source).decode()


def test_every_check_is_a_test_of_dbt_or_a_comment() -> None:
    made = exported("dbt", ORDERS.encode()).decode()
    assert made.count("# Not supported by dbt") == 10
    assert [each["name"] for each in yaml.safe_load(made)["models"][0]["columns"] if "data_tests" in each] == [
        "order_id",
        "line",
    ]


@pytest.mark.parametrize("form", ["dbt", "spark"])
def test_what_is_imported_can_be_exported_in_every_form(form: str) -> None:
    texts = {"dbt": [DBT], "spark": [DDL, JSON]}[form]
    for each in imports.import_documents(
        imports.FORMS[form], [ImportSource(str(n), f"t{n}", text.encode()) for n, text in enumerate(texts)]
    ):
        assert all(known.write(ExportSource(each.document)) for known in FORMS.values())


@pytest.mark.parametrize("form", sorted(FORMS))
def test_files_have_harmless_names(form: str) -> None:
    named = ExportSource(write(document(id='../a/b"\r\nX: y ä', version="1.0.0")))
    assert FORMS[form].file_name(named) == f"a-b---X--y---1.0.0{FORMS[form].suffix}"


@pytest.mark.parametrize("form", ["dbt", "html", "markdown"])
def test_a_faulty_document_has_no_other_form(form: str) -> None:
    with pytest.raises(ContractError):
        exported(form, b"id: a")


def test_the_contract_of_a_subject_is_that_of_its_document() -> None:
    assert ExportSource(ORDERS.encode()).contract.id == read(ORDERS.encode()).id
