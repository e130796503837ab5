"""Reports at a terminal."""

import io
from datetime import timedelta

import pytest
from rich.console import Console
from support.orders import NOW, ROWS, check, contract, on, run, states

from engine.report import print_draft, print_run
from engine.results import RunResult

TWO_WORDS = contract(
    check("size", "rows", mustBe=4),
    check("mean", "amounts", "warning", column="amount", mustBeGreaterThan=2),
    check("minimum", "text", column="status", mustBeLessThan=1),
    properties=on("id", required=True, quality=[check("completeness", "id-required", mustBeGreaterOrEqualTo=0.5)]),
)


def printed(of: RunResult) -> list[str]:
    console = Console(file=io.StringIO(), width=160, highlight=False)
    print_run(of.model_copy(update={"finished": NOW + timedelta(seconds=2)}), console)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]


def test_a_report_names_the_worst_first_and_ends_with_the_verdict() -> None:
    bags = {f"day={day}": states(TWO_WORDS, {**ROWS, "amount": [float(day)] * 4}) for day in range(1, 5)}
    lines = printed(run(TWO_WORDS, bags))
    assert lines[0].split() == ["outcome", "severity", "check", "measured", "partitions"]
    assert [line[:15].strip() for line in lines[1:-2] if line[:1].strip()] == [
        "✗ failed", "? not evaluated", *["✓ passed"] * 6,
    ]  # fmt: skip
    assert lines[-1] == "? could not be checked: orders 1.0.0 on orders, 4 partition(s), 16 rows, 2.0 s"


def test_a_check_is_one_line_however_many_partitions_there_are() -> None:
    bags = {f"day={day}": states(TWO_WORDS, {**ROWS, "amount": [float(day)] * 4}) for day in range(-9, 10)}
    (line,) = [line for line in printed(run(TWO_WORDS, bags)) if "mean of amount" in line]
    assert "-9 … 2" in line
    assert line.endswith("12 of 19: day=-1, day=-2, day=-3 and 9 more")


def test_a_check_that_bears_the_id_of_a_promise_has_its_own_line() -> None:
    text = "\n".join(printed(run(TWO_WORDS, {"": states(TWO_WORDS, ROWS)})))
    assert text.count("id is always present") == 1
    assert text.count("completeness of id must be at least 0.5") == 1


@pytest.mark.parametrize(("names", "place"), [([""], "whole table"), (["day=1"], "day=1"), (["day=1", "day=2"], "all")])
def test_places_are_named(names: list[str], place: str) -> None:
    given = contract(check("size", mustBe=4))
    (line,) = [
        line for line in printed(run(given, {name: states(given, ROWS) for name in names})) if "size must" in line
    ]
    assert line.split("  ")[-1].strip() == place


def test_markup_in_names_is_shown_as_it_stands() -> None:
    given = contract(check("size", mustBe=4), properties=[{"name": "[red]x"}])
    assert any("missing: [red]x" in line for line in printed(run(given, {"": states(given, ROWS)})))


def test_suggestions_are_shown_with_their_evidence() -> None:
    console = Console(file=io.StringIO(), width=120)
    evidence = {"held": 9, "partitions": 10, "rows": 12345}
    print_draft([{"column": None, "sentence": "a partition has rows", "evidence": evidence}], console)
    assert "(table)" in console.file.getvalue()  # type: ignore[attr-defined]
    assert "9 of 10" in console.file.getvalue()  # type: ignore[attr-defined]
    assert "12,345" in console.file.getvalue()  # type: ignore[attr-defined]
