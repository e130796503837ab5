"""A replay of states that Spark measured comes out as the runs that judged them did, day by day, and finds regexes'
edits in the values that are stored."""

from collections.abc import Iterator
from typing import Any

import pytest
from support.orders import NOW, check, contract

from treaty.contracts.document.model import Contract
from treaty.engine.core.results import Outcome
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.replay.report import ReplayedCheck
from treaty.engine.evaluation.replay.runner import ReplayRunner, ReplayStep
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.session.verify import measure

COLUMNS = "day string, id bigint, amount double, status string"
DAYS = [f"2026-04-{day:02d}" for day in range(1, 7)]
# Every third day has larger amounts, every second one another status; ids come again on the last day.
ROWS = [
    (day, row + 10 * (at % 5), (100.0 if at % 3 == 2 else 1.0) * row, None if row == 3 else f"s{(at % 2) * row}")
    for at, day in enumerate(DAYS)
    for row in range(10)
]
SCOPED = [
    ("mean", "amount", {"mustBeLessThan": 50}),
    ("maximum", "amount", {"mustBeLessThan": 50}),
    ("standard_deviation", "amount", {"mustBeLessThan": 50}),
    ("approx_quantile", "amount", {"quantile": 0.5, "mustBeLessThan": 100}),
    ("approx_count_distinct", "status", {"mustBeLessThan": 5}),
    ("completeness", "status", {"mustBeGreaterThan": 0.95}),
    ("pattern_match", "status", {"pattern": "s[0-4]", "mustBe": 1}),
    ("count_distinct", "status", {"mustBeLessThan": 5}),
    ("uniqueness", "id", {"mustBe": 1}),
]


def given(**patterns: str) -> Contract:
    """Every metric on each day and on all days together; `pattern`: another one of the status."""
    return contract(
        *(
            check(metric, f"{metric}-{scope}", column=column, scope=scope, **{**words, **patterns})
            if metric == "pattern_match"
            else check(metric, f"{metric}-{scope}", column=column, scope=scope, **words)
            for metric, column, words in SCOPED
            for scope in ("delta", "dataset")
        ),
        properties=[{"name": "day", "partitioned": True}, {"name": "id"}, {"name": "amount"}, {"name": "status"}],
    )


@pytest.fixture(scope="module")
def stored(spark: Any) -> dict[str, bytes]:
    """What a validation keeps of each day."""
    return measure(spark.createDataFrame(ROWS, COLUMNS), given(), object_name="orders")


def lines(stored: dict[str, bytes], old: Contract, new: Contract) -> dict[str, ReplayedCheck]:
    replaying = ReplayRunner(old=old, new=new, object_name="orders", counting=True)
    for name, packed in stored.items():
        replaying.take(ReplayStep(added={name: packed}, time=NOW))
    return {line.check_id: line for line in replaying.report(len(stored)).lines}


def outcomes(stored: dict[str, bytes]) -> Iterator[tuple[str, str, Outcome]]:
    """What the runs that judged each day, with all before, came to."""
    there: dict[str, bytes] = {}
    for name, packed in stored.items():
        there[name] = packed
        run = evaluate(
            EvaluationRequest(
                contract=given(), object_name="orders", states=there, delta=[name], started_at=NOW, finished_at=NOW
            )
        )
        yield from ((each.check_id, name, each.outcome) for each in run.results)


def test_the_version_in_force_comes_out_as_in_the_runs(stored: dict[str, bytes]) -> None:
    found, ran = lines(stored, given(), given()), list(outcomes(stored))
    failed = {key: [day for check_id, day, end in ran if check_id == key and end is Outcome.FAILED] for key in found}
    assert {key: list(line.new.alerts) for key, line in found.items() if line.new} == failed
    assert all(line.appeared == line.gone == () for line in found.values())
    # The data are such that most metrics alert on some days and not on others.
    assert sum(0 < len(days) < len(DAYS) for days in failed.values()) >= 12
    assert {end for *_, end in ran} == {Outcome.PASSED, Outcome.FAILED}


def test_an_edit_of_a_pattern_is_tried_on_the_values_that_spark_counted(stored: dict[str, bytes]) -> None:
    line = lines(stored, given(), given(pattern="s[0-9]"))["pattern_match-delta"]
    assert line.trial is not None
    # Five of the nine statuses of every second day are beyond the 4.
    assert (line.trial.accepted, line.trial.refused, len(line.trial.differing)) == (15, 0, 3)
    assert line.trial.covered == 1
