"""Client methods for the inbox and for proposals."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport
from treaty.registry.core.enums import Decision, ProposalState


class ProposalsApi(ApiTransport):
    """Client methods for the inbox and for proposals."""

    def inbox(self) -> schemas.InboxOut:
        """Fetch the inbox of the caller."""
        return self._get(schemas.InboxOut, "/inbox")

    def inbox_counts(self) -> schemas.InboxCountsOut:
        """Count the inbox items that wait for the caller."""
        return self._get(schemas.InboxCountsOut, "/inbox/counts")

    def proposals(
        self, *, state: ProposalState | None = None, contract_id: str | None = None, limit: int = 100
    ) -> list[schemas.ProposalSummaryOut]:
        """List proposals, newest first."""
        form = schemas.Page[schemas.ProposalSummaryOut]
        return self._list(form, "/proposals", state=state, contract_id=contract_id, limit=limit)

    def proposal(self, proposal_id: UUID) -> schemas.ProposalOut:
        """Fetch a proposal with its suggestions."""
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
        """Create a proposal from a contract document.

        `submit`: False creates a draft. `window`: when the version is in force; None means from its approval."""
        period = window or schemas.EffectivePeriodIn()
        body = schemas.ProposalIn(document=document, title=title, comment=comment, submit=submit, window=period)
        return self._post(schemas.ProposalOut, "/proposals", body)

    def preview(self, proposal_id: UUID) -> schemas.PreviewOut:
        """Fetch the document that an approval would publish as a version."""
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
        """Accept or reject suggestions, all or none.

        `revision`: revision of the proposal that the decision is based on.
        `decided_only`: the response contains only these suggestions."""
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
        """Replace the proposed document.

        `revision`: revision of the proposal that the edit is based on. `window`: None leaves it unchanged."""
        body = schemas.EditIn(document=document, revision=revision, window=window, comment=comment)
        return self._put(schemas.ProposalOut, f"/proposals/{proposal_id}/document", body)

    def change(
        self, proposal_id: UUID, suggestion: UUID, patch: Mapping[str, Any], *, revision: int, reason: str | None = None
    ) -> schemas.ProposalOut:
        """Accept a suggestion with edited content.

        `revision`: revision of the proposal that the edit is based on."""
        accepted = Decision.ACCEPTED
        body = schemas.DecisionIn(decision=accepted, revision=revision, reason=reason, patch=dict(patch))
        return self._put(schemas.ProposalOut, f"/proposals/{proposal_id}/suggestions/{suggestion}", body)

    def comments(self, proposal_id: UUID) -> list[schemas.CommentOut]:
        """List the comments on a proposal, oldest first."""
        return self._list(schemas.Page[schemas.CommentOut], f"/proposals/{proposal_id}/comments")

    def add_comment(self, proposal_id: UUID, text: str) -> schemas.CommentOut:
        """Add a comment to a proposal. Comments cannot be deleted."""
        return self._post(schemas.CommentOut, f"/proposals/{proposal_id}/comments", schemas.CommentIn(text=text))

    def submit(self, proposal_id: UUID, *, etag: str = "*") -> schemas.ProposalOut:
        """Submit one of the caller's drafts for review."""
        return self._changed(schemas.ProposalOut, "POST", f"/proposals/{proposal_id}/submit", etag)

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
        """Approve a previewed document.

        `fingerprint`, `revision`: of the preview. `follows`: the version that the preview was compared with.
        `replay`: the approver has seen the replay; it becomes part of the approval record."""
        details = {"revision": revision, "follows_version": follows, "comment": comment, "includes_replay": replay}
        body = schemas.ApprovalIn.model_validate({"fingerprint": fingerprint, **details})
        return self._post(schemas.ApprovalResultOut, f"/proposals/{proposal_id}/approve", body)

    def reject(self, proposal_id: UUID, reason: str, *, etag: str = "*") -> schemas.ProposalOut:
        """Reject the proposal."""
        return self._changed(
            schemas.ProposalOut, "POST", f"/proposals/{proposal_id}/reject", etag, body=schemas.ReasonIn(reason=reason)
        )

    def request_changes(self, proposal_id: UUID, text: str, *, revision: int) -> schemas.ProposalOut:
        """Request changes; the proposal cannot be approved until the request is settled.

        `revision`: revision of the proposal that the request is based on."""
        body = schemas.ChangeRequestIn(text=text, revision=revision)
        return self._post(schemas.ProposalOut, f"/proposals/{proposal_id}/request-changes", body)

    def withdraw_change_request(self, proposal_id: UUID, *, etag: str = "*") -> schemas.ProposalOut:
        """Withdraw the caller's request for changes."""
        return self._changed(schemas.ProposalOut, "POST", f"/proposals/{proposal_id}/request-changes/withdraw", etag)

    def assign_proposal(self, proposal_id: UUID, to: str | None, *, etag: str = "*") -> schemas.ProposalOut:
        """Assign the proposal to a user; None removes the assignee."""
        return self._changed(
            schemas.ProposalOut, "POST", f"/proposals/{proposal_id}/assign", etag, body=schemas.AssigneeIn(assignee=to)
        )

    def snooze_proposal(self, proposal_id: UUID, until: datetime | None) -> schemas.ProposalOut:
        """Snooze the proposal for the caller until a time; None ends the snooze."""
        return self._post(
            schemas.ProposalOut, f"/proposals/{proposal_id}/snooze", schemas.ProposalSnoozeIn(snoozed_until=until)
        )

    def withdraw(self, proposal_id: UUID, reason: str | None = None, *, etag: str = "*") -> schemas.ProposalOut:
        """Withdraw one of the caller's proposals."""
        body = schemas.WithdrawalIn(reason=reason)
        return self._changed(schemas.ProposalOut, "POST", f"/proposals/{proposal_id}/withdraw", etag, body=body)
