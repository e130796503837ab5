"""A draft proposes few checks of a column: each adds to what the others catch. The rest are optional."""

from collections import Counter
from typing import Any

import pytest
from rich.console import Console
from support.histories import history

from treaty.contracts.document.writer import write
from treaty.engine.report import print_draft
from treaty.engine.session.drafts import with_suggestions
from treaty.engine.suggestions.selection.pipeline import suggest, worthy
from treaty.engine.suggestions.selection.ranking import LEAST_ADDED, MOST_PROPOSED

TYPES = {"id": "bigint", "code": "string", "status": "string", "amount": "double"}
LETTERS = "abcdefghij"


def day(at: int, rows: int = 200) -> dict[str, Any]:
    numbers = range(at * rows, (at + 1) * rows)
    return {
        "id": [*numbers],
        "code": [f"{LETTERS[each % 10]}{LETTERS[each // 10 % 10]}-{each:05d}" for each in numbers],
        "status": [("new", "paid", "sent")[each % 3] for each in numbers],
        "amount": [10 + each * 7919 % 997 / 10 for each in numbers],
    }


PROFILE = history(TYPES, [day(at) for at in range(20)])


def test_at_most_six_checks_of_a_column_are_proposed_and_properties_always() -> None:
    found = suggest(PROFILE, "t")
    proposed = [each for each in found if not each["optional"]]
    counts = Counter(each["column"] for each in proposed)
    assert len(proposed) < len(found)
    assert max(count for column, count in counts.items() if column) <= MOST_PROPOSED
    assert all("quality" in each["patch"] for each in found if each["optional"])
    assert {each["column"] for each in proposed if each["patch"].get("required")} == {*TYPES}
    assert {("amount", "positive"), ("status", "categorical")} <= {(each["column"], each["kind"]) for each in proposed}


def test_an_optional_check_adds_little_to_the_proposed_ones() -> None:
    found = worthy(PROFILE, "t")
    for name in TYPES:
        own = [each for each in found if each.holdout.column_name == name]
        proposed = [each for each in own if not each.optional]
        covered = frozenset().union(*(each.caught.positions for each in proposed if each.caught))
        left = [each.added(covered) for each in own if each.optional]
        assert len(proposed) == MOST_PROPOSED or all(gain < LEAST_ADDED for gain in left)


def test_a_document_has_the_proposed_checks_only() -> None:
    properties = [{"name": name, "logicalType": "string"} for name in TYPES]
    head = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": "t", "name": "t", "version": "1.0.0"}
    base = write({**head, "status": "draft", "schema": [{"name": "t", "properties": properties}]})
    found = suggest(PROFILE, "t")
    whole = with_suggestions(base, [{**each, "optional": False} for each in found])
    assert with_suggestions(base, found) == with_suggestions(base, [each for each in found if not each["optional"]])
    assert len(with_suggestions(base, found)) < len(whole)
    assert with_suggestions(base, found, optional=True) == whole


def test_the_command_includes_optional_checks_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    found = suggest(PROFILE, "t")
    optional = next(each for each in found if each["optional"])["sentence"]
    for every in (False, True):
        print_draft(found, Console(width=500), optional=every)
        printed = capsys.readouterr().out
        assert (optional in printed, "--all includes them" in printed) == (every, not every)
