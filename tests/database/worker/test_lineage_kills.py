"""Processes that are killed, and workers that come back late: nothing that was acknowledged is lost, nothing is done
twice. `make kills-lineage` for thousands of them."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import combinations, count
from pathlib import Path
from threading import Lock
from typing import Any
from uuid import UUID

import httpx
import pytest
from sqlalchemy import Engine
from sqlmodel import col
from support.events import body, event
from support.folders import ROOT
from support.ports import free_port
from support.scenes import DOCUMENT, NOON, TOKEN, Scene, add, described, orders, rows, user

from treaty.contracts.document.reader import read
from treaty.engine.core import clock
from treaty.engine.core.results import Verdict
from treaty.registry.core import ids
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import LineageEventState, TaskState, VersionState
from treaty.registry.datasets.names import location, normalise
from treaty.registry.lineage.events.model import parse
from treaty.registry.notifications.outbox import LINEAGE
from treaty.registry.queue import task_queue
from treaty.registry.tables import (
    AuditEntryRow,
    ContractRow,
    ContractVersionRow,
    DatasetRow,
    LineageEventRow,
    LineageRunRow,
    OutboxMessageRow,
    PartitionStateRow,
    PendingValidationRow,
    RunRow,
    TaskRow,
    UserRow,
)
from treaty.registry.validation.openlineage_emitter import PRODUCER
from treaty.registry.worker import task_handlers
from treaty.registry.worker.context import WorkerContext
from treaty.registry.worker.task_handlers import Effect, TaskHandler

WORKER_KILLS, RECEIVER_KILLS, ZOMBIES = map(int, os.environ.get("KILLS_LINEAGE", "12 6 10").split())
# An event that three workers died of is parked: so many kills of what follows from it are survived.
KILLS_AN_EVENT = 2
LEASE = 61
Ask = Callable[..., Any]


@contextmanager
def processes() -> Iterator[Ask]:
    """What has orders carried out by processes of their own, and returns the answers."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    program = [sys.executable, str(ROOT / "tests" / "support" / "queue_kill.py")]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("TREATY_")}
    process = subprocess.Popen(
        program, env={**environ, "PYTHONPATH": path}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin
    assert process.stdout

    def ask(do: str, **order: Any) -> Any:
        print(json.dumps({"do": do, **order}), file=process.stdin, flush=True)
        return json.loads(process.stdout.readline())  # type: ignore[union-attr]

    with process:
        yield ask
        process.stdin.close()


def told(engine: Engine, what: str, figures: str) -> None:
    """A row of the table that `make kills-lineage` shows."""
    print(f"\n{engine.dialect.name:10} {what:24} {figures}", end="")


def url(engine: Engine) -> str:
    return engine.url.render_as_string(hide_password=False)


@dataclass
class Workers:
    """Workers on the orders that are killed at random steps. `ahead`: how far their clock is; every next one comes when
    what the last one had is nobody's any more."""

    scene: Scene
    ask: Ask
    rng: random.Random = field(default_factory=lambda: random.Random(20261122))
    ahead: int = 0
    killed: int = 0
    steps: int = 400

    def one(self, last: int | None = None) -> int:
        """How a worker ended that does all there is to do."""
        self.ahead += LEASE
        tables = self.scene.home / "tables.json"
        tables.write_text(json.dumps(self.scene.engine.tables))
        order = {"url": url(self.scene.database), "home": str(self.scene.home), "tables": str(tables)}
        status, steps = self.ask("work", **order, ahead=self.ahead, last=last)
        self.steps = steps or self.steps
        self.killed += status == -signal.SIGKILL
        return int(status)

    def send(self, run: str) -> None:
        """Tells of a run that wrote, by the workers' clock."""
        self.scene.clock.now = clock.now() + timedelta(seconds=self.ahead)
        at = self.scene.clock().isoformat()
        self.scene.send(event("START", run=run, at=at), event(run=run, at=at))

    def several(self) -> None:
        """Workers that are killed, until one is not."""
        for _ in range(KILLS_AN_EVENT):
            if self.one(self.rng.randint(1, self.steps)) == 0:
                return
        assert self.one() == 0


def test_a_worker_that_is_killed_at_any_step_loses_nothing_and_doubles_nothing(engine: Engine, tmp_path: Path) -> None:
    scene = orders(engine, tmp_path)
    with processes() as ask:
        workers = Workers(scene, ask)
        for number in count():
            scene.write(f"day={number}", f"good {number}")
            workers.send(f"{number}")
            workers.several()
            if workers.killed >= WORKER_KILLS:
                break
    judged = Counter(partition for run in scene.runs for partition in run.partitions)
    written = scene.engine.tables["/data/orders"].keys()
    lost, doubled = written - judged.keys(), {name for name, times in judged.items() if times > 1}
    recorded = [each for each in rows(engine, AuditEntryRow) if each.action == AuditAction.RUN_RECORDED]
    told(engine, "worker killed", f"kills {workers.killed}, events {2 * (number + 1)}, runs {len(scene.runs)}, ")
    print(f"lost {len(lost)}, doubled {len(doubled)}", end="")
    assert (lost, doubled) == (set(), set())
    folded = [each for each in rows(engine, LineageRunRow) if each.job_namespace == "shop"]
    told_of = [each for each in rows(engine, LineageEventRow) if each.producer == PRODUCER]
    posted = [each for each in rows(engine, OutboxMessageRow) if each.kind == LINEAGE]
    print(f", outbox missing {len(scene.runs) - len(posted)}", end="")
    assert len(scene.runs) == len(recorded) == len(folded) == len(told_of) == len(posted) == number + 1
    assert {run.verdict for run in scene.runs} == {Verdict.PASSED}
    assert {row.generation for row in rows(engine, PartitionStateRow)} == {1}
    assert {task.state for task in rows(engine, TaskRow)} == {TaskState.DONE}
    assert {row.state for row in rows(engine, LineageEventRow)} == {LineageEventState.PROCESSED}
    assert [mark.trigger_sequence - mark.validated_sequence for mark in rows(engine, PendingValidationRow)] == [0]


@dataclass
class Senders:
    """Producers that send each event until it is acknowledged."""

    port: int
    numbers: Any = field(default_factory=count)
    sent: dict[int, bytes] = field(default_factory=dict)
    unsure: list[int] = field(default_factory=list)
    acknowledged: set[int] = field(default_factory=set)
    repeated: int = 0
    lock: Any = field(default_factory=Lock)

    def until_it_ends(self) -> None:
        """Sends as fast as one can, from several threads, as long as somebody answers."""
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: self._one_by_one(), range(4)))

    def _one_by_one(self) -> None:
        with httpx.Client(timeout=10, headers={"Authorization": f"Bearer {TOKEN}"}) as http:
            while True:
                number, content = self._next()
                try:
                    answer = http.post(f"http://127.0.0.1:{self.port}/api/v1/lineage", content=content)
                except httpx.TransportError:
                    self.unsure.append(number)
                    return
                if answer.status_code == 201:
                    self.acknowledged.add(number)
                else:
                    self.unsure.append(number)

    def _next(self) -> tuple[int, bytes]:
        """An event that nobody acknowledged yet."""
        with self.lock:
            number = self.unsure.pop() if self.unsure else next(self.numbers)
            self.repeated += number in self.sent
            return number, self.sent.setdefault(number, body(event(run=f"{number}")))


