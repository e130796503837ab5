"""Calls about proposals: what waits, and the way of a document to a version."""

from collections.abc import Iterable
from uuid import UUID

from registry.api import schemas
from registry.client.calls import Calls
from registry.words import Decision, ProposalState


class Proposals(Calls):
    """Proposals: what waits, and the way of a document to a version."""

    def inbox(self) -> schemas.InboxOut:
        """What waits for whom this client acts as."""
        return self._get(schemas.InboxOut, "/inbox")

    def proposals(
        self, *, state: ProposalState | None = None, contract_id: str | None = None, limit: int = 100
    ) -> list[schemas.ProposalSummary]:
        """Proposals, newest first."""
        form = schemas.Page[schemas.ProposalSummary]
        return self._listed(form, "/proposals", state=state, contract_id=contract_id, limit=limit)

    def proposal(self, proposal_id: UUID) -> schemas.ProposalOut:
        """A proposal with its suggestions."""
        return self._get(schemas.ProposalOut, f"/proposals/{proposal_id}")

    def propose(
        self, document: str, *, title: str | None = None, comment: str | None = None, submit: bool = True
    ) -> schemas.ProposalOut:
        """Puts a contract document forward; `submit` False keeps it a draft."""
        body = schemas.ProposalIn(document=document, title=title, comment=comment, submit=submit)
        return self._post(schemas.ProposalOut, "/proposals", body)

    def preview(self, proposal_id: UUID) -> schemas.PreviewOut:
        """The document that an approval would make a version."""
        return self._get(schemas.PreviewOut, f"/proposals/{proposal_id}/preview")

    def judge(
        self,
        proposal_id: UUID,
        suggestions: Iterable[UUID],
        decision: Decision,
        *,
        revision: int,
        reason: str | None = None,
    ) -> schemas.ProposalOut:
        """Decides about the suggestions, all or none, as of the revision that was seen."""
        body = schemas.DecisionsIn(suggestions=tuple(suggestions), decision=decision, revision=revision, reason=reason)
        return self._post(schemas.ProposalOut, f"/proposals/{proposal_id}/decisions", body)

    def submit(self, proposal_id: UUID) -> schemas.ProposalOut:
        """Puts one's draft before the owners."""
        return self._post(schemas.ProposalOut, f"/proposals/{proposal_id}/submit")

    def approve(self, proposal_id: UUID, fingerprint: str) -> schemas.VersionOut:
        """Makes the proposal the active version; `fingerprint` is that of the preview that was seen."""
        body = schemas.ApprovalIn(fingerprint=fingerprint)
        return self._post(schemas.VersionOut, f"/proposals/{proposal_id}/approve", body)

    def reject(self, proposal_id: UUID, reason: str) -> schemas.ProposalOut:
        """Declines the proposal."""
        return self._post(schemas.ProposalOut, f"/proposals/{proposal_id}/reject", schemas.ReasonIn(reason=reason))

    def withdraw(self, proposal_id: UUID, reason: str | None = None) -> schemas.ProposalOut:
        """Takes one's own proposal back."""
        body = schemas.WithdrawalIn(reason=reason)
        return self._post(schemas.ProposalOut, f"/proposals/{proposal_id}/withdraw", body)
