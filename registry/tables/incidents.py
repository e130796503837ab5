"""Tables of incidents: incidents, affected objects, downstream datasets and inferred consumers."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field

from treaty.registry.core.enums import ContaminationState, IncidentState, InferredConsumerState, Resolution
from treaty.registry.tables.base import BaseRow, enum_column, foreign_key_column, json_column, time_column


class IncidentRow(BaseRow, table=True):
    """Bad data of a contract object, with everything that fails because of it.

    `started_at`: arrival of the bad data. `data_version`: table version of the bad data, if known. `columns`: columns
    of the failed checks; None means all. `recovered_at`: time at which good data replaced it; None if it has not.
    `growth_count`: how often a check was violated more than before in it. `duplicate_of`: incident that includes this
    one. `resolved_by_id`: None means that it resolved automatically.
    `revision`: increases with every change."""

    __tablename__ = "incident"
    __table_args__ = (Index(None, "contract_id", "object"),)
    id: UUID = Field(primary_key=True)
    contract_id: str = foreign_key_column("contract.id")
    object: str
    dataset_id: UUID | None = foreign_key_column("dataset.id", default=None)
    state: IncidentState = enum_column(IncidentState, index=True)
    revision: int = 1
    opened_at: datetime = time_column()
    updated_at: datetime = time_column()
    started_at: datetime = time_column()
    data_version: str | None = None
    columns: list[str] | None = json_column(default=None)
    recovered_at: datetime | None = time_column(default=None)
    reopen_count: int = 0
    growth_count: int = 0
    acknowledged_by_id: UUID | None = foreign_key_column("user.id", default=None)
    assignee_id: UUID | None = foreign_key_column("user.id", default=None, index=True)
    snoozed_until: datetime | None = time_column(default=None)
    resolution: Resolution | None = enum_column(Resolution, default=None)
    resolved_at: datetime | None = time_column(default=None)
    resolved_by_id: UUID | None = foreign_key_column("user.id", default=None)
    comment: str | None = None
    duplicate_of: UUID | None = foreign_key_column("incident.id", default=None)


class IncidentObjectRow(BaseRow, table=True):
    """A contract object that fails in an incident; it fails in at most one at a time.

    `failing_checks`: failing checks with their partitions (None: all partitions together). `violations`: by check, by
    how much it was violated at most: rows, or the distance from its threshold. `active`: True while it fails, then
    None."""

    __tablename__ = "incident_object"
    __table_args__ = (UniqueConstraint("contract_id", "object", "active"),)
    incident_id: UUID = foreign_key_column("incident.id", primary_key=True)
    contract_id: str = foreign_key_column("contract.id", primary_key=True)
    object: str = Field(primary_key=True)
    active: bool | None = True
    version: str
    failing_checks: list[list[str | None]] = json_column()
    violations: dict[str, float] = json_column(default_factory=dict)
    first_run_id: UUID = foreign_key_column("run.id")
    last_run_id: UUID = foreign_key_column("run.id")
    joined_at: datetime = time_column()
    recovered_at: datetime | None = time_column(default=None)


class IncidentDownstreamRow(BaseRow, table=True):
    """A downstream dataset of an incident, one row per name. `node_*`: its name in the graph.

    `is_direct`: bad values may arrive, not only their effects on rows. `is_table_level`: derived without column
    lineage. `reached_at`: arrival of the bad data; None means not yet. `path`: jobs and datasets on the way from the
    incident's dataset."""

    __tablename__ = "incident_downstream"
    __table_args__ = (Index(None, "namespace", "name"),)
    incident_id: UUID = foreign_key_column("incident.id", primary_key=True)
    namespace: str = Field(primary_key=True)
    name: str = Field(primary_key=True)
    node_namespace: str
    node_name: str
    distance: int
    contamination: ContaminationState = enum_column(ContaminationState)
    is_direct: bool
    is_table_level: bool
    reached_at: datetime | None = time_column(default=None)
    path: list[list[str]] = json_column(default_factory=list)


class InferredConsumerRow(BaseRow, table=True):
    """A decision about a job that reads a contract's data according to lineage."""

    __tablename__ = "inferred_consumer"
    contract_id: str = foreign_key_column("contract.id", primary_key=True)
    job_namespace: str = Field(primary_key=True)
    job_name: str = Field(primary_key=True)
    state: InferredConsumerState = enum_column(InferredConsumerState)
    subscription_id: UUID | None = foreign_key_column("subscription.id", default=None)
    decided_at: datetime = time_column()
    decided_by_id: UUID = foreign_key_column("user.id")
