"""Models of contracts, checks, deadlines, runs, measurements and the inbox."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from pydantic import ConfigDict

from treaty.contracts.document.model import Severity
from treaty.engine.core.results import ResultFields, Runner, Verdict
from treaty.registry.core.metric_point import MetricPoint
from treaty.registry.schemas.base import ApiModel
from treaty.registry.schemas.consumers import AcknowledgementOut, SubscriptionOut
from treaty.registry.schemas.contract_requests import ContractRequestOut
from treaty.registry.schemas.incidents import IncidentOut
from treaty.registry.schemas.proposals import ProposalSummaryOut
from treaty.registry.schemas.versions import VersionOut


class DatasetOut(ApiModel):
    """A dataset of a contract object, named as in lineage events.

    - `object`: the object of the contract; null if there is none.
    - `location`: where Spark reads the dataset; null if unknown."""

    id: UUID
    namespace: str
    name: str
    object: str | None
    location: str | None
    format: str | None
    partition_by: tuple[str, ...]


class RunSummaryOut(ApiModel):
    """A run in a list.

    - `subscription_id`: the subscription whose checks ran; null for the contract's own checks.
    - `outcome_counts`: number of results by outcome; `warned` counts failed checks with severity warning.
    - `rows`: number of rows validated; null if unknown.
    - `reason`: why nothing could be evaluated, or other information about the run; null if there is none."""

    id: UUID
    contract_id: str
    version: str
    object: str
    partitions: tuple[str, ...]
    verdict: Verdict
    outcome_counts: dict[str, int]
    rows: int | None
    started_at: datetime
    finished_at: datetime
    reason: str | None
    subscription_id: UUID | None = None


class ContractSummaryOut(ApiModel):
    """A contract in a list.

    - `active_version`: version in force; null if there is none.
    - `last_run`: null if the contract was never validated.
    - `upstream_failed`: bad upstream data has reached a dataset of the contract, or is about to, whatever its
      verdict.
    - `open_proposals`: number of proposals that are not decided."""

    id: str
    name: str
    owner: str
    active_version: str | None
    created_at: datetime
    last_run: RunSummaryOut | None
    open_proposals: int
    upstream_failed: bool = False


class ContractOut(ContractSummaryOut):
    """A contract with its versions (newest first), datasets and last runs.

    - `versions`: all versions, newest first.
    - `datasets`: datasets that the contract describes.
    - `runs`: newest runs that the caller may read."""

    versions: tuple[VersionOut, ...]
    datasets: tuple[DatasetOut, ...]
    runs: tuple[RunSummaryOut, ...]


class CheckResultOut(ResultFields, ApiModel):
    """The result of one check of a run.

    - `value`: measured value as text, with all digits; null if it was not measured.
    - `finding`: the result in words.
    - `row_count`: number of rows measured.
    - `violating_rows`: number of violating rows; null if the check does not concern single rows.
    - `unevaluated_rows`: number of rows on which the check could not be evaluated.
    - `threshold`: the bound that the value was compared with.
    - `reference`: origin of the threshold if it is a metric of another dataset.
    - `band`: bounds, expected value and false-alarm guarantee of a detector, from the history of the metric.
    - `lower_bound`, `upper_bound`: bounds of an estimate whose error includes the threshold; null otherwise. Unless
      the outcome is uncertain, the value was then computed exactly.
    - `measurement`: identity of the measured metric; null if the check has none."""

    # Responses contain every field, including those with defaults.
    model_config = ConfigDict(json_schema_serialization_defaults_required=True)
    value: str | None = None


class ViolationSampleOut(ApiModel):
    """Sample rows that violate a check of a run.

    - `rows`: values as text in the order of `columns`; null values are null.
    - `masked`: columns whose values are masked.
    - `expires_at`: when the sample is deleted."""

    check_id: str
    columns: tuple[str, ...]
    masked: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]
    expires_at: datetime


# A dataclass rather than a model, because a thousand of them are parsed and serialized at once.
@dataclass(frozen=True, slots=True, kw_only=True)
class MeasurementOut(MetricPoint):
    """A measured value of a metric.

    - `partition`: null means the whole dataset.
    - `exact`: value as text, with all digits.
    - `reason`: why there is no value; null if there is one.
    - `row_count`: number of rows measured.
    - `details`: distribution behind the value; null if there is none or it was omitted."""


class RunOut(RunSummaryOut):
    """A run with its results.

    - `fingerprint`: fingerprint of the contract version.
    - `task_id`: the task that ran the validation; null if it did not run as a task.
    - `lineage_run`: the lineage run that triggered the validation; null if there was none.
    - `dataset_fingerprint`: identifies the validated data.
    - `detection_method`: how the changed partitions were detected.
    - `read_version`: the table version that was read, for table formats with versions.
    - `history`: previous values of each metric that did not pass, oldest first.
    - `results`: results of the checks."""

    fingerprint: str
    dataset: DatasetOut | None
    task_id: UUID | None
    lineage_run: str | None
    dataset_fingerprint: str | None
    detection_method: str | None = None
    read_version: str | None = None
    results: tuple[CheckResultOut, ...]
    history: dict[str, tuple[MeasurementOut, ...]]


class InboxCountsOut(ApiModel):
    """Number of inbox items that wait for the caller.

    - `acknowledgements`: requests that the caller has not answered.
    - `failed_runs`: number of failed runs of the caller's contracts.
    - `to_change`: number of the caller's proposals with requested changes.
    - `to_decide`: number of proposals that the caller may decide on.
    - `contract_requests`: number of requests for a contract that the caller may draft."""

    failed_runs: int
    acknowledgements: int
    to_change: int
    to_decide: int
    contract_requests: int = 0

    @property
    def total(self) -> int:
        """Return the sum of all counts."""
        return self.failed_runs + self.acknowledgements + self.to_change + self.to_decide + self.contract_requests


class InboxOut(ApiModel):
    """The inbox of the caller.

    - `to_decide`: proposals that wait for the caller's decision. Proposals assigned to someone else are omitted.
    - `awaiting_others`: proposals that the caller wrote, approved or requested changes of, and that wait for others.
    - `affecting`: other open proposals for contracts that the caller owns or subscribes to.
    - `to_change`: the caller's proposals with requested changes.
    - `snoozed`: proposals that the caller has snoozed.
    - `failed_runs`: failed runs of contracts that the caller owns or subscribes to, unless their incident is
      resolved, snoozed or assigned to someone else.
    - `incidents`: incidents of the failed runs.
    - `acknowledgements`: versions that the caller has not acknowledged.
    - `outdated_pins`: subscriptions of the caller whose pin is older than the version in force.
    - `contract_requests`: contracts requested by others that the caller may decide about."""

    to_decide: tuple[ProposalSummaryOut, ...]
    awaiting_others: tuple[ProposalSummaryOut, ...]
    affecting: tuple[ProposalSummaryOut, ...]
    failed_runs: tuple[RunSummaryOut, ...]
    to_change: tuple[ProposalSummaryOut, ...] = ()
    snoozed: tuple[ProposalSummaryOut, ...] = ()
    incidents: tuple[IncidentOut, ...] = ()
    acknowledgements: tuple[AcknowledgementOut, ...] = ()
    outdated_pins: tuple[SubscriptionOut, ...] = ()
    contract_requests: tuple[ContractRequestOut, ...] = ()


class CheckOut(ApiModel):
    """A check of a version with its executor.

    - `sentence`: the check in words.
    - `description`: description of the check in the document; null if it has none.
    - `runner`: `here` (Treaty), `elsewhere` (another tool) or `people`.
    - `reason`: why Treaty does not evaluate the check; null if it does.
    - `signed_by`, `signed_at`: approver and approval time of a check that people evaluate; null for other checks and
      for documents that are not a version."""

    object: str
    id: str
    column: str | None
    sentence: str
    description: str | None
    severity: Severity
    scope: str
    runner: Runner
    reason: str | None
    signed_by: str | None = None
    signed_at: datetime | None = None


class ChecksOut(ApiModel):
    """All checks of a version, ordered by table.

    - `checks`: the checks, in the order of the document."""

    contract_id: str
    version: str
    checks: tuple[CheckOut, ...]


class DeadlineOut(ApiModel):
    """A deadline for new data of an object.

    - `due_at`: next deadline; null if it depends on the next arrival.
    - `missed_at`: the deadline that was missed, until new data arrives; null if none is missed.
    - `last_arrival_at`: last arrival of data.
    - `fault`: why the deadline is not monitored; null if it is."""

    version: str
    name: str
    object: str | None
    sentence: str | None
    severity: str | None
    due_at: datetime | None
    missed_at: datetime | None
    last_arrival_at: datetime | None
    fault: str | None
