"""Proposals, their suggestions and decisions, as the API takes and gives them."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import AwareDatetime, Field, computed_field

from treaty.contracts.comparison.compatibility import Bump
from treaty.registry.core.enums import Decision, ProposalState
from treaty.registry.core.state_machines import OPEN
from treaty.registry.schemas.base import ApiModel, ApiRequest, EtagModel, FaultOut, Name, Prose, Reason, UserName

Document = Annotated[str, Field(min_length=1, max_length=262_144)]


class EffectivePeriodIn(ApiRequest):
    """When a version shall be in force; None: at once, and until another takes its place."""

    effective_from: AwareDatetime | None = None
    effective_until: AwareDatetime | None = None


class ProposalIn(ApiRequest):
    """A contract document to be reviewed, as text. `submit` puts it before the owners at once."""

    document: Document
    title: Name | None = None
    comment: Prose | None = None
    submit: bool = True
    window: EffectivePeriodIn = EffectivePeriodIn()


class EditIn(ApiRequest):
    """Another document in place of the proposed one; `revision` is the one that was shown. `window` None: as it was.

    The comment is kept in the discussion, also where somebody else was first."""

    document: Document
    revision: int
    window: EffectivePeriodIn | None = None
    comment: Prose | None = None


class SuggestionOut(ApiModel):
    """A suggested check: what was drafted, with its evidence, and what was decided.

    `edited_patch`: what was accepted in place of the drafted patch. `new_evidence`: of one rejected before, what its
    evidence says now and did not say then."""

    id: UUID
    identity: str
    position: int
    content: dict[str, Any]
    decision: Decision
    reason: str | None
    rejected_before: bool
    edited_patch: dict[str, Any] | None = None
    new_evidence: str | None = None
    decided_by: str | None
    decided_at: datetime | None


class ApprovalOut(ApiModel):
    """An owner's approval of exactly the document of that fingerprint. `voided_at`: it was edited after that."""

    approver: str
    version: str
    fingerprint: str
    revision: int
    approved_at: datetime
    voided_at: datetime | None


class ChangeRequestOut(ApiModel):
    """What somebody asks to be changed, when the proposal was at that revision; it is not approved meanwhile.

    `is_own`: the asking principal said so."""

    author: str
    revision: int
    text: str
    created_at: datetime
    is_own: bool


class ProposalSummaryOut(EtagModel):
    """A proposal in a list. `voided_approvals`: the asking principal approved it, and it was edited after that.
    `change_requests`: who asks for changes. `assignee`: who is to decide; None: whoever may."""

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
        """Whether it may still be changed."""
        return self.state in OPEN

    @computed_field  # type: ignore[prop-decorator]
    @property
    def etag(self) -> str:
        """Its revision: what the reader may do to it is no part of its state."""
        return f'"{self.revision}"'


class ProposalOut(ProposalSummaryOut):
    """A proposal with its suggestions. The `may_` fields say what the asking principal may do to it now.

    `approvals_given` are all approvals; `approvals_missing` says, while it is in review, what it lacks to become a
    version."""

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
    """What is decided; `revision` is the one that was shown. A rejection needs a reason."""

    decision: Decision
    revision: int
    reason: Prose | None = None


class DecisionIn(DecisionBaseIn):
    """A decision about one suggestion. `patch`: what an accepted one sets in place of what was drafted."""

    patch: dict[str, Any] | None = None


class DecisionsIn(DecisionBaseIn):
    """One decision about several suggestions of one proposal, all or none."""

    suggestions: Annotated[tuple[UUID, ...], Field(min_length=1, max_length=1000)]


class ResponseOptions(ApiRequest):
    """How it is answered. `decided_only`: with the suggestions that were decided alone; the counts are of all."""

    decided_only: bool = False


class PreviewOut(ApiModel):
    """The document as it would become a version. `fingerprint` is what an approval must name.

    `follows_version`: the version in force that it is compared with; None: it is the first. `bump`: how large the
    change is, and `suggested_version` the free number that says so. `breaking_reasons`: the modes of compatibility that
    it breaks, in words. `approval_blockers`: what of that, and of its number, the terms in force do not admit, so that
    it cannot be approved."""

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
    """The fingerprint of the preview that the approver saw, and its revision, without which no window is approved.

    `follows_version`: the version in force that the preview was compared with; where another is by now, nothing is
    approved. `includes_replay`: they were shown the replay, too: what it says is part of the approval's record.

    The comment is kept in the discussion, also where somebody else was first."""

    fingerprint: str
    revision: int | None = None
    follows_version: str | None = None
    comment: Prose | None = None
    includes_replay: bool = False


class CommentIn(ApiRequest):
    """What to say about a proposal."""

    text: Reason


class CommentOut(ApiModel):
    """What somebody said about a proposal, when it was at that revision."""

    id: UUID
    author: str
    revision: int
    text: str
    created_at: datetime


class ChangeRequestIn(CommentIn):
    """What to change; `revision` is the one that was shown."""

    revision: int


class AssigneeIn(ApiRequest):
    """Who is to decide; null: nobody in particular."""

    assignee: UserName | None


class ProposalSnoozeIn(ApiRequest):
    """Until when it shall not wait for the asking user; null: it does from now on."""

    snoozed_until: AwareDatetime | None


class ReasonIn(ApiRequest):
    """Why."""

    reason: Reason


class WithdrawalIn(ApiRequest):
    """Why, if the author wants to say."""

    reason: Prose | None = None
