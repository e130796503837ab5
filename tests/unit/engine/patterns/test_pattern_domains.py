"""Names of what texts mean, check digits included, and the evidence that an owner is shown."""

import pytest
from support.every import every

from treaty.engine.patterns.evidence import evidence
from treaty.engine.patterns.index import indexed
from treaty.engine.patterns.inference import infer
from treaty.engine.patterns.named_domains import domain_of

UUIDS = [f"{n:08x}-0000-4000-8000-{n:012x}" for n in range(6)]
IBANS = ["DE89370400440532013000", "GB29NWBK60161331926819", "FR1420041010050500013M02606", "NL91ABNA0417164300",
         "BE68539007547034"]  # fmt: skip
CARDS = ["4111111111111111", "5555555555554444", "378282246310005", "6011111111111117", "4012888888881881"]
CASES = [
    (UUIDS, "uuid"),
    (IBANS, "iban"),
    ([each[:-1] + "9" for each in IBANS[:4]] + ["DE00370400440532013000"], None),
    (CARDS, "credit_card"),
    ([f"{each[:-1]}{(int(each[-1]) + 1) % 10}" for each in CARDS], None),
    (["9780306406157", "978-3-16-148410-0", "9781861972712", "9780141439518", "9780262033848"], "isbn"),
    ([f"10.0.{n}.255" for n in range(6)], "ipv4"),
    ([f"10.0.{n}.256" for n in range(6)], None),
    ([f"fe80::{n:x}" for n in range(6)], "ipv6"),
    ([f"user{n}@mail.test" for n in range(6)], "email"),
    ([f"https://host.test/{n}/a?b=c" for n in range(6)], "url"),
    (["DE", "FR", "GB", "US", "JP"], "country code (ISO 3166-1 alpha-2)"),
    (["EUR", "USD", "GBP", "JPY", "CHF"], "currency code (ISO 4217)"),
    ([f"2024-02-{n:02d}" for n in range(1, 9)], "date or time (%Y-%m-%d)"),
    ([f"2024-02-{n:02d}" for n in range(28, 40)], None),
    ([f"{n}/13/2024" for n in range(1, 9)], "date or time (%m/%d/%Y)"),
    ([f"13/{n}/2024" for n in range(1, 9)], "date or time (%d/%m/%Y)"),
    ([f"2024-02-01T10:00:{n:02d}Z" for n in range(9)], "time stamp (ISO 8601)"),
    (["DE", "FR"], None),
    ([], None),
    (["a" * 1_000_000 + str(n) for n in range(6)], None),
]


@pytest.mark.parametrize(("values", "name"), CASES, ids=[f"{n}: {each[1]}" for n, each in enumerate(CASES)])
def test_a_domain_is_named_where_nearly_all_values_are_of_it(values: list[str], name: str | None) -> None:
    found = domain_of(values)
    assert (found and found.name) == name


def test_what_a_contract_may_promise_as_a_format_says_so() -> None:
    ibans, codes = domain_of(IBANS), domain_of(["DE", "FR", "GB", "US", "JP"])
    assert ibans is not None
    assert codes is not None
    assert (ibans.format, codes.format) == ("iban", None)


DATES = [f"2024-{n % 12 + 1:02d}-{n % 28 + 1:02d}" for n in range(80)]


def test_the_evidence_shows_values_neighbours_and_figures() -> None:
    lake = indexed([DATES[n:] for n in range(6)])
    values = [*DATES, None, "unknown"]
    shown = evidence(values, infer(values, lake), lake, secret=False)
    assert shown["domain"] == "date or time (%Y-%m-%d)"
    assert len(shown["values"]["conforming"]) == 10
    assert 0 <= shown["false_alarms"] <= 1
    texts = [each["text"] for each in shown["neighbours"]]
    assert texts == list(dict.fromkeys(texts))


FAMILIAR = [
    ("all", DATES, 1.0),
    ("none", [f"{at}x{at}x{at}" for at in range(20)], 0.0),
    ("half", [*DATES[:20], *(f"{at}/{at + 1}?" for at in range(20))], 0.5),
    ("too long for a pattern", ["-".join("abcdefghij") for _ in range(20)], 0.0),
    ("no values", [], 0.0),
]


@every(("name", "values", "share"), FAMILIAR, ids=[each[0] for each in FAMILIAR])
def test_the_evidence_says_how_much_of_a_column_the_lake_resembles(name: str, values: list[str], share: float) -> None:
    lake = indexed([DATES[n:] for n in range(6)])
    shown = evidence(values, infer(values, lake), lake, secret=False)["lake"]
    assert shown == {"columns": 6, "least_columns": 2, "familiar_share": share}, name


def test_nothing_resembles_an_empty_lake() -> None:
    lake = indexed([])
    assert evidence(DATES, infer(DATES, lake), lake, secret=False)["lake"]["familiar_share"] == 0.0


def test_of_a_classified_column_no_value_is_shown() -> None:
    lake = indexed([DATES])
    shown = evidence(DATES, infer(DATES, lake), lake, secret=True)
    assert (shown["values"], shown["neighbours"]) == ({}, [])
