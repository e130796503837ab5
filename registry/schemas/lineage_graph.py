"""Models of the lineage graph, compatible with Marquez, and of the impact of bad data."""

from datetime import datetime
from typing import Any, Literal

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from treaty.registry.core.bounded_values import LookupText
from treaty.registry.core.enums import ContaminationState, InferredConsumerState
from treaty.registry.schemas.base import ApiModel


class CamelModel(ApiModel):
    """Base class of models for Marquez clients, with field names in camel case."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class GraphNameOut(CamelModel):
    """A dataset or a job."""

    namespace: str
    name: str


class EdgeOut(CamelModel):
    """An edge between two nodes, by their ids.

    - `origin`: id of the node that the edge leaves.
    - `destination`: id of the node that the edge enters."""

    origin: str
    destination: str


class NodeOut(CamelModel):
    """A dataset or job in the graph, with its incoming and outgoing edges.

    - `type`: whether the node is a dataset or a job.
    - `data`: facts about the node, in the format of Marquez.
    - `inEdges`: edges that enter the node.
    - `outEdges`: edges that leave the node."""

    id: str
    type: Literal["DATASET", "JOB"]
    data: dict[str, Any]
    in_edges: tuple[EdgeOut, ...]
    out_edges: tuple[EdgeOut, ...]


class GraphOut(CamelModel):
    """The graph around a node.

    - `complete`: false if the graph was truncated.
    - `graph`: nodes of the graph."""

    graph: tuple[NodeOut, ...]
    complete: bool = True


class LineageEventsOut(CamelModel):
    """Stored events without their large facets.

    - `totalCount`: number of all matching events.
    - `events`: the events, newest first."""

    events: tuple[dict[str, Any], ...]
    total_count: int


class AffectedContractOut(ApiModel):
    """A contract object about a dataset.

    - `consumers`: name and purpose of each subscriber."""

    contract_id: str
    object: str
    owner: str
    consumers: tuple[tuple[str, str], ...] = ()


class DownstreamDatasetOut(ApiModel):
    """A dataset downstream of bad data.

    - `distance`: number of jobs between the bad data and the dataset. `path`: the nodes on the way.
    - `contamination`: whether the bad data has reached the dataset; `reached_at`: since when.
    - `is_direct`: false if bad columns only influence the dataset, for example through a filter.
    - `is_table_level`: no job on the way reports column lineage.
    - `columns`: affected columns; null means all.
    - `reached_at`: time at which bad data reached the dataset; null if it has not.
    - `contracts`: contracts of the dataset that the caller may read.
    - `owners`: names of the owners and consumers."""

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
    """The downstream impact of bad data in a dataset.

    - `columns`: bad columns; null means all.
    - `is_hypothetical`: the data is not known to be bad; the impact is what bad data would have.
    - `datasets`: affected datasets, nearest first.
    - `complete`: false if the list was truncated.
    - `contracts`: contracts of the bad data that the caller may read."""

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
    """An upstream incident whose bad data has reached a contract's object, or is about to.

    The contract's own verdict does not reflect it.

    - `incident_id`, `cause`: null if the caller may not read the incident.
    - `contamination`: whether bad data arrived, is on its way, or is expected with the next run.
    - `reached_at`: time at which bad data reached the object; null if it has not.
    - `distance`: number of jobs between the incident and the object.
    - `is_direct`: whether a job reads the bad data directly.
    - `is_table_level`: whether lineage names only tables, not columns."""

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
    """A job that reads the contract's data according to lineage events.

    - `reads`: columns by object.
    - `state`: decision about the job.
    - `subscription_id`: the subscription of a confirmed job; null otherwise.
    - `owners`: owners of the job, as lineage events report them."""

    job_namespace: str
    job_name: str
    reads: dict[str, tuple[str, ...]]
    owners: tuple[str, ...]
    last_seen_at: datetime
    state: InferredConsumerState
    subscription_id: str | None = None


class InferredConsumerIn(ApiModel):
    """Selects an inferred consumer by its job."""

    model_config = ConfigDict(extra="forbid")

    contract_id: LookupText = Field(min_length=1, max_length=500)
    job_namespace: LookupText = Field(min_length=1, max_length=2000)
    job_name: LookupText = Field(min_length=1, max_length=2000)
