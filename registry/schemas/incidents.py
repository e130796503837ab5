"""Models of incidents."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from treaty.registry.core.bounded_values import Revision, Timestamp
from treaty.registry.core.enums import IncidentState, ManualResolution, Resolution
from treaty.registry.schemas.base import ApiModel, ApiRequest, EtagModel, Prose, UserName

IncidentRevision = Annotated[Revision, Field(description="Revision of the incident that the change is based on")]


class FailingCheckOut(ApiModel):
    """A failing check.

    - `partition`: null means all partitions together.
    - `check`: id of the check."""

    check: str
    partition: str | None = None


class IncidentObjectOut(ApiModel):
    """A contract object affected by an incident.

    - `active`: false if the object does not fail any more.
    - `failing_checks`: checks that fail, with their partitions.
    - `first_run_id`: id of the first failed run.
    - `last_run_id`: id of the newest run.
    - `joined_at`: time at which the object joined the incident.
    - `recovered_at`: time of the run in which everything passed again; null if there is none."""

    contract_id: str
    object: str
    active: bool
    version: str
    failing_checks: tuple[FailingCheckOut, ...]
    first_run_id: UUID
    last_run_id: UUID
    joined_at: datetime
    recovered_at: datetime | None


class IncidentOut(EtagModel):
    """An incident: bad data of a contract object.

    - `revision`: send it with every change of the incident.
    - `started_at`: since when the data is bad.
    - `columns`: columns of the failed checks; null means all.
    - `recovered_at`: when the bad data was replaced by good data.
    - `assignee`: null if unassigned.
    - `resolved_by`: null if the incident was resolved automatically.
    - `reopen_count`: how often the incident was reopened.
    - `growth_count`: how often a check was violated more than before in the incident.
    - `duplicate_of`: id of the incident that this one duplicates; null if there is none.
    - `objects`: affected objects of contracts that the caller may read."""

    id: UUID
    contract_id: str
    object: str
    state: IncidentState
    revision: int
    opened_at: datetime
    updated_at: datetime
    started_at: datetime
    columns: tuple[str, ...] | None
    recovered_at: datetime | None
    reopen_count: int
    growth_count: int
    assignee: str | None
    acknowledged_by: str | None
    snoozed_until: datetime | None
    resolution: Resolution | None
    resolved_at: datetime | None
    resolved_by: str | None
    comment: str | None
    duplicate_of: UUID | None
    objects: tuple[IncidentObjectOut, ...]


class IncidentStepIn(ApiRequest):
    """A change of an incident without further parameters."""

    revision: IncidentRevision


class IncidentAssignIn(IncidentStepIn):
    """Assigns an incident.

    - `assignee`: null removes the assignee."""

    assignee: UserName | None


class IncidentSnoozeIn(IncidentStepIn):
    """Snoozes an incident: no notifications are sent until a time.

    - `snoozed_until`: null ends the snooze."""

    snoozed_until: Timestamp | None


class IncidentResolveIn(IncidentStepIn):
    """Resolves an incident.

    - `duplicate_of`: the original incident, for the resolution `duplicate`."""

    resolution: ManualResolution
    comment: Prose | None = None
    duplicate_of: UUID | None = None
