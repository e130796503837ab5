"""Contracts with their checks and deadlines, runs and measurements, as the API gives them."""

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
    """A dataset that a contract object is about, as lineage names it."""

    id: UUID
    namespace: str
    name: str
    object: str | None
    location: str | None
    format: str | None
    partition_by: tuple[str, ...]


class RunSummaryOut(ApiModel):
    """A run in a list; `subscription_id`: of a consumer's own checks, None: of the contract's. `outcome_counts`: how
    many results had each outcome, `warned` for those that failed and are of severity warning."""

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
    """A contract in a list; `last_run` None: never judged. `upstream_failed`: bad data came to its own from further up,
    or are on their way, whatever the verdict on them is."""

    id: str
    name: str
    owner: str
    active_version: str | None
    created_at: datetime
    last_run: RunSummaryOut | None
    open_proposals: int
    upstream_failed: bool = False


class ContractOut(ContractSummaryOut):
    """A contract with its versions (newest first), datasets and last runs."""

    versions: tuple[VersionOut, ...]
    datasets: tuple[DatasetOut, ...]
    runs: tuple[RunSummaryOut, ...]


class CheckResultOut(ResultFields, ApiModel):
    """One check of a run. `value` is the measured number as text, `finding` what was found in words.

    Of how many rows: `row_count` were measured, `violating_rows` break it (None: single rows do not),
    `unevaluated_rows` it could not be evaluated on. `threshold` is what the value was held against, `reference` if it
    came from another dataset. `band`: of a detector, from the metric's past, what it admits, expects and promises."""

    # Every field is there in an answer, whether it has a default or not.
    model_config = ConfigDict(json_schema_serialization_defaults_required=True)
    value: str | None = None


class ViolationSampleOut(ApiModel):
    """Rows that break a check of a run: texts, None for null, under `columns`; values of `masked` ones are masked."""

    check_id: str
    columns: tuple[str, ...]
    masked: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasurementOut(MetricPoint):
    """One metric at one time, of one partition (None: the whole dataset), measured on `row_count` rows.

    `details` is the distribution behind the value. No model: a thousand of them are read, and written, at once."""


class RunOut(RunSummaryOut):
    """A run report: its results, and the history of each metric that did not pass, oldest first.

    `detection_method`: by what it was told which partitions to judge; `read_version`: the version that was read, of a
    table format that has them."""

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
    """How much waits for the asking principal themself, of each part of their inbox; of `acknowledgements` what they
    neither acknowledged nor objected to."""

    failed_runs: int
    acknowledgements: int
    to_change: int
    to_decide: int
    contract_requests: int = 0

    @property
    def total(self) -> int:
        """How much that is together."""
        return self.failed_runs + self.acknowledgements + self.to_change + self.to_decide + self.contract_requests


class InboxOut(ApiModel):
    """What waits for the asking principal: to decide, own and under way; and what else affects them: proposals for
    contracts that concern them, and failed runs of these whose incident is not over, put off or looked after by
    somebody else.

    `to_change`: own ones of which changes are asked; `snoozed`: what would wait, had they not put it off.
    `incidents`: those that the failed runs belong to. `acknowledgements`: the versions that they have not acknowledged;
    `outdated_pins`: their subscriptions whose pin is behind. `contract_requests`: contracts that others ask for, which
    they may decide about."""

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
    """A check: its promise in words, who judges it, and why nobody does here (None where it is judged here).

    `description` is what its entry says of it. `signed_by`, `signed_at`: who read a text and approved the version with
    it, and when; None of what engines judge, and of a document that is no version."""

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
    """All checks of a version, table by table."""

    contract_id: str
    version: str
    checks: tuple[CheckOut, ...]


class DeadlineOut(ApiModel):
    """A promise of when data of an object come: `due_at` next, `missed_at` since, `last_arrival_at` last. `fault`: why
    it is not watched."""

    version: str
    name: str
    object: str | None
    sentence: str | None
    severity: str | None
    due_at: datetime | None
    missed_at: datetime | None
    last_arrival_at: datetime | None
    fault: str | None
