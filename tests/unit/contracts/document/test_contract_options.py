"""What the words of a column promise, as far as the document itself goes: options, enumerations, terms of structure."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.contract_texts import COLUMNS, TABLE
from support.orders import check, contract

from treaty.contracts.document.logical_type_options import means_whole
from treaty.contracts.document.model import Property
from treaty.contracts.document.reader import read
from treaty.contracts.errors import ContractError


def reading(**words: Any) -> Property:
    return contract(properties=[{"name": "it", **words}]).object("orders").properties[0]


def test_options_are_read() -> None:
    options = {"minimum": 0, "maximum": 9.5, "multipleOf": 0.5}
    assert reading(logicalType="number", logicalTypeOptions=options).options == options
    assert reading(logicalType="number").options == {}


def test_options_of_nested_properties_are_read() -> None:
    inner = {"name": "city", "logicalType": "string", "logicalTypeOptions": {"minLength": 1}}
    assert reading(logicalType="object", properties=[inner]).properties[0].options == {"minLength": 1}
    items = {"logicalType": "string", "logicalTypeOptions": {"maxLength": 1}}
    assert reading(logicalType="array", items=items).items.options == {"maxLength": 1}  # type: ignore[union-attr]


def test_the_values_of_an_enumeration_are_read_in_order() -> None:
    text = COLUMNS.replace("v3.1.0", "v3.2.0") + (
        "      - {name: a, logicalType: string, enum: [{value: new, label: New}, {value: 'null'}, {value: 1.5}]}\n"
    )
    assert read(text.encode()).objects[0].properties[0].enum == ("new", "null", 1.5)


REFUSED = {
    "an option of another type": ("integer", {"minLength": 3}, "odcs-unexpected-key", "minLength"),
    "an option of no type": (None, {"minLength": 3}, "odcs-unexpected-key", "minLength"),
    "a number that is a text": ("string", {"minLength": "3"}, "odcs-type", "minLength"),
    "an unknown format of numbers": ("integer", {"format": "int32"}, "odcs-value", "format"),
    "lengths that cross": ("string", {"minLength": 3, "maxLength": 2}, "options-order", "maxLength"),
    "sizes that cross": ("array", {"minItems": 3, "maxItems": 2}, "options-order", "maxItems"),
    "entries that cross": ("object", {"minProperties": 3, "maxProperties": 2}, "options-order", "maxProperties"),
    "bounds that cross": ("number", {"minimum": 3, "maximum": 2.5}, "options-order", "maximum"),
    "exclusive bounds that meet": (
        "number",
        {"exclusiveMinimum": 3, "exclusiveMaximum": 3},
        "options-order",
        "exclusiveMaximum",
    ),
    "bounds that meet on one side only": (
        "number",
        {"minimum": 3, "exclusiveMaximum": 3},
        "options-order",
        "exclusiveMaximum",
    ),
    "dates that cross": ("date", {"minimum": "2026-01-02", "maximum": "2026-01-01"}, "options-order", "maximum"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_contradicts_itself_is_a_fault_with_its_line(name: str) -> None:
    logical, options, code, key = REFUSED[name]
    words = {"logicalType": logical} if logical else {}
    with pytest.raises(ContractError) as error:
        reading(**words, logicalTypeOptions=options)
    (fault,) = error.value.faults
    assert (fault.code, fault.where) == (code, f"schema[0].properties[0].logicalTypeOptions.{key}")
    assert fault.line is not None


KEPT = [
    ("number", {"minimum": 3, "maximum": 3}),
    ("number", {"minimum": 3, "exclusiveMaximum": 3.5}),
    ("string", {"minLength": 0, "maxLength": 0}),
    ("date", {"minimum": "2026-01-01", "maximum": "2026-01-01"}),
    ("timestamp", {"minimum": "2026-01-01T00:00:00Z", "maximum": "2026-01-01"}),
]


@pytest.mark.parametrize(("logical", "options"), KEPT)
def test_bounds_that_leave_a_value_are_read(logical: str, options: dict[str, Any]) -> None:
    assert reading(logicalType=logical, logicalTypeOptions=options).options == options


def test_a_required_field_that_the_object_does_not_have_is_a_fault_that_names_the_nearest() -> None:
    fields = [{"name": "city", "logicalType": "string"}]
    with pytest.raises(
        ContractError, match=re.escape("required[1]: is not a property of the object (did you mean 'city'?)")
    ):
        reading(logicalType="object", properties=fields, logicalTypeOptions={"required": ["city", "cty"]})
    open_ended = reading(logicalType="object", logicalTypeOptions={"required": ["anything"]})
    assert open_ended.options == {"required": ["anything"]}


WHOLE = [
    ("^[A-Z]{3}$", True),
    ("^SG", False),
    ("SG$", False),
    ("", False),
    ("^a|b$", False),
    ("^(a|b)$", True),
    (r"^a\|b$", True),
    ("^[|]$", True),
    (r"^a\$", False),
    (r"^a\\$", True),
    ("^[$]", False),
    ("[^$", False),
    (r"[\]^$", False),
]


@pytest.mark.parametrize(("pattern", "whole"), WHOLE)
def test_a_pattern_between_anchors_means_the_whole_text(pattern: str, *, whole: bool) -> None:
    assert means_whole(pattern) is whole


PIECES = st.sampled_from(
    ["a", "b", "[ab]", "[^a]", "(a|b)", "(?:a)", "a?", "b+", ".", "[|$]", r"\|", "|", "^", "$", r"\$"]
)


@given(st.lists(PIECES, max_size=5).map("".join), st.text("ab|$^\\", max_size=6))
def test_a_pattern_that_means_the_whole_text_matches_no_part_of_it(pattern: str, text: str) -> None:
    if means_whole(pattern):
        assert bool(re.fullmatch(pattern, text)) == bool(re.search(pattern, text))


@pytest.mark.parametrize("entry", [{"rule": "nullValues"}, {"type": "library", "rule": "nullValues"}])
def test_a_metric_may_bear_its_old_word(entry: dict[str, str]) -> None:
    properties = [{"name": "it", "logicalType": "string", "quality": [{"id": "c", **entry, "mustBe": 0}]}]
    (found,) = contract(properties=properties).object("orders").checks
    assert (found.kind, found.analyzer, found.column) == ("library", "nullValues", "it")


def test_an_unknown_metric_is_a_fault_that_names_the_known_ones() -> None:
    for word in ("metric", "rule"):
        with pytest.raises(ContractError, match="did you mean 'nullValues'"):
            contract({"id": "c", word: "nulValues", "mustBe": 0})


TERMS = "customProperties:\n  - property: treaty\n    value: {{{}}}\n"


@pytest.mark.parametrize(("written", "columns", "order"), [
    ("", "watched", False),
    ("columns: open", "open", False),
    ("columns: closed, order: true", "closed", True),
])  # fmt: skip
def test_the_terms_of_structure_are_read(written: str, columns: str, *, order: bool) -> None:
    terms = read((TABLE + "          - {metric: rowCount, mustBe: 0}\n" + TERMS.format(written)).encode()).terms
    assert (terms.columns, terms.order) == (columns, order)


@pytest.mark.parametrize("written", ["columns: shut", "order: 1", "columns: true", "colums: open"])
def test_terms_of_structure_of_another_form_are_faults(written: str) -> None:
    with pytest.raises(ContractError, match=r"terms-(form|unknown) at line \d+"):
        read((TABLE + "          - {metric: rowCount, mustBe: 0}\n" + TERMS.format(written)).encode())


def test_checks_of_the_document_stand_beside_those_of_its_words() -> None:
    found = contract(check("size", mustBe=1), properties=[{"name": "it", "logicalType": "string"}])
    assert [each.kind for each in found.object("orders").checks] == ["treaty"]
