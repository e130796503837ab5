"""The whole loop for journeys: services started once, people who act in it, and lakes that are delivered to it."""

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Engine
from sqlmodel import col, select
from support.locations import EVERYWHERE

from treaty.engine.core import clock
from treaty.registry.access.first_admin import initialise
from treaty.registry.client import Client
from treaty.registry.core.database import connect, read_session
from treaty.registry.core.enums import LineageEventState, TaskState
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.demo.deliveries import DemoLake
from treaty.registry.demo.producer import DemoProducer
from treaty.registry.demo.scenario import DeliveryResult, DemoLoop, DemoPeople, enlist, names_of
from treaty.registry.schemas import RunSummaryOut
from treaty.registry.serve import local_stack
from treaty.registry.tables import LineageEventRow, TaskRow

Found = TypeVar("Found")
Maker = Callable[[RegistrySettings], local_stack.ManagedProcess]
PATIENCE = 120.0


@dataclass(frozen=True)
class Services:
    """API, worker and pages that run, their database, and the people who use them."""

    settings: RegistrySettings
    database: Engine
    people: DemoPeople
    parts: Sequence[local_stack.RunningProcess]

    def producer(self, session: Any, column: str) -> DemoProducer:
        """A pipeline that writes partitions by that column and tells of them."""
        return DemoProducer(
            session=session,
            root=self.settings.home / "lake",
            column=column,
            url=self.settings.api,
            token=self.people.token,
        )

    def pipeline(self) -> Client:
        """The API as the pipeline knows it: with a token that may send events and nothing else."""
        return Client(self.settings.api, self.people.token)

    def runs(self, contract_id: str) -> list[RunSummaryOut]:
        """The contract's runs, newest first."""
        return self.people.owner.runs(contract_id=contract_id, limit=200)

    def next_run(self, contract_id: str, seen: Sequence[RunSummaryOut]) -> RunSummaryOut:
        """The newest run that is not among those seen, once there is one."""
        known = {each.id for each in seen}
        return awaited(lambda: next((each for each in self.runs(contract_id) if each.id not in known), None))

    def settle(self, *, within: float = PATIENCE) -> None:
        """Returns once no event waits and no task is to be done now: one that failed may be tried again later."""
        awaited(lambda: self._idle() or None, within=within)

    def _idle(self) -> bool:
        with read_session(self.database) as session:
            events = session.exec(select(LineageEventRow).where(LineageEventRow.state == LineageEventState.NEW)).first()
            open_states = (TaskState.QUEUED, TaskState.RUNNING)
            due = col(TaskRow.state).in_(open_states), col(TaskRow.available_at) <= clock.now()
            tasks = session.exec(select(TaskRow).where(*due)).first()
        return events is None and tasks is None


@contextmanager
def services(
    folder: Path,
    database_url: str = "",
    *,
    makers: Sequence[Maker] = (local_stack.api, local_stack.worker, local_stack.ui),
    **more: Any,
) -> Iterator[Services]:
    """All parts on free ports with an empty registry, ended together; on SQLite where no database is given.

    `makers`: the parts that run, where these are not all. `more`: further settings."""
    ports = {"api_port": local_stack.free_port(), "ui_port": local_stack.free_port()}
    allowed = {"locations": f"{EVERYWHERE},{folder.absolute() / 'lake'}", **more}
    settings = RegistrySettings(home=folder, database_url=database_url, **ports, **allowed)
    link = initialise(settings)
    database = connect(settings.database)
    with local_stack.run_processes(settings, makers) as parts:
        yield Services(settings, database, enlist(settings.api, link, lambda: secrets.token_urlsafe(12)), parts)
    database.dispose()


def looped(services: Services, session: Any, lake: DemoLake) -> DemoLoop:
    """The loop over the lake, run to its end: drafted, approved, delivered, judged."""
    loop, producer = DemoLoop(lake=lake, people=services.people, report=print), services.producer(session, lake.column)
    loop.land_history(producer)
    loop.approve_all()
    for _ in loop.deliver_all(producer):
        pass
    return loop


def told(judged: DeliveryResult) -> str:
    """A delivery and its verdict in a line."""
    name = f"{judged.delivery.table} {judged.delivery.partition}"
    return f"{judged.run.verdict:13s} {name}  {names_of(judged.broken)}".rstrip()


def awaited(find: Callable[[], Found | None], *, within: float = PATIENCE) -> Found:
    """What `find` finds, once it finds something."""
    deadline = time.monotonic() + within
    while (found := find()) is None:
        assert time.monotonic() < deadline, f"it did not happen within {within:g} seconds"
        time.sleep(0.1)
    return found
