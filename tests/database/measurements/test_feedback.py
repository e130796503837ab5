"""What people say of single points: whether detectors and programs learn from them; kept as said, and taken back."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, select
from support import scenes
from support.api import World
from support.harms import Fails, Harm
from support.orders import NOW, SCHEMA, check, contract
from support.orders import states as bag_of

from treaty.contracts.document.writer import write
from treaty.engine.checks.binding import bind
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.protocol.requests import MeasureResult
from treaty.registry.access.authentication import Principal
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import FeedbackKind, Permission, RefitOutlook, Resolution, Role, TaskKind
from treaty.registry.core.errors import Forbidden, InvalidRequest
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.drafting import refit_preview, refits
from treaty.registry.drafting.refit_preview import FeedbackPreview
from treaty.registry.incidents import lifecycle
from treaty.registry.measurements.anomalies import baselines, feedback
from treaty.registry.measurements.anomalies.feedback import NewFeedback
from treaty.registry.measurements.runs import recording
from treaty.registry.measurements.runs.recording import RunProvenance, RunSeriesKey
from treaty.registry.measurements.states import state_store
from treaty.registry.tables import CheckResultRow, DatasetRow, PointFeedbackRow, RunRow, TaskRow, UserRow

START = datetime(2026, 4, 1, tzinfo=UTC)
DAY = timedelta(days=1)
ABOUT = ContractObject("orders", "orders")
WHOSE = RunSeriesKey(*ABOUT, "")
CLAUSE = {"detector": "program", "of": "the table", "lower": 1, "points": 14, "refit": "tighten_only"}
OF = contract(
    check("size", "watched", mustHaveNoAnomalies="online_normal"),
    check("size", "guarded", mustHaveNoAnomalies=CLAUSE),
)
IDENTITY = bind(OF.object("orders"), SCHEMA).checks[0].identity or ""
SIZES = [100, 103, 98, 101, 99, 102, 300]


def named(at: int) -> str:
    return f"day={(START + at * DAY).date()}"


def judged(database: Engine, at: int, size: int, *, moment: int | None = None, stored: bool = True) -> UUID:
    """The run that judges a day, `moment` days after the first one; `stored` False: on what is stored of it already."""
    time = NOW + (at if moment is None else moment) * DAY
    rows = {"id": range(size), "amount": [1.0] * size, "status": ["new"] * size}
    packed = {named(at): bag_of(OF, rows).pack()}
    with transaction(database) as tx:
        dataset = tx.exec(select(DatasetRow)).one()
        measured = (
            MeasureResult(schema=SCHEMA, fingerprints={name: str(size) for name in packed}, states=packed)
            if stored
            else None
        )
        version = state_store.save(tx, dataset.id, measured, now=time, ids=ids.new)
        known = baselines.pasts(tx, WHOSE, bind(OF.object("orders"), SCHEMA))
        run = evaluate(
            EvaluationRequest(
                contract=OF,
                object_name="orders",
                states=packed,
                delta=[named(at)],
                started_at=time,
                finished_at=time,
                history=known,
            )
        )
        row = recording.record(
            tx,
            ids.uuid7(time),
            run,
            RunProvenance(dataset_id=dataset.id, dataset_fingerprint="m", states_version=version),
            now=time,
        )
        lifecycle.apply_run(tx, row, run, now=time, ids=ids.new)
        tx.commit()
        return row.id


@pytest.fixture
def database(engine: Engine) -> Engine:
    """Seven days were judged, the last of which was an incident."""
    scenes.contract_in_force(engine)
    scenes.next_version(engine, "1.1.0", write({**OF.document, "version": "1.1.0"}))
    for at, size in enumerate(SIZES):
        judged(engine, at, size)
    return engine


def owner(tx: Session, *permissions: Permission) -> Principal:
    row = tx.exec(select(UserRow)).first()
    assert row
    return Principal(
        user_id=row.id,
        name=row.name,
        roles=frozenset({Role.OWNER}),
        permissions=frozenset({Permission.READ, *permissions}),
    )


def say(database: Engine, at: int, mark: FeedbackKind, *, days: int = 30) -> UUID:
    """Says that of the data of a day, so many days after the first one."""
    with transaction(database) as tx:
        run = tx.exec(select(RunRow).order_by(RunRow.id)).all()[at]  # type: ignore[arg-type]
        said = NewFeedback(run.id, named(at), mark, "a public holiday")
        row = feedback.add_feedback(
            tx, said, by=owner(tx, Permission.INCIDENTS), now=NOW + days * DAY, mark_id=ids.new()
        )
        tx.commit()
        return row.id


def learned(database: Engine, *, before: datetime | None = None) -> list[int]:
    """The days that the detector learns from."""
    with read_session(database) as tx:
        known = baselines.pasts(tx, WHOSE, bind(OF.object("orders"), SCHEMA), before=before)[IDENTITY]
    return [at for at, point in enumerate(known) if not point.excluded]


def spoilt(database: Engine) -> tuple[str, ...]:
    with read_session(database) as tx:
        return baselines.spoilt_partitions(tx, WHOSE)


def outcome(database: Engine, at: int) -> str:
    """The outcome of the detector's check in the run of that day."""
    with read_session(database) as tx:
        run = tx.exec(select(RunRow).order_by(RunRow.id)).all()[at]  # type: ignore[arg-type]
        results = CheckResultRow.run_id == run.id, CheckResultRow.check_id == "watched"
        return str(tx.exec(select(CheckResultRow.outcome).where(*results)).one())


