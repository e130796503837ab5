"""Request and response models of the API. Imports no database, so that the client and the pages can use them."""

from treaty.engine.core.learning_options import PatternOptions, ProgramOptions
from treaty.engine.profile.format import ColumnDocument, HistogramBins, ProfileDocument, ValueCount
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.schemas.audit import ApprovalRecordOut, AuditHead, AuditOut, ChainOut
from treaty.registry.schemas.base import EtagModel, FaultOut, HealthOut, Page, ProblemOut, ReadinessOut
from treaty.registry.schemas.catalog import CatalogItemOut, CatalogPageOut, FacetOut, RecentRunOut
from treaty.registry.schemas.catalogs import (
    CatalogColumnOut,
    CatalogConnectionIn,
    CatalogConnectionOut,
    CatalogConnectionUpdateIn,
    CatalogFactsOut,
    CatalogForeignKeyOut,
    CatalogKindOut,
    CatalogNameOut,
    CatalogOptionOut,
    CatalogPartitionOut,
    CatalogStatementOut,
    CatalogTableOut,
    CatalogTermOut,
    CatalogTestStepOut,
)
from treaty.registry.schemas.consumers import (
    AcknowledgementAnswer,
    AcknowledgementIn,
    AcknowledgementOut,
    CheckCopyIn,
    ConsumerCheckIn,
    ConsumerCheckOut,
    ConsumerImpactOut,
    SubscriptionIn,
    SubscriptionOut,
    SubscriptionUpdateIn,
    UseIn,
)
from treaty.registry.schemas.contract_requests import ContractRequestEndIn, ContractRequestIn, ContractRequestOut
from treaty.registry.schemas.contracts import (
    CheckOut,
    CheckResultOut,
    ChecksOut,
    ContractOut,
    ContractSummaryOut,
    DatasetOut,
    DeadlineOut,
    InboxCountsOut,
    InboxOut,
    MeasurementOut,
    RunOut,
    RunSummaryOut,
    ViolationSampleOut,
)
from treaty.registry.schemas.exchange import ImportIn, ImportOut, TemplateIn, TemplateOut
from treaty.registry.schemas.fits_and_feedback import (
    FeedbackIn,
    FeedbackOut,
    FeedbackPreviewIn,
    FeedbackPreviewOut,
    FeedbackQuery,
    FitOut,
    FitsQuery,
    PreviewPointOut,
)
from treaty.registry.schemas.gate import (
    BagName,
    ContractGateStatusOut,
    DatasetLocationOut,
    FitLimitsOut,
    GatedDatasetOut,
    GateOut,
    GateVerdictOut,
    GenerationBody,
    StateBagOut,
)
from treaty.registry.schemas.history import (
    CheckHistoryItemOut,
    CheckHistoryQuery,
    MetricHistoryItemOut,
    MetricHistoryQuery,
)
from treaty.registry.schemas.incidents import (
    FailingCheckOut,
    IncidentAssignIn,
    IncidentObjectOut,
    IncidentOut,
    IncidentResolveIn,
    IncidentSnoozeIn,
    IncidentStepIn,
)
from treaty.registry.schemas.key_models import KeyComparisonOut, KeyModelChoiceIn, KeyModelOut, KeyModelsOut
from treaty.registry.schemas.lineage_events import (
    LineageEventCountsOut,
    LineageEventOut,
    RejectedEventDetailOut,
    RejectedEventOut,
    UnmatchedDatasetOut,
)
from treaty.registry.schemas.lineage_graph import (
    AffectedContractOut,
    DownstreamDatasetOut,
    DownstreamImpactOut,
    EdgeOut,
    GraphNameOut,
    GraphOut,
    InferredConsumerIn,
    InferredConsumerOut,
    LineageEventsOut,
    NodeOut,
    UpstreamIncidentOut,
)
from treaty.registry.schemas.notifications import ChannelIn, ChannelOut, NewChannelOut, OutboxMessageOut
from treaty.registry.schemas.patterns import CommonPatternOut, PatternColumnOut, PatternInfoOut
from treaty.registry.schemas.people import (
    CredentialsIn,
    CurrentUserOut,
    GrantIn,
    GrantOut,
    IdentityTokenIn,
    MemberIn,
    MemberOut,
    NewTokenOut,
    RotationIn,
    ScopedGrantOut,
    SessionOut,
    SetupIn,
    TeamIn,
    TeamOut,
    TokenIn,
    TokenOut,
    UserIn,
    UserOut,
    UserUpdateIn,
)
from treaty.registry.schemas.proposals import (
    ApprovalIn,
    ApprovalOut,
    AssigneeIn,
    ChangeRequestIn,
    ChangeRequestOut,
    CommentIn,
    CommentOut,
    DecisionBaseIn,
    DecisionIn,
    DecisionsIn,
    EditIn,
    EffectivePeriodIn,
    PreviewOut,
    ProposalIn,
    ProposalOut,
    ProposalSnoozeIn,
    ProposalSummaryOut,
    ReasonIn,
    ResponseOptions,
    SuggestionOut,
    WithdrawalIn,
)
from treaty.registry.schemas.reference import AnalyzerOut, ArgumentOut
from treaty.registry.schemas.replays import (
    CheckOutcomeOut,
    DocumentIn,
    NameListOut,
    ReplayedCheckOut,
    ReplayIn,
    ReplayOut,
)
from treaty.registry.schemas.states import (
    ErasureOut,
    MergeEstimateOut,
    MetricQueryOut,
    MetricsOut,
    MetricValueOut,
    OutcomeOut,
    PartitionStatesOut,
    RerunDifferenceOut,
    RerunOut,
    StateQueryOut,
    StatesOut,
)
from treaty.registry.schemas.tasks import AliasIn, DraftIn, TaskEventsOut, TaskOut, TaskSummaryOut
from treaty.registry.schemas.versions import (
    ApprovalResultOut,
    CompatibilityBreachOut,
    CompatibilityModeOut,
    ContractDifferenceOut,
    DiffOut,
    VersionDetailOut,
    VersionOut,
    VersionRetirementIn,
)

