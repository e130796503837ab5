"""What is remembered of datasets, and what it says, as the API gives it."""

from datetime import datetime
from typing import Any
from uuid import UUID

from treaty.registry.schemas.base import ApiModel


class MetricQueryOut(ApiModel):
    """A metric over the chosen partitions: what `merged` stored states say together; of `missing_count` ones a state is
    not there, `missing` names the first of these. Nothing is said of the others alone: then there is a `reason`."""

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
    """What the states say of a metric. `value` is the number as text, every digit of it, measured on `row_count` rows.

    `unevaluated_rows`: rows whose conditions could not be evaluated."""

    value: str | None
    row_count: int | None
    unevaluated_rows: int


class MergeEstimateOut(MetricQueryOut):
    """What merging the states of a metric would read: `bytes` of them."""

    bytes: int


class StateQueryOut(ApiModel):
    """The dataset and the contract's version in force; of how many `partitions` the condition chose
    `selected_partitions`.

    `states_version`: the version of the dataset's states that is told of."""

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
    """Metrics, from the stored states of the chosen partitions alone."""

    metrics: tuple[MetricValueOut, ...]


class PartitionStatesOut(ApiModel):
    """The states of a partition's current generation: `bytes` bytes in the database, `file_bytes` bytes in files.

    `fingerprint` is the fingerprint of the content that they describe, `kinds` counts the states by kind of component,
    `failed` those that could not be computed; `sources` say what they were read from. `fault`: why they are no use.

    Where states of days were merged by month, `partition` names all the `days`, and `fingerprint` is of their
    markers."""

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
    """What is kept of the chosen partitions, the first of them `partition_states`; `metrics`: what questions would
    merge."""

    bytes: int
    file_bytes: int
    partition_states: tuple[PartitionStatesOut, ...]
    metrics: tuple[MergeEstimateOut, ...]


class OutcomeOut(ApiModel):
    """How a check ended: its outcome, and the measured value as text, every digit of it."""

    outcome: str
    value: str | None


class RerunDifferenceOut(ApiModel):
    """A check that comes out otherwise when its run is done again; None where it was or is not among the results."""

    check_id: str
    partition: str | None
    before: OutcomeOut | None
    after: OutcomeOut | None
    reason: str | None


class RerunOut(ApiModel):
    """A run done again from the states that it judged: its verdict then and now, and every result that differs."""

    run_id: UUID
    contract_id: str
    version: str
    object: str
    before: str
    after: str
    results: int
    differences: tuple[RerunDifferenceOut, ...]


class ErasureOut(ApiModel):
    """What was erased of the datasets of these names: generations of states and their files, samples, the values of
    measurements and results, the evidence of suggestions, text columns of the index of patterns: how many of each."""

    datasets: tuple[str, ...]
    generations: int
    files: int
    samples: int
    measurements: int
    results: int
    suggestions: int
    columns: int
