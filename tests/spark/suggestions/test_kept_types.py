"""A draft by real Spark: texts keep the type they parse as, codes stay codes, and amounts are no categories."""

from typing import Any

import pytest

from treaty.engine.protocol.requests import DraftRequest, TableSource
from treaty.engine.spark.handlers.draft import draft

ROWS = {
    "id": "id",
    "flag": "cast(id % 3 = 0 as int)",
    "status": "element_at(array(200, 200, 404, 500), cast(id % 4 + 1 as int))",
    "quantity": "cast(1 + id % 6 as int)",
    "amount": "cast(id * 7919 % 997 - 400 as string)",
    "price": "format_number(id * 13 % 1009 / 100, 2)",
    "code": "lpad(cast(id * 31 % 9973 as string), 5, '0')",
    "sent": "cast(date_add(date'2026-01-01', cast(id % 40 as int)) as string)",
    "word": "concat('w', id * 17 % 919)",
    "day": "concat('2026-01-', lpad(cast(id / 200 as int) + 1, 2, '0'))",
}


@pytest.fixture(scope="module")
def suggestions(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], dict[str, Any]]:
    path = tmp_path_factory.mktemp("types") / "t"
    frame = spark.range(2000).selectExpr(*(f"{sql} as {name}" for name, sql in ROWS.items()))
    frame.write.partitionBy("day").parquet(str(path))
    request = DraftRequest(source=TableSource(str(path), "parquet", ("day",)), contract_id="t", object="t")
    return {(each["column"], each["kind"]): each for each in draft(spark, request).suggestions}


@pytest.mark.parametrize(("column", "kind"), [("amount", "integer"), ("price", "decimal"), ("sent", "date")])
def test_a_text_column_keeps_the_type_that_it_parses_as(suggestions: Any, column: str, kind: str) -> None:
    check = suggestions[column, "reads_as"]["patch"]["quality"]["implementation"]
    assert check == {
        "analyzer": "data_type", "scope": "delta", "column": column, "type": kind, "mustBeGreaterOrEqualTo": 1,
    }  # fmt: skip


@pytest.mark.parametrize("column", ["code", "word", "id", "quantity"])
def test_codes_words_and_numbers_are_not_asked_to_parse(suggestions: Any, column: str) -> None:
    assert (column, "reads_as") not in suggestions


@pytest.mark.parametrize(("column", "values"), [("flag", ["0", "1"]), ("status", ["200", "404", "500"])])
def test_flags_and_codes_are_categories(suggestions: Any, column: str, values: list[str]) -> None:
    found = suggestions[column, "categorical"]
    assert found["evidence"]["details"]["values"] == values
    predicate = found["patch"]["quality"]["implementation"]["predicate"]
    assert predicate == f"`{column}` IS NULL OR `{column}` IN ({', '.join(values)})"


def test_amounts_are_no_categories(suggestions: Any) -> None:
    assert ("quantity", "categorical") not in suggestions
