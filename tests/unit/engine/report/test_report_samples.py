"""Rows that break checks, as a terminal shows them."""

import io

from rich.console import Console
from support.orders import ROWS, check, contract, run, states

from treaty.engine.core.results import RunResult, ViolationSample
from treaty.engine.evaluation.violation_samples import MASK
from treaty.engine.report import REPORTS, print_run

GIVEN = contract(check("completeness", "amounts", column="amount", mustBe=1))
FOUND = ViolationSample(
    check_id="amounts",
    columns=("amount", "status"),
    masked=("status",),
    rows=((None, MASK), (None, None), ("[red]4\x1b", MASK)),
)


def printed(of: RunResult) -> list[str]:
    console = Console(file=io.StringIO(), width=160, highlight=False)
    print_run(of, console)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]


def test_rows_stand_beneath_the_name_of_their_check_and_hold_nothing_unseen() -> None:
    told = run(GIVEN, {"": states(GIVEN, ROWS)})
    lines = printed(told.model_copy(update={"samples": (FOUND,)}))
    at = lines.index("Rows that violate amount is required:")
    assert [line.split() for line in lines[at + 1 : at + 5]] == [
        ["amount", "status", "(masked)"],
        ["null", MASK],
        ["null", "null"],
        ["[red]4\\u001b", MASK],
    ]
    assert not any("Rows that violate" in line for line in printed(told))


def test_a_run_with_samples_is_the_same_after_json() -> None:
    told = run(GIVEN, {"": states(GIVEN, ROWS)}).model_copy(update={"samples": (FOUND,)})
    assert RunResult.model_validate_json(told.model_dump_json()).samples == (FOUND,)
    assert '"masked": [\n        "status"' in REPORTS["json"](told)
