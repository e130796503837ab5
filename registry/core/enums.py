"""Define the registry's states, roles and permissions. Imports no database code."""

from enum import StrEnum

# User names are stored in lower case, so that no two users differ only in case.
USER_NAME = r"^[a-zA-Z0-9][a-zA-Z0-9._@+-]*$"


class Role(StrEnum):
    """A role of a user; a user may have several."""

    ADMIN = "admin"
    OWNER = "owner"
    PRODUCER = "producer"
    CONSUMER = "consumer"
    VIEWER = "viewer"
    SERVICE = "service"


class Permission(StrEnum):
    """A permission of a principal; the scopes of an API token are permissions too."""

    READ = "contracts:read"
    SAMPLES = "samples:read"
    PROPOSE = "proposals:write"
    SUBSCRIBE = "subscriptions:write"
    DECIDE = "proposals:decide"
    DRAFT = "drafts:write"
    LINEAGE = "lineage:write"
    STATES = "states:write"
    TOKENS = "tokens:own"
    USERS = "users:manage"
    AUDIT = "audit:read"
    ERASE = "states:erase"
    INCIDENTS = "incidents:write"


class GrantScope(StrEnum):
    """The part of the registry that a grant covers."""

    EVERYTHING = "everything"
    DOMAIN = "domain"
    CONTRACT = "contract"
    DATASET = "dataset"


class TeamRole(StrEnum):
    """A member's role in a team; a lead manages the members."""

    LEAD = "lead"
    MEMBER = "member"


class ProposalState(StrEnum):
    """State of a proposal. Approved, rejected and withdrawn are final. Changes requested: it cannot be approved
    until it is edited or every request is withdrawn."""

    DRAFT = "draft"
    IN_REVIEW = "in_review"
    CHANGES_REQUESTED = "changes_requested"
    APPROVED = "approved"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"


class Decision(StrEnum):
    """Decision on a suggestion."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


class VersionState(StrEnum):
    """State of an approved version. Active and deprecated are in force; retired and superseded are final."""

    APPROVED = "approved"
    ACTIVE = "active"
    DEPRECATED = "deprecated"
    RETIRED = "retired"
    SUPERSEDED = "superseded"


class SubscriptionState(StrEnum):
    """State of a subscription; ended is final."""

    ACTIVE = "active"
    ENDED = "ended"


class PinKind(StrEnum):
    """Target of a subscription: the version in force, that of a group, or a fixed version."""

    NONE = "none"
    GROUP = "group"
    VERSION = "version"


class AcknowledgementState(StrEnum):
    """A consumer's response to a version. Notified: it breaks nothing, so no response is needed."""

    PENDING = "pending"
    ACKNOWLEDGED = "acknowledged"
    OBJECTED = "objected"
    NOTIFIED = "notified"


class GateAnswer(StrEnum):
    """The gate's decision on reading a partition."""

    ALLOW = "allow"
    WARN = "warn"
    BLOCK = "block"
    UNKNOWN = "unknown"


class RunKind(StrEnum):
    """Subject of a run: the data, an arrival deadline, a changed schema, or the table's existence."""

    DATA = "data"
    DEADLINE = "deadline"
    SCHEMA = "schema"
    PRESENCE = "presence"


class TaskKind(StrEnum):
    """Kind of a queued task; `treaty.registry.worker.task_handlers` has a handler for each."""

    VALIDATE = "validate"
    DEADLINE = "deadline"
    DRAFT = "draft"
    REDRAFT = "redraft"
    REFIT = "refit"
    LEARN = "learn"
    TRAIN = "train"
    UPKEEP = "upkeep"
    REPLAY = "replay"
    CATALOG = "catalog"


class TaskState(StrEnum):
    """State of a queued task; done and failed are final."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class LineageEventState(StrEnum):
    """Processing state of an accepted lineage event. Parked: folding it into its run failed."""

    NEW = "new"
    PROCESSED = "processed"
    PARKED = "parked"


class OutboxState(StrEnum):
    """Delivery state of a message. Dead: delivery failed, and no automatic retry follows."""

    WAITING = "waiting"
    SENT = "sent"
    DEAD = "dead"


class CatalogState(StrEnum):
    """Health of a catalog connection. Partial: some parts cannot be read. Failing: the last read failed."""

    NEW = "new"
    HEALTHY = "healthy"
    PARTIAL = "partial"
    FAILING = "failing"


class ChannelKind(StrEnum):
    """Transport of a notification channel."""

    EMAIL = "email"
    SLACK = "slack"
    WEBHOOK = "webhook"


class NotificationKind(StrEnum):
    """Subject of a notification."""

    PROPOSAL = "proposal"
    DECISION = "decision"
    REVIEW = "review"
    BREAKING = "breaking"
    VIOLATION = "violation"
    RECOVERY = "recovery"
    LAG = "lag"
    REQUEST = "request"
    TEST = "test"


class EdgeDirection(StrEnum):
    """Direction of a lineage edge: a job reads (input) or writes (output) a dataset."""

    INPUT = "input"
    OUTPUT = "output"


class ContaminationState(StrEnum):
    """Bad data in a downstream dataset: arrived, on its way, or expected with the next run."""

    CONTAMINATED = "contaminated"
    IN_FLIGHT = "in_flight"
    AT_RISK = "at_risk"


class IncidentState(StrEnum):
    """State of an incident; a resolved incident may be reopened."""

    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    RESOLVED = "resolved"


class ManualResolution(StrEnum):
    """Reason for which a user resolves an incident."""

    FIXED = "fixed"
    EXPECTED_CHANGE = "expected_change"
    FALSE_ALARM = "false_alarm"
    DUPLICATE = "duplicate"
    WONT_FIX = "wont_fix"


class Resolution(StrEnum):
    """Reason for which an incident is resolved. Only a validation sets recovered. Duplicate is also set when incidents
    are merged."""

    RECOVERED = "recovered"
    FIXED = ManualResolution.FIXED
    EXPECTED_CHANGE = ManualResolution.EXPECTED_CHANGE
    FALSE_ALARM = ManualResolution.FALSE_ALARM
    DUPLICATE = ManualResolution.DUPLICATE
    WONT_FIX = ManualResolution.WONT_FIX


class FeedbackKind(StrEnum):
    """A user's label on a point: its data was correct, faulty, or the label is withdrawn."""

    EXPECTED = "expected"
    INCIDENT = "incident"
    CLEARED = "cleared"


class RefitOutlook(StrEnum):
    """Effect of a label on a check: refitted limits apply, are proposed, or stay as approved (`pinned`). `learning`:
    too little data. `adaptive`: the detector refits at each point. `fixed`: the check does not learn."""

    ACTIVE = "active"
    PROPOSED = "proposed"
    PINNED = "pinned"
    LEARNING = "learning"
    ADAPTIVE = "adaptive"
    FIXED = "fixed"


class FitReason(StrEnum):
    """Trigger of a refit: newer partitions, or a user's feedback on older ones."""

    NIGHTLY = "nightly"
    FEEDBACK = "feedback"


class InferredConsumerState(StrEnum):
    """State of a consumer inferred from a job that reads a contract's data."""

    SUGGESTED = "suggested"
    CONFIRMED = "confirmed"
    DISMISSED = "dismissed"


class LabelKind(StrEnum):
    """Facet by which the catalog counts and filters contracts."""

    OWNER = "owner"
    DOMAIN = "domain"
    TAG = "tag"
    STATE = "state"


NO_FAULT = frozenset({Resolution.EXPECTED_CHANGE, Resolution.FALSE_ALARM, Resolution.WONT_FIX})
