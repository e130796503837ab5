"""The lineage graph, as Marquez's clients know it, and what bad data do in it."""

from datetime import datetime
from typing import Any, Literal

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from treaty.registry.core.enums import ContaminationState, InferredConsumerState
from treaty.registry.schemas.base import ApiModel


class CamelModel(ApiModel):
    """The base of what Marquez's clients read: their names have humps."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class GraphNameOut(CamelModel):
    """A dataset or a job."""

    namespace: str
    name: str


class EdgeOut(CamelModel):
    """An edge between two nodes, by their ids."""

    origin: str
    destination: str


class NodeOut(CamelModel):
    """A node of the graph: a dataset or a job, with the edges that end and begin there."""

    id: str
    type: Literal["DATASET", "JOB"]
    data: dict[str, Any]
    in_edges: tuple[EdgeOut, ...]
    out_edges: tuple[EdgeOut, ...]


class GraphOut(CamelModel):
    """The graph around a node. `complete` false: there is more than was told."""

    graph: tuple[NodeOut, ...]
    complete: bool = True


class LineageEventsOut(CamelModel):
    """Events as they are kept, without their heavy facets, and how many there are of such in all."""

    events: tuple[dict[str, Any], ...]
    total_count: int


class AffectedContractOut(ApiModel):
    """A contract's object about a dataset, its owner, and who subscribed to it for what."""

    contract_id: str
    object: str
    owner: str
    consumers: tuple[tuple[str, str], ...] = ()


class DownstreamDatasetOut(ApiModel):
    """A dataset downstream of bad data: how many jobs away and by which way, how far the data came and since when.

    `is_direct` false: only by what a column decides. `is_table_level`: no job on the way tells of columns. `columns`:
    those that are touched; null: all."""

    namespace: str
    name: str
    distance: int
    contamination: ContaminationState
    reached_at: datetime | None
    is_direct: bool
    is_table_level: bool
    columns: tuple[str, ...] | None
    path: tuple[GraphNameOut, ...]
    contracts: tuple[AffectedContractOut, ...]
    owners: tuple[str, ...]


class DownstreamImpactOut(ApiModel):
    """What bad data in a dataset do downstream, nearest first. `columns`: those that they are in; null: all.

    `is_hypothetical`: the data are not known to be bad: this is what would be, were they. `complete` false: there is
    more."""

    namespace: str
    name: str
    started_at: datetime
    ended_at: datetime | None
    columns: tuple[str, ...] | None
    is_hypothetical: bool
    contracts: tuple[AffectedContractOut, ...]
    datasets: tuple[DownstreamDatasetOut, ...]
    complete: bool


class UpstreamIncidentOut(ApiModel):
    """That bad data came to a contract's object from further up, or are on their way: its own verdict says nothing of
    them. `incident_id` and what it is about are null where they may not be read."""

    contract_id: str
    object: str
    contamination: ContaminationState
    reached_at: datetime | None
    distance: int
    is_direct: bool
    is_table_level: bool
    incident_id: str | None = None
    cause: str | None = None


class InferredConsumerOut(ApiModel):
    """A job that was seen reading a contract's data, and what was decided about it."""

    job_namespace: str
    job_name: str
    reads: dict[str, tuple[str, ...]]
    owners: tuple[str, ...]
    last_seen_at: datetime
    state: InferredConsumerState
    subscription_id: str | None = None


class InferredConsumerIn(ApiModel):
    """Which job is meant."""

    model_config = ConfigDict(extra="forbid")

    contract_id: str = Field(min_length=1, max_length=500)
    job_namespace: str = Field(min_length=1, max_length=2000)
    job_name: str = Field(min_length=1, max_length=2000)