ALL = list(range(7))


@pytest.mark.parametrize(
    ("said", "days", "bad"),
    [
        ([], ALL[:6], [6]),
        ([(6, FeedbackKind.EXPECTED)], ALL, []),
        ([(6, FeedbackKind.EXPECTED), (6, FeedbackKind.CLEARED)], ALL[:6], [6]),
        ([(2, FeedbackKind.INCIDENT)], [0, 1, 3, 4, 5], [2, 6]),
        ([(2, FeedbackKind.INCIDENT), (2, FeedbackKind.CLEARED)], ALL[:6], [6]),
        ([(2, FeedbackKind.INCIDENT), (2, FeedbackKind.EXPECTED), (6, FeedbackKind.EXPECTED)], ALL, []),
    ],
)
def test_the_newest_word_about_a_day_says_whether_it_is_learned_from(
    database: Engine, said: list[tuple[int, FeedbackKind]], days: list[int], bad: list[int]
) -> None:
    for later, (at, mark) in enumerate(said):
        say(database, at, mark, days=30 + later)
    assert (learned(database), spoilt(database)) == (days, tuple(map(named, bad)))
    with read_session(database) as tx:
        assert len(feedback.list_feedback(tx, *ABOUT, limit=50)) == len(said)
        assert {name for _, name in baselines.spoilt_arrivals(tx, WHOSE)} == set(map(named, bad))


def test_a_word_is_about_a_content_however_often_that_is_judged(database: Engine) -> None:
    say(database, 2, FeedbackKind.INCIDENT)
    judged(database, 7, 100)
    judged(database, 2, SIZES[2], moment=40, stored=False)
    assert 2 not in learned(database)
    judged(database, 2, 97, moment=50)
    assert 2 in learned(database)
    say(database, 2, FeedbackKind.EXPECTED, days=60)
    judged(database, 2, 99, moment=70)
    assert 2 in learned(database)


def test_what_was_done_is_done_again_as_people_had_said_by_then(database: Engine) -> None:
    say(database, 2, FeedbackKind.INCIDENT, days=30)
    assert 2 in learned(database, before=NOW + 20 * DAY)
    assert 2 not in learned(database, before=NOW + 40 * DAY)


def test_words_about_what_nobody_judged_or_may_settle_are_refused(database: Engine) -> None:
    with read_session(database) as tx:
        run = tx.exec(select(RunRow)).first()
        assert run
        may, may_not = owner(tx, Permission.INCIDENTS), owner(tx)
        good = NewFeedback(run.id, run.partitions[0], FeedbackKind.EXPECTED, "so")
        for said, by, error in (
            (NewFeedback(run.id, "day=9", FeedbackKind.EXPECTED, "so"), may, InvalidRequest),
            (NewFeedback(run.id, None, FeedbackKind.EXPECTED, " "), may, InvalidRequest),
            (good, may_not, Forbidden),
        ):
            with pytest.raises(error):
                feedback.add_feedback(tx, said, by=by, now=NOW, mark_id=ids.new())


