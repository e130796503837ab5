"""Models of draft requests and tasks."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field, StringConstraints

from treaty.engine.core.learning_options import PatternOptions, ProgramOptions
from treaty.registry.core.bounded_values import LargeCount
from treaty.registry.core.enums import TaskState
from treaty.registry.schemas.base import ApiModel, ApiRequest, Location, Name


class AliasIn(ApiRequest):
    """A lineage alias of the drafted table."""

    namespace: Location
    name: Location


class DraftIn(ApiRequest):
    """A table to draft a contract for.

    - `format`: null detects the format.
    - `columns`: empty means all columns.
    - `sample`: approximate number of rows to read; null reads all.
    - `programs`: how to learn programs from the history of the partitions; null learns none.
    - `patterns`: how to learn patterns of texts from the pattern index.
    - `compare`: also report what other options would have learned.
    - `aliases`: further names of the table in lineage events."""

    location: Location
    contract_id: Annotated[str, StringConstraints(max_length=200, pattern=r"^[A-Za-z0-9_.:-]{1,200}$")]
    object: Name
    format: Name | None = None
    partition_by: tuple[Name, ...] = ()
    columns: tuple[Name, ...] = ()
    partitions: tuple[Location, ...] = ()
    aliases: tuple[AliasIn, ...] = ()
    sample: Annotated[LargeCount, Field(ge=1)] | None = None
    programs: ProgramOptions | None = None
    patterns: PatternOptions = PatternOptions()
    compare: bool = False


class TaskOut(ApiModel):
    """A task in the queue, with its progress and result.

    - `result`: what the task produced; null until it is done."""

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
    """Ids of the lineage events that triggered a task, oldest first.

    - `events`: ids of the events, oldest first."""

    events: list[UUID]


class TaskSummaryOut(ApiModel):
    """A task in a list.

    - `priority`: 0 is the most urgent.
    - `contract_id`, `object`: null if the task is not about a contract.
    - `available_at`: earliest time to run the task.
    - `can_stop`: the task is running or queued and can be stopped."""

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
