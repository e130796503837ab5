"""The outbox: kept with what it tells of, delivered at least once and in order, and given up where it must be."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from support.folders import DATA
from support.receivers import Receiver, Reply, receiver, unused
from support.scenes import Clock, rows

from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import OutboxState
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.notifications import delivery, outbox
from treaty.registry.notifications.delivery import OutboxDeliverer
from treaty.registry.notifications.outbox import LINEAGE
from treaty.registry.tables import AuditEntryRow, OutboxMessageRow


class Killed(BaseException):
    """The process ends here."""


class Office:
    """An outbox and its deliverers, with a clock that stands until it is moved."""

    def __init__(self, engine: Engine, **settings: Any) -> None:
        self.engine, self.clock, self.settings = engine, Clock(), RegistrySettings(**settings)

    def post(self, key: str, destination: str = LINEAGE, kind: str = LINEAGE) -> OutboxMessageRow | None:
        with transaction(self.engine) as tx:
            made = outbox.enqueue_message(
                tx, kind=kind, destination=destination, payload={"told": key}, key=key, now=self.clock(),
                message_id=ids.new(),
            )  # fmt: skip
            tx.commit()
        return made

    def desk(self) -> OutboxDeliverer:
        return OutboxDeliverer(database=self.engine, settings=self.settings, clock=self.clock, jitter=lambda: 0.0)

    @property
    def kept(self) -> dict[str, OutboxMessageRow]:
        return {each.key: each for each in rows(self.engine, OutboxMessageRow)}

    @property
    def states(self) -> dict[str, str]:
        return {key: each.state.value for key, each in self.kept.items()}


def office(engine: Engine, to: Receiver | str) -> Office:
    return Office(engine, openlineage_url=to if isinstance(to, str) else to.url, openlineage_key="word")


def told(got: Receiver) -> list[str]:
    return [json.loads(each.body)["told"] for each in got.got]


def test_a_message_is_delivered_with_its_key_and_then_no_more(engine: Engine) -> None:
    with receiver() as service:
        sent = office(engine, service)
        sent.post("a")
        assert (sent.desk().drain(), sent.desk().drain()) == (1, 0)
    (got,) = service.got
    assert (got.path, got.body) == ("/api/v1/lineage", b'{"told":"a"}')
    assert got.headers["authorization"] == "Bearer word"
    assert got.headers["idempotency-key"] == delivery.identity(sent.kept["a"])
    assert sent.states == {"a": "sent"}


def test_what_is_not_committed_is_not_delivered(engine: Engine) -> None:
    with receiver() as service:
        sent = office(engine, service)
        with transaction(engine) as tx:
            made = {"kind": LINEAGE, "destination": LINEAGE, "payload": {}, "key": "a", "message_id": ids.new()}
            outbox.enqueue_message(tx, **made, now=sent.clock())
        assert sent.desk().drain() == 0
    assert service.got == []


def test_a_key_is_posted_once(engine: Engine) -> None:
    sent = office(engine, unused())
    assert sent.post("a") is not None
    assert sent.post("a") is None
    assert len(sent.kept) == 1


@pytest.mark.parametrize(
    ("reply", "seconds"),
    [
        (Reply(500), 5),
        (Reply(503, {"Retry-After": "90"}), 90),
        (Reply(429, {"Retry-After": "Sun, 01 Mar 2026 12:01:00 GMT"}), 60),
        (Reply(429, {"Retry-After": "1"}), 5),
        (Reply(503, {"Retry-After": "999999999999"}), 7200),
        (Reply(503, {"Retry-After": "soon"}), 5),
        (Reply(401), 5),
        (Reply(404), 5),
    ],
)
def test_a_destination_that_does_not_take_it_is_asked_again_later(engine: Engine, reply: Reply, seconds: int) -> None:
    with receiver(reply) as service:
        sent = office(engine, service)
        sent.post("a")
        sent.desk().drain()
        assert sent.kept["a"].available_at - sent.clock() == timedelta(seconds=seconds)
        sent.clock.advance(seconds - 1)
        assert sent.desk().drain() == 0
        sent.clock.advance(1)
        assert sent.desk().drain() == 1
    assert sent.states == {"a": "sent"}
    assert len({(each.body, each.headers["idempotency-key"]) for each in service.got}) == 1


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Reply(422), "the receiver responded with status 422"),
        (Reply(400), "400"),
        (Reply(302), "redirects are not followed"),
    ],
)
def test_a_message_that_is_refused_is_given_up_at_once_and_the_next_goes_on(
    engine: Engine, reply: Reply, why: str
) -> None:
    with receiver(reply) as service:
        sent = office(engine, service)
        sent.post("a")
        sent.post("b")
        sent.desk().drain()
    assert sent.states == {"a": "dead", "b": "sent"}
    assert why in str(sent.kept["a"].error)
    (entry,) = rows(engine, AuditEntryRow)
    assert (entry.action, entry.object_id) == ("message:failed", str(sent.kept["a"].id))


def test_a_destination_that_stays_away_is_given_up_after_all_tries(engine: Engine) -> None:
    sent = office(engine, unused())
    sent.post("a")
    for _ in range(outbox.ATTEMPTS):
        assert sent.desk().drain() == 1
        sent.clock.advance(3600)
    assert sent.desk().drain() == 0
    assert sent.states == {"a": "dead"}


def test_messages_to_one_destination_go_out_in_their_order(engine: Engine) -> None:
    with receiver(Reply(500), Reply(), Reply(500)) as service:
        sent = office(engine, service)
        for each in "abc":
            sent.post(each)
        while "waiting" in sent.states.values():
            sent.desk().drain()
            sent.clock.advance(10)
    assert told(service) == ["a", "a", "b", "b", "c"]


def test_a_destination_that_is_away_holds_up_no_other(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def away(_: OutboxDeliverer, message: OutboxMessageRow) -> None:
        asked.append(message.key)
        if message.destination == "dead":
            raise delivery.DeliveryFailed("away")

    monkeypatch.setattr(delivery, "SENDERS", {LINEAGE: away})
    sent = office(engine, unused())
    for at in range(3):
        sent.post(f"d{at}", "dead")
        sent.post(f"a{at}", "alive")
    sent.desk().drain()
    assert asked == ["d0", "a0", "a1", "a2"]
    # Whoever is away is asked for one message only, however many wait.
    sent.clock.advance(5)
    asked.clear()
    sent.desk().drain()
    assert asked == ["d0"]


def test_a_deliverer_that_dies_leaves_its_message_to_the_next(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(*_: Any) -> None:
        raise Killed

    with receiver() as service:
        sent = office(engine, service)
        sent.post("a")
        with monkeypatch.context() as patched:
            patched.setattr(OutboxDeliverer, "_keep", dies)
            with pytest.raises(Killed):
                sent.desk().step()
        assert sent.desk().drain() == 0
        sent.clock.advance(121)
        assert sent.desk().drain() == 1
    assert sent.states == {"a": "sent"}
    assert len(service.got) == 2
    assert len({(each.body, each.headers["idempotency-key"]) for each in service.got}) == 1


def test_one_whose_deliverers_always_die_is_given_up(engine: Engine) -> None:
    sent = office(engine, unused())
    sent.post("a")
    for _ in range(outbox.ATTEMPTS):
        with transaction(engine) as tx:
            assert outbox.claim(tx, worker="w", now=sent.clock(), lease=delivery.LEASE)
            tx.commit()
        sent.clock.advance(121)
    sent.desk().drain()
    assert sent.states == {"a": "dead"}
    assert "ended without a result" in str(sent.kept["a"].error)


def test_a_deliverer_that_comes_back_late_changes_nothing(engine: Engine) -> None:
    sent = office(engine, unused())
    sent.post("a")
    with transaction(engine) as tx:
        late = outbox.claim(tx, worker="w", now=sent.clock(), lease=delivery.LEASE)
        tx.commit()
    assert late
    sent.clock.advance(121)
    with transaction(engine) as tx:
        assert outbox.claim(tx, worker="w", now=sent.clock(), lease=delivery.LEASE)
        tx.commit()
    with transaction(engine) as tx, pytest.raises(outbox.DeliveryLeaseLost):
        outbox.sent(tx, late, now=sent.clock())


@pytest.mark.parametrize("threads", [3])
def test_deliverers_side_by_side_deliver_everything_once_and_in_order(engine: Engine, threads: int) -> None:
    with receiver() as service:
        sent = office(engine, service)
        for at in range(30):
            sent.post(f"{at:02}")
        work: Callable[[int], int] = lambda _: sum(sent.desk().drain() for _ in range(40))  # noqa: E731
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, range(threads)))
    assert told(service) == [f"{at:02}" for at in range(30)]


def test_what_nobody_knows_to_send_is_told_as_that(engine: Engine) -> None:
    sent = office(engine, unused())
    sent.post("a", kind="pigeon")
    sent.desk().drain()
    assert sent.kept["a"].error == "unexpected KeyError; the worker's log has the details"


def test_what_was_sent_is_forgotten_after_a_while_what_waits_is_not(engine: Engine) -> None:
    with receiver() as service:
        sent = office(engine, service)
        sent.post("a")
        sent.desk().drain()
        sent.post("b")
    with transaction(engine) as tx:
        assert outbox.forget(tx, before=sent.clock() + timedelta(days=1)) == 1
        tx.commit()
    assert sent.states == {"b": "waiting"}


def test_the_pause_doubles_up_to_half_an_hour() -> None:
    assert [outbox.pause(n, 0.0).total_seconds() for n in (1, 2, 3, 9, 10, 99)] == [5, 10, 20, 1280, 1800, 1800]
    assert outbox.pause(2, 1.0) == timedelta(seconds=5)


def test_a_transport_of_the_client_takes_the_event(engine: Engine, tmp_path: Path) -> None:
    config, kept = tmp_path / "openlineage.yml", tmp_path / "events"
    config.write_text(f"transport:\n  type: file\n  log_file_path: {kept}\n  append: true\n")
    sent = Office(engine, openlineage_config=str(config))
    document = json.loads((DATA / "lineage" / "verdict.json").read_text())
    with transaction(engine) as tx:
        made = {"kind": LINEAGE, "destination": LINEAGE, "payload": document, "key": "a", "message_id": ids.new()}
        outbox.enqueue_message(tx, **made, now=sent.clock())
        tx.commit()
    sent.desk().drain()
    assert sent.states == {"a": "sent"}
    (line,) = kept.read_text().splitlines()
    assert json.loads(line) == document
    with read_session(engine) as tx:
        assert not outbox.due(tx, now=sent.clock())
    assert sent.kept["a"].state is OutboxState.SENT
