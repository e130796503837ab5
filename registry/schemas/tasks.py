"""Draft requests and tasks, as the API takes and gives them."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field, StringConstraints

from treaty.engine.anomaly.learned_programs import PINNED, REFITS
from treaty.registry.core.enums import TaskState
from treaty.registry.schemas.base import ApiModel, ApiRequest, Location, Name


class AliasIn(ApiRequest):
    """A lineage identity of the drafted table."""

    namespace: Location
    name: Location


class DraftIn(ApiRequest):
    """A table to draft a contract of. `columns` () means all; `format` None: found out.

    `sample`: about so many rows are read; None: all. `by_history`: programs are learned from the partitions, too, for
    so many `false_alarms` a quarter of the whole table; `refit` says which limits that they learn later judge."""

    location: Location
    contract_id: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.:-]{1,200}$")]
    object: Name
    format: Name | None = None
    partition_by: tuple[Name, ...] = ()
    columns: tuple[Name, ...] = ()
    partitions: tuple[Location, ...] = ()
    aliases: tuple[AliasIn, ...] = ()
    sample: Annotated[int, Field(ge=1)] | None = None
    by_history: bool = False
    false_alarms: Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False)] = 1.0
    refit: Annotated[str, StringConstraints(pattern=f"^({REFITS.pattern})$")] = PINNED


class TaskOut(ApiModel):
    """A task of the queue: how far it is, and what came of it."""

    id: UUID
    kind: str
    state: TaskState
    progress: str | None
    attempts: int
    error: str | None
    result: dict[str, Any] | None
    created_at: datetime
    finished_at: datetime | None


class TaskEventsOut(ApiModel):
    """The lineage events behind a task, oldest first, by their ids in the inbox."""

    events: list[UUID]


class TaskSummaryOut(ApiModel):
    """A task in a list: how urgent it is (0 first), about which object of which contract where it is about one, when it
    may be done, and whether it is of a kind that may be stopped and is under way."""

    id: UUID
    kind: str
    state: TaskState
    contract_id: str | None
    object: str | None
    priority: int
    attempts: int
    progress: str | None
    error: str | None
    created_at: datetime
    available_at: datetime
    finished_at: datetime | None
    can_stop: bool
