"""What comes into force and what no longer is: at once, by the clock, and because an owner says so."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import Barrier
from typing import Any

import pytest
from sqlmodel import select
from support.api import World, plain
from support.engines import FakeEngine, large

from treaty.contracts.document import writer
from treaty.engine.core import clock
from treaty.engine.evaluation.evaluator import evaluate
from treaty.registry import schemas
from treaty.registry.client import ClientError
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import PinKind, VersionState
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.review.approval import activation
from treaty.registry.tables import ContractVersionRow, TaskRow
from treaty.registry.worker.loop import Worker
from treaty.registry.worker.periodic import keep_time

CONTRACT = "shop-orders"
DAY = timedelta(days=1)
FAR = datetime(2099, 1, 1, tzinfo=UTC)


def document(version: str, *, group: str = "main", **terms: Any) -> str:
    custom = [{"property": "treaty", "value": {"group": group, **terms}}]
    return writer.write({**plain(version=version), "customProperties": custom}).decode()


def approve(
    world: World, version: str, *, start: datetime | None = None, end: datetime | None = None, group: str = "main"
) -> schemas.VersionOut:
    window = schemas.EffectivePeriodIn(effective_from=start, effective_until=end)
    made = world.client("producer").propose(document(version, group=group), window=window)
    owner = world.client("owner")
    seen = owner.preview(made.id)
    found = owner.approve(made.id, seen.fingerprint, revision=seen.revision).version
    assert found
    return found


def states(world: World) -> dict[str, str]:
    with read_session(world.engine) as tx:
        rows = tx.exec(select(ContractVersionRow).order_by(ContractVersionRow.version)).all()
    return {row.version: row.state.value for row in rows}


def active(world: World) -> str | None:
    return world.client("viewer").contract(CONTRACT).active_version


def tick(world: World, *, at: datetime) -> int:
    with transaction(world.engine) as tx:
        moved = activation.apply_schedule(tx, now=at, ids=ids.new)
        tx.commit()
    return moved


def refused(call: Callable[[], object]) -> ClientError:
    with pytest.raises(ClientError) as caught:
        call()
    return caught.value


def validated(world: World) -> list[str]:
    with read_session(world.engine) as tx:
        return sorted(tx.exec(select(TaskRow.key)).all())


def test_the_old_version_stays_in_force_until_the_window_of_the_new_one_begins(world: World) -> None:
    approve(world, "1.0.0")
    start = clock.now() + DAY
    assert approve(world, "2.0.0", start=start).state is VersionState.APPROVED
    assert (active(world), states(world)) == ("1.0.0", {"1.0.0": "active", "2.0.0": "approved"})
    assert validated(world) == ["validate/shop-orders/1.0.0/orders"]
    assert [tick(world, at=start - timedelta(seconds=1)), tick(world, at=start), tick(world, at=start)] == [0, 1, 0]
    assert (active(world), states(world)) == ("2.0.0", {"1.0.0": "superseded", "2.0.0": "active"})
    assert validated(world)[1:] == ["validate/shop-orders/2.0.0/orders"]
    assert world.audited()[-2:] == ["version:superseded", "version:activated"]


def test_an_approved_version_says_what_keeps_it_from_coming_into_force(world: World) -> None:
    approve(world, "1.0.0")
    approve(world, "2.0.0", start=FAR)
    client = world.client("viewer")
    assert client.version(CONTRACT, "2.0.0").activation_blocker == "takes effect on 2099-01-01 00:00 UTC"
    assert client.version(CONTRACT, "1.0.0").activation_blocker is None
    assert refused(lambda: client.version(CONTRACT, "3.0.0")).status == 404


def test_a_worker_looks_at_the_clock_and_changes_nothing_where_nothing_is_due(world: World) -> None:
    approve(world, "1.0.0")
    start = clock.now() + DAY
    approve(world, "2.0.0", start=start)
    engine: Any = FakeEngine()
    worker = Worker(
        database=world.engine,
        engine=engine,
        evaluate=evaluate,
        large=large,
        settings=RegistrySettings(),
        clock=lambda: start,
    )
    early = replace(worker, clock=lambda: start - DAY)
    assert [keep_time(each) for each in (early, worker, worker)] == [0, 1, 0]
    assert active(world) == "2.0.0"


def test_a_first_version_with_a_later_window_leaves_nothing_in_force_until_then(world: World) -> None:
    start = clock.now() + DAY
    approve(world, "1.0.0", start=start)
    assert (active(world), validated(world)) == (None, [])
    tick(world, at=start)
    assert active(world) == "1.0.0"


def test_a_version_is_retired_when_its_window_ends(world: World) -> None:
    end = clock.now() + DAY
    approve(world, "1.0.0", end=end)
    assert [tick(world, at=end - timedelta(seconds=1)), tick(world, at=end), tick(world, at=end)] == [0, 1, 0]
    assert (active(world), states(world)) == (None, {"1.0.0": "retired"})
    assert world.client("viewer").contract(CONTRACT).versions[0].reason == "its effective period ended"


def test_a_version_whose_window_passed_unseen_is_never_in_force(world: World) -> None:
    approve(world, "1.0.0")
    start = clock.now() + DAY
    approve(world, "2.0.0", start=start, end=start + DAY)
    tick(world, at=start + 2 * DAY)
    assert (active(world), states(world)) == ("1.0.0", {"1.0.0": "active", "2.0.0": "retired"})


def test_a_repair_approved_meanwhile_does_not_take_the_turn_of_the_version_that_is_planned(world: World) -> None:
    approve(world, "1.0.0")
    start = clock.now() + DAY
    approve(world, "2.0.0", start=start)
    approve(world, "1.0.1")
    assert states(world) == {"1.0.0": "superseded", "1.0.1": "active", "2.0.0": "approved"}
    tick(world, at=start)
    assert states(world) == {"1.0.0": "superseded", "1.0.1": "superseded", "2.0.0": "active"}


def test_of_two_that_are_due_the_later_one_ends_in_force_whenever_the_clock_is_looked_at(world: World) -> None:
    now = clock.now()
    approve(world, "3.0.0", start=now + 2 * DAY)
    approve(world, "2.0.0", start=now + DAY)
    assert tick(world, at=now + 3 * DAY) == 2
    assert (active(world), states(world)) == ("3.0.0", {"2.0.0": "superseded", "3.0.0": "active"})


def test_one_version_of_each_group_is_in_force(world: World) -> None:
    approve(world, "1.0.0")
    approve(world, "2.0.0", group="next")
    assert states(world) == {"1.0.0": "active", "2.0.0": "active"}
    approve(world, "1.1.0")
    assert states(world) == {"1.0.0": "superseded", "1.1.0": "active", "2.0.0": "active"}
    assert active(world) == "1.1.0"


@pytest.mark.parametrize(("start", "end"), [(None, datetime(2020, 1, 1, tzinfo=UTC)), (FAR, FAR), (FAR, FAR - DAY)])
def test_a_window_in_which_nothing_could_be_in_force_is_refused(
    world: World, start: datetime | None, end: datetime
) -> None:
    window = schemas.EffectivePeriodIn(effective_from=start, effective_until=end)
    error = refused(lambda: world.client("producer").propose(document("1.0.0"), window=window))
    assert (error.status, [each.where for each in error.faults]) == (422, ["effective_until"])


def test_a_window_is_approved_by_who_names_the_revision_that_they_saw(world: World) -> None:
    made = world.client("producer").propose(document("1.0.0"), window=schemas.EffectivePeriodIn(effective_from=FAR))
    owner = world.client("owner")
    seen = owner.preview(made.id)
    assert refused(lambda: owner.approve(made.id, seen.fingerprint)).status == 422
    assert owner.approve(made.id, seen.fingerprint, revision=seen.revision).version


def test_workers_that_look_at_the_clock_at_once_move_a_version_once(world: World) -> None:
    approve(world, "1.0.0")
    start = clock.now() + DAY
    approve(world, "2.0.0", start=start)
    together = Barrier(3)

    def look(_: int) -> int:
        together.wait()
        return tick(world, at=start)

    with ThreadPoolExecutor(3) as threads:
        assert sorted(threads.map(look, range(3))) == [0, 0, 1]
    assert world.audited().count("version:activated") == 2


def test_a_deprecated_version_is_still_in_force_and_says_what_to_use(world: World) -> None:
    approve(world, "1.0.0")
    approve(world, "2.0.0", group="next")
    found = world.client("owner").deprecate(CONTRACT, "1.0.0", "the unit changes", successor="2.0.0")
    assert (found.state, found.successor_version, found.reason) == (
        VersionState.DEPRECATED,
        "2.0.0",
        "the unit changes",
    )
    assert states(world) == {"1.0.0": "deprecated", "2.0.0": "active"}


def test_a_retired_version_leaves_the_newest_other_in_force_or_none(world: World) -> None:
    approve(world, "1.0.0")
    approve(world, "2.0.0", group="next")
    world.client("owner").retire(CONTRACT, "2.0.0", "nobody came")
    assert active(world) == "1.0.0"
    world.client("owner").retire(CONTRACT, "1.0.0", "the table is gone")
    assert (active(world), states(world)) == (None, {"1.0.0": "retired", "2.0.0": "retired"})


@pytest.mark.parametrize(
    ("step", "version", "successor", "status", "told"),
    [
        ("deprecate", "1.0.0", None, 409, "Allowed actions: none, the state is final"),
        ("retire", "1.0.0", None, 409, "Cannot retire this version: its state is superseded"),
        ("deprecate", "2.0.0", "2.0.0", 422, ""),
        ("deprecate", "2.0.0", "9.9.9", 422, ""),
        ("retire", "2.0.0", "1.0.0", 422, ""),
        ("retire", "7.0.0", None, 404, ""),
    ],
)
def test_what_cannot_become_of_a_version_is_refused(
    world: World, step: str, version: str, successor: str | None, status: int, told: str
) -> None:
    approve(world, "1.0.0")
    approve(world, "2.0.0")
    error = refused(lambda: getattr(world.client("owner"), step)(CONTRACT, version, "why", successor=successor))
    assert (error.status, told in error.message) == (status, True)
    assert states(world) == {"1.0.0": "superseded", "2.0.0": "active"}


def test_a_version_is_not_retired_while_somebody_is_pinned_to_it(world: World) -> None:
    approve(world, "1.0.0")
    use = {"purpose": "invoices", "contact": "x@y.z", "pin": PinKind.VERSION, "pinned_to": "1.0.0"}
    wanted = schemas.SubscriptionIn(contract_id=CONTRACT, **use)
    used = world.client("consumer").subscribe(wanted)
    error = refused(lambda: world.client("owner").retire(CONTRACT, "1.0.0", "old"))
    assert (error.status, error.message.startswith("1 consumer is pinned to this version")) == (409, True)
    world.client("consumer").end_subscription(used.id)
    assert world.client("owner").retire(CONTRACT, "1.0.0", "old").state is VersionState.RETIRED


def test_what_somebody_uses_affects_them(world: World) -> None:
    approve(world, "1.0.0")
    use = schemas.SubscriptionIn(contract_id=CONTRACT, purpose="invoices", contact="x@y.z")
    world.client("consumer").subscribe(use)
    made = world.client("producer").propose(document("2.0.0"))
    assert [each.id for each in world.client("consumer").inbox().affecting] == [made.id]
    assert world.client("viewer").inbox().affecting == ()
    assert world.client("owner").inbox().affecting == ()
