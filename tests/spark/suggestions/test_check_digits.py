"""A draft by real Spark: numbers with check digits are suggested as their format, other digits are not."""

from datetime import date, timedelta
from typing import Any

import pytest
from stdnum import ean, isbn, luhn
from stdnum.iso7064 import mod_97_10

from treaty.contracts.document.reader import read
from treaty.contracts.document.writer import write
from treaty.contracts.editing.patches import Patch, apply
from treaty.engine.protocol.requests import DraftRequest, TableSource
from treaty.engine.session.verify import verify
from treaty.engine.spark.handlers.draft import draft

ROWS = 1000
SCHEMA = (
    "day string, iban string, card string, book string, article bigint, device string, odd string, millis bigint,"
    " code string"
)


def _ean(number: str) -> str:
    return number + ean.calc_check_digit(number)


def _luhn(number: str) -> str:
    return number + luhn.calc_check_digit(number)


def _row(at: int) -> tuple[Any, ...]:
    account, digits = f"37040044{at * 7919:010d}", f"{at * 104729:09d}"
    return (
        str(date(2026, 1, 1) + timedelta(days=at // 200)),
        f"DE{mod_97_10.calc_check_digits(account + 'DE')}{account}",
        _luhn(f"424242{digits}"),
        isbn.format(_ean(f"978{digits}")) or _ean(f"978{digits}"),
        int(_ean(f"0{at * 98047:010d}")),
        _luhn(f"35391805{at:06d}"),
        "n/a" if at == 7 else _ean(f"4006{at * 31:08d}"),
        1_767_225_600_000 + 86_400 * at,
        f"{digits}{at % 10}",
    )


@pytest.fixture(scope="module")
def drafted(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("digits") / "t"
    spark.createDataFrame(map(_row, range(ROWS)), SCHEMA).write.partitionBy("day").parquet(str(path))
    return draft(spark, DraftRequest(source=TableSource(str(path), "parquet", ("day",)), contract_id="t", object="t"))


def test_each_number_is_suggested_as_its_narrowest_format(drafted: Any) -> None:
    found = {each["column"]: each for each in drafted.suggestions if each["kind"] == "check_digit"}
    assert {column: each["evidence"]["details"]["format"] for column, each in found.items()} == {
        "iban": "iban", "card": "credit_card", "book": "isbn", "article": "ean", "device": "luhn", "odd": "ean",
    }  # fmt: skip
    limits = {column: each["patch"]["quality"]["implementation"] for column, each in found.items()}
    assert limits.pop("odd")["mustBeGreaterOrEqualTo"] == 0.99
    assert {each["mustBeGreaterOrEqualTo"] for each in limits.values()} == {1}
    assert {each["severity"] for each in found.values()} == {"error"}
    assert not any(each["optional"] for each in found.values())


def test_a_mistyped_digit_violates_the_suggested_checks(spark: Any, drafted: Any) -> None:
    found = [each for each in drafted.suggestions if each["kind"] == "check_digit" and each["column"] != "odd"]
    patches = [Patch(each["object"], each["column"], each["patch"]) for each in found]
    contract = read(write(apply(read(drafted.document).document, patches)))
    good = spark.createDataFrame(map(_row, range(ROWS, ROWS + 50)), SCHEMA)
    assert not {each.outcome for each in verify(good, contract).results} - {"passed"}
    bad = good.selectExpr(
        "day", *(f"translate({name}, '37', '73') {name}" for name in ("iban", "card", "book", "device")),
        "article + 1 article", "odd", "millis", "code",
    )  # fmt: skip
    results = verify(bad, contract, samples=3).results
    failed = {each.column: each for each in results if each.outcome == "failed"}
    assert failed.keys() == {"iban", "card", "book", "article", "device"}
    assert failed["article"].violating_rows == 50
