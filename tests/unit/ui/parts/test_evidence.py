"""Evidence as the draft recorded it, whole or with parts missing."""

from typing import Any
from uuid import UUID

import pytest

from treaty.registry.core.enums import Decision
from treaty.registry.schemas import SuggestionOut
from treaty.ui.parts.review.bulk_table import row, single_card_reason
from treaty.ui.parts.review.evidence import EvidenceBasis, held_everywhere, read
from treaty.ui.widgets.charts import ChartBand, ChartPoint

WHOLE = {
    "rows": 31_240,
    "partitions": 25,
    "held": 24,
    "failed_on": ["day=9"],
    "learned_on": 18,
    "judged_on": 7,
    "history": [["day=1", 0.5], ["day=2", "text"]],
    "limits": [0, None],
    "details": {"values": ["a", "b", "c"], "counts": [1, 7, 7]},
}


def suggestion(**content: Any) -> SuggestionOut:
    return SuggestionOut(
        id=UUID(int=1),
        identity="x",
        position=0,
        content=content,
        decision=Decision.PENDING,
        reason=None,
        rejected_before=False,
        decided_by=None,
        decided_at=None,
    )


def test_evidence_is_read_as_recorded() -> None:
    found = read(suggestion(evidence=WHOLE))
    assert found.series == (ChartPoint("day 1", 0.5),)
    assert found == EvidenceBasis(
        rows=31_240,
        partitions=25,
        passing=24,
        learned_on=18,
        judged_on=7,
        failed_on=("day=9",),
        history=(["day=1", 0.5], ["day=2", "text"]),
        band=ChartBand(0, None),
        values=(("b", 7), ("c", 7), ("a", 1)),
    )


WORTH = [
    ({}, ()),
    ({"holds": 0.9}, ()),
    (
        {"likely": 0.971, "confirmed": True},
        ("Table and column names alone suggest uniqueness with a probability of 97.1 %",),
    ),
    (
        {"likely": 0.971, "likely_by": "model of 2026-11-27 trained on 41 tables"},
        (
            "Table and column names alone suggest uniqueness with a probability of 97.1 %"
            " (model of 2026-11-27 trained on 41 tables)",
        ),
    ),
    (
        {"judged_on": 7, "holds": 0.0, "confirmed": False},
        ("Uniqueness was estimated with a sketch, not counted",),
    ),
    (
        {"judged_on": 7, "holds": 0.65},
        ("At most 35.0 % of new partitions raise a false alarm (95 % confidence)",),
    ),
    (
        {"catches": 0.5, "issues": ["nulls", "unit_change"]},
        ("Detects 50.0 % of common issues: nulls and unit change",),
    ),
    (
        {"judged_on": 1, "holds": 0.05, "split_by": "rows"},
        ("At most 95.0 % of parts of the table raise a false alarm (95 % confidence)",),
    ),
    ({"catches": 0.0, "issues": []}, ("Detects 0.0 % of common issues",)),
    ({"counter_examples": ["AA-0"]}, ("Other values look like AA-0",)),
    ({"owners": {"accepted": 3, "decided": 4}}, ("Owners accepted 3 of 4 suggestions of this kind",)),
    ({"holds": "x", "catches": None, "owners": 3, "stated": 3}, ()),
    (
        {"stated": [{"catalog": "lake", "table": "shop.orders", "since": "2026-11-27T12:00:00+00:00"}, "text"]},
        ("The catalog lake states it for shop.orders, since 2026-11-27 at the latest",),
    ),
]


@pytest.mark.parametrize(("evidence", "told"), WORTH)
def test_evidence_says_what_a_suggestion_is_worth(evidence: dict[str, Any], told: tuple[str, ...]) -> None:
    assert read(suggestion(evidence=evidence)).worth == told


@pytest.mark.parametrize(
    "evidence", [None, "text", [], {}, {"limits": [], "history": None, "details": None, "rows": None, "values": 3}]
)
def test_missing_evidence_counts_as_nothing(evidence: Any) -> None:
    assert read(suggestion(evidence=evidence)) == EvidenceBasis()
    assert not held_everywhere(suggestion(evidence=evidence))


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            EvidenceBasis(rows=31_240, partitions=25, passing=25, learned_on=18, judged_on=7),
            "Satisfied in 25 of 25 partitions · learned on 18, tested on 7 · 31,240 rows",
        ),
        (
            EvidenceBasis(rows=1, partitions=1, passing=0),
            "Satisfied in 0 of 1 partition · too few to test separately · 1 row",
        ),
        (EvidenceBasis(stated=(("lake", "t", "2026"),)), "Not about values, so nothing was evaluated"),
    ],
)
def test_evidence_is_told_in_a_sentence(found: EvidenceBasis, said: str) -> None:
    assert found.sentence == said


def test_texts_of_catalogs_can_be_accepted_in_bulk_and_have_no_severity() -> None:
    described = suggestion(kind="catalog_description", evidence={"stated": [{"catalog": "lake"}]})
    assert single_card_reason(described) == ""
    assert row(described)["Severity"] == ""
    assert row(suggestion(severity="error"))["Severity"] == "Error"
    assert single_card_reason(suggestion(evidence={"stated": [{"catalog": "lake"}], "partitions": 2, "held": 1})) != ""


@pytest.mark.parametrize(("held", "everywhere"), [(25, True), (24, False), (0, False)])
def test_only_what_held_on_every_partition_is_safe_to_accept_in_bulk(held: int, *, everywhere: bool) -> None:
    assert held_everywhere(suggestion(evidence=WHOLE | {"held": held})) is everywhere


@pytest.mark.parametrize(
    ("alarmed", "said"),
    [
        (None, ()),
        ([], ("Backtest: none of 16 partitions alarmed",)),
        (["day=1", "day=2"], ("Backtest: 2 of 16 partitions alarmed: day=1 and day=2",)),
    ],
)
def test_a_back_test_is_told_with_what_alarmed_in_it(alarmed: list[str] | None, said: tuple[str, ...]) -> None:
    found = read(suggestion(evidence={"judged_on": 16, **({} if alarmed is None else {"back_test": alarmed})}))
    assert found.worth == said
