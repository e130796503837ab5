"""What validations judge anomalies by: what was measured before, without what incidents spoiled."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Engine
from support import scenes
from support.orders import NOW, SCHEMA, check, contract
from support.orders import states as bag_of

from treaty.contracts.document.model import Contract
from treaty.engine.checks.binding import bind
from treaty.engine.core.results import Measurement, Outcome, RunResult
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import IncidentState, Resolution
from treaty.registry.incidents import lifecycle
from treaty.registry.measurements.anomalies import baselines
from treaty.registry.measurements.runs import metric_history, recording
from treaty.registry.measurements.runs.recording import RunProvenance, RunSeriesKey
from treaty.registry.tables import CheckResultRow, IncidentRow, MeasurementRow, RunTagRow

START = datetime(2026, 4, 1, tzinfo=UTC)
DAY = timedelta(days=1)
WHOSE = RunSeriesKey("orders", "orders", "")
OF = contract(check("size", "watched", mustHaveNoAnomalies="online_normal"))
IDENTITY = bind(OF.object("orders"), SCHEMA).checks[-1].identity or ""


def named(at: int) -> str:
    return f"day={(START + at * DAY).date()}"


def validated(database: Engine, at: int, size: int, of: Contract = OF, *, name: str | None = None) -> RunResult:
    """The run that judges a day by what is stored alone, recorded with its incident."""
    rows = {"id": list(range(size)), "amount": [1.0] * size, "status": ["new"] * size}
    with transaction(database) as tx:
        known = baselines.pasts(tx, WHOSE, bind(of.object("orders"), SCHEMA))
        moment = NOW + at * DAY
        partition = name or named(at)
        states = {partition: bag_of(of, rows).pack()}
        run = evaluate(
            EvaluationRequest(
                contract=of,
                object_name="orders",
                states=states,
                delta=[partition],
                started_at=moment,
                finished_at=moment,
                history=known,
            )
        )
        row = recording.record(tx, ids.uuid7(moment), run, RunProvenance(states_version=at + 1), now=moment)
        lifecycle.apply_run(tx, row, run, now=moment, ids=ids.new)
        tx.commit()
    return run


def outcome(run: RunResult) -> Outcome:
    return next(each.outcome for each in run.results if each.check_id == "watched")


@pytest.fixture
def database(engine: Engine) -> Engine:
    scenes.contract_in_force(engine)
    return engine


def resolve(database: Engine, resolution: Resolution) -> None:
    with transaction(database) as tx:
        [found] = scenes.rows(database, IncidentRow)
        row = tx.get_one(IncidentRow, found.id)
        row.state, row.resolution = IncidentState.RESOLVED, resolution
        tx.commit()


LIMITED = contract(
    check("size", "watched", mustBeLessThan=200),
    check("distance", "moved", column="status", by="l1", of="values", mustBeLessThan=0.5),
)


def test_a_distance_with_limits_of_its_own_knows_which_partitions_failed(database: Engine) -> None:
    for at, size in enumerate([100, 300]):
        validated(database, at, size, LIMITED)
    with read_session(database) as tx:
        known = baselines.pasts(tx, WHOSE, bind(LIMITED.object("orders"), SCHEMA))
    [points] = known.values()
    assert [each.excluded for each in points] == [False, True]


def test_days_are_judged_by_those_that_were_measured_before(database: Engine) -> None:
    for at, size in enumerate([100, 103, 98, 101, 99, 102]):
        run = validated(database, at, size)
    assert outcome(run) is Outcome.PASSED
    bad = validated(database, 6, 300)
    assert outcome(bad) is Outcome.FAILED
    found = [each for each in scenes.rows(database, CheckResultRow) if each.outcome is Outcome.FAILED]
    assert [each.band["points"] for each in found if each.band] == [6]
    assert [each.threshold for each in found] == [[found[0].band["lower"], found[0].band["upper"]]]  # type: ignore[index]


@pytest.mark.parametrize(
    ("resolution", "learned"),
    [(None, 6), (Resolution.FIXED, 6), (Resolution.FALSE_ALARM, 7), (Resolution.EXPECTED_CHANGE, 7)],
)
def test_what_an_incident_spoiled_is_not_learned_from_unless_it_was_none(
    database: Engine, resolution: Resolution | None, learned: int
) -> None:
    for at, size in enumerate([100, 103, 98, 101, 99, 102, 300]):
        validated(database, at, size)
    if resolution is not None:
        resolve(database, resolution)
    with read_session(database) as tx:
        known = baselines.pasts(tx, WHOSE, bind(OF.object("orders"), SCHEMA))
    assert [not each.excluded for each in known[IDENTITY]].count(True) == learned


def test_a_partition_that_no_time_dates_is_judged_by_what_earlier_runs_measured_of_it(database: Engine) -> None:
    for at, size in enumerate([100, 103, 98, 101, 99, 102]):
        validated(database, at, size, name="land=DE")
        validated(database, at, 10 * size, name="land=US")
    assert outcome(validated(database, 6, 101, name="land=DE")) is Outcome.PASSED
    assert outcome(validated(database, 7, 1001, name="land=DE")) is Outcome.FAILED
    assert sorted(each.band["points"] for each in scenes.rows(database, CheckResultRow) if each.band)[-2:] == [6, 7]


def test_replays_know_in_which_version_of_the_states_a_partition_was_an_incident(database: Engine) -> None:
    for at, size in enumerate([100, 103, 98, 101, 99, 102, 300]):
        validated(database, at, size)
    with read_session(database) as tx:
        assert baselines.spoilt_arrivals(tx, WHOSE) == {(7, named(6))}
        assert baselines.spoilt_arrivals(tx, WHOSE._replace(object="others")) == frozenset()


@pytest.mark.parametrize(
    ("resolution", "again", "spoilt"),
    [
        (None, None, (named(6),)),
        (Resolution.FIXED, None, (named(6),)),
        (Resolution.EXPECTED_CHANGE, None, ()),
        (None, 101, ()),
    ],
)
def test_partitions_stay_spoilt_until_they_were_mended_or_are_said_to_be_right(
    database: Engine, resolution: Resolution | None, again: int | None, spoilt: tuple[str, ...]
) -> None:
    for at, size in enumerate([100, 103, 98, 101, 99, 102, 300]):
        validated(database, at, size)
    if resolution is not None:
        resolve(database, resolution)
    if again is not None:
        validated(database, 7, again, name=named(6))
    with read_session(database) as tx:
        assert baselines.spoilt_partitions(tx, WHOSE) == spoilt
        assert baselines.spoilt_partitions(tx, WHOSE._replace(object="others")) == ()


def test_measurements_say_of_what_time_and_segment_they_are_and_runs_their_tags(database: Engine) -> None:
    validated(database, 0, 4)
    [row] = scenes.rows(database, MeasurementRow)
    assert (row.data_at, row.segment) == (START, None)
    assert scenes.rows(database, RunTagRow) == []


def test_histories_are_asked_by_time_segment_and_tag_and_have_gaps(database: Engine) -> None:
    for at, size in enumerate([100, 103, 98]):
        validated(database, at, size)
    with transaction(database) as tx:
        gap = RunResult(
            contract_id="orders", contract_version="1.0.0", contract_fingerprint="", object="orders",
            partitions=(named(3),), rows=None, started_at=NOW, finished_at=NOW, results=(), tags=("gold",),
            measurements=(
                Measurement(
                    analyzer="size", arguments={}, partition=f"{named(3)}/land=DE", value=None,
                    reason="the rows cannot be read", identity=IDENTITY,
                ),
            ),
        )  # fmt: skip
        recording.record(tx, ids.uuid7(NOW + 9 * DAY), gap, RunProvenance(), now=NOW)
        tx.commit()

    def told(**chosen: Any) -> list[tuple[float | None, str | None]]:
        with read_session(database) as tx:
            found = metric_history.history(
                tx, metric_history.MeasurementFilter(contract_id="orders", object="orders", **chosen), limit=50
            )
        return [(each["value"], each["reason"]) for each in found]

    lost = (None, "the rows cannot be read")
    assert told() == [(100, None), (103, None), (98, None), lost]
    assert told(since=START + DAY, until=START + 2 * DAY) == [(103, None)]
    assert told(segment="land=DE") == told(tag="gold") == told(metric="size", since=START + 3 * DAY) == [lost]
    assert told(metric="mean") == []
