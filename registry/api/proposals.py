"""Routes of proposals: put forward, decided suggestion by suggestion, approved, declined."""

from uuid import UUID

from fastapi import APIRouter, Depends, Response
from sqlmodel import Session

from registry import access, approval, catalog, clock, drafts, ids
from registry.access import Principal
from registry.api import schemas, views
from registry.api.dependencies import Caller, Paging, Reader, Writer
from registry.api.etags import IfMatch, tagged
from registry.tables import Contract, Proposal
from registry.words import Decision, Permission, ProposalState

router = APIRouter(tags=["proposals"])


def unchanged(proposal_id: UUID, by: Caller, tx: Writer, seen: IfMatch) -> None:
    """Returns where the proposal is as the request's If-Match says, or it says nothing; raises Changed where not."""
    if seen.stated:
        proposal = drafts.get(tx, proposal_id, by=by, lock=True)
        seen.check(tx, proposal.id, f'"{proposal.revision}"')


# Of what changes a proposal, but for approving it: that names the fingerprint that was seen.
UNCHANGED = [Depends(unchanged)]


@router.get("/inbox")
def inbox(by: Caller, tx: Reader) -> schemas.InboxOut:
    """What waits for the asking user."""
    access.decide_somewhere(by, Permission.READ)
    found = catalog.inbox(tx, by)
    return schemas.InboxOut(
        to_decide=tuple(map(views.proposal_summary, found.to_decide)),
        waiting=tuple(map(views.proposal_summary, found.waiting)),
        failed_runs=tuple(map(schemas.RunSummary.model_validate, found.failed_runs)),
    )


@router.get("/proposals")
def list_proposals(
    by: Caller, tx: Reader, asked: Paging, state: ProposalState | None = None, contract_id: str | None = None
) -> schemas.Page[schemas.ProposalSummary]:
    """Proposals, newest first."""
    access.decide_somewhere(by, Permission.READ)
    found = catalog.proposals(tx, by, asked, state=state, contract_id=contract_id)
    return views.page(views.proposal_summary, found)


@router.post("/proposals", status_code=201)
def propose(body: schemas.ProposalIn, by: Caller, tx: Writer) -> schemas.ProposalOut:
    """Puts a contract document forward; it is kept byte for byte."""
    now = clock.now()
    state = ProposalState.IN_REVIEW if body.submit else ProposalState.DRAFT
    proposal = Proposal(
        id=ids.new(),
        contract_id="",
        title=body.title or "",
        base=body.document.encode(),
        author_id=by.user_id,
        state=state,
        comment=body.comment,
        created=now,
    )
    return _committed(tx, drafts.create(tx, proposal, author=by, now=now), by)


@router.get("/proposals/{proposal_id}")
def get_proposal(proposal_id: UUID, by: Caller, tx: Reader, answer: Response) -> schemas.ProposalOut:
    """A proposal with its suggestions. Its ETag is its revision: what is sent as If-Match with a change of it."""
    return tagged(answer, _shown(tx, drafts.get(tx, proposal_id, by=by), by))


@router.get("/proposals/{proposal_id}/preview")
def preview(proposal_id: UUID, by: Caller, tx: Reader) -> schemas.PreviewOut:
    """The document that an approval would make a version, and the fingerprint that it must name."""
    proposal = drafts.get(tx, proposal_id, by=by)
    shown = drafts.preview(tx, proposal)
    return schemas.PreviewOut(
        document=shown.document.decode(),
        fingerprint=shown.fingerprint,
        version=shown.version,
        revision=proposal.revision,
    )


@router.put("/proposals/{proposal_id}/suggestions/{suggestion_id}", dependencies=UNCHANGED)
def judge(
    proposal_id: UUID, suggestion_id: UUID, body: schemas.DecisionIn, by: Caller, tx: Writer
) -> schemas.ProposalOut:
    """Decides about one suggestion."""
    return _judge(tx, proposal_id, (suggestion_id,), body, by)


@router.post("/proposals/{proposal_id}/decisions", dependencies=UNCHANGED)
def judge_several(proposal_id: UUID, body: schemas.DecisionsIn, by: Caller, tx: Writer) -> schemas.ProposalOut:
    """Decides about several suggestions, all or none."""
    return _judge(tx, proposal_id, body.suggestions, body, by)


@router.post("/proposals/{proposal_id}/submit", dependencies=UNCHANGED)
def submit(proposal_id: UUID, by: Caller, tx: Writer) -> schemas.ProposalOut:
    """Puts a draft before the owners."""
    return _committed(tx, approval.submit(tx, proposal_id, by=by, now=clock.now()), by)


@router.post("/proposals/{proposal_id}/approve")
def approve(proposal_id: UUID, body: schemas.ApprovalIn, by: Caller, tx: Writer) -> schemas.VersionOut:
    """Makes the proposal the contract's active version."""
    brought = approval.Approval(body.fingerprint, make_id=ids.new)
    version = approval.approve(tx, proposal_id, brought, by=by, now=clock.now())
    tx.commit()
    return views.version(version, by.name)


@router.post("/proposals/{proposal_id}/reject", dependencies=UNCHANGED)
def reject(proposal_id: UUID, body: schemas.ReasonIn, by: Caller, tx: Writer) -> schemas.ProposalOut:
    """Declines the proposal."""
    return _committed(tx, approval.reject(tx, proposal_id, by=by, reason=body.reason, now=clock.now()), by)


@router.post("/proposals/{proposal_id}/withdraw", dependencies=UNCHANGED)
def withdraw(proposal_id: UUID, body: schemas.WithdrawalIn, by: Caller, tx: Writer) -> schemas.ProposalOut:
    """Takes one's own proposal back."""
    return _committed(tx, approval.withdraw(tx, proposal_id, by=by, reason=body.reason, now=clock.now()), by)


def _judge(
    tx: Session, proposal_id: UUID, chosen: tuple[UUID, ...], body: schemas.DecisionIn, by: Principal
) -> schemas.ProposalOut:
    reason = body.reason if body.decision is not Decision.PENDING else None
    judgement = drafts.Judgement(body.decision, body.revision, reason)
    return _committed(tx, drafts.judge(tx, proposal_id, chosen, judgement, by=by, now=clock.now()), by)


def _committed(tx: Session, proposal: Proposal, by: Principal) -> schemas.ProposalOut:
    tx.commit()
    return _shown(tx, proposal, by)


def _shown(tx: Session, proposal: Proposal, by: Principal) -> schemas.ProposalOut:
    suggestions = drafts.suggestions_of(tx, proposal)
    names = catalog.names(tx, {proposal.decided_by_id, *(each.decided_by_id for each in suggestions)})
    contract = tx.get(Contract, proposal.contract_id)
    active = contract.active_version if contract else None
    return views.proposal(catalog.listed(tx, proposal), suggestions, names=names, active_version=active, by=by)
