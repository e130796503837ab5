"""Tables of validations: partition states, runs, results and measurements."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field

from treaty.engine.core.results import Outcome, ResultFields, Verdict
from treaty.registry.core.enums import RunKind
from treaty.registry.tables.base import (
    BaseRow,
    big_integer_column,
    enum_column,
    foreign_key_column,
    json_column,
    time_column,
)


class RunRow(BaseRow, table=True):
    """One validation of one object of a contract version.

    `reason`: reason why nothing could be evaluated. `states_version`: states version of the dataset that was evaluated;
    None if there was none. `subscription_id`: consumer whose checks were evaluated; None means the contract's own.
    `kind`: subject of the validation, such as data or its arrival. `superseded_reason`: reason why the data was later
    withdrawn; None if it was not. `detection_method`: method that identified the partitions to validate
    (`treaty.engine.protocol.write_hints.DetectionMethod`). `read_version`: table version that was read, for formats
    that have versions."""

    __tablename__ = "run"
    __table_args__ = (
        Index(None, "contract_id", "finished_at"),
        Index(None, "dataset_id", "contract_id", "object", "id"),
        Index(None, "verdict"),
        Index(None, "subscription_id", "id"),
    )
    id: UUID = Field(primary_key=True)
    contract_id: str = foreign_key_column("contract.id")
    version: str
    fingerprint: str
    object: str
    dataset_id: UUID | None = foreign_key_column("dataset.id", default=None)
    partitions: list[str] = json_column()
    verdict: Verdict = enum_column(Verdict)
    outcome_counts: dict[str, int] = json_column()
    rows: int | None = big_integer_column(default=None)
    started_at: datetime = time_column()
    finished_at: datetime = time_column()
    task_id: UUID | None = foreign_key_column("task.id", default=None, index=True)
    lineage_run_id: UUID | None = foreign_key_column("lineage_run.id", default=None, index=True)
    dataset_fingerprint: str | None = None
    states_version: int | None = big_integer_column(default=None)
    reason: str | None = None
    subscription_id: UUID | None = None
    kind: RunKind = enum_column(RunKind, default=RunKind.DATA)
    superseded_reason: str | None = None
    detection_method: str | None = None
    read_version: str | None = None


class CheckResultRow(BaseRow, ResultFields, table=True):
    """A check result of a run, in the order of the run. `value`: text with every digit of a number.

    The fields below only override how a column is stored; all other columns come from `ResultFields`."""

    __tablename__ = "check_result"
    run_id: UUID = foreign_key_column("run.id", primary_key=True)
    position: int = Field(primary_key=True)
    outcome: Outcome = enum_column(Outcome)
    value: str | None = None
    row_count: int | None = big_integer_column(default=None)
    violating_rows: int | None = big_integer_column(default=None)
    unevaluated_rows: int = big_integer_column(default=0)
    threshold: Any | None = json_column(default=None)
    reference: dict[str, Any] | None = json_column(default=None)
    band: dict[str, Any] | None = json_column(default=None)


class ViolationSampleRow(BaseRow, table=True):
    """Sample of rows that violate a check. No other table stores rows of a user's table.

    `rows`: values as text under `columns`; None is null. `masked`: columns that were masked before they were stored.
    Rows are not shown after `expires_at` and are then deleted."""

    __tablename__ = "violation_sample"
    run_id: UUID = foreign_key_column("run.id", primary_key=True)
    position: int = Field(primary_key=True)
    check_id: str
    columns: list[str] = json_column()
    masked: list[str] = json_column()
    rows: list[list[str | None]] = json_column()
    expires_at: datetime = time_column(index=True)


class MeasurementRow(BaseRow, table=True):
    """A metric measured in a run.

    `value`: number for charts. `exact`: exact value for evaluation. `reason`: reason for a missing value. `row_count`:
    number of rows measured. `details`: distribution behind the value. `subscription_id`: same as the run's. `data_at`:
    time of the data in the partition's name; None if it has none. `segment`: remaining part of the name."""

    __tablename__ = "measurement"
    __table_args__ = (Index(None, "contract_id", "object", "identity", "measured_at"),)
    run_id: UUID = foreign_key_column("run.id", primary_key=True)
    position: int = Field(primary_key=True)
    contract_id: str = foreign_key_column("contract.id")
    object: str
    identity: str
    analyzer: str
    arguments: dict[str, Any] = json_column()
    partition: str | None = None
    value: float | None = None
    exact: str | None = None
    reason: str | None = None
    measured_at: datetime = time_column()
    row_count: int | None = big_integer_column(default=None)
    details: dict[str, Any] | None = json_column(default=None)
    subscription_id: UUID | None = None
    data_at: datetime | None = time_column(default=None)
    segment: str | None = None


class RunTagRow(BaseRow, table=True):
    """A tag of the object in the contract version of a run."""

    __tablename__ = "run_tag"
    run_id: UUID = foreign_key_column("run.id", primary_key=True)
    tag: str = Field(primary_key=True, index=True)


class PartitionStateRow(BaseRow, table=True):
    """A generation of a partition's packed states. `fingerprint`: content that they describe.

    `from_version`, `until_version`: states versions of the dataset in which it was current, without the last; None
    means it is current. `ended_at`: time at which that ended. `files`: files with states of this row; None if not
    determined yet. `bag`: name under which a gate stored it; None if no gate did.

    For days merged by month, `partition` names all of them and `members` has the fingerprint of each
    (`treaty.engine.core.partitions.months`); None means a single partition."""

    __tablename__ = "partition_state"
    __table_args__ = (
        UniqueConstraint("dataset_id", "partition", "generation"),
        Index(None, "dataset_id", "until_version"),
    )
    id: UUID = Field(primary_key=True)
    dataset_id: UUID = foreign_key_column("dataset.id")
    partition: str
    generation: int = 1
    from_version: int = big_integer_column(default=1)
    until_version: int | None = big_integer_column(default=None)
    ended_at: datetime | None = time_column(default=None)
    fingerprint: str
    states: bytes
    bag: str | None = None
    columns: list[dict[str, Any]] = json_column()
    rows: int | None = big_integer_column(default=None)
    created_at: datetime = time_column()
    files: list[str] | None = json_column(default=None)
    members: dict[str, str] | None = json_column(default=None)
