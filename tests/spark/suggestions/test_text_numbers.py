"""Texts that always parse as numbers get signs and ranges, on real Spark: drafted, then violated by a later day."""

from math import nan
from typing import Any

import pytest
from support.orders import check, contract, result

from treaty.engine.core.results import Outcome
from treaty.engine.session.drafts import Draft, draft
from treaty.engine.session.verify import verify
from treaty.engine.suggestions.parsed_texts import numbers_of

DAYS, ROWS_OF_DAY = 8, 250
# As a CSV file has them: every column is text.
COLUMNS = {
    "amount": "cast(cast(id * 7919 % 9973 as double) / 10 + 0.1 as string)",
    "balance": "cast(id * 7919 % 97 - 40 as string)",
    "quantity": "cast(1 + id % 6 as string)",
    "rate": "format_string('%.2e', cast(1 + id * 31 % 97 as double))",
    "reading": "if(id % 3 = 0, format_string('%.1e', sin(id) * 40 + 10), cast(round(sin(id) * 40 + 10, 1) as string))",
    "lat": "cast(cast(id * 37 % 1800 as double) / 10 - 90 as string)",
    "status": "cast(element_at(array(200, 200, 404, 500), cast(id % 4 + 1 as int)) as string)",
    "order_id": "cast(id as string)",
    "code": "lpad(cast(id * 31 % 9973 as string), 5, '0')",
    "dewey": "format_string('%03d.%d', id * 13 % 999, id % 10)",
    "zip": "cast(10000 + id * 31 % 9973 as string)",
    "phone": "concat('+49', cast(1000000 + id * 7919 % 99999999 as string))",
    "year": "cast(1990 + id % 30 as string)",
    "note": "if(id % 10 = 0, 'n/a', cast(id % 90 as string))",
    "day": f"concat('2026-01-', lpad(cast(floor(id / {ROWS_OF_DAY}) + 1 as string), 2, '0'))",
}
NUMERIC = {"positive", "non_negative", "value_range", "fitted", "latitude"}
FOUND = {
    ("order_id", "non_negative"): "order_id, read as an integer, is never negative",
    ("balance", "value_range"): "balance, read as an integer, is between -140 and 160 in at least 99.0 % of the values",
    ("amount", "positive"): "amount, read as a decimal, is always positive",
    ("quantity", "positive"): "quantity, read as an integer, is always positive",
    ("rate", "positive"): "rate, read as a number, is always positive",
    ("reading", "value_range"): "reading, read as a number, is between -110 and 130 in at least 99.0 % of the values",
    ("lat", "latitude"): "lat, read as a decimal, is a latitude between -90 and 90",
}
CODES = {"status", "code", "dewey", "zip", "phone", "year", "note"}
LATER = DAYS * ROWS_OF_DAY


def rows(spark: Any, start: int, end: int, **other: str) -> Any:
    return spark.range(start, end).selectExpr(*(f"{sql} as {name}" for name, sql in {**COLUMNS, **other}.items()))


