"""What another suggestion of the column implies is not suggested beside it."""

from typing import Any

import pytest
from support.histories import history

from treaty.engine.suggestions.selection.holdout_test import holdout_candidates
from treaty.engine.suggestions.selection.pipeline import suggest

TEXT = {"x": "string"}
MANY = list(range(100))

# A column, and the kind of which another of the column says as much.
REDUNDANT = [
    (TEXT, lambda day: [f"{1 + (each + day) % 97 / 8}" for each in MANY], "positive", "non_negative"),
    (TEXT, lambda day: [str(20 + each * (day + 3) % 97) for each in MANY], "positive", "non_negative"),
    ({"x": "double"}, lambda day: [1 + (each + day) % 97 / 8 for each in MANY], "positive", "non_negative"),
    (TEXT, lambda day: [f"{chr(65 + each % 26)}{chr(65 + (each + day) % 23)}-{each}" for each in MANY],
     "upper_case", "has_capital"),
    (TEXT, lambda day: [f"{chr(97 + each % 26)}{chr(97 + (each + day) % 23)}-{each}" for each in MANY],
     "lower_case", "has_small_letter"),
]  # fmt: skip


@pytest.mark.parametrize(("types", "make", "strong", "weak"), REDUNDANT, ids=lambda each: str(each)[:20])
def test_what_another_suggestion_implies_is_not_suggested_beside_it(
    types: dict[str, str], make: Any, strong: str, weak: str
) -> None:
    profile = history(types, [{"x": make(day)} for day in range(10)])
    assert {strong, weak} <= {each.candidate.kind for each in holdout_candidates(profile)}
    found = {each["kind"] for each in suggest(profile, "t")}
    assert strong in found
    assert weak not in found


# Texts of which each trait says something of its own.
MIXED = [
    (lambda each: f"Region {chr(65 + each % 26)}{each}o", {"has_capital", "has_small_letter"}),
    (lambda each: f"AB-{each}" if each % 9 else f"{each}", {"upper_case"}),
    (lambda each: f"ab-{each}" if each % 9 else f"{each}", {"lower_case"}),
    (lambda each: f"AB-{each}" if each % 9 else f"Ab-{each}", {"has_capital"}),
]


@pytest.mark.parametrize(("make", "expected"), MIXED)
def test_traits_that_do_not_imply_each_other_stay(make: Any, expected: set[str]) -> None:
    profile = history(TEXT, [{"x": [make(each + day) for each in MANY]} for day in range(10)])
    traits = {"upper_case", "lower_case", "has_capital", "has_small_letter"}
    assert {each["kind"] for each in suggest(profile, "t")} & traits == expected