__all__ = [
    "AcknowledgementAnswer", "AcknowledgementIn", "AcknowledgementOut", "AffectedContractOut", "AliasIn",
    "AnalyzerOut", "ApprovalIn", "ApprovalOut", "ApprovalRecordOut", "ApprovalResultOut", "ArgumentOut", "AssigneeIn",
    "AuditAction", "AuditHead", "AuditOut", "BagName", "CatalogColumnOut", "CatalogConnectionIn",
    "CatalogConnectionOut", "CatalogConnectionUpdateIn", "CatalogFactsOut", "CatalogForeignKeyOut", "CatalogItemOut",
    "CatalogKindOut", "CatalogNameOut", "CatalogOptionOut", "CatalogPageOut", "CatalogPartitionOut",
    "CatalogStatementOut", "CatalogTableOut", "CatalogTermOut", "CatalogTestStepOut", "ChainOut",
    "ChangeRequestIn", "ChangeRequestOut", "ChannelIn", "ChannelOut", "CheckCopyIn", "CheckHistoryItemOut",
    "CheckHistoryQuery", "CheckOut", "CheckOutcomeOut", "CheckResultOut", "ChecksOut", "ColumnDocument", "CommentIn",
    "CommentOut", "CommonPatternOut", "CompatibilityBreachOut", "CompatibilityModeOut", "ConsumerCheckIn",
    "ConsumerCheckOut", "ConsumerImpactOut", "ContractDifferenceOut", "ContractGateStatusOut", "ContractOut",
    "ContractRequestEndIn", "ContractRequestIn", "ContractRequestOut", "ContractSummaryOut", "CredentialsIn",
    "CurrentUserOut", "DatasetLocationOut", "DatasetOut", "DeadlineOut", "DecisionBaseIn", "DecisionIn",
    "DecisionsIn", "DiffOut", "DocumentIn", "DownstreamDatasetOut", "DownstreamImpactOut", "DraftIn", "EdgeOut",
    "EditIn", "EffectivePeriodIn", "ErasureOut", "EtagModel", "FacetOut", "FailingCheckOut", "FaultOut", "FeedbackIn",
    "FeedbackOut", "FeedbackPreviewIn", "FeedbackPreviewOut", "FeedbackQuery", "FitLimitsOut", "FitOut", "FitsQuery",
    "GateOut", "GateVerdictOut", "GatedDatasetOut", "GenerationBody", "GrantIn", "GrantOut", "GraphNameOut",
    "GraphOut", "HealthOut", "HistogramBins", "IdentityTokenIn", "ImportIn", "ImportOut", "InboxCountsOut",
    "InboxOut", "IncidentAssignIn", "IncidentObjectOut", "IncidentOut", "IncidentResolveIn", "IncidentSnoozeIn",
    "IncidentStepIn", "InferredConsumerIn", "InferredConsumerOut", "KeyComparisonOut", "KeyModelChoiceIn",
    "KeyModelOut", "KeyModelsOut", "LineageEventCountsOut", "LineageEventOut", "LineageEventsOut", "MeasurementOut",
    "MemberIn", "MemberOut", "MergeEstimateOut", "MetricHistoryItemOut", "MetricHistoryQuery", "MetricQueryOut",
    "MetricValueOut", "MetricsOut", "NameListOut", "NewChannelOut", "NewTokenOut", "NodeOut", "OutboxMessageOut",
    "OutcomeOut", "Page", "PartitionStatesOut", "PatternColumnOut", "PatternInfoOut", "PatternOptions", "PreviewOut",
    "PreviewPointOut", "ProblemOut", "ProfileDocument", "ProgramOptions", "ProposalIn", "ProposalOut",
    "ProposalSnoozeIn", "ProposalSummaryOut", "ReadinessOut", "ReasonIn", "RecentRunOut", "RejectedEventDetailOut",
    "RejectedEventOut", "ReplayIn", "ReplayOut", "ReplayedCheckOut", "RerunDifferenceOut", "RerunOut",
    "ResponseOptions", "RotationIn", "RunOut", "RunSummaryOut", "ScopedGrantOut", "SessionOut", "SetupIn",
    "StateBagOut", "StateQueryOut", "StatesOut", "SubscriptionIn", "SubscriptionOut", "SubscriptionUpdateIn",
    "SuggestionOut", "TaskEventsOut", "TaskOut", "TaskSummaryOut", "TeamIn", "TeamOut", "TemplateIn", "TemplateOut",
    "TokenIn", "TokenOut", "UnmatchedDatasetOut", "UpstreamIncidentOut", "UseIn", "UserIn", "UserOut", "UserUpdateIn",
    "ValueCount", "VersionDetailOut", "VersionOut", "VersionRetirementIn", "ViolationSampleOut", "WithdrawalIn",
]  # fmt: skip
