"""Scenes for database tests: people, a contract in force, a clock that stands, a worker with a fake engine."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Engine
from sqlmodel import SQLModel, select
from support.engines import FakeEngine, judge, lacking, large
from support.events import body

from treaty.contracts.document.model import Lineage
from treaty.contracts.document.reader import read
from treaty.registry.access import authentication
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import Permission, Role, TaskState, VersionState
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.datasets.names import location, normalise
from treaty.registry.lineage.events import event_store
from treaty.registry.lineage.events.model import parse
from treaty.registry.queue import task_queue
from treaty.registry.tables import (
    ApiTokenRow,
    ContractRow,
    ContractVersionRow,
    DatasetContractRow,
    DatasetRow,
    PartitionStateRow,
    RunRow,
    TaskRow,
    UserRow,
)
from treaty.registry.worker.loop import Worker

Row = TypeVar("Row", bound=SQLModel)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TOKEN = "treaty_abc_0123456789"
LOCATION = "/data/orders"
DOCUMENT = """\
apiVersion: v3.1.0
kind: DataContract
id: orders
name: orders
version: {version}
status: active
schema:
  - name: orders
    properties:
      - name: id
        logicalType: integer
        physicalType: bigint
      - name: amount
        logicalType: number
        physicalType: double
    quality:
      - id: enough
        name: enough rows
        type: library
        metric: rowCount
        mustBeGreaterThan: 0
