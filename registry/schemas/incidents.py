"""Incidents, as the API takes and gives them."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AwareDatetime, Field

from treaty.registry.core.enums import IncidentState, Resolution
from treaty.registry.schemas.base import ApiModel, ApiRequest, EtagModel, Prose, UserName

# What people say of it; that it recovered is found.
ManualResolution = Literal[
    Resolution.FIXED, Resolution.EXPECTED_CHANGE, Resolution.FALSE_ALARM, Resolution.DUPLICATE, Resolution.WONT_FIX
]
Revision = Annotated[int, Field(ge=1, lt=2**31, description="the incident's revision, as it was seen")]


class FailingCheckOut(ApiModel):
    """A check that fails, and on which partition; null: on all together."""

    check: str
    partition: str | None = None


class IncidentObjectOut(ApiModel):
    """An object of a contract that fails in an incident; `active` false: it does not any more."""

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
    """An incident: what it is about, since when the data are bad, what fails in it, and who looks after it.

    `revision` is sent back with every step. `columns`: those that failed checks are about; null: all. `recovered_at`:
    when good data took their place. `resolved_by` null on a resolved one: it closed by itself."""

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
    """A step that needs no more than to be taken."""

    revision: Revision


class IncidentAssignIn(IncidentStepIn):
    """Who looks after it; null: nobody in particular."""

    assignee: UserName | None


class IncidentSnoozeIn(IncidentStepIn):
    """Until when nobody is to be told of it; null: from now on they are."""

    snoozed_until: AwareDatetime | None


class IncidentResolveIn(IncidentStepIn):
    """Why it is over. `duplicate_of`: the incident that it is a duplicate of."""

    resolution: ManualResolution
    comment: Prose | None = None
    duplicate_of: UUID | None = None
