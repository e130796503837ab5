"""Whom a change breaks: a table of changes and readers, and that nobody is asked about what they do not use."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from support.consumers import COLUMNS, check, content

from treaty.contracts.document import writer
from treaty.contracts.document.model import Contract
from treaty.contracts.document.reader import read
from treaty.contracts.schema import Schema
from treaty.engine.checks.binding import bind
from treaty.engine.checks.columns_read import reach
from treaty.registry.review.consumers import breaking_changes, check_document
from treaty.registry.review.consumers.check_document import RequestedCheck

PRODUCER = [
    check("many", "size", mustBeGreaterThan=10),
    check("dear", "minimum", column="amount", mustBeGreaterThan=0),
    check("late", "completeness", column="amount", where="id > 5", mustBe=1),
    check("positive", "compliance", predicate="amount > id", mustBe=1),
]
Document = dict[str, Any]


def contract(made: Document) -> Contract:
    return read(writer.write(made))


def column(made: Document, name: str) -> dict[str, Any]:
    return next(each for each in made["schema"][0]["properties"] if each["name"] == name)


def without_column(made: Document, name: str) -> None:
    made["schema"][0]["properties"] = [each for each in made["schema"][0]["properties"] if each["name"] != name]


def without_check(made: Document, name: str) -> None:
    made["schema"][0]["quality"] = [each for each in made["schema"][0]["quality"] if each["id"] != name]


def loosened(made: Document, name: str, **words: Any) -> None:
    entry = next(each for each in made["schema"][0]["quality"] if each["id"] == name)
    entry["implementation"] |= words


def old() -> Document:
    return content(quality=PRODUCER)


def changed(change: Callable[[Document], object]) -> breaking_changes.VersionChanges:
    made = old()
    change(made)
    return breaking_changes.changes(contract(old()), contract(made))


def relying(reads: Mapping[str, list[str]], *asked: RequestedCheck) -> breaking_changes.ColumnReliance:
    return breaking_changes.reliance(reads, check_document.needs(contract(old()), asked))


def asking(analyzer: str, **words: Any) -> RequestedCheck:
    return RequestedCheck("mine", "orders", None, {"quality": check("mine", analyzer, **words)})


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        (lambda made: without_column(made, "country"), ["country", "*"]),
        (lambda made: column(made, "country").update(physicalType="int", logicalType="integer"), ["country", "*"]),
        (lambda made: column(made, "id").pop("required"), ["id", "*"]),
        (lambda made: column(made, "id").pop("unique"), ["id", "*"]),
        (lambda made: column(made, "amount").update(required=True), []),
        (lambda made: column(made, "amount").update(description="in euros"), []),
        (lambda made: made["schema"][0]["properties"].append({"name": "new", "logicalType": "string"}), []),
        (lambda made: made.update(description={"purpose": "more"}), []),
        (lambda made: without_check(made, "dear"), ["amount", "*"]),
        (lambda made: without_check(made, "late"), ["id", "amount", "*"]),
        (lambda made: without_check(made, "positive"), ["id", "amount", "*"]),
        (lambda made: without_check(made, "many"), ["id", "amount", "country", "buyer.city", "buyer", "*"]),
        (lambda made: loosened(made, "dear", mustBeGreaterThan=-5), ["amount", "*"]),
        (lambda made: loosened(made, "dear", mustBeGreaterThan=5), []),
        (
            lambda made: loosened(made, "many", mustBeGreaterThan=5),
            ["id", "amount", "country", "buyer.city", "buyer", "*"],
        ),
        (lambda made: column(made, "buyer")["properties"].pop(1), ["buyer.city", "buyer", "*"]),
        (lambda made: without_column(made, "buyer"), ["buyer.city", "buyer", "*"]),
    ],
)
def test_a_change_breaks_whom_it_takes_something_from(change: Callable[[Document], object], broken: list[str]) -> None:
    found = changed(change)
    readers = ("id", "amount", "country", "buyer.city", "buyer", "*")
    assert [each for each in readers if found.breaks(relying({"orders": [each]}))] == broken
    assert found.breaks(relying({})) == ()


@pytest.mark.parametrize(
    ("asked", "change", "breaks"),
    [
        (asking("mean", column="country", mustBe=1), lambda made: without_column(made, "country"), True),
        (asking("size", where="country = 'DE'", mustBe=1), lambda made: without_check(made, "many"), True),
        (asking("size", mustBe=1), lambda made: without_check(made, "many"), True),
        (asking("size", mustBe=1), lambda made: without_column(made, "country"), False),
        (
            asking("completeness", column="id", where="country = 'DE'", mustBe=1),
            lambda made: without_column(made, "country"),
            True,
        ),
        (asking("mean", column="amount", mustBe=1), lambda made: without_check(made, "late"), True),
        (asking("mean", column="amount", mustBe=1), lambda made: column(made, "id").pop("unique"), False),
        (
            RequestedCheck("mine", "orders", "country", {"required": True}),
            lambda made: without_column(made, "country"),
            True,
        ),
    ],
)
def test_a_change_breaks_whose_own_checks_need_what_it_takes(
    asked: RequestedCheck, change: Callable[[Document], object], breaks: bool
) -> None:
    assert bool(changed(change).breaks(relying({}, asked))) is breaks


def test_each_reason_is_a_sentence_told_once() -> None:
    (said,) = changed(lambda made: without_column(made, "country")).breaks(relying({"orders": ["*"]}))
    assert said == "column country was removed"


def test_a_table_that_is_gone_breaks_whoever_uses_it() -> None:
    found = changed(lambda made: made["schema"][0].update(name="invoices", physicalName="/lake/invoices"))
    assert found.breaks(relying({"orders": ["id"]}))
    assert found.breaks(relying({}, asking("size", mustBe=1)))
    assert found.breaks(relying({})) == ()


NAMES = [each["name"] for each in COLUMNS if each["name"] != "day"]
CHECKED = {
    each["id"]: reach
    for each, reach in zip(PRODUCER, ({"*"}, {"amount"}, {"amount", "id"}, {"amount", "id"}), strict=True)
}


@pytest.mark.search
@settings(deadline=None, max_examples=60)
@given(
    gone=some.sets(some.sampled_from(["id", "amount", "country", "card"]), max_size=2),
    dropped=some.sets(some.sampled_from([name for name in CHECKED if name != "many"]), max_size=3),
    reads=some.sets(some.sampled_from(NAMES)),
    needs=some.sets(some.sampled_from(["id", "amount", "country"]), max_size=2),
)
def test_whoever_reads_none_of_the_touched_columns_and_has_no_check_on_them_is_never_asked(
    gone: set[str], dropped: set[str], reads: set[str], needs: set[str]
) -> None:
    made = old()
    # A check cannot outlive its columns.
    lost = dropped | {name for name, columns in CHECKED.items() if columns & gone}
    for name in gone:
        without_column(made, name)
    for name in lost:
        without_check(made, name)
    touched = gone.union(*(CHECKED[name] for name in lost))
    asked = [RequestedCheck(f"n-{name}", "orders", name, {"required": True}) for name in needs]
    found = breaking_changes.changes(contract(old()), contract(made))
    reasons = found.breaks(relying({"orders": sorted(reads)} if reads else {}, *asked))
    assert bool(reasons) is bool(touched & (reads | needs))


@pytest.mark.parametrize(
    ("entry", "columns"),
    [
        (check("a", "size", mustBe=1), None),
        (check("a", "size", where="country = 'DE'", mustBe=1), None),
        (check("a", "mean", column="amount", where="country = 'DE'", mustBe=1), {"amount", "country"}),
        (check("a", "compliance", predicate="amount > 0 and buyer.city = 'B'", mustBe=1), {"amount", "buyer.city"}),
        (check("a", "uniqueness", columns=["id", "day"], mustBe=1), {"id", "day"}),
        ({"id": "a", "type": "sql", "query": "select count(*) from orders", "mustBe": 0}, None),
        ({"id": "a", "type": "custom", "engine": "soda", "implementation": "x"}, None),
        ({"id": "a", "metric": "rowCount", "mustBe": 1}, None),
        ({"id": "a", "metric": "duplicateValues", "arguments": {"properties": ["id"]}, "mustBe": 0}, {"id"}),
    ],
)
def test_a_check_says_which_columns_it_is_about(entry: dict[str, Any], columns: set[str] | None) -> None:
    (bound,) = [
        each
        for each in bind(contract(content(quality=[entry])).object("orders"), Schema(())).checks
        if each.check.id == "a"
    ]
    assert reach(bound) == (columns if columns is None else frozenset(columns))
