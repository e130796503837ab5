"""Formats and classes of texts on real Spark: one job judges all texts, under ANSI, by all of them."""

import random
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from pyspark.sql import functions
from stdnum import ean, isbn, luhn
from stdnum.iso7064 import mod_97_10
from support.format_texts import TEXTS

from treaty.engine.analyzers.named_formats import CHECKED, FORMATS
from treaty.engine.analyzers.text import like
from treaty.engine.components.operands import Operand
from treaty.engine.components.text_classes import CLASSES, class_of

TEXT = Operand(sql="`text`", type="string")
ODD = (
    "\x00",
    "ß" * 1024,
    "9" * 1000,
    "9" * 20,
    "9" * 40,
    "A" * 70,
    "::" * 300,
    "1" * 39 + "." * 5,
    "\ud7ff",
    "😀" * 60,
    "%",
    "'\\",
)
READ = {
    "integer": ("0", "1", "-1", "+1", "007", "9" * 50),
    "decimal": ("1.5", "-1.5", "+0.0", ".5", "-.5", "1.", "00.00", "3.14159265358979323846264338327950288419716939937"),
    "fractional": ("1e5", "1E5", "-1.5e-3", ".5e+7", "1.e0", "123e-5", "12e-3"),
    "boolean": ("true", "TRUE", "False", "fAlSe"),
    "date": ("2026-01-01", "2024-02-29", "1600-12-31", "9999-12-31", "0001-01-01"),
    "timestamp": (
        "2026-01-01T00:00:00Z",
        "2026-01-01 23:59",
        "2026-01-01T23:59:59.123456789+05:30",
        "2026-01-01T12:00:00-0800",
        "2024-02-29T12:00",
        "2026-01-01 12:00:00.5",
    ),
    "other": (
        "", " ", "a", " 1", "1 ", "1\n", "--1", "+-1", "1-", "- 1", ".", "-", "+", "-.", "1.2.3", "1,5", "1_000",
        "e5", "1e",
        "1e5.0", "0x1F", "1f", "1L", "NaN", "Infinity", "t", "f", "yes", "true ", "truey", "2026-1-1", "2026-02-30",
        "2025-02-29", "2026-13-01", "2026-00-01", "2026-01-00", "0000-01-01", "2026/01/01", "20260101T", "2026-01-01T",
        "2026-01-1 ", "2026-01-01T24:00:00", "2026-01-01T12:60:00", "2026-01-01T12", "2026-01-01  12:00",
        "2026-02-30T12:00",
        "2026-01-01T12:00:00+15:00", "2026-01-01T12:00:00.", "2026-01-01\n", "x2026-01-01", "-2026-01-01", "12:00:00",
        "\u0661",
        "\uff54rue",
    ),
}  # fmt: skip


def drawn(make: Callable[[random.Random], str], times: int) -> list[str]:
    generator = random.Random(20260105)
    return [make(generator) for _ in range(times)]


def digits(generator: random.Random, length: int, of: str = "0123456789") -> str:
    return "".join(generator.choice(of) for _ in range(length))


CARDS = drawn(lambda g: "4" + digits(g, g.choice((12, 15, 18))), 400)
IBANS = drawn(lambda g: f"DE{digits(g, 20)}", 2000) + drawn(
    lambda g: f"MT{digits(g, 2)}{digits(g, 4, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ')}{digits(g, 23, '0123456789QRSTUVWXYZ')}",
    2000,
)
NUMBERS = [
    *drawn(lambda g: digits(g, g.randint(1, 21)), 600),
    *drawn(lambda g: digits(g, g.choice((8, 12, 13, 14))), 600),
    *drawn(lambda g: g.choice(("", "978", "979")) + digits(g, 9) + digits(g, 1, "0123456789Xx"), 600),
]


