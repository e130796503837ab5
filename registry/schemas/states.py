"""Models of stored states and metrics."""

from datetime import datetime
from typing import Any
from uuid import UUID

from treaty.registry.schemas.base import ApiModel


class MetricQueryOut(ApiModel):
    """A metric over the selected partitions.

    - `merged`: number of stored states that were merged.
    - `missing_count`: number of partitions without a state. `missing`: the first of them.
    - `reason`: why there is no value, for example because states are missing; null if there is a value."""

    identity: str
    analyzer: str
    arguments: dict[str, Any]
    phrase: str
    unit: str
    merged: int
    missing_count: int
    missing: tuple[str, ...]
    reason: str | None


class MetricValueOut(MetricQueryOut):
    """A metric computed from stored states.

    - `value`: number as text, with all digits.
    - `row_count`: number of rows measured.
    - `unevaluated_rows`: number of rows whose conditions could not be evaluated.
    - `phrase`: the metric in words."""

    value: str | None
    row_count: int | None
    unevaluated_rows: int


class MergeEstimateOut(MetricQueryOut):
    """The cost of merging the states of a metric.

    - `bytes`: number of bytes to read.
    - `phrase`: the metric in words."""

    bytes: int


class StateQueryOut(ApiModel):
    """A selection of stored states of a dataset, under the contract's version in force.

    - `where`: condition on partitions; null selects all.
    - `partitions`: number of all partitions. `selected_partitions`: number of partitions that match the condition.
    - `states_version`: version of the dataset's states."""

    namespace: str
    name: str
    contract_id: str
    version: str
    object: str
    where: str | None
    states_version: int
    partitions: int
    selected_partitions: int


class MetricsOut(StateQueryOut):
    """Metrics computed only from the stored states of the selected partitions.

    - `metrics`: the metrics with their values."""

    metrics: tuple[MetricValueOut, ...]


class PartitionStatesOut(ApiModel):
    """The states in a partition's current generation.

    - `bytes`, `file_bytes`: size of the states in the database and in files.
    - `fingerprint`: fingerprint of the content that the states describe.
    - `kinds`: number of states by kind of component.
    - `failed`: number of states that could not be computed.
    - `sources`: what the states were read from.
    - `fault`: why the states cannot be used; null if they can.
    - `days`: number of days if daily states were merged by month; `partition` names them, and `fingerprint` covers the
      fingerprints of all days.
    - `generation`: number of times that the states of the partition were replaced."""

    partition: str
    generation: int
    fingerprint: str
    created_at: datetime
    bytes: int
    file_bytes: int
    kinds: dict[str, int]
    failed: int
    sources: tuple[str, ...]
    fault: str | None
    days: int = 1


class StatesOut(StateQueryOut):
    """Stored states of the selected partitions.

    - `partition_states`: the first partitions.
    - `metrics`: cost of merging each metric.
    - `bytes`: size of the states in the database, in bytes.
    - `file_bytes`: size of the states in files, in bytes."""

    bytes: int
    file_bytes: int
    partition_states: tuple[PartitionStatesOut, ...]
    metrics: tuple[MergeEstimateOut, ...]


class OutcomeOut(ApiModel):
    """The outcome of a check.

    - `value`: measured value as text, with all digits."""

    outcome: str
    value: str | None


class RerunDifferenceOut(ApiModel):
    """A check whose result differs in the rerun.

    - `before`, `after`: original result and result of the rerun; null if the check is absent."""

    check_id: str
    partition: str | None
    before: OutcomeOut | None
    after: OutcomeOut | None
    reason: str | None


class RerunOut(ApiModel):
    """A run re-evaluated on the states that it validated.

    - `before`, `after`: verdict of the run and of the rerun.
    - `differences`: all results that differ.
    - `results`: number of results that were compared."""

    run_id: UUID
    contract_id: str
    version: str
    object: str
    before: str
    after: str
    results: int
    differences: tuple[RerunDifferenceOut, ...]


class ErasureOut(ApiModel):
    """Number of items erased from datasets.

    - `datasets`: names of the datasets.
    - `generations`, `files`: generations of states, and their files.
    - `measurements`, `results`: measurements and results whose values were erased.
    - `suggestions`: suggestions whose evidence was erased.
    - `columns`: text columns removed from the pattern index.
    - `samples`: number of erased samples of violating rows."""

    datasets: tuple[str, ...]
    generations: int
    files: int
    samples: int
    measurements: int
    results: int
    suggestions: int
    columns: int