@pytest.fixture(scope="module")
def drafted(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Draft:
    """The draft of a CSV file that Spark reads without types."""
    path = str(tmp_path_factory.mktemp("texts") / "t")
    rows(spark, 0, LATER).write.option("header", True).csv(path)
    return draft(spark.read.option("header", True).csv(path), "t", partition_by=["day"])


def test_texts_that_are_numbers_get_signs_and_ranges_and_codes_get_none(drafted: Draft) -> None:
    every = [each for each in drafted.suggestions if each["kind"] in NUMERIC]
    proposed = {(each["column"], each["kind"]): each["sentence"] for each in every if not each["optional"]}
    assert proposed == FOUND
    assert not CODES & {each["column"] for each in every}


def test_the_evidence_says_what_the_texts_are_read_as(drafted: Draft) -> None:
    every = [each for each in drafted.suggestions if (each["column"], each["kind"]) in FOUND]
    read_as = {each["column"]: each["evidence"]["details"]["read_as"] for each in every}
    fractional = dict.fromkeys(("rate", "reading"), "fractional")
    decimals, integers = (
        dict.fromkeys(("amount", "lat"), "decimal"),
        dict.fromkeys(("balance", "quantity", "order_id"), "integer"),
    )
    assert read_as == {**fractional, **decimals, **integers}


VIOLATIONS = {
    "amount-positive": {"amount": "if(id % 250 = 7, '-3.5', '12.5')"},
    "quantity-positive": {"quantity": "if(id % 250 = 7, '0', '5')"},
    "lat-latitude": {"lat": "if(id % 250 = 7, '90.5', '12.5')"},
    "rate-positive": {"rate": "if(id % 250 = 7, 'none', '1.20e+01')"},
    "reading-range": {"reading": "if(id % 250 < 7, '131', '12.5')"},
}


@pytest.fixture(scope="module")
def outcomes(spark: Any, drafted: Draft) -> dict[str, dict[str, Any]]:
    """The results of a clean later day, and of one with violations in every column."""
    other = {name: sql for changed in VIOLATIONS.values() for name, sql in changed.items()}
    frames = {
        "clean": rows(spark, LATER, LATER + ROWS_OF_DAY),
        "dirty": rows(spark, LATER, LATER + ROWS_OF_DAY, **other),
    }
    runs = {name: verify(frame, drafted.contract(), partition_by=["day"]) for name, frame in frames.items()}
    return {name: {each.check_id: each for each in run.results} for name, run in runs.items()}


@pytest.mark.parametrize("check_id", VIOLATIONS)
def test_a_later_day_passes_until_one_of_its_numbers_is_wrong(outcomes: Any, check_id: str) -> None:
    assert outcomes["clean"][check_id].outcome is Outcome.PASSED
    wrong = outcomes["dirty"][check_id]
    assert (wrong.outcome, wrong.violating_rows) == (Outcome.FAILED, 7 if check_id == "reading-range" else 1)


# The number that `in_range` reads, and whether `data_type` counts the text as a number.
READ = {
    "5": (5, True),
    "-5": (-5, True),
    "+5": (5, True),
    ".5": (0.5, True),
    "5.": (5, True),
    "1e3": (1000, True),
    "-2.5E-1": (-0.25, True),
    " 5 ": (5, False),
    "\t-5\n": (-5, False),
    "": (nan, False),
    " ": (nan, False),
    "none": (nan, False),
    "1,000": (nan, False),
    "0x10": (nan, False),
    "5 5": (nan, False),
    "5L": (nan, False),
    "NaN": (nan, False),
    "\uff11\uff12": (nan, False),
}


@pytest.fixture(scope="module")
def results(spark: Any) -> Any:
    texts = [*READ, None]
    checks = [
        check("in_range", f"n{at}", column="x", minimum=low, maximum=high, where=f"id = {at}", mustBe=1)
        for at, (low, high) in enumerate(_around(number) for number, _ in READ.values())
    ]
    checks += [
        check("data_type", f"t{at}", column="x", type="number", where=f"id = {at}", mustBe=1) for at in range(len(READ))
    ]
    sign = check("in_range", "sign", column="x", minimum=0, mustBe=1)
    frame = spark.createDataFrame(list(enumerate(texts)), "id int, x string")
    run = verify(frame, contract(*checks, sign, properties=[]))
    return {each.check_id: result(run, each.check_id) for each in run.results}


def _around(number: float) -> tuple[float, float]:
    return (-1e9, 1e9) if number != number else (number, number)


def test_each_text_is_read_as_the_number_that_a_draft_expects(results: Any) -> None:
    for at, (text, (number, is_typed)) in enumerate(READ.items()):
        read, typed = results[f"n{at}"], results[f"t{at}"]
        assert (read.outcome is Outcome.PASSED) == (number == number), text
        assert (typed.outcome is Outcome.PASSED) == is_typed, text
        assert (numbers_of([text])[0] == number) == (number == number), text


def test_a_text_that_is_no_number_violates_a_sign_and_a_null_does_not(results: Any) -> None:
    no_numbers = sum(number != number for number, _ in READ.values())
    negative = sum(number < 0 for number, _ in READ.values())
    sign = results["sign"]
    assert (sign.row_count, sign.violating_rows) == (len(READ), no_numbers + negative)
    # NaN is a number to Spark, though within no bounds.
    assert sign.unevaluated_rows == no_numbers - 1
