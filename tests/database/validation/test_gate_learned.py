"""A gate over the registry judges as its workers do: by the newest fits, and beside no partition of an incident."""

from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from support.api import NOW
from support.orders import check
from support.registered import Registered, registered

from treaty.engine.anomaly.fits import clause, refittable_clauses
from treaty.engine.core.results import CheckResult
from treaty.engine.gate.gate import CandidateRejected, gate
from treaty.engine.gate.gated_contract import GatedContract
from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import FitReason
from treaty.registry.tables import FitRow, IncidentRow

A, B, C = "day=2026-01-01", "day=2026-01-02", "day=2026-01-03"
CLAUSE = {"detector": "program", "of": "id", "rate": 0.001, "points": 20, "width": 12.0}
LEVEL = check("mean", "level", column="id", mustHaveNoAnomalies={**CLAUSE, "upper": 90.0, "refit": "tighten_only"})
STEP = check("maximum", "step", column="id", mustHaveNoAnomalies={**CLAUSE, "lag": 1, "lower": -5.0, "upper": 5.0})


@pytest.fixture
def table(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registered:
    """No test here loses power."""
    monkeypatch.setattr("os.fsync", lambda _: None)
    made = registered(engine, tmp_path)
    made.approve(LEVEL, STEP, version="2.0.0")
    return made


def learned(table: Registered, upper: float, *, admitted: bool) -> str:
    """The name of a fit that was learned later."""
    with table.kept() as kept:
        approved = refittable_clauses(kept.contract.object("orders"))["level"].named
    name = f"fit-{upper}"
    told: dict[str, Any] = {
        "first_partition": A,
        "last_partition": B,
        "excluded_partitions": [],
        "states_version": 1,
        "training_fingerprint": "t",
        "backtest_points": 0,
    }
    with transaction(table.world.engine) as tx:
        tx.add(
            FitRow(
                id=ids.new(), contract_id="orders", object="orders", check_id="level", version="2.0.0", clause=approved,
                name=name, upper=upper, points=30, backtest_alarms=[], is_active=admitted, reason=FitReason.NIGHTLY,
                created_at=NOW, **told,
            )
        )  # fmt: skip
        tx.commit()
    return name


def level(found: Any) -> CheckResult:
    (result,) = (each for each in found.run.results if each.check_id == "level")
    return result


def test_the_newest_fit_that_is_admitted_judges(table: Registered) -> None:
    table.publish({A: [50]})
    name = learned(table, 20.0, admitted=True)
    learned(table, 10.0, admitted=False)
    with pytest.raises(CandidateRejected) as refused:
        table.publish({A: [51]})
    assert (level(refused.value).outcome, (level(refused.value).band or {})["fit"]) == ("failed", name)
    table.publish({A: [15]})
    with table.kept() as kept:
        assert limits(kept) == (20.0, name, "program limits: 1 of 1 refitted")
    table.approve(LEVEL, STEP, version="3.0.0")
    assert table.told == "unknown"


def limits(kept: GatedContract) -> tuple[float | None, str | None, str]:
    (first, *_) = kept.contract.object(kept.object).checks
    found = clause(first)
    assert found is not None
    return found.upper, found.fit, kept.limits


def test_partitions_of_incidents_are_compared_with_nothing(table: Registered) -> None:
    table.publish({A: [10]})
    table.gated.gate().stage({B: [50]}, table.gated.table, {})
    told = table.worked()
    assert (told.result or {})["verdict"] == "failed"
    assert len(table.rows(IncidentRow)) == 1
    with table.kept() as kept:
        assert (kept.excluded_partitions, kept.more["excluded_partitions"]) == ({B}, {B})
        assert set(kept.more) <= set(signature(gate).parameters)
        assert kept.limits.endswith("excluded: 1 partition(s) of incidents")
    candidate = table.publish({C: [48]})
    assert candidate.run
    (step,) = (each for each in candidate.run.results if each.check_id == "step")
    assert (step.outcome, step.reason) == (
        "not_applicable",
        "the partition to compare with belongs to an incident: the previous partition",
    )
    assert table.gated.rows == {A: [10], B: [50], C: [48]}
