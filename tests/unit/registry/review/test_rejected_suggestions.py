"""What is new in the evidence of a suggestion that was rejected before."""

from typing import Any

import pytest

from treaty.registry.review.proposals.rejected_suggestions import news

RANGE = {
    "sentence": "amount lies between 1 and 100 in at least 99% of the rows",
    "severity": "warning",
    "patch": {"quality": {"id": "amount-range", "mustBeGreaterOrEqualTo": 0.99, "query": "amount BETWEEN 1 AND 100"}},
    "evidence": {
        "rows": 1000,
        "partitions": 10,
        "held": 10,
        "limits": [0.99, None],
        "details": {"lower": 1.0, "upper": 100.0},
    },
}
VALUES = {
    "sentence": "status is one of 2 values",
    "severity": "error",
    "patch": {"quality": {"id": "status-values", "query": "status IN ('a', 'b')"}},
    "evidence": {"partitions": 10, "limits": [1, None], "details": {"values": ["a", "b"], "counts": [5, 7]}},
}


def changed(content: dict[str, Any], **evidence: Any) -> dict[str, Any]:
    return {**content, "sentence": "now", "evidence": {**content["evidence"], **evidence}}


def learned(points: int) -> dict[str, Any]:
    """A clause with limits of so many partitions."""
    return {"id": "x", "patch": {"quality": {"implementation": {"upper": 9.0, "points": points}}}}


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (RANGE, RANGE),
        (RANGE, changed(RANGE, partitions=19, rows=1900, held=18)),
        (RANGE, changed(RANGE, details={"lower": 1.0, "upper": 105.0})),
        (RANGE, {**RANGE, "patch": {"quality": {**RANGE["patch"]["quality"], "query": "another wording"}}}),  # type: ignore[dict-item]
        (VALUES, changed(VALUES, details={"values": ["b", "a"], "counts": [50, 70]})),
        ({"id": "x"}, {"id": "x"}),
        (learned(20), learned(60)),
    ],
)
def test_the_same_limit_on_a_few_more_days_is_nothing_new(before: dict[str, Any], now: dict[str, Any]) -> None:
    assert news(before, now) == ""


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        (RANGE, changed(RANGE, partitions=20), "now based on 20 partitions; when rejected: 10"),
        (RANGE, changed(RANGE, details={"lower": 1.0, "upper": 130.0}), "now: now; when rejected: amount lies between"),
        (RANGE, changed(RANGE, limits=[0.5, None]), "now: now"),
        (RANGE, changed(RANGE, limits=[0.99, 1.0]), "now: now"),
        (RANGE, {**RANGE, "severity": "error"}, "now: amount"),
        (
            VALUES,
            changed(VALUES, details={"values": ["a", "b", "c"], "counts": [5, 7, 1]}),
            "when rejected: status is one of",
        ),
    ],
)
def test_another_claim_or_much_more_data_is_new(before: dict[str, Any], now: dict[str, Any], told: str) -> None:
    assert told in news(before, now)


def test_both_news_are_told() -> None:
    assert news(RANGE, changed(RANGE, partitions=40, limits=[0.5, None])).count("; ") == 3