def test_a_receiver_that_is_killed_loses_no_event_that_it_acknowledged(engine: Engine, tmp_path: Path) -> None:
    user(engine)
    senders, rng, killed = Senders(free_port()), random.Random(20261122), 0
    with processes() as ask:
        while killed < RECEIVER_KILLS:
            steps = rng.randint(1, 200)
            who = ask("receive", url=url(engine), home=str(tmp_path), port=senders.port, last=steps)
            until_it_answers(senders.port, who)
            senders.until_it_ends()
            os.kill(who, signal.SIGKILL)
            assert ask("end", process=who) == -signal.SIGKILL
            killed += 1
    stored = Counter(row.content_hash for row in rows(engine, LineageEventRow))
    lost = {number for number in senders.acknowledged if parse(senders.sent[number]).key not in stored}
    doubled = {key for key, times in stored.items() if times > 1}
    figures = f"kills {killed}, events {len(senders.sent)}, acknowledged {len(senders.acknowledged)}, "
    told(engine, "receiver killed", figures)
    print(f"sent again {senders.repeated}, lost {len(lost)}, doubled {len(doubled)}", end="")
    assert (lost, doubled) == (set(), set())
    assert len(senders.acknowledged) > killed
    assert senders.repeated


def until_it_answers(port: int, process: int) -> None:
    """Waits until somebody listens there; not for a process that was killed before."""
    for _ in range(400):
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        if Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.05)
    pytest.fail("nobody listens after 20 seconds")


