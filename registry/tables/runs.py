"""Tables of memory: partition states, runs, their results and measurements."""

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
    """One verification of one object of a contract version. `reason` says why nothing could be judged.

    `states_version`: the version of the dataset's states that was judged; None where none was. `subscription_id`: of
    the consumer whose checks were judged; None: the contract's own. `kind`: what was judged, data or their coming.
    `superseded_reason`: why the verdict is about data that somebody took back; None: nothing is known of that.
    `detection_method`: by what it was told which partitions to judge
    (`treaty.engine.protocol.write_hints.DetectionMethod`). `read_version`: the version that was read, of a table format
    that has them."""

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
    """A check result of a run, in the order of the run. `value` is text: exact numbers with every digit.

    What is declared here is how the databases keep a field; all others are columns as they are."""

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
    """Rows that break a check of a run, as they may be shown: the only place that holds values of a table's rows.

    `rows` are texts, null where there is none, under `columns`; those of `masked` were masked before they were stored.
    They are not shown after `expires_at`, and are then deleted."""

    __tablename__ = "violation_sample"
    run_id: UUID = foreign_key_column("run.id", primary_key=True)
    position: int = Field(primary_key=True)
    check_id: str
    columns: list[str] = json_column()
    masked: list[str] = json_column()
    rows: list[list[str | None]] = json_column()
    expires_at: datetime = time_column(index=True)


class MeasurementRow(BaseRow, table=True):
    """One metric as measured in a run: `value` for charts, `exact` for judging, `reason` where there is no value.

    `row_count`: on how many rows. `details`: the distribution behind the value. `subscription_id`: as the run's.
    `data_at`: when the data are of, which the partition's name says; None: it says none. `segment`: what else the
    name says."""

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
    """A word that the contract tagged the object with that a run judged."""

    __tablename__ = "run_tag"
    run_id: UUID = foreign_key_column("run.id", primary_key=True)
    tag: str = Field(primary_key=True, index=True)


class PartitionStateRow(BaseRow, table=True):
    """A generation of a partition's states, packed; `fingerprint` names the content they describe.

    It was current from version `from_version` of the dataset's states up to, without, `until_version`; None: it is
    current. `ended_at` says when that was over. `files` names the files that hold states of it; None: nobody has looked
    yet. `bag`: the name under which a gate kept it; None: no gate did.

    Where the states of days were merged by month, `partition` names all of them, and `members` has the fingerprint of
    each (`treaty.engine.core.partitions.months`); None: it is one partition."""

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