def test_what_a_word_would_change_is_told_before_it_is_said(database: Engine, tmp_path: Path) -> None:
    with read_session(database) as tx:
        run = tx.exec(select(RunRow).order_by(RunRow.id)).all()[6]  # type: ignore[arg-type]

        def foreseen(check_id: str, mark: FeedbackKind) -> FeedbackPreview:
            said = NewFeedback(run.id, named(6), mark, "")
            return refit_preview.foresee(tx, RegistrySettings(home=tmp_path), said, check_id, by=owner(tx))

        now = foreseen("watched", FeedbackKind.INCIDENT)
        then = foreseen("watched", FeedbackKind.EXPECTED)
        guarded = foreseen("guarded", FeedbackKind.EXPECTED)
        with pytest.raises(InvalidRequest):
            foreseen("other", FeedbackKind.EXPECTED)
    assert (now.outlook, then.outlook, guarded.outlook) == (
        RefitOutlook.ADAPTIVE,
        RefitOutlook.ADAPTIVE,
        RefitOutlook.LEARNING,
    )
    assert [each.partition for each in then.points] == [*map(named, range(7)), None]
    assert [each.is_training for each in then.points[-2:]] == [(False, True), (True, True)]
    assert now.points[-1].bands[0] == now.points[-1].bands[1] == then.points[-1].bands[0]
    before, after = then.points[-1].bands
    assert before
    assert after
    assert (after[1] or 0) > 300 > (before[1] or 0)
    assert (now.alarms, then.alarms, len(then.comparable_points)) == ((0, 0), (1, 1), 4)
    assert scenes.rows(database, PointFeedbackRow) == []


@pytest.mark.parametrize(
    ("said", "outcomes"),
    [([], ["failed", "failed", "failed"]), ([FeedbackKind.EXPECTED], ["passed", "passed", "failed"])],
    ids=["without feedback", "expected"],
)
def test_a_false_alarm_does_not_recur_and_an_incident_is_still_found(
    database: Engine, said: list[FeedbackKind], outcomes: list[str]
) -> None:
    assert outcome(database, 6) == "failed"
    for mark in said:
        say(database, 6, mark, days=7)
    for at, size in ((7, 290), (8, 305), (9, 3000)):
        judged(database, at, size)
    assert [outcome(database, at) for at in (7, 8, 9)] == outcomes


@pytest.mark.parametrize("change", ["update point_feedback set reason = ''", "delete from point_feedback"])
def test_words_are_kept_as_they_were_said(database: Engine, change: str) -> None:
    say(database, 2, FeedbackKind.INCIDENT)
    with pytest.raises(DBAPIError, match="kept as they were written"), database.begin() as connection:
        connection.exec_driver_sql(change)


def test_programs_that_admit_it_are_refitted_after_a_word(database: Engine) -> None:
    with transaction(database) as tx:
        first = refits.refit_after_feedback(tx, ABOUT, now=NOW, task_id=ids.new())
        assert refits.refit_after_feedback(tx, ContractObject("orders", "others"), now=NOW, task_id=ids.new()) is None
        tx.commit()
        assert first
        assert first.payload["reason"] == "feedback"


@pytest.mark.parametrize(
    ("resolution", "mark"),
    [
        (Resolution.FALSE_ALARM, FeedbackKind.EXPECTED),
        (Resolution.EXPECTED_CHANGE, FeedbackKind.EXPECTED),
        (Resolution.FIXED, FeedbackKind.INCIDENT),
    ],
)
def test_the_end_of_an_incident_is_a_word_and_opening_it_again_takes_it_back(
    world: World, resolution: Resolution, mark: FeedbackKind
) -> None:
    harm = Harm(world)
    harm.promise("orders")
    run = harm.judge("orders", Fails(), at=1)
    with read_session(world.engine) as tx:
        assert baselines.spoilt(tx, WHOSE) == {(run, "ds=1")}
    client, found = world.client("owner"), harm.only
    client.resolve_incident(found.id, found.revision, resolution, comment="sale")  # type: ignore[arg-type]
    (said,) = client.feedback("orders", "orders")
    assert (said.kind, said.reason, said.author, said.run_id, said.incident_id) == (
        mark,
        "sale",
        "owner",
        run,
        found.id,
    )
    with read_session(world.engine) as tx:
        assert baselines.spoilt(tx, WHOSE) == (set() if mark is FeedbackKind.EXPECTED else {(run, "ds=1")})
    client.reopen_incident(found.id, harm.only.revision)
    assert [each.kind for each in client.feedback("orders", "orders")] == [FeedbackKind.CLEARED, mark]
    with read_session(world.engine) as tx:
        assert baselines.spoilt(tx, WHOSE) == {(run, "ds=1")}
    assert TaskKind.REFIT not in {each.kind for each in scenes.rows(world.engine, TaskRow)}