"""


@dataclass
class Clock:
    """A clock that stands until it is moved."""

    now: datetime = NOON

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> None:
        """Moves it on."""
        self.now += timedelta(seconds=seconds)


def document(version: str = "1.0.0") -> bytes:
    """The contract of the orders."""
    return DOCUMENT.format(version=version).encode()


def user(
    database: Engine, role: Role = Role.PRODUCER, *, token: str = TOKEN, scopes: tuple[Permission, ...] = ()
) -> UserRow:
    """A user with an API token of those scopes, lineage unless others are given."""
    row = UserRow(id=ids.new(), name=f"{role}-{token[-4:]}", roles=[role.value], created_at=NOON)
    key = ApiTokenRow(
        id=ids.new(),
        prefix=token.split("_")[1],
        secret_sha256=authentication.secret_hash(token),
        user_id=row.id,
        name="key",
        scopes=[scope.value for scope in scopes or (Permission.LINEAGE,)],
        created_at=NOON,
    )
    add(database, row, key)
    return row


def contract_in_force(database: Engine, *names: tuple[str, str]) -> None:
    """The contract of the orders, version 1.0.0, about datasets of those names; `file /data/orders` by default."""
    owner = UserRow(id=ids.new(), name="owner", roles=["owner"], created_at=NOON)
    contract = ContractRow(id="orders", name="orders", owner_id=owner.id, active_version="1.0.0", created_at=NOON)
    add(database, owner, contract, _version("1.0.0", owner))
    for namespace, name in names or [("file", LOCATION)]:
        add(database, *described(_dataset(namespace, name), ("orders", "orders")))


def next_version(database: Engine, version: str, body: bytes | None = None) -> None:
    """Puts another version of the contract in force, with that text where one is given."""
    with transaction(database) as tx:
        for old in tx.exec(select(ContractVersionRow)):
            old.state = VersionState.SUPERSEDED
        owner = tx.exec(select(UserRow).where(UserRow.name == "owner")).one()
        tx.add(_version(version, owner, body))
        tx.get_one(ContractRow, "orders").active_version = version
        tx.commit()


def add(database: Engine, *rows: SQLModel) -> None:
    """Adds rows in a transaction of their own."""
    with transaction(database) as tx:
        tx.add_all(rows)
        tx.commit()


def rows(database: Engine, kind: type[Row]) -> list[Row]:
    """All rows of a table, by identity: UUIDs sort by the time they were made."""
    with read_session(database) as tx:
        return sorted(tx.exec(select(kind)), key=_identity)


def _identity(row: Any) -> Any:
    return getattr(row, "id", None) or getattr(row, "position", 0)


def current(database: Engine) -> list[PartitionStateRow]:
    """The current generations of all partitions."""
    return [row for row in rows(database, PartitionStateRow) if row.until_version is None]


@dataclass
class Scene:
    """A worker with a fake engine, before a database."""

    database: Engine
    home: Path
    clock: Clock = field(default_factory=Clock)
    engine: FakeEngine = field(default_factory=FakeEngine)
    portion: int = 512

    def worker(self, **other: Any) -> Worker:
        """A worker of this scene; parts of it can be replaced."""
        parts = {
            "evaluate": judge,
            "missing_states": lacking,
            "large": large,
            "settings": self.settings,
            "clock": self.clock,
        }
        return Worker(
            database=self.database, engine=self.engine, **(parts | {"jitter": lambda: 0.0, "name": "w"} | other)
        )

    @property
    def settings(self) -> RegistrySettings:
        return RegistrySettings(home=self.home, read_batch_partitions=self.portion)

    def work(self, **other: Any) -> int:
        """Has a worker work until there is nothing to do; how many steps it took. Quiet times pass meanwhile."""
        worker, steps = self.worker(**other), 0
        while self._step(worker) or self._quiet_passes():
            steps += 1
            assert steps < 100, "the worker never comes to rest"
        return steps

    def _step(self, worker: Worker) -> bool:
        """Whether the worker found anything to do, which it must have expected."""
        due, found = worker.is_due(), worker.step()
        assert due or not found, "an idle worker would not have looked"
        return found

    def _quiet_passes(self) -> bool:
        """Whether a task waited for a quiet time to end, which it does by that."""
        soon = self.clock() + timedelta(seconds=Lineage().quiet)
        with read_session(self.database) as tx:
            waits = TaskRow.state == TaskState.QUEUED, self.clock() < TaskRow.available_at, TaskRow.available_at <= soon
            begins = tx.exec(select(TaskRow.available_at).where(*waits).order_by(TaskRow.available_at)).first()
        self.clock.now = begins or self.clock.now
        return begins is not None

    def send(self, *documents: Mapping[str, Any]) -> None:
        """What the API does with events."""
        for each in documents:
            raw = body(each)
            with transaction(self.database) as tx:
                event_store.accept(tx, parse(raw), raw, producer="spark", now=self.clock(), event_id=ids.new())
                tx.commit()

    def ask(self, key: str = "approval", **payload: Any) -> None:
        """Enqueues a validation of the orders, as an approval does."""
        content = {"contract_id": "orders", "object": "orders"} | payload
        with transaction(self.database) as tx:
            task_queue.enqueue(tx, kind="validate", payload=content, key=key, now=self.clock(), task_id=ids.new())
            tx.commit()

    @property
    def runs(self) -> list[RunRow]:
        """The runs so far, oldest first."""
        return rows(self.database, RunRow)

    @property
    def last_task(self) -> TaskRow:
        """The task that was enqueued last."""
        return rows(self.database, TaskRow)[-1]

    def write(self, partition: str, text: str, location: str = LOCATION) -> None:
        """Writes a partition of a table."""
        self.engine.tables.setdefault(location, {})[partition] = text


def orders(database: Engine, home: Path) -> Scene:
    """A scene in which the contract of the orders is in force and two of their partitions are written."""
    contract_in_force(database)
    scene = Scene(database, home)
    scene.write("ds=1", "good")
    scene.write("ds=2", "good")
    return scene


def _version(version: str, owner: UserRow, body: bytes | None = None) -> ContractVersionRow:
    body = body or document(version)
    return ContractVersionRow(
        id=ids.new(),
        contract_id="orders",
        version=version,
        body=body,
        fingerprint=read(body).fingerprint,
        state=VersionState.ACTIVE,
        approved_by_id=owner.id,
        approved_at=NOON,
    )


def _dataset(namespace: str, name: str) -> DatasetRow:
    known = normalise(namespace, name)
    return DatasetRow(
        id=ids.new(),
        namespace=known.namespace,
        name=known.name,
        location=location(namespace, name),
    )


def described(dataset: DatasetRow, *about: tuple[str, str]) -> list[SQLModel]:
    """The dataset, with the objects of contracts that are about it."""
    links = [DatasetContractRow(dataset_id=dataset.id, contract_id=contract, object=name) for contract, name in about]
    return [dataset, *links]
