"""Define the registry's states, roles, permissions and audit actions. Imports no database code."""

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
    ERASE = "memory:erase"
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

    PASS = "pass"
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
    UPKEEP = "upkeep"
    REPLAY = "replay"


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


class Resolution(StrEnum):
    """Reason for resolving an incident. Only validation sets recovered; users set the others. Duplicate is also set
    when incidents are merged."""

    RECOVERED = "recovered"
    FIXED = "fixed"
    EXPECTED_CHANGE = "expected_change"
    FALSE_ALARM = "false_alarm"
    DUPLICATE = "duplicate"
    WONT_FIX = "wont_fix"


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


class AuditAction(StrEnum):
    """Action of an audit entry, as `subject:action`."""

    SETUP_ISSUED = "setup:issued"
    SETUP_COMPLETED = "setup:completed"
    USER_CREATED = "user:created"
    USER_CHANGED = "user:changed"
    SESSION_OPENED = "session:opened"
    SESSION_CLOSED = "session:closed"
    SESSION_REFUSED = "session:refused"
    TOKEN_ISSUED = "token:issued"
    TOKEN_ROTATED = "token:rotated"
    TOKEN_REVOKED = "token:revoked"
    TEAM_CREATED = "team:created"
    TEAM_REMOVED = "team:removed"
    MEMBER_SET = "member:set"
    MEMBER_REMOVED = "member:removed"
    GRANT_GIVEN = "grant:given"
    GRANT_REVOKED = "grant:revoked"
    PROPOSAL_CREATED = "proposal:created"
    PROPOSAL_EDITED = "proposal:edited"
    PROPOSAL_SUBMITTED = "proposal:submitted"
    PROPOSAL_APPROVED = "proposal:approved"
    PROPOSAL_REJECTED = "proposal:rejected"
    PROPOSAL_WITHDRAWN = "proposal:withdrawn"
    APPROVAL_GIVEN = "approval:given"
    APPROVAL_VOIDED = "approval:voided"
    COMMENT_ADDED = "comment:added"
    CHANGES_REQUESTED = "change_request:made"
    CHANGES_ANSWERED = "change_request:answered"
    CHANGES_TAKEN_BACK = "change_request:withdrawn"
    PROPOSAL_ASSIGNED = "proposal:assigned"
    PROPOSAL_SNOOZED = "proposal:snoozed"
    VERSION_ACTIVATED = "version:activated"
    VERSION_DEPRECATED = "version:deprecated"
    VERSION_RETIRED = "version:retired"
    VERSION_SUPERSEDED = "version:superseded"
    SUGGESTION_ACCEPTED = "suggestion:accepted"
    SUGGESTION_EDITED = "suggestion:edited"
    SUGGESTION_REJECTED = "suggestion:rejected"
    SUGGESTION_RESET = "suggestion:reset"
    SUBSCRIPTION_CREATED = "subscription:created"
    SUBSCRIPTION_CHANGED = "subscription:changed"
    SUBSCRIPTION_ENDED = "subscription:ended"
    CONSUMER_CHECK_ADDED = "consumer_check:added"
    CONSUMER_CHECK_CHANGED = "consumer_check:changed"
    CONSUMER_CHECK_ENDED = "consumer_check:ended"
    ACKNOWLEDGEMENT_ASKED = "acknowledgement:asked"
    ACKNOWLEDGEMENT_GIVEN = "acknowledgement:given"
    ACKNOWLEDGEMENT_REFUSED = "acknowledgement:refused"
    ACKNOWLEDGEMENT_RESET = "acknowledgement:reset"
    CONTRACT_REQUESTED = "contract_request:made"
    CONTRACT_REQUEST_ENDED = "contract_request:ended"
    DRAFT_REQUESTED = "draft:requested"
    PATTERNS_REQUESTED = "patterns:requested"
    REPLAY_REQUESTED = "replay:requested"
    RUN_RECORDED = "run:recorded"
    STATES_COMMITTED = "states:committed"
    STATES_SETTLED = "states:settled"
    TEMPLATE_KEPT = "template:kept"
    TEMPLATE_REMOVED = "template:removed"
    TASK_FAILED = "task:failed"
    TASK_RETRIED = "task:retried"
    TASK_STOPPED = "task:stopped"
    EVENT_PARKED = "event:parked"
    EVENT_RETRIED = "event:retried"
    DATASET_DROPPED = "dataset:dropped"
    MESSAGE_FAILED = "message:failed"
    MESSAGE_REPLAYED = "message:replayed"
    CHANNEL_ADDED = "channel:added"
    CHANNEL_REMOVED = "channel:removed"
    MEMORY_ERASED = "memory:erased"
    INCIDENT_OPENED = "incident:opened"
    INCIDENT_JOINED = "incident:joined"
    INCIDENT_REOPENED = "incident:reopened"
    INCIDENT_ACKNOWLEDGED = "incident:acknowledged"
    INCIDENT_ASSIGNED = "incident:assigned"
    INCIDENT_SNOOZED = "incident:snoozed"
    INCIDENT_RESOLVED = "incident:resolved"
    FIT_LEARNED = "fit:learned"
    MARK_SET = "mark:set"
    READER_CONFIRMED = "reader:confirmed"
    READER_DISMISSED = "reader:dismissed"


NO_FAULT = frozenset({Resolution.EXPECTED_CHANGE, Resolution.FALSE_ALARM, Resolution.WONT_FIX})
