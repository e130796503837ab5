"""Calls about proposals: what waits, and the way of a document to a version."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport
from treaty.registry.core.enums import Decision, ProposalState


class ProposalsApi(ApiTransport):
    """Proposals: what waits, and the way of a document to a version."""

    def inbox(self) -> schemas.InboxOut:
        """What waits for whom this client acts as."""
        return self._get(schemas.InboxOut, "/inbox")

    def inbox_counts(self) -> schemas.InboxCountsOut:
        """How much of it waits for them themself."""
        return self._get(schemas.InboxCountsOut, "/inbox/counts")

    def proposals(
        self, *, state: ProposalState | None = None, contract_id: str | None = None, limit: int = 100
    ) -> list[schemas.ProposalSummaryOut]:
        """Proposals, newest first."""
        form = schemas.Page[schemas.ProposalSummaryOut]
        return self._list(form, "/proposals", state=state, contract_id=contract_id, limit=limit)

    def proposal(self, proposal_id: UUID) -> schemas.ProposalOut:
        """A proposal with its suggestions."""
        return self._get(schemas.ProposalOut, f"/proposals/{proposal_id}")

    def propose(
        self,
        document: str,
        *,
        title: str | None = None,
        comment: str | None = None,
        submit: bool = True,
        window: schemas.EffectivePeriodIn | None = None,
    ) -> schemas.ProposalOut:
        """Puts a contract document forward; `submit` False keeps it a draft."""
        when = window or schemas.EffectivePeriodIn()
        body = schemas.ProposalIn(document=document, title=title, comment=comment, submit=submit, window=when)
        return self._post(schemas.ProposalOut, "/proposals", body)

    def preview(self, proposal_id: UUID) -> schemas.PreviewOut:
        """The document that an approval would make a version."""
        return self._get(schemas.PreviewOut, f"/proposals/{proposal_id}/preview")

    def decide(
        self,
        proposal_id: UUID,
        suggestions: Iterable[UUID],
        decision: Decision,
        *,
        revision: int,
        reason: str | None = None,
        decided_only: bool = False,
    ) -> schemas.ProposalOut:
        """Decides about the suggestions, all or none, as of the revision that was seen. `decided_only`: the answer has
        these suggestions alone."""
        body = schemas.DecisionsIn(suggestions=tuple(suggestions), decision=decision, revision=revision, reason=reason)
        return self._post(
            schemas.ProposalOut, f"/proposals/{proposal_id}/decisions", body, decided_only=decided_only or None
        )

    def edit(
        self,
        proposal_id: UUID,
        document: str,
        *,
        revision: int,
        window: schemas.EffectivePeriodIn | None = None,
        comment: str | None = None,
    ) -> schemas.ProposalOut:
        """Puts another document in place of the proposed one, as of the revision that was seen."""
        body = schemas.EditIn(document=document, revision=revision, window=window, comment=comment)
        return self._put(schemas.ProposalOut, f"/proposals/{proposal_id}/document", body)

    def change(
        self, proposal_id: UUID, suggestion: UUID, patch: Mapping[str, Any], *, revision: int, reason: str | None = None
    ) -> schemas.ProposalOut:
        """Accepts the suggestion with another content than was drafted, as of the revision that was seen."""
        accepted = Decision.ACCEPTED
        body = schemas.DecisionIn(decision=accepted, revision=revision, reason=reason, patch=dict(patch))
        return self._put(schemas.ProposalOut, f"/proposals/{proposal_id}/suggestions/{suggestion}", body)

    def comments(self, proposal_id: UUID) -> list[schemas.CommentOut]:
        """The discussion of a proposal, oldest first."""
        return self._list(schemas.Page[schemas.CommentOut], f"/proposals/{proposal_id}/comments")

    def add_comment(self, proposal_id: UUID, text: str) -> schemas.CommentOut:
        """Says something about a proposal, for good."""
        return self._post(schemas.CommentOut, f"/proposals/{proposal_id}/comments", schemas.CommentIn(text=text))

    def submit(self, proposal_id: UUID) -> schemas.ProposalOut:
        """Puts one's draft before the owners."""
        return self._post(schemas.ProposalOut, f"/proposals/{proposal_id}/submit")

    def approve(
        self,
        proposal_id: UUID,
        fingerprint: str,
        *,
        revision: int | None = None,
        follows: str | None = None,
        comment: str | None = None,
        replay: bool = False,
    ) -> schemas.ApprovalResultOut:
        """Approves the preview that was seen, as of its revision and of the version it was compared with; `replay`:
        the replay was seen, too, and goes on record."""
        told = {"revision": revision, "follows_version": follows, "comment": comment, "includes_replay": replay}
        body = schemas.ApprovalIn.model_validate({"fingerprint": fingerprint, **told})
        return self._post(schemas.ApprovalResultOut, f"/proposals/{proposal_id}/approve", body)

    def reject(self, proposal_id: UUID, reason: str) -> schemas.ProposalOut:
        """Declines the proposal."""
        return self._post(schemas.ProposalOut, f"/proposals/{proposal_id}/reject", schemas.ReasonIn(reason=reason))

    def request_changes(self, proposal_id: UUID, text: str, *, revision: int) -> schemas.ProposalOut:
        """Asks for changes, as of the revision that was seen; nobody approves it meanwhile."""
        body = schemas.ChangeRequestIn(text=text, revision=revision)
        return self._post(schemas.ProposalOut, f"/proposals/{proposal_id}/request-changes", body)

    def withdraw_change_request(self, proposal_id: UUID) -> schemas.ProposalOut:
        """Asks for changes no longer."""
        return self._post(schemas.ProposalOut, f"/proposals/{proposal_id}/request-changes/withdraw")

    def assign_proposal(self, proposal_id: UUID, to: str | None) -> schemas.ProposalOut:
        """Says who is to decide about it; None: nobody in particular."""
        return self._post(schemas.ProposalOut, f"/proposals/{proposal_id}/assign", schemas.AssigneeIn(assignee=to))

    def snooze_proposal(self, proposal_id: UUID, until: datetime | None) -> schemas.ProposalOut:
        """Puts it off until then, for whom this client acts as; None: not any longer."""
        return self._post(
            schemas.ProposalOut, f"/proposals/{proposal_id}/snooze", schemas.ProposalSnoozeIn(snoozed_until=until)
        )

    def withdraw(self, proposal_id: UUID, reason: str | None = None) -> schemas.ProposalOut:
        """Takes one's own proposal back."""
        body = schemas.WithdrawalIn(reason=reason)
        return self._post(schemas.ProposalOut, f"/proposals/{proposal_id}/withdraw", body)