def test_a_worker_that_comes_back_late_is_fenced_each_time(
    engine: Engine, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    scene = orders(engine, tmp_path)
    scene.send(event(run="first"))
    scene.work()
    for number in range(ZOMBIES):
        scene.write(f"day={number}", "good")
        scene.send(event(run=f"{number}"))
        scene.engine.meanwhile = once(lambda: comes_between(scene))
        scene.work(name="late")
        scene.clock.advance(LEASE)
    fenced = caplog.text.count("the lease of this task was lost")
    judged = Counter(partition for run in scene.runs for partition in run.partitions)
    told(engine, "zombies", f"forced {ZOMBIES}, fenced {fenced}, doubled {sum(judged.values()) - len(judged)}")
    assert fenced == ZOMBIES
    assert set(judged.values()) == {1}
    assert len(scene.runs) == ZOMBIES + 1


def comes_between(scene: Scene) -> None:
    """The lease of whoever works runs out, and another one does it."""
    scene.clock.advance(LEASE)
    assert scene.worker(name="other").work()


def once(do: Callable[[], None]) -> Callable[[], None]:
    """Does it at the first call."""
    left = [do]
    return lambda: left.pop()() if left else None


def anybody(task_id: UUID, fence: int) -> tuple[Any, ...]:
    """Whose a task would be without fences."""
    return (col(TaskRow.id) == task_id,)


@pytest.mark.parametrize("fenced", [True, False], ids=["fenced", "the control without fences"])
def test_without_fences_effects_would_be_doubled(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, fenced: bool
) -> None:
    scene = Scene(engine, tmp_path)

    def leave_a_user(means: WorkerContext, task: TaskRow) -> Effect:
        if means.name == "late":
            comes_between(scene)
        effect = UserRow(id=ids.new(), name=f"{task.key} by {means.name}", roles=[], created_at=NOON)
        return lambda session, now: session.add(effect) or {}

    monkeypatch.setitem(task_handlers.KINDS, "toy", TaskHandler(leave_a_user))
    if not fenced:
        monkeypatch.setattr(task_queue, "_mine", anybody)
    for number in range(ZOMBIES):
        enqueue(scene, f"{number}", "toy")
        assert scene.worker(name="late").work()
        scene.clock.advance(LEASE)
    effects = Counter(each.name.partition(" by ")[0] for each in rows(engine, UserRow))
    doubled = sum(times > 1 for times in effects.values())
    told(engine, "fences" if fenced else "CONTROL without fences", f"forced {ZOMBIES}, doubled {doubled}")
    assert len(effects) == ZOMBIES
    assert doubled == (0 if fenced else ZOMBIES)


def enqueue(scene: Scene, key: str, kind: str, **payload: Any) -> None:
    with transaction(scene.database) as tx:
        task_queue.enqueue(tx, kind=kind, payload=payload, key=key, now=scene.clock(), task_id=ids.new())
        tx.commit()


def several_contracts(engine: Engine, home: Path, how_many: int) -> Scene:
    """A scene with contracts about one dataset each, and partitions of it."""
    scene, owner = Scene(engine, home), UserRow(id=ids.new(), name="owner", roles=["owner"], created_at=NOON)
    add(engine, owner)
    for number in range(how_many):
        named = f"orders-{number}"
        text = DOCUMENT.format(version="1.0.0").replace("id: orders\n", f"id: {named}\n", 1).encode()
        contract = ContractRow(id=named, name=named, owner_id=owner.id, active_version="1.0.0", created_at=NOON)
        version = ContractVersionRow(
            id=ids.new(), contract_id=named, version="1.0.0", body=text, fingerprint=read(text).fingerprint,
            state=VersionState.ACTIVE, approved_by_id=owner.id, approved_at=NOON,
        )  # fmt: skip
        name = normalise("file", f"/data/{named}")
        dataset = DatasetRow(
            id=ids.new(), namespace=name.namespace, name=name.name, location=location("file", f"/data/{named}")
        )
        add(engine, contract, version, *described(dataset, (named, "orders")))
        scene.write("day=1", "good", f"/data/{named}")
    return scene


def test_three_worker_processes_share_what_there_is_to_do(engine: Engine, tmp_path: Path) -> None:
    contracts, times = 6, 4
    scene = several_contracts(engine, tmp_path, contracts)
    for number in range(contracts * times):
        about = {"contract_id": f"orders-{number % contracts}", "object": "orders", "all": True}
        enqueue(scene, f"{number}", "validate", **about, producer=f"p{number % 3}")
    tables, log = tmp_path / "tables.json", tmp_path / "log"
    tables.write_text(json.dumps(scene.engine.tables))
    order = {"url": url(engine), "home": str(tmp_path), "tables": str(tables), "log": str(log)}
    with processes() as one, processes() as two, processes() as three, ThreadPoolExecutor(3) as pool:
        assert [status for status, _ in pool.map(lambda ask: ask("work", **order), (one, two, three))] == [0, 0, 0]
        assert one("work", **order)[0] == 0
    readings = [json.loads(line) for line in log.read_text().splitlines()]
    together = [(a, b) for a, b in combinations(readings, 2) if a[1] < b[2] and b[1] < a[2]]
    assert Counter(run.contract_id for run in rows(engine, RunRow)) == {f"orders-{n}": times for n in range(contracts)}
    assert {task.state for task in rows(engine, TaskRow)} == {TaskState.DONE}
    assert [(a, b) for a, b in together if a[0] == b[0]] == []
    assert len({process for *_, process in readings}) == 3
    assert together
