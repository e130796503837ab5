"""Models of the gate: its answers, and generations of states."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field, StringConstraints

from treaty.registry.core.bounded_values import LargeCount, LookupText
from treaty.registry.core.enums import GateAnswer
from treaty.registry.schemas.base import ApiModel, ApiRequest

# Either the hash of the content or the id of a row.
BagName = Annotated[str, StringConstraints(max_length=64, pattern=r"^([0-9a-f]{64}|[0-9a-f-]{36})$")]
Text = Annotated[LookupText, Field(max_length=2000)]


class PartitionEntryBody(ApiRequest):
    """The states of a partition.

    - `fingerprint`: fingerprint of the files that the states were computed from.
    - `bag`: name of the stored states."""

    fingerprint: Text
    bag: BagName


class GenerationVerdictBody(ApiRequest):
    """The verdict of a run.

    - `contract`: fingerprint of the contract.
    - `run`: name of the stored run; null if it is not stored."""

    verdict: Text
    contract: Text
    object: Text
    run: BagName | None = None


class GenerationBody(ApiRequest):
    """The states of all partitions of a dataset.

    - `number`: the generation; in a request, the generation to replace.
    - `verdict`: null if no run validated the generation.
    - `entries`: states and fingerprint of the files, by partition."""

    number: LargeCount
    entries: dict[Text, PartitionEntryBody]
    verdict: GenerationVerdictBody | None = None


class DatasetLocationOut(ApiModel):
    """The location of a dataset. Fields that the registry does not know are null."""

    location: str | None
    format: str | None = None
    partition_by: tuple[str, ...] = ()


class FitLimitsOut(ApiModel):
    """Bounds of a clause learned from `points` partitions after the version was approved.

    - `name`: name of the fit.
    - `clause`: name of the approved bounds.
    - `lower`: learned lower bound; null if there is none.
    - `upper`: learned upper bound; null if there is none.
    - `points`: number of partitions that the bounds were learned from."""

    name: str
    clause: str
    lower: float | None
    upper: float | None
    points: int


class GatedDatasetOut(ApiModel):
    """A dataset with everything that a gate needs.

    - `contract_id`, `version`, `object`: the contract in force and its object.
    - `datasets`: datasets that its checks read or reference, by name.
    - `classifying`: documents with the classifications of all contracts in force on the table; states honor all of
      them.
    - `fits`: learned bounds by check, used in place of the approved ones.
    - `excluded_partitions`: partitions of incidents, excluded from learning.
    - `dataset_id`: id of the dataset."""

    dataset_id: UUID
    namespace: str
    name: str
    contract_id: str
    version: str
    object: str
    location: DatasetLocationOut
    datasets: dict[str, DatasetLocationOut]
    classifying: tuple[str, ...] = ()
    fits: dict[str, FitLimitsOut] = Field(default_factory=dict)
    excluded_partitions: tuple[str, ...] = ()


class StateBagOut(ApiModel):
    """The name of the stored content.

    - `bag`: name of the stored content, for use in a generation."""

    bag: str


class GateVerdictOut(ApiModel):
    """The verdict of the contract in force on the data with the fingerprint `dataset_fingerprint`.

    - `verdict`: `unknown` if it cannot be determined; `reason` explains why."""

    contract_id: str
    version: str
    object: str
    verdict: str
    dataset_fingerprint: str | None
    run_id: UUID | None
    finished_at: datetime | None
    reason: str | None


class ContractGateStatusOut(ApiModel):
    """The status of the data under one contract.

    - `dataset_fingerprint`, `states_version`: the validated data and its states.
    - `subscription_id`: the subscription whose checks or pin apply; null for the contract itself.
    - `upstream_failed`: bad upstream data has reached the dataset, or is about to."""

    contract_id: str
    version: str
    object: str
    answer: GateAnswer
    reason: str | None
    run_id: UUID | None
    finished_at: datetime | None
    dataset_fingerprint: str | None
    states_version: int | None
    subscription_id: UUID | None
    upstream_failed: bool = False


class GateOut(ApiModel):
    """The gate's answer to whether data may be read.

    - `answer`: the worst answer of all contracts. `unknown` means that the data was not validated or may have
      changed since.
    - `contracts`: status by contract; the decisive one is first.
    - `partition`: null means the whole dataset.
    - `upstream_failed`: whether bad data upstream affects the data."""

    answer: GateAnswer
    reason: str | None
    namespace: str
    name: str
    partition: str | None
    location: DatasetLocationOut
    contract_id: str
    version: str
    run_id: UUID | None
    finished_at: datetime | None
    dataset_fingerprint: str | None
    upstream_failed: bool = False
    contracts: tuple[ContractGateStatusOut, ...]
