"""Proposals, their suggestions and decisions, as the API takes and gives them."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field, computed_field

from registry.api.schemas.base import Name, Prose, Reason, Request, Schema, Versioned
from registry.words import Decision, ProposalState


class ProposalIn(Request):
    """A contract document to be reviewed, as text. `submit` puts it before the owners at once."""

    document: Annotated[str, Field(min_length=1, max_length=262_144)]
    title: Name | None = None
    comment: Prose | None = None
    submit: bool = True


class SuggestionOut(Schema):
    """A suggested check: what was drafted, with its evidence, and what was decided."""

    id: UUID
    identity: str
    position: int
    content: dict[str, Any]
    decision: Decision
    reason: str | None
    rejected_before: bool
    decided_by: str | None
    decided_at: datetime | None


class ProposalSummary(Versioned):
    """A proposal in a list."""

    id: UUID
    contract_id: str
    title: str
    author: str
    state: ProposalState
    revision: int
    created: datetime
    pending: int
    accepted: int
    rejected: int

    @computed_field  # type: ignore[prop-decorator]
    @property
    def etag(self) -> str:
        """Its revision: what the reader may do to it is no part of its state."""
        return f'"{self.revision}"'


class ProposalOut(ProposalSummary):
    """A proposal with its suggestions. The `may_` fields say what the asking principal may do to it now."""

    comment: str | None
    reason: str | None
    decided_by: str | None
    decided_at: datetime | None
    task_id: UUID | None
    source: dict[str, Any] | None
    active_version: str | None
    suggestions: tuple[SuggestionOut, ...]
    may_judge: bool
    may_submit: bool
    may_approve: bool
    may_reject: bool
    may_withdraw: bool


class DecisionIn(Request):
    """A decision about one suggestion; `revision` is the one that was shown. A rejection needs a reason."""

    decision: Decision
    revision: int
    reason: Prose | None = None


class DecisionsIn(DecisionIn):
    """One decision about several suggestions of one proposal, all or none."""

    suggestions: Annotated[tuple[UUID, ...], Field(min_length=1, max_length=1000)]


class PreviewOut(Schema):
    """The document as it would become a version. `fingerprint` is what an approval must name."""

    document: str
    fingerprint: str
    version: str
    revision: int


class ApprovalIn(Request):
    """The fingerprint of the preview that the approver saw."""

    fingerprint: str


class ReasonIn(Request):
    """Why."""

    reason: Reason


class WithdrawalIn(Request):
    """Why, if the author wants to say."""

    reason: Prose | None = None
