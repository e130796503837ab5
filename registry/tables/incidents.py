"""Tables of incidents: what is wrong and who looks after it, which data it has reached, and readers that were found."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field

from treaty.registry.core.enums import ContaminationState, IncidentState, InferredConsumerState, Resolution
from treaty.registry.tables.base import BaseRow, enum_column, foreign_key_column, json_column, time_column


class IncidentRow(BaseRow, table=True):
    """Something wrong with the data of a contract's object, with all that fails because of it.

    `started_at`: when the bad data came; `data_version`: which version of the table they are, where known; `columns`:
    those that its failed checks are about, None: all. `recovered_at`: when good data took their place, None: they have
    not. `duplicate_of`: the incident that this one turned out to be part of. `resolved_by_id` None: it closed by
    itself. `revision` grows with every change."""

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
    acknowledged_by_id: UUID | None = foreign_key_column("user.id", default=None)
    assignee_id: UUID | None = foreign_key_column("user.id", default=None, index=True)
    snoozed_until: datetime | None = time_column(default=None)
    resolution: Resolution | None = enum_column(Resolution, default=None)
    resolved_at: datetime | None = time_column(default=None)
    resolved_by_id: UUID | None = foreign_key_column("user.id", default=None)
    comment: str | None = None
    duplicate_of: UUID | None = foreign_key_column("incident.id", default=None)


class IncidentObjectRow(BaseRow, table=True):
    """An object of a contract that fails in an incident. `failing_checks`: its checks, each with the partition that it
    fails on (None: on all together). `active`: it still fails; None: not any more. It fails in one incident at most."""

    __tablename__ = "incident_object"
    __table_args__ = (UniqueConstraint("contract_id", "object", "active"),)
    incident_id: UUID = foreign_key_column("incident.id", primary_key=True)
    contract_id: str = foreign_key_column("contract.id", primary_key=True)
    object: str = Field(primary_key=True)
    active: bool | None = True
    version: str
    failing_checks: list[list[str | None]] = json_column()
    first_run_id: UUID = foreign_key_column("run.id")
    last_run_id: UUID = foreign_key_column("run.id")
    joined_at: datetime = time_column()
    recovered_at: datetime | None = time_column(default=None)


class IncidentDownstreamRow(BaseRow, table=True):
    """A dataset, by each of its names, that lies downstream of bad data. `node_*`: its name in the graph.

    `is_direct`: by values, not only by what they decide. `is_table_level`: no column lineage said so. `reached_at`:
    when the bad data came to it; None: they have not, yet. `path`: the jobs and datasets on the way, from the
    incident's dataset on."""

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
    """What somebody decided about a job that was seen reading a contract's data."""

    __tablename__ = "inferred_consumer"
    contract_id: str = foreign_key_column("contract.id", primary_key=True)
    job_namespace: str = Field(primary_key=True)
    job_name: str = Field(primary_key=True)
    state: InferredConsumerState = enum_column(InferredConsumerState)
    subscription_id: UUID | None = foreign_key_column("subscription.id", default=None)
    decided_at: datetime = time_column()
    decided_by_id: UUID = foreign_key_column("user.id")
