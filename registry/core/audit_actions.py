"""Define the actions of audit entries, and the words that they replaced. Imports no database code."""

from enum import StrEnum


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
    CHANGES_REQUESTED = "change_request:created"
    CHANGES_ADDRESSED = "change_request:addressed"
    CHANGES_WITHDRAWN = "change_request:withdrawn"
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
    ACKNOWLEDGEMENT_REQUESTED = "acknowledgement:requested"
    ACKNOWLEDGEMENT_GIVEN = "acknowledgement:given"
    ACKNOWLEDGEMENT_OBJECTED = "acknowledgement:objected"
    ACKNOWLEDGEMENT_RESET = "acknowledgement:reset"
    CONTRACT_REQUESTED = "contract_request:created"
    CONTRACT_REQUEST_ENDED = "contract_request:ended"
    DRAFT_REQUESTED = "draft:requested"
    PATTERNS_REQUESTED = "patterns:requested"
    KEY_MODEL_REQUESTED = "key_model:requested"
    KEY_MODEL_TRAINED = "key_model:trained"
    KEY_MODEL_CHOSEN = "key_model:chosen"
    REPLAY_REQUESTED = "replay:requested"
    RUN_RECORDED = "run:recorded"
    STATES_COMMITTED = "states:committed"
    STATES_RECOVERED = "states:recovered"
    TEMPLATE_SAVED = "template:saved"
    TEMPLATE_REMOVED = "template:removed"
    LOCATION_ADDED = "location:added"
    LOCATION_REMOVED = "location:removed"
    CATALOG_ADDED = "catalog:added"
    CATALOG_CHANGED = "catalog:changed"
    CATALOG_REMOVED = "catalog:removed"
    CATALOG_READ_REQUESTED = "catalog:read_requested"
    TASK_FAILED = "task:failed"
    TASK_RETRIED = "task:retried"
    TASK_STOPPED = "task:stopped"
    JOB_PAUSED = "job:paused"
    EVENT_PARKED = "event:parked"
    EVENT_RETRIED = "event:retried"
    DATASET_DROPPED = "dataset:dropped"
    MESSAGE_FAILED = "message:failed"
    MESSAGE_REPLAYED = "message:replayed"
    CHANNEL_ADDED = "channel:added"
    CHANNEL_REMOVED = "channel:removed"
    STATES_ERASED = "states:erased"
    INCIDENT_OPENED = "incident:opened"
    INCIDENT_JOINED = "incident:joined"
    INCIDENT_REOPENED = "incident:reopened"
    INCIDENT_GREW = "incident:grew"
    INCIDENT_ACKNOWLEDGED = "incident:acknowledged"
    INCIDENT_ASSIGNED = "incident:assigned"
    INCIDENT_SNOOZED = "incident:snoozed"
    INCIDENT_RESOLVED = "incident:resolved"
    FIT_LEARNED = "fit:learned"
    FEEDBACK_SET = "feedback:set"
    INFERRED_CONSUMER_CONFIRMED = "inferred_consumer:confirmed"
    INFERRED_CONSUMER_DISMISSED = "inferred_consumer:dismissed"


# Words of entries that were written before a better word replaced them; the hash chain keeps their bytes.
FORMER_ACTIONS = {
    "change_request:made": AuditAction.CHANGES_REQUESTED,
    "change_request:answered": AuditAction.CHANGES_ADDRESSED,
    "acknowledgement:asked": AuditAction.ACKNOWLEDGEMENT_REQUESTED,
    "acknowledgement:refused": AuditAction.ACKNOWLEDGEMENT_OBJECTED,
    "contract_request:made": AuditAction.CONTRACT_REQUESTED,
    "states:settled": AuditAction.STATES_RECOVERED,
    "template:kept": AuditAction.TEMPLATE_SAVED,
    "memory:erased": AuditAction.STATES_ERASED,
    "mark:set": AuditAction.FEEDBACK_SET,
    "reader:confirmed": AuditAction.INFERRED_CONSUMER_CONFIRMED,
    "reader:dismissed": AuditAction.INFERRED_CONSUMER_DISMISSED,
}


def stored_actions(action: AuditAction) -> frozenset[str]:
    """Return all words by which entries of the action may be stored."""
    return frozenset({action.value, *(word for word, current in FORMER_ACTIONS.items() if current is action)})
