"""The closed vocabularies of the registry: states, roles, permissions and audit actions. Light: no database."""

from enum import StrEnum

# Lower case where it is stored, so that no two users differ by the case of a letter.
USER_NAME = r"^[a-zA-Z0-9][a-zA-Z0-9._@+-]*$"


class Role(StrEnum):
    """What a user is in the registry; a user may have several."""

    ADMIN = "admin"
    OWNER = "owner"
    PRODUCER = "producer"
    CONSUMER = "consumer"
    VIEWER = "viewer"
    SERVICE = "service"


class Permission(StrEnum):
    """What a principal may do; an API token's scopes are permissions too."""

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
    """A part of the registry that a grant is about."""

    EVERYTHING = "everything"
    DOMAIN = "domain"
    CONTRACT = "contract"
    DATASET = "dataset"


class TeamRole(StrEnum):
    """What somebody is in a team: who leads it says who belongs to it."""

    LEAD = "lead"
    MEMBER = "member"


class ProposalState(StrEnum):
    """Where a proposal stands. Approved, rejected and withdrawn are final. Changes requested: it is not approved until
    it is another, or who asked for them asks no longer."""

    DRAFT = "draft"
    IN_REVIEW = "in_review"
    CHANGES_REQUESTED = "changes_requested"
    APPROVED = "approved"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"


class Decision(StrEnum):
    """What a person decided about a suggestion."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


class VersionState(StrEnum):
    """Where an approved version stands: active and deprecated ones are in force; retired and superseded are final."""

    APPROVED = "approved"
    ACTIVE = "active"
    DEPRECATED = "deprecated"
    RETIRED = "retired"
    SUPERSEDED = "superseded"


class SubscriptionState(StrEnum):
    """Whether a consumer still uses the data. Ended is final."""

    ACTIVE = "active"
    ENDED = "ended"


class PinKind(StrEnum):
    """What a consumer builds on: whatever is in force, what is in force of a group, or one version."""

    NONE = "none"
    GROUP = "group"
    VERSION = "version"


class AcknowledgementState(StrEnum):
    """What a consumer says of an approved version. Notified: it does not break them, so they are not asked."""

    PENDING = "pending"
    ACKNOWLEDGED = "acknowledged"
    OBJECTED = "objected"
    NOTIFIED = "notified"


class GateAnswer(StrEnum):
    """What the gate says of data to who is about to read them."""

    PASS = "pass"
    WARN = "warn"
    BLOCK = "block"
    UNKNOWN = "unknown"


class RunKind(StrEnum):
    """What a run judges: data as they are, a promise of when they come, the columns that a table was given anew, or
    that it is there at all."""

    DATA = "data"
    DEADLINE = "deadline"
    SCHEMA = "schema"
    PRESENCE = "presence"


class TaskKind(StrEnum):
    """Kinds of tasks of the queue; `treaty.registry.worker.task_handlers` has a handler for each."""

    VALIDATE = "validate"
    DEADLINE = "deadline"
    DRAFT = "draft"
    REDRAFT = "redraft"
    REFIT = "refit"
    LEARN = "learn"
    UPKEEP = "upkeep"
    REPLAY = "replay"


class TaskState(StrEnum):
    """Where a task of the queue stands. Done and failed are final."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class LineageEventState(StrEnum):
    """Whether an accepted lineage event was folded into its run; parked: it could not be."""

    NEW = "new"
    PROCESSED = "processed"
    PARKED = "parked"


class OutboxState(StrEnum):
    """What became of a message that goes out. Dead: it could not be delivered, and is not tried again by itself."""

    WAITING = "waiting"
    SENT = "sent"
    DEAD = "dead"


class ChannelKind(StrEnum):
    """How somebody is told."""

    EMAIL = "email"
    SLACK = "slack"
    WEBHOOK = "webhook"


class NotificationKind(StrEnum):
    """What people are told of."""

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
    """Whether a job reads a dataset or writes it."""

    INPUT = "input"
    OUTPUT = "output"


class ContaminationState(StrEnum):
    """How far bad data came to a dataset downstream: they are in it, on their way, or would come with the next run."""

    CONTAMINATED = "contaminated"
    IN_FLIGHT = "in_flight"
    AT_RISK = "at_risk"


class IncidentState(StrEnum):
    """Where an incident stands. A resolved one may be opened again."""

    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    RESOLVED = "resolved"


class Resolution(StrEnum):
    """How an incident ended. Recovered and duplicate are found; a duplicate may also be told, as the others are."""

    RECOVERED = "recovered"
    FIXED = "fixed"
    EXPECTED_CHANGE = "expected_change"
    FALSE_ALARM = "false_alarm"
    DUPLICATE = "duplicate"
    WONT_FIX = "wont_fix"


class FeedbackKind(StrEnum):
    """What somebody says of a point: nothing was wrong with its data, something was, or what was said is taken back."""

    EXPECTED = "expected"
    INCIDENT = "incident"
    CLEARED = "cleared"


class RefitOutlook(StrEnum):
    """What becomes of limits that a word about a point would have learned: they judge, are proposed, or stay as they
    were approved; there are none yet; or the check learns anew for each point (`adaptive`), or not at all (`fixed`)."""

    ACTIVE = "active"
    PROPOSED = "proposed"
    PINNED = "pinned"
    LEARNING = "learning"
    ADAPTIVE = "adaptive"
    FIXED = "fixed"


class FitReason(StrEnum):
    """Why a clause's limits were learned anew: newer partitions by night, or what somebody said of older ones."""

    NIGHTLY = "nightly"
    FEEDBACK = "feedback"


class InferredConsumerState(StrEnum):
    """What becomes of a job that was seen reading a contract's data."""

    SUGGESTED = "suggested"
    CONFIRMED = "confirmed"
    DISMISSED = "dismissed"


class LabelKind(StrEnum):
    """By what contracts are counted and chosen in the catalog."""

    OWNER = "owner"
    DOMAIN = "domain"
    TAG = "tag"
    STATE = "state"


class AuditAction(StrEnum):
    """What an audit entry records, as `subject:action`."""

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
