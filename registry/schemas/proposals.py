"""Models of proposals, suggestions, decisions and comments."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field, computed_field

from treaty.contracts.comparison.compatibility import Bump
from treaty.registry.core.bounded_values import JsonObject, LookupText, Revision, Timestamp
from treaty.registry.core.enums import Decision, ProposalState
from treaty.registry.core.state_machines import OPEN
from treaty.registry.schemas.base import ApiModel, ApiRequest, EtagModel, FaultOut, Name, Prose, Reason, UserName

Document = Annotated[str, Field(min_length=1, max_length=262_144)]


class EffectivePeriodIn(ApiRequest):
    """The period in which a version is in force.

    - `effective_from`: null means from its approval.
    - `effective_until`: null means until another version replaces it."""

    effective_from: Timestamp | None = None
    effective_until: Timestamp | None = None


class ProposalIn(ApiRequest):
    """A contract document to review.

    - `submit`: false creates a draft instead of submitting the proposal for review."""

    document: Document
    title: Name | None = None
    comment: Prose | None = None
    submit: bool = True
    window: EffectivePeriodIn = EffectivePeriodIn()


class EditIn(ApiRequest):
    """A new document of a proposal.

    - `revision`: revision of the proposal that the edit is based on.
    - `window`: null leaves the effective period unchanged.
    - `comment`: added to the discussion, even if the edit is rejected because the revision is outdated."""

    document: Document
    revision: Revision
    window: EffectivePeriodIn | None = None
    comment: Prose | None = None


class SuggestionOut(ApiModel):
    """A suggested check.

    - `content`: the suggestion as drafted, with its evidence.
    - `edited_patch`: the accepted patch if it differs from the drafted one.
    - `rejected_before`: the same check was rejected in an earlier proposal.
    - `new_evidence`: evidence that the earlier, rejected suggestion did not have.
    - `position`: position in the draft, starting at 0.
    - `optional`: it adds little to the others of its column and needs no decision."""

    id: UUID
    identity: str
    position: int
    content: dict[str, Any]
    decision: Decision
    reason: str | None
    rejected_before: bool
    optional: bool = False
    edited_patch: dict[str, Any] | None = None
    new_evidence: str | None = None
    decided_by: str | None
    decided_at: datetime | None


class ApprovalOut(ApiModel):
    """An approval of the document with the fingerprint `fingerprint`.

    - `voided_at`: when a later edit voided the approval; null if it is valid.
    - `approver`: user who approved the proposal."""

    approver: str
    version: str
    fingerprint: str
    revision: int
    approved_at: datetime
    voided_at: datetime | None


class ChangeRequestOut(ApiModel):
    """A request for changes, which blocks the approval of the proposal.

    - `revision`: revision of the proposal when the request was made.
    - `is_own`: the caller made the request."""

    author: str
    revision: int
    text: str
    created_at: datetime
    is_own: bool


class ProposalSummaryOut(EtagModel):
    """A proposal in a list.

    - `pending`, `accepted`, `rejected`: number of suggestions by decision, without undecided optional ones.
    - `voided_approvals`: the caller's approval was voided by a later edit.
    - `change_requests`: open requests for changes.
    - `assignee`: user assigned to decide; null if unassigned.
    - `approvals`: approvals of the current document."""

    id: UUID
    contract_id: str
    title: str
    author: str
    state: ProposalState
    revision: int
    created_at: datetime
    pending: int
    accepted: int
    rejected: int
    approvals: int
    voided_approvals: bool
    assignee: str | None = None
    change_requests: tuple[ChangeRequestOut, ...] = ()

    @computed_field  # type: ignore[prop-decorator]
    @property
    def open(self) -> bool:
        """The proposal can still be changed."""
        return self.state in OPEN

    @computed_field  # type: ignore[prop-decorator]
    @property
    def etag(self) -> str:
        """The revision. The caller's permissions do not change it."""
        return f'"{self.revision}"'


