"""Tables of memory: partition states, runs, their results and measurements."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field

from engine.results import Outcome, Verdict
from registry.tables.base import Table, big, data, moment, reference, word


class Run(Table, table=True):
    """One verification of one object of a contract version. `reason` says why nothing could be judged."""

    __tablename__ = "run"
    __table_args__ = (Index(None, "contract_id", "finished"),)
    id: UUID = Field(primary_key=True)
    contract_id: str = reference("contract.id")
    version: str
    fingerprint: str
    object: str
    dataset_id: UUID | None = reference("dataset.id", default=None, index=True)
    partitions: list[str] = data()
    verdict: Verdict = word(Verdict)
    counts: dict[str, int] = data()
    rows: int | None = big(default=None)
    started: datetime = moment()
    finished: datetime = moment()
    task_id: UUID | None = reference("task.id", default=None, index=True)
    lineage_run_id: UUID | None = reference("lineage_run.id", default=None)
    marker: str | None = None
    reason: str | None = None


class ResultRow(Table, table=True):
    """One check of a run, in the order of the run. `value` is JSON: exact numbers as text."""

    __tablename__ = "result"
    run_id: UUID = reference("run.id", primary_key=True)
    position: int = Field(primary_key=True)
    check_id: str
    name: str
    outcome: Outcome = word(Outcome)
    severity: str
    scope: str
    partition: str | None = None
    sentence: str
    column: str | None = None
    dimension: str | None = None
    value: str | None = None
    reason: str | None = None
    measurement: str | None = None


class MeasurementRow(Table, table=True):
    """One metric as measured in a run: `value` for charts, `exact` for judging, `reason` where there is no value."""

    __tablename__ = "measurement"
    __table_args__ = (Index(None, "contract_id", "object", "identity", "time"),)
    run_id: UUID = reference("run.id", primary_key=True)
    position: int = Field(primary_key=True)
    contract_id: str = reference("contract.id")
    object: str
    identity: str
    analyzer: str
    arguments: dict[str, Any] = data()
    partition: str | None = None
    value: float | None = None
    exact: str | None = None
    reason: str | None = None
    time: datetime = moment()


class PartitionState(Table, table=True):
    """The states of a partition's current generation, packed; `fingerprint` names the content they describe."""

    __tablename__ = "partition_state"
    __table_args__ = (UniqueConstraint("dataset_id", "partition"),)
    id: UUID = Field(primary_key=True)
    dataset_id: UUID = reference("dataset.id")
    partition: str
    generation: int = 1
    fingerprint: str
    states: bytes
    columns: list[dict[str, Any]] = data()
    rows: int | None = big(default=None)
    created: datetime = moment()
