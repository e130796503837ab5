"""All tables of the registry; importing this package completes their metadata."""

from treaty.registry.tables.approval_records import ApprovalRecord
from treaty.registry.tables.base import Table
from treaty.registry.tables.consumers import AcknowledgementRow, ConsumerCheckRow, Subscription
from treaty.registry.tables.contracts import (
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
from treaty.registry.tables.fits_and_feedback import FitRow, PointMark
from treaty.registry.tables.idempotency_keys import DoneRequest
from treaty.registry.tables.immutability_triggers import guard
from treaty.registry.tables.incidents import GuessedConsumer, Incident, IncidentPart, Reached
from treaty.registry.tables.lineage_events import (
    InboxEvent,
    LineageRun,
    NameLink,
    NamePattern,
    RejectedEvent,
    SuspectMark,
    UnmatchedDataset,
)
from treaty.registry.tables.lineage_graph import LineageEdge, LineageJob
from treaty.registry.tables.outbox import Channel, OutboxMessage
from treaty.registry.tables.people import (
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
from treaty.registry.tables.runs import MeasurementRow, PartitionState, ResultRow, Run, RunTag, SampleRow
from treaty.registry.tables.search import SearchEntry, SearchLabel, make_words
from treaty.registry.tables.tasks import Appointment, DirtyMark, PartRead, Task
from treaty.registry.tables.templates import TemplateRow

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
