"""A contract document told in words, and the limits of its checks."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treaty.ui.parts.contract import document_rows
from treaty.ui.widgets.charts import ChartBand

DOCUMENT = document_rows.parse_document("""
schema:
  - name: orders
    properties:
      - name: id
        logicalType: integer
        physicalType: bigint
        required: true
        unique: true
        description: the number of the order
      - name: address
        logicalType: object
        properties:
          - {name: city, logicalType: string, quality: [{id: city-known, type: sql, query: select 1, mustBe: 0}]}
    quality:
      - id: row-count
        name: rows of a day
        type: custom
        engine: treaty
        severity: warning
        implementation: {analyzer: size, mustBeBetween: [10, 20], scope: delta}
      - {id: few, metric: rowCount, mustBeLessThan: 5}
      - {id: said, type: text, description: somebody reads it}
""")


def test_every_column_is_a_row_nested_ones_by_their_path() -> None:
    assert document_rows.columns(DOCUMENT) == [
        {
            "Object": "orders",
            "Column": "id",
            "Type": "bigint",
            "Constraints": "required, unique",
            "Description": "the number of the order",
        },
        {"Object": "orders", "Column": "address", "Type": "object", "Constraints": "", "Description": ""},
        {"Object": "orders", "Column": "address.city", "Type": "string", "Constraints": "", "Description": ""},
    ]


def test_every_check_is_a_row_in_words() -> None:
    rows = document_rows.checks(DOCUMENT)

    assert [(row["Check"], row["Column"], row["Rule"], row["Severity"], row["Scope"]) for row in rows] == [
        ("rows of a day", "", "size is between 10 and 20", "warning", "delta"),
        ("few", "", "rowCount is below 5", "error", ""),
        ("said", "", "somebody reads it", "error", ""),
        ("city-known", "address.city", "is 0 (select 1)", "error", ""),
    ]


@pytest.mark.parametrize(
    ("check_id", "band"),
    [
        ("row-count", ChartBand(10, 20)),
        ("few", ChartBand(None, 5, strict=True)),
        ("city-known", ChartBand(0, 0)),
        ("said", ChartBand()),
        ("id-required", ChartBand(1, 1)),
        ("id-unique", ChartBand(1, 1)),
        ("primary-key", ChartBand(1, 1)),
        ("unknown", ChartBand()),
    ],
)
def test_the_limits_of_a_check_are_those_written(check_id: str, band: ChartBand) -> None:
    assert document_rows.band(DOCUMENT, check_id) == band


@pytest.mark.parametrize("text", ["", "- a\n- b", "{", "a: [", "\x00", "!!python/object:os.system {}", "&a [*a]"])
def test_a_text_that_is_no_document_is_shown_as_text_only(text: str) -> None:
    assert document_rows.columns(document_rows.parse_document(text)) == []


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["schema", "properties", "quality", "name", "id", "implementation", "mustBe", "mustBeBetween"]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=20,
    )
)
def test_whatever_a_document_holds_it_can_be_shown(found: Any) -> None:
    document = found if isinstance(found, dict) else {"schema": found}

    document_rows.columns(document)
    for row in document_rows.checks(document):
        assert all(isinstance(text, str) for text in row.values())
    document_rows.band(document, "x")
