"""Runs are kept whole: exact values, reasons, and an audit entry in the same transaction."""

from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Engine
from support.scenes import NOON, contract_in_force, document, rows

from treaty.contracts.document.reader import read
from treaty.engine.core.results import CheckResult, Measurement, Outcome, RunResult, Verdict
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.measurements.runs import recording
from treaty.registry.measurements.runs.recording import RunProvenance, RunSeriesKey
from treaty.registry.tables import AuditEntryRow, CheckResultRow, DatasetRow, MeasurementRow, RunRow

CONTRACT = read(document())


def check(value: Any = None, **other: Any) -> CheckResult:
    told = {"check_id": "c", "name": "c", "outcome": Outcome.PASSED, "severity": "error", "scope": "delta"}
    return CheckResult(**(told | {"partition": "ds=1", "sentence": "must be", "value": value} | other))


def measured(value: Any) -> Measurement:
    return Measurement(analyzer="maximum", arguments={"column": "x"}, partition="ds=1", value=value, identity="m")


def result(*results: CheckResult, measurements: tuple[Measurement, ...] = ()) -> RunResult:
    return RunResult(
        contract_id="orders",
        contract_version="1.0.0",
        contract_fingerprint=CONTRACT.fingerprint,
        object="orders",
        partitions=("ds=1",),
        rows=2**40,
        started_at=NOON,
        finished_at=NOON,
        results=results,
        measurements=measurements,
    )


def record(engine: Engine, found: RunResult, origin: RunProvenance | None = None, *, commit: bool = True) -> None:
    contract_in_force(engine)
    with transaction(engine) as tx:
        recording.record(tx, ids.new(), found, origin or RunProvenance(), now=NOON)
        if commit:
            tx.commit()


@pytest.mark.parametrize(
    ("value", "chart", "exact"),
    [
        (3, 3.0, "3"),
        (2**63, float(2**63), str(2**63)),
        (10**400, None, str(10**400)),
        (0.1, 0.1, "0.1"),
        (Decimal("1.10"), 1.1, "1.10"),
        (float("nan"), None, "nan"),
        (float("inf"), None, "inf"),
        ("a\x00b", None, "a\N{REPLACEMENT CHARACTER}b"),
        (None, None, None),
    ],
)
def test_values_are_exact(engine: Engine, value: Any, chart: float | None, exact: str | None) -> None:
    record(engine, result(check(value), measurements=(measured(value),)))
    (row,) = rows(engine, CheckResultRow)
    (metric,) = rows(engine, MeasurementRow)
    assert row.value == exact
    assert (metric.value, metric.exact) == (chart, exact)


def test_a_run_counts_its_outcomes_and_folds_its_verdict(engine: Engine) -> None:
    outcomes = [Outcome.PASSED, Outcome.FAILED, Outcome.NOT_EVALUATED, Outcome.PASSED]
    mild = check(outcome=Outcome.FAILED, severity="warning")
    record(engine, result(*(check(outcome=outcome, reason="x\x00") for outcome in outcomes), mild))
    (run,) = rows(engine, RunRow)
    counts = {"passed": 2, "failed": 1, "not_evaluated": 1, "warned": 1}
    assert (run.verdict, run.outcome_counts) == (Verdict.FAILED, counts)
    assert [row.outcome for row in rows(engine, CheckResultRow)] == [*outcomes, Outcome.FAILED]
    assert run.rows == 2**40


def test_a_run_and_its_audit_entry_are_kept_together_or_not_at_all(engine: Engine) -> None:
    record(engine, result(check()), commit=False)
    assert (rows(engine, RunRow), rows(engine, CheckResultRow), rows(engine, AuditEntryRow)) == ([], [], [])


@pytest.mark.parametrize(("marker", "counts"), [("f", True), (None, False)])
def test_only_a_run_that_read_the_data_has_judged_it(engine: Engine, marker: str | None, counts: bool) -> None:
    contract_in_force(engine)
    dataset = rows(engine, DatasetRow)[0].id
    with transaction(engine) as tx:
        recording.record(
            tx, ids.new(), result(check()), RunProvenance(dataset_id=dataset, dataset_fingerprint=marker), now=NOON
        )
        tx.commit()
    with read_session(engine) as tx:
        marks = (result(check()).contract_fingerprint, "another version's")
        judged = [recording.last(tx, RunSeriesKey("orders", "orders", mark), dataset) is not None for mark in marks]
        whose = RunSeriesKey("orders", "orders", marks[0], subscription_id=ids.new())
        assert recording.last(tx, whose, dataset) is None
    assert judged == [counts, False]


def test_a_run_that_could_not_judge_gives_every_check_the_reason() -> None:
    found = recording.unevaluated(CONTRACT, "orders", "unreachable", started=NOON, finished=NOON)
    assert found.verdict is Verdict.NOT_EVALUATED
    assert [(each.check_id, each.reason) for each in found.results] == [("enough", "unreachable")]


def test_a_run_without_any_check_still_does_not_pass() -> None:
    found = recording.unevaluated(CONTRACT, "another", "unreachable", started=NOON, finished=NOON)
    assert [(each.check_id, each.outcome) for each in found.results] == [("table", Outcome.NOT_EVALUATED)]


def test_a_result_keeps_of_how_many_rows_it_speaks_and_a_measurement_its_distribution(engine: Engine) -> None:
    told = {
        "finding": "2 rows have none",
        "row_count": 2**40,
        "violating_rows": 2,
        "unevaluated_rows": 1,
        "threshold": [0, 1.5],
    }
    metric = measured(1).model_copy(update={"row_count": 2**40, "details": {"values": {"a": 3}}})
    record(engine, result(check(0.5, **told), check(), measurements=(metric,)))
    first, second = rows(engine, CheckResultRow)
    assert (first.finding, first.row_count, first.violating_rows, first.unevaluated_rows) == (
        "2 rows have none",
        2**40,
        2,
        1,
    )
    assert (first.threshold, second.threshold, second.violating_rows, second.unevaluated_rows) == (
        [0, 1.5],
        None,
        None,
        0,
    )
    (kept,) = rows(engine, MeasurementRow)
    assert (kept.row_count, kept.details) == (2**40, {"values": {"a": 3}})
