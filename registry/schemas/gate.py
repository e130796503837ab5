"""What the gate is asked and tells: generations of states, judgements, and the verdict for others."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field, StringConstraints

from treaty.registry.core.enums import GateAnswer
from treaty.registry.schemas.base import ApiModel, ApiRequest

# A bag is named by its content, or is that of a row.
BagName = Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{64}|[0-9a-f-]{36})$")]
Text = Annotated[str, StringConstraints(max_length=2000, pattern=r"^[^\x00]*$")]


class PartitionEntryBody(ApiRequest):
    """The states of a partition: the fingerprint of the files they were computed from, and the name of the bag."""

    fingerprint: Text
    bag: BagName


class GenerationVerdictBody(ApiRequest):
    """How a run ended, and the contract's fingerprint and object. `run` names the kept run."""

    verdict: Text
    contract: Text
    object: Text
    run: BagName | None = None


class GenerationBody(ApiRequest):
    """The states of all partitions: generation `number`, or the one to follow it. `verdict`: None where no run did."""

    number: int = Field(ge=0)
    entries: dict[Text, PartitionEntryBody]
    verdict: GenerationVerdictBody | None = None


class DatasetLocationOut(ApiModel):
    """Where a dataset lies, as the registry knows it."""

    location: str | None
    format: str | None = None
    partition_by: tuple[str, ...] = ()


class FitLimitsOut(ApiModel):
    """Limits of a clause that were learned from `points` partitions after a version was approved. `name` is the fit's,
    `clause` names the approved limits."""

    name: str
    clause: str
    lower: float | None
    upper: float | None
    points: int


class GatedDatasetOut(ApiModel):
    """What a gate needs to know of a dataset: the contract in force and its object, and where data are.

    `datasets` are the datasets that its checks read or refer to, by the names they are called. `classifying`: documents
    that say what any contract in force about the table classifies of it, and nothing else; states are kept by them all.
    `fits`: by check the limits that judge in place of the approved ones. `excluded_partitions`: partitions that belong
    to an incident, from which nothing is learned."""

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
    """The name of what is kept."""

    bag: str


class GateVerdictOut(ApiModel):
    """What the gate answers: the verdict of the contract in force on exactly the data of `dataset_fingerprint`, or
    `unknown` for the `reason`."""

    contract_id: str
    version: str
    object: str
    verdict: str
    dataset_fingerprint: str | None
    run_id: UUID | None
    finished_at: datetime | None
    reason: str | None


class ContractGateStatusOut(ApiModel):
    """How the data stand to one promise about them. `dataset_fingerprint` names the data that were judged,
    `states_version` their states; `subscription_id`: the promise is what that consumer checks, or follows.
    `upstream_failed`: bad data came to them from further up, or are on their way."""

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
    """Whether the data may be read: the worst that any promise about them says, first among `contracts`.

    `unknown`: other data may be there than those that were judged, or nobody judged them."""

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
