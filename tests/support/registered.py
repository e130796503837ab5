"""A gated table whose contract and states are the registry's: the service in this process, text files, no Spark."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from sqlmodel import SQLModel, select
from support.api import NOW, World, build, plain
from support.engines import large
from support.gates import Gated, Rows, measure
from support.orders import check

from treaty.contracts.document import writer
from treaty.contracts.document.reader import read
from treaty.contracts.schema import Column, Schema
from treaty.engine.core.disk import Disk
from treaty.engine.core.results import ViolationSample
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.gate.gate import GateCandidate, TableGate, answer, open_gate, recover
from treaty.engine.gate.gated_contract import GatedContract
from treaty.engine.protocol.requests import DraftRequest, DraftResult, MeasureRequest, MeasureResult
from treaty.engine.protocol.row_requests import SampleRequest
from treaty.registry.cli.main import _code
from treaty.registry.client import Client
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import TaskState
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.queue import task_queue
from treaty.registry.sdk.remote_states import registered_contract
from treaty.registry.tables import DatasetRow, PartitionStateRow, TaskRow
from treaty.registry.worker.loop import Worker

Row = TypeVar("Row", bound=SQLModel)
Command = Callable[..., tuple[int, str, str]]
TABLE = Schema((Column("id", "bigint"), Column("day", "date")))
POSITIVE = check("minimum", "positive", column="id", mustBeGreaterThan=0)
FEW = check("size", "few", scope="dataset", mustBeLessThan=100)
ONCE = check("uniqueness", "once", severity="warning", column="id", mustBe=1)


def document(location: str, *checks: Any, version: str = "1.0.0") -> str:
    """A contract on the table at that place: positive numbers in every partition, less than a hundred of them."""
    content = plain("orders", version=version, physical=location)
    content["schema"][0]["quality"] = list(checks or (POSITIVE, FEW, ONCE))
    return writer.write(content).decode()


@dataclass
class Registered:
    """A service, and a table that is published to through a gate over it."""

    world: World
    gated: Gated

    @contextmanager
    def kept(self, who: str = "producer") -> Iterator[GatedContract]:
        """What the registry hands out to that user's job, over a connection of its own."""
        http: Any = TestClient(self.world.http.app, raise_server_exceptions=False)
        with registered_contract(
            "orders", client=Client("http://testserver", self.world.secrets[who], http=http)
        ) as kept:
            yield kept

    @contextmanager
    def gate(self, disk: Disk | None = None, who: str = "producer") -> Iterator[TableGate]:
        """A gate before the table, with the contract in force."""
        with self.kept(who) as kept:
            plain = replace(self.gated, given=kept.contract, partition_by=kept.partition_by).gate(disk)
            yield replace(plain, store=kept.store, datasets=kept.datasets, excluded_partitions=kept.excluded_partitions)

    def publish(self, rows: Rows, disk: Disk | None = None) -> GateCandidate:
        """The candidate that was published. Raises as the gate does."""
        with self.gate(disk) as gate, open_gate(gate) as candidate:
            candidate.write(rows)
        return candidate

    def recover(self, disk: Disk | None = None) -> str:
        """What recovery did."""
        with self.kept() as kept:
            return recover(self.gated.table, kept.store, disk=disk)

    @property
    def answer(self) -> str:
        """What the gate answers where the table lies."""
        with self.kept() as kept:
            return answer(self.gated.table, kept.contract, kept.store, partition_by=kept.partition_by)

    @property
    def told(self) -> str:
        """What the service answers to somebody who may read."""
        return self.world.client("viewer").verdict("orders").verdict

    def agree(self) -> bool:
        """Whether the registry's states are those of exactly the files in the table, computed anew."""
        with self.kept() as kept:
            return agreeing(replace(self.gated, given=kept.contract), kept)

    def rows(self, kind: type[Row]) -> Sequence[Row]:
        """All rows of a table of the registry, oldest first."""
        with read_session(self.world.engine) as tx:
            return sorted(tx.exec(select(kind)), key=lambda row: row.id)  # type: ignore[attr-defined]

    @property
    def dataset(self) -> DatasetRow:
        """The dataset's row."""
        (found,) = self.rows(DatasetRow)
        return found

    @property
    def current(self) -> dict[str, str]:
        """The fingerprints of the partitions' current states."""
        return {row.partition: row.fingerprint for row in self.rows(PartitionStateRow) if row.until_version is None}

    def worked(self) -> TaskRow:
        """The task of a worker that was told that the table was written to, once it tried."""
        with transaction(self.world.engine) as tx:
            for each in tx.exec(select(TaskRow).where(TaskRow.state == TaskState.QUEUED)):
                each.state = TaskState.DONE
            asked = {"contract_id": "orders", "object": "orders"}
            task = task_queue.enqueue(
                tx, kind="validate", payload=asked, key=str(ids.new()), now=NOW, task_id=ids.new()
            )
            assert task
            tx.commit()
        settings = RegistrySettings(home=self.gated.folder / "home")
        worker = Worker(database=self.world.engine, engine=Texts(), evaluate=evaluate, large=large, settings=settings)
        assert worker.work()
        return next(each for each in self.rows(TaskRow) if each.id == task.id)

    def approve(self, *checks: Any, version: str = "1.0.0") -> None:
        """Puts a version of the contract in force."""
        self.approve_document(document(self.gated.table, *checks, version=version))

    def approve_document(self, text: str) -> None:
        """Puts the contract in force."""
        made = self.world.client("producer").propose(text)
        owner = self.world.client("owner")
        owner.approve(made.id, owner.preview(made.id).fingerprint)


class Texts:
    """An engine that reads tables of text files."""

    def measure(self, request: MeasureRequest) -> MeasureResult:
        """The states of the partitions that changed."""
        return measure(read(request.contract), request, TABLE)

    def sample(self, _: SampleRequest) -> tuple[ViolationSample, ...]:
        """No rows."""
        return ()

    def draft(self, _: DraftRequest) -> DraftResult:
        """Nothing is drafted here."""
        raise NotImplementedError


def agreeing(gated: Gated, kept: GatedContract) -> bool:
    """As `Gated.agree`, of another store."""
    other = type("Other", (Gated,), {"store": kept.store})
    return bool(other(gated.folder, gated.partition_by, gated.given, gated.schema).agree())


def registered(engine: Engine, folder: Path) -> Registered:
    """A service with the contract in force, and the table's folder, without any files yet."""
    made = Registered(build(engine, home=folder / "home"), Gated(folder, schema=TABLE))
    made.approve()
    return made


def commands(
    table: Registered, patch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], who: str, *first: str
) -> Command:
    """Runs `treaty` with these first words as that user, over the table's service: its exit code, what it printed."""

    def connected(**_: object) -> httpx.Client:
        return TestClient(table.world.http.app)  # type: ignore[return-value]

    def run(*arguments: str) -> tuple[int, str, str]:
        code = _code([*first, *arguments])
        return code, *capsys.readouterr()

    patch.setenv("TREATY_TOKEN", table.world.secrets[who])
    patch.setattr("httpx.Client", connected)
    return run