@pytest.fixture(scope="module")
def judged(spark: Any) -> dict[str, Any]:
    """By text, its class and whether it is of each format: of every text, by every format, in one job."""
    listed = {text for good, bad in TEXTS.values() for text in (*good, *bad)}
    texts = {*listed, *ODD, *CARDS, *IBANS, *NUMBERS, *(text for texts in READ.values() for text in texts)}
    frame = spark.createDataFrame([(text,) for text in sorted(texts)], "text string")
    columns = [functions.expr(each.condition(TEXT.sql)).alias(name) for name, each in FORMATS.items()]
    rows = frame.select("text", functions.expr(class_of(TEXT)).alias("class"), *columns).collect()
    return {row["text"]: row for row in rows}


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_texts_of_a_format_are_told_from_those_that_look_like_it(name: str, judged: dict[str, Any]) -> None:
    good, bad = TEXTS[name]
    assert [text for text in good if not judged[text][name]] == []
    assert [text for text in bad if judged[text][name] is not False] == []


def test_no_text_is_left_unjudged(judged: dict[str, Any]) -> None:
    assert [(text, name) for text, row in judged.items() for name in FORMATS if row[name] is None] == []


def test_a_card_number_keeps_its_check_digit(judged: dict[str, Any]) -> None:
    assert [text for text in CARDS if judged[text]["credit_card"] is not luhn.is_valid(text)] == []
    assert 20 < sum(map(luhn.is_valid, CARDS)) < 80


def test_an_iban_keeps_its_check_digits(judged: dict[str, Any]) -> None:
    def holds(text: str) -> bool:
        return mod_97_10.is_valid(text[4:] + text[:4])

    assert [text for text in IBANS if judged[text]["iban"] is not holds(text)] == []
    assert sum(map(holds, IBANS)) > 20


# The library also accepts a single 0 as a Luhn number, and nine digits as an ISBN.
@pytest.mark.parametrize(("name", "library"), [("luhn", luhn), ("ean", ean), ("isbn", isbn)])
def test_check_digits_are_those_of_an_independent_library(name: str, library: Any, judged: dict[str, Any]) -> None:
    numbers = [text for text in NUMBERS if 9 < len(text) < 21]
    assert [text for text in numbers if judged[text][name] is not library.is_valid(text)] == []
    assert sum(judged[text][name] for text in numbers) > 30


@pytest.mark.parametrize("name", CHECKED)
def test_spark_and_python_find_the_same_check_digits(name: str, judged: dict[str, Any]) -> None:
    assert [text for text, row in judged.items() if row[name] is not FORMATS[name].holds(text)] == []


WHOLE = {
    "luhn": {18: True, 17: False, 4111111111111111: True, 0: False, -18: False, None: None},
    "credit_card": {4111111111111111: True, 4111111111111112: False, 18: False},
    "isbn": {306406152: True, 306406153: False, 9780306406157: True, -306406152: False, 99999999999: False},
    "ean": {36000291452: True, 36000291453: False, 4006381333931: True, 73513537: True, 10614141000415: True,
            100614141000415: False, -73513537: False},
}  # fmt: skip


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("type_", ["bigint", "decimal(20,0)"])
def test_whole_numbers_have_a_format_with_the_zeros_that_they_lost(spark: Any, name: str, type_: str) -> None:
    frame = spark.createDataFrame([(each,) for each in WHOLE[name]], "n bigint").selectExpr(f"cast(n as {type_}) n")
    rows = frame.selectExpr("n", f"{like(Operand(sql='`n`', type=type_), None, name).sql} as good").collect()
    assert {row["n"] if row["n"] is None else int(row["n"]): row["good"] for row in rows} == WHOLE[name]


@pytest.mark.parametrize("name", CLASSES)
def test_a_text_reads_as_one_class(name: str, judged: dict[str, Any]) -> None:
    assert {text: CLASSES[judged[text]["class"]] for text in READ[name]} == dict.fromkeys(READ[name], name)


def test_days_of_the_calendar_are_dates(judged: dict[str, Any]) -> None:
    def real(text: str) -> bool:
        try:
            return bool(date.fromisoformat(text))
        except ValueError:
            return False

    shaped = [text for text in judged if len(text) == 10 and text[4] == text[7] == "-"]
    assert {text: CLASSES[judged[text]["class"]] == "date" for text in shaped} == {text: real(text) for text in shaped}