class ProposalOut(ProposalSummaryOut):
    """A proposal with its suggestions.

    - `may_...`: actions that the caller can take now.
    - `approvals_given`: all approvals.
    - `approvals_missing`: what a proposal in review lacks to become a version.
    - `source`: where a drafted document came from; null for other proposals.
    - `active_version`: number of the version in force; null if there is none.
    - `suggestions`: suggested checks, in the order of the draft."""

    comment: str | None
    reason: str | None
    decided_by: str | None
    decided_at: datetime | None
    task_id: UUID | None
    source: dict[str, Any] | None
    active_version: str | None
    effective_from: datetime | None
    effective_until: datetime | None
    approvals_given: tuple[ApprovalOut, ...]
    approvals_missing: tuple[str, ...]
    suggestions: tuple[SuggestionOut, ...]
    may_decide: bool
    may_comment: bool
    may_edit: bool
    may_submit: bool
    may_approve: bool
    may_request: bool
    may_reject: bool
    may_withdraw: bool


class DecisionBaseIn(ApiRequest):
    """A decision about suggestions.

    - `revision`: revision of the proposal that the decision is based on.
    - `reason`: required to reject."""

    decision: Decision
    revision: Revision
    reason: Prose | None = None


class DecisionIn(DecisionBaseIn):
    """A decision about one suggestion.

    - `patch`: replaces the drafted patch of an accepted suggestion; null accepts it as drafted."""

    patch: JsonObject | None = None


class DecisionsIn(DecisionBaseIn):
    """One decision about several suggestions of a proposal, applied to all or none.

    - `suggestions`: ids of the suggestions to decide on."""

    suggestions: Annotated[tuple[UUID, ...], Field(min_length=1, max_length=1000)]


class ResponseOptions(ApiRequest):
    """Options of the response."""

    decided_only: bool = Field(
        default=False,
        description="Return only the suggestions that this request decided; the counts cover all suggestions",
    )


class PreviewOut(ApiModel):
    """The document that an approval would publish as a version.

    - `fingerprint`: send it with the approval.
    - `follows_version`: version in force that the document was compared with; null for the first version.
    - `bump`: size of the change. `suggested_version`: the next free version number for it.
    - `breaking_reasons`: violated compatibility modes, in words.
    - `approval_blockers`: changes or version numbers that the terms in force do not allow; they prevent the
      approval."""

    document: str
    fingerprint: str
    version: str
    revision: int
    follows_version: str | None = None
    bump: Bump | None = None
    suggested_version: str | None = None
    breaking_reasons: tuple[str, ...] = ()
    approval_blockers: tuple[FaultOut, ...] = ()


class ApprovalIn(ApiRequest):
    """An approval of a previewed document.

    - `fingerprint`, `revision`: those of the preview. The revision is required to approve an effective period.
    - `follows_version`: version in force that the preview was compared with; the approval fails if it has changed.
    - `includes_replay`: the approver has seen the replay; it becomes part of the approval record.
    - `comment`: added to the discussion, even if the approval is rejected because the revision is outdated."""

    fingerprint: LookupText
    revision: Revision | None = None
    follows_version: LookupText | None = None
    comment: Prose | None = None
    includes_replay: bool = False


class CommentIn(ApiRequest):
    """A comment on a proposal."""

    text: Reason


class CommentOut(ApiModel):
    """A comment on a proposal.

    - `revision`: revision of the proposal when the comment was written."""

    id: UUID
    author: str
    revision: int
    text: str
    created_at: datetime


class ChangeRequestIn(CommentIn):
    """A request for changes.

    - `revision`: revision of the proposal that the request is based on."""

    revision: Revision


class AssigneeIn(ApiRequest):
    """Assigns a proposal.

    - `assignee`: null removes the assignee."""

    assignee: UserName | None


class ProposalSnoozeIn(ApiRequest):
    """Snoozes a proposal for the caller.

    - `snoozed_until`: null ends the snooze."""

    snoozed_until: Timestamp | None


class ReasonIn(ApiRequest):
    """A required reason."""

    reason: Reason


class WithdrawalIn(ApiRequest):
    """An optional reason for a withdrawal."""

    reason: Prose | None = None
