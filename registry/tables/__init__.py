"""Define all tables of the registry. Importing this package completes their metadata."""

from treaty.registry.tables.approval_records import ApprovalRecordRow
from treaty.registry.tables.base import BaseRow
from treaty.registry.tables.catalogs import CatalogAliasRow, CatalogConnectionRow, CatalogTableRow
from treaty.registry.tables.consumers import AcknowledgementRow, ConsumerCheckRow, SubscriptionRow
from treaty.registry.tables.contracts import (
    ContractRequestRow,
    ContractRow,
    ContractVersionRow,
    DatasetContractRow,
    DatasetRow,
    ProposalApprovalRow,
    ProposalChangeRequestRow,
    ProposalCommentRow,
    ProposalProfileRow,
    ProposalRevisionRow,
    ProposalRow,
    ProposalSnoozeRow,
    ProposalSuggestionRow,
)
from treaty.registry.tables.fits_and_feedback import FitRow, PointFeedbackRow
from treaty.registry.tables.idempotency_keys import IdempotencyKeyRow
from treaty.registry.tables.immutability_triggers import guard
from treaty.registry.tables.incidents import IncidentDownstreamRow, IncidentObjectRow, IncidentRow, InferredConsumerRow
from treaty.registry.tables.lineage_events import (
    DatasetAliasPatternRow,
    DatasetAliasRow,
    LineageEventRow,
    LineageRunRow,
    RejectedLineageEventRow,
    SuspectPartitionRow,
    UnmatchedDatasetRow,
)
from treaty.registry.tables.lineage_graph import LineageEdgeRow, LineageJobRow
from treaty.registry.tables.locations import AllowedLocationRow
from treaty.registry.tables.outbox import ChannelRow, OutboxMessageRow
from treaty.registry.tables.people import (
    ApiTokenRow,
    AuditEntryRow,
    RoleGrantRow,
    SetupTokenRow,
    SignInWindowRow,
    TeamMemberRow,
    TeamRow,
    UserRow,
    WebSessionRow,
)
from treaty.registry.tables.runs import (
    CheckResultRow,
    MeasurementRow,
    PartitionStateRow,
    RunRow,
    RunTagRow,
    ViolationSampleRow,
)
from treaty.registry.tables.search import SearchEntryRow, SearchLabelRow, make_words
from treaty.registry.tables.tasks import (
    PendingValidationRow,
    PeriodicJobRow,
    ReadCheckpointRow,
    ScheduleEntryRow,
    TaskRow,
)
from treaty.registry.tables.templates import TemplateRow

guard()
make_words()
metadata = BaseRow.metadata

__all__ = [
    "AcknowledgementRow",
    "AllowedLocationRow",
    "ApiTokenRow",
    "ApprovalRecordRow",
    "AuditEntryRow",
    "BaseRow",
    "CatalogAliasRow",
    "CatalogConnectionRow",
    "CatalogTableRow",
    "ChannelRow",
    "CheckResultRow",
    "ConsumerCheckRow",
    "ContractRequestRow",
    "ContractRow",
    "ContractVersionRow",
    "DatasetAliasPatternRow",
    "DatasetAliasRow",
    "DatasetContractRow",
    "DatasetRow",
    "FitRow",
    "IdempotencyKeyRow",
    "IncidentDownstreamRow",
    "IncidentObjectRow",
    "IncidentRow",
    "InferredConsumerRow",
    "LineageEdgeRow",
    "LineageEventRow",
    "LineageJobRow",
    "LineageRunRow",
    "MeasurementRow",
    "OutboxMessageRow",
    "PartitionStateRow",
    "PendingValidationRow",
    "PeriodicJobRow",
    "PointFeedbackRow",
    "ProposalApprovalRow",
    "ProposalChangeRequestRow",
    "ProposalCommentRow",
    "ProposalProfileRow",
    "ProposalRevisionRow",
    "ProposalRow",
    "ProposalSnoozeRow",
    "ProposalSuggestionRow",
    "ReadCheckpointRow",
    "RejectedLineageEventRow",
    "RoleGrantRow",
    "RunRow",
    "RunTagRow",
    "ScheduleEntryRow",
    "SearchEntryRow",
    "SearchLabelRow",
    "SetupTokenRow",
    "SignInWindowRow",
    "SubscriptionRow",
    "SuspectPartitionRow",
    "TaskRow",
    "TeamMemberRow",
    "TeamRow",
    "TemplateRow",
    "UnmatchedDatasetRow",
    "UserRow",
    "ViolationSampleRow",
    "WebSessionRow",
    "metadata",
]
