"""Events of concurrent requests share a transaction; each is acknowledged after it, and none spoils another."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event as Flag
from typing import Any

import pytest
from sqlalchemy import Engine
from sqlalchemy.exc import DataError, OperationalError
from sqlmodel import Session
from support.events import body, event
from support.scenes import NOON, rows

from treaty.registry.core import ids
from treaty.registry.lineage.events import event_store
from treaty.registry.lineage.events.event_store import ReceivedEvent
from treaty.registry.lineage.events.model import parse
from treaty.registry.lineage.events.receiver import EventReceiver, IntakeLimits, IntakeOverloaded, UnstorableEvent
from treaty.registry.tables import LineageEventRow


def arrival(run: str) -> ReceivedEvent:
    raw = body(event(run=run))
    return event_store.arrival(parse(raw), raw, producer="spark", now=NOON, event_id=ids.new())


@pytest.fixture
def receiver(engine: Engine) -> Iterator[EventReceiver]:
    made = EventReceiver(engine)
    yield made
    made.close()


class Held:
    """The inbox, whose first writing waits until it is let go; what came meanwhile is written together."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, poison: str = "") -> None:
        self.begun, self.go = Flag(), Flag()
        self.together: list[int] = []
        self.poison, self.keep = poison, event_store.keep
        monkeypatch.setattr(event_store, "keep", self)

    def __call__(self, session: Session, arrivals: list[ReceivedEvent]) -> set[str]:
        self.together.append(len(arrivals))
        if len(self.together) == 1:
            self.begun.set()
            assert self.go.wait(30)
        if any(self.poison and self.poison.encode() in each.row["body"] for each in arrivals):
            raise DataError("insert", {}, ValueError("no such thing"))
        return self.keep(session, arrivals)


def test_what_comes_while_one_transaction_is_under_way_shares_the_next(
    engine: Engine, receiver: EventReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Held(monkeypatch)
    first = receiver.put([arrival("first")])
    assert held.begun.wait(30)
    others = [receiver.put([arrival(f"{number}")]) for number in range(20)]
    assert not any(each.done() for each in [first, *others])
    held.go.set()
    for each in [first, *others]:
        each.result(30)
    assert held.together == [1, 20]
    assert len(rows(engine, LineageEventRow)) == 21


def test_an_event_that_the_database_refuses_spoils_no_other(
    engine: Engine, receiver: EventReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Held(monkeypatch, poison="poison")
    first = receiver.put([arrival("first")])
    assert held.begun.wait(30)
    good, bad, more = (receiver.put([arrival(name)]) for name in ("good", "poison", "more"))
    held.go.set()
    for each in (first, good, more):
        each.result(30)
    with pytest.raises(UnstorableEvent):
        bad.result(30)
    assert len(rows(engine, LineageEventRow)) == 3


def test_a_database_that_is_away_is_told_to_everybody_who_waits(
    engine: Engine, receiver: EventReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any) -> None:
        raise OperationalError("insert", {}, OSError("gone"))

    monkeypatch.setattr(event_store, "keep", away)
    with pytest.raises(OperationalError):
        receiver.put([arrival("a")]).result(30)
    monkeypatch.undo()
    receiver.put([arrival("a")]).result(30)
    assert len(rows(engine, LineageEventRow)) == 1


def test_repeats_are_counted_within_a_transaction_and_across(engine: Engine, receiver: EventReceiver) -> None:
    receiver.put([arrival("a"), arrival("a"), arrival("b")]).result(30)
    receiver.put([arrival("a"), arrival("b"), arrival("c")]).result(30)
    assert sorted(row.duplicates for row in rows(engine, LineageEventRow)) == [0, 1, 2]


def test_two_writers_that_keep_the_same_events_at_once_keep_each_once(engine: Engine) -> None:
    both = [EventReceiver(engine), EventReceiver(engine)]
    arrivals = [arrival(f"{number}") for number in range(40)]

    def send(receiver: EventReceiver) -> list[Future[None]]:
        order = arrivals if receiver is both[0] else list(reversed(arrivals))
        return [receiver.put(order[at : at + 7]) for at in range(0, len(order), 7)]

    with ThreadPoolExecutor(2) as pool:
        for kept in pool.map(send, both):
            for each in kept:
                each.result(60)
    for each in both:
        each.close()
    found = rows(engine, LineageEventRow)
    assert (len(found), sum(row.duplicates for row in found)) == (40, 40)


def test_more_than_may_wait_is_refused_at_once(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    receiver, held = EventReceiver(engine, IntakeLimits(requests=2)), Held(monkeypatch)
    kept = [receiver.put([arrival("first")])]
    assert held.begun.wait(30)
    kept += [receiver.put([arrival(f"{number}")]) for number in range(2)]
    with pytest.raises(IntakeOverloaded):
        receiver.put([arrival("one more")])
    held.go.set()
    receiver.close()
    assert [each.result(30) for each in kept] == [None] * 3


def test_a_full_inbox_takes_no_more_until_it_was_looked_at_again(engine: Engine) -> None:
    receiver = EventReceiver(engine, IntakeLimits(high_water=2))
    for name in "ab":
        receiver.put([arrival(name)]).result(30)
    receiver._looked = 0.0
    receiver.put([arrival("c")]).result(30)
    with pytest.raises(IntakeOverloaded):
        receiver.put([arrival("d")])
    receiver.close()
    assert len(rows(engine, LineageEventRow)) == 3


def test_what_waits_when_the_service_ends_is_written_and_nothing_else_is_taken(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    receiver, held = EventReceiver(engine), Held(monkeypatch)
    first = receiver.put([arrival("a")])
    assert held.begun.wait(30)
    second = receiver.put([arrival("b")])
    held.go.set()
    receiver.close()
    assert first.done()
    assert second.done()
    with pytest.raises(IntakeOverloaded):
        receiver.put([arrival("c")])
