"""All tables of the registry; importing this package completes their metadata."""

from registry.tables.approval_records import ApprovalRecord
from registry.tables.base import Table
from registry.tables.consumers import AcknowledgementRow, ConsumerCheckRow, Subscription
from registry.tables.contracts import (
    ApprovalRow,
    ChangeRequest,
    ChangeRow,
    CommentRow,
    Contract,
    ContractRequest,
    ContractVersion,
    Dataset,
    DatasetContract,
    Postponement,
    ProfileRow,
    Proposal,
    SuggestionRow,
)
from registry.tables.fits_and_feedback import FitRow, PointMark
from registry.tables.idempotency_keys import DoneRequest
from registry.tables.immutability_triggers import guard
from registry.tables.incidents import GuessedConsumer, Incident, IncidentPart, Reached
from registry.tables.lineage_events import (
    InboxEvent,
    LineageRun,
    NameLink,
    NamePattern,
    RejectedEvent,
    SuspectMark,
    UnmatchedDataset,
)
from registry.tables.lineage_graph import LineageEdge, LineageJob
from registry.tables.outbox import Channel, OutboxMessage
from registry.tables.people import (
    ApiToken,
    AuditEntry,
    Grant,
    SetupToken,
    SignInWindow,
    Team,
    TeamMember,
    User,
    WebSession,
)
from registry.tables.runs import MeasurementRow, PartitionState, ResultRow, Run, RunTag, SampleRow
from registry.tables.search import SearchEntry, SearchLabel, make_words
from registry.tables.tasks import Appointment, DirtyMark, PartRead, Task
from registry.tables.templates import TemplateRow

guard()
make_words()
metadata = Table.metadata

__all__ = [
    "AcknowledgementRow",
    "ApiToken",
    "Appointment",
    "ApprovalRecord",
    "ApprovalRow",
    "AuditEntry",
    "ChangeRequest",
    "ChangeRow",
    "Channel",
    "CommentRow",
    "ConsumerCheckRow",
    "Contract",
    "ContractRequest",
    "ContractVersion",
    "Dataset",
    "DatasetContract",
    "DirtyMark",
    "DoneRequest",
    "FitRow",
    "Grant",
    "GuessedConsumer",
    "InboxEvent",
    "Incident",
    "IncidentPart",
    "LineageEdge",
    "LineageJob",
    "LineageRun",
    "MeasurementRow",
    "NameLink",
    "NamePattern",
    "OutboxMessage",
    "PartRead",
    "PartitionState",
    "PointMark",
    "Postponement",
    "ProfileRow",
    "Proposal",
    "Reached",
    "RejectedEvent",
    "ResultRow",
    "Run",
    "RunTag",
    "SampleRow",
    "SearchEntry",
    "SearchLabel",
    "SetupToken",
    "SignInWindow",
    "Subscription",
    "SuggestionRow",
    "SuspectMark",
    "Table",
    "Task",
    "Team",
    "TeamMember",
    "TemplateRow",
    "UnmatchedDataset",
    "User",
    "WebSession",
    "metadata",
]
