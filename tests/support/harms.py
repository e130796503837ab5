"""A service with contracts along a way of jobs, whose runs fail as a test says: for incidents and what they reach."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID, uuid5

from sqlmodel import Session, select
from support.api import World, plain
from support.engines import SCHEMA
from support.flowing import SPACE, minute, take_in

from treaty.contracts.document import writer
from treaty.engine.core.results import CheckResult, Outcome, RunResult
from treaty.engine.protocol.requests import MeasureResult
from treaty.registry import schemas
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.incidents import lifecycle
from treaty.registry.measurements.runs import recording
from treaty.registry.measurements.runs.recording import RunProvenance
from treaty.registry.measurements.states import state_store
from treaty.registry.tables import (
    DatasetContractRow,
    DatasetRow,
    IncidentDownstreamRow,
    IncidentObjectRow,
    IncidentRow,
    LineageRunRow,
)


@dataclass(frozen=True)
class Fails:
    """A check that fails: on a partition (None: on all), about a column (None: about the rows).

    `rows`: how many violate it. `value`, `threshold`: those of its metric."""

    check: str = "good"
    partition: str | None = "ds=1"
    column: str | None = None
    rows: int | None = None
    value: float | None = None
    threshold: Any = None


@dataclass
class Harm:
    """A service, and short ways to make things go wrong in it."""

    world: World
    partitions: dict[str, str] = field(default_factory=lambda: {"ds=1": "a", "ds=2": "b"})

    def promise(
        self, contract_id: str, *, domain: str | None = None, version: str = "1.0.0", path: str | None = None
    ) -> None:
        """Puts a contract in force about the dataset of that name in the lake."""
        made = plain(contract_id, version=version, physical=f"/lake/{path or contract_id}")
        proposal = self.world.client("producer").propose(
            writer.write({**made, **({"domain": domain} if domain else {})}).decode()
        )
        owner = self.world.client("owner")
        owner.approve(proposal.id, owner.preview(proposal.id).fingerprint)

    def events(self, *documents: dict[str, Any]) -> None:
        """Folds the events."""
        with transaction(self.world.engine) as tx:
            take_in(tx, *documents)
            tx.commit()

    def judge(
        self,
        contract_id: str,
        *fails: Fails,
        at: float,
        of: Iterable[str] = ("ds=1",),
        by: tuple[str, int] | None = None,
        version: str = "1.0.0",
    ) -> UUID:
        """Keeps a run in which these checks fail and the others pass on those partitions and on all together."""
        with transaction(self.world.engine) as tx:
            dataset = _dataset(tx, contract_id)
            self._states(tx, dataset.id)
            result = _result(contract_id, version, fails, set(of), minute(at))
            origin = RunProvenance(dataset_id=dataset.id, lineage_run_id=_lineage_run(tx, by) if by else None)
            run = recording.record(tx, ids.new(), result, origin, now=minute(at))
            lifecycle.apply_run(tx, run, result, now=minute(at), ids=ids.new)
            tx.commit()
            return run.id

    def _states(self, tx: Session, dataset_id: UUID) -> None:
        gone = tuple(state_store.stored_fingerprints(tx, dataset_id).keys() - self.partitions.keys())
        packed = dict.fromkeys(self.partitions, b"x")
        measured = MeasureResult(schema=SCHEMA, fingerprints=self.partitions, states=packed, vanished=gone)
        state_store.save(tx, dataset_id, measured, vanished=gone, now=minute(0), ids=ids.new)

    @property
    def incidents(self) -> list[IncidentRow]:
        """All incidents, oldest first."""
        with read_session(self.world.engine) as tx:
            return list(tx.exec(select(IncidentRow).order_by(IncidentRow.id)))  # type: ignore[arg-type]

    @property
    def failing(self) -> dict[str, set[tuple[Any, ...]]]:
        """What fails now, by contract."""
        with read_session(self.world.engine) as tx:
            active = (each for each in tx.exec(select(IncidentObjectRow)) if each.active)
            return {each.contract_id: set(map(tuple, each.failing_checks)) for each in active}

    @property
    def reached(self) -> dict[str, str]:
        """How far each dataset was reached by any incident."""
        with read_session(self.world.engine) as tx:
            return {
                each.name.removeprefix("/lake/"): each.contamination.value
                for each in tx.exec(select(IncidentDownstreamRow))
            }

    @property
    def only(self) -> schemas.IncidentOut:
        """The one incident, as an owner sees it."""
        (found,) = self.world.client("owner").incidents()
        return found


def _dataset(tx: Session, contract_id: str) -> DatasetRow:
    link = DatasetContractRow
    query = select(DatasetRow).join(link, link.dataset_id == DatasetRow.id)  # type: ignore[arg-type]
    return tx.exec(query.where(link.contract_id == contract_id)).one()


def _lineage_run(tx: Session, by: tuple[str, int]) -> UUID:
    job, run = by
    return tx.exec(select(LineageRunRow.id).where(LineageRunRow.run_id == str(uuid5(SPACE, f"{job}/{run}")))).one()


def _result(contract_id: str, version: str, fails: tuple[Fails, ...], of: set[str], at: datetime) -> RunResult:
    passed = {("good", partition) for partition in (*of, None)} - {(each.check, each.partition) for each in fails}
    results = [_check(each, Outcome.FAILED) for each in fails]
    results += [_check(Fails(*each), Outcome.PASSED) for each in sorted(passed, key=repr)]
    return RunResult(
        contract_id=contract_id, contract_version=version, contract_fingerprint="f", object="orders",
        partitions=tuple(sorted(of)), rows=1, started_at=at, finished_at=at, results=tuple(results), measurements=(),
    )  # fmt: skip


def _check(of: Fails, outcome: Outcome) -> CheckResult:
    return CheckResult(
        check_id=of.check, name=of.check, outcome=outcome, severity="error",
        scope="delta" if of.partition else "dataset", partition=of.partition, sentence=of.check, column=of.column,
        violating_rows=of.rows, value=of.value, threshold=of.threshold,
    )  # fmt: skip
