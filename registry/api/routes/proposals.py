"""Routes of proposals: create, edit, decide, discuss and approve."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Annotated, Any, cast
from uuid import UUID

from fastapi import Depends, Query, Response
from sqlalchemy import Engine
from sqlmodel import Session

from treaty.engine.core import clock
from treaty.registry import schemas
from treaty.registry.access import authentication, users
from treaty.registry.access.authentication import Principal
from treaty.registry.api.http import presenters
from treaty.registry.api.http.admission import admission, admission_router, document_body
from treaty.registry.api.http.dependencies import Caller, ContractFilter, Paging, Reader, Service, Shared, Writer
from treaty.registry.api.http.etags import IfMatch, needed, with_etag
from treaty.registry.api.routes.replays import replay_record
from treaty.registry.contracts.documents import Documents
from treaty.registry.contracts.locations import allowed_locations
from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import Decision, Permission, ProposalState
from treaty.registry.core.errors import IllegalTransition, InvalidRequest, RevisionConflict
from treaty.registry.core.state_machines import PROPOSAL
from treaty.registry.review.approval import approval, required_approvals, succession
from treaty.registry.review.proposals import (
    assignment,
    change_requests,
    discussion,
    editing,
    proposal_list,
    proposals,
    revisions,
    suggestion_decisions,
)
from treaty.registry.review.replays import replay as replays_replay
from treaty.registry.review.replays import replay_versions
from treaty.registry.tables import ContractRow, ProposalRow

router = admission_router(tags=["proposals"])


def unchanged(proposal_id: UUID, by: Caller, tx: Writer, if_match: IfMatch) -> None:
    """Raise PreconditionFailed if the proposal does not match If-Match."""
    if if_match.stated:
        proposal = proposals.get(tx, proposal_id, by=by, lock=True)
        if_match.check(tx, proposal.id, f'"{proposal.revision}"')


StateFilter = Annotated[ProposalState | None, Query(description="Only proposals in this state")]
Answered = Annotated[schemas.ResponseOptions, Query()]
# For changes whose bodies name the revision (approvals: the fingerprint), and for others.
UNCHANGED = [Depends(unchanged)]
STATED = [Depends(needed), *UNCHANGED]


@router.get("/proposals")
def list_proposals(
    by: Caller, tx: Reader, paging: Paging, state: StateFilter = None, contract_id: ContractFilter = None
) -> schemas.Page[schemas.ProposalSummaryOut]:
    """List proposals, newest first."""
    authentication.require_permission_anywhere(by, Permission.READ)
    listings = proposal_list.proposals(tx, by, paging, state=state, contract_id=contract_id)
    return presenters.page(lambda each: presenters.proposal_summary(each, by), listings)


@router.post("/proposals", status_code=201)
@admission(Permission.PROPOSE, body=document_body)
def propose(body: schemas.ProposalIn, by: Caller, tx: Writer) -> schemas.ProposalOut:
    """Create a proposal from a contract document, which is stored byte for byte."""
    now = clock.now()
    state = ProposalState.IN_REVIEW if body.submit else ProposalState.DRAFT
    proposal = ProposalRow(
        id=ids.new(),
        contract_id="",
        title=body.title or "",
        base=body.document.encode(),
        author_id=by.user_id,
        state=state,
        comment=body.comment,
        created_at=now,
        **body.window.model_dump(),
    )
    return _committed(tx, proposals.create(tx, proposal, author=by, now=now), by)


@router.get("/proposals/{proposal_id}")
def get_proposal(proposal_id: UUID, by: Caller, tx: Reader, answer: Response) -> schemas.ProposalOut:
    """Retrieve a proposal with its suggestions. Its ETag is its revision; send it as If-Match with a change."""
    return with_etag(answer, _shown(tx, proposals.get(tx, proposal_id, by=by), by))


@router.get("/proposals/{proposal_id}/preview")
def preview(proposal_id: UUID, by: Caller, tx: Reader) -> schemas.PreviewOut:
    """Retrieve the document that an approval would publish, with the fingerprint to approve."""
    proposal = proposals.get(tx, proposal_id, by=by)
    documents = Documents()
    document_preview = proposals.preview(tx, proposal, documents)
    follows = succession.check_succession(tx, document_preview.contract, documents)
    return schemas.PreviewOut(
        document=document_preview.document.decode(),
        fingerprint=document_preview.fingerprint,
        version=document_preview.version,
        revision=proposal.revision,
        follows_version=follows.follows,
        bump=follows.bump,
        suggested_version=follows.suggested,
        breaking_reasons=follows.breach_sentences,
        approval_blockers=tuple(map(schemas.FaultOut.model_validate, follows.refusals)),
    )


@router.put("/proposals/{proposal_id}/document", dependencies=UNCHANGED)
@admission(Permission.PROPOSE, body=document_body)
def edit(proposal_id: UUID, body: schemas.EditIn, by: Caller, tx: Writer) -> schemas.ProposalOut:
    """Replace the proposed document. Earlier approvals become void."""
    window = editing.EffectivePeriod(**body.window.model_dump()) if body.window else None
    document_edit = editing.DocumentEdit(body.document.encode(), body.revision, window)
    with _heard(tx, proposal_id, body.comment, by):
        proposal = editing.edit(tx, proposal_id, document_edit, by=by, now=clock.now())
    return _committed(tx, proposal, by)


@router.get("/proposals/{proposal_id}/comments")
def list_comments(proposal_id: UUID, by: Caller, tx: Reader, paging: Paging) -> schemas.Page[schemas.CommentOut]:
    """List the comments on a proposal, oldest first."""
    rows = discussion.comments(tx, proposal_id, paging, by=by)
    return presenters.page(lambda each: presenters.comment(*each), rows)


@router.post("/proposals/{proposal_id}/comments", status_code=201)
@admission(Permission.PROPOSE)
def add_comment(proposal_id: UUID, body: schemas.CommentIn, by: Caller, tx: Writer) -> schemas.CommentOut:
    """Add a comment to a proposal. Comments cannot be deleted."""
    proposal = proposals.get(tx, proposal_id, by=by)
    row = discussion.add_comment(tx, proposal, body.text, comment_id=ids.new(), by=by, now=clock.now())
    tx.commit()
    return presenters.comment(row, by.name)


@router.put("/proposals/{proposal_id}/suggestions/{suggestion_id}", dependencies=UNCHANGED)
@admission(Permission.PROPOSE, body=document_body)
def decide(
    proposal_id: UUID, suggestion_id: UUID, body: schemas.DecisionIn, by: Caller, tx: Writer
) -> schemas.ProposalOut:
    """Accept or reject a suggestion."""
    return _judge(tx, proposal_id, (suggestion_id,), _judgement(body, body.patch), by)


@router.post("/proposals/{proposal_id}/decisions", dependencies=UNCHANGED)
@admission(Permission.PROPOSE, body=document_body)
def decide_several(
    proposal_id: UUID, body: schemas.DecisionsIn, by: Caller, tx: Writer, answered: Answered
) -> schemas.ProposalOut:
    """Accept or reject several suggestions, all or none.

    - `decided_only`: return only the decided suggestions; the counts cover all suggestions."""
    return _judge(tx, proposal_id, body.suggestions, _judgement(body), by, decided_only=answered.decided_only)


@router.post("/proposals/{proposal_id}/submit", dependencies=STATED)
@admission(Permission.PROPOSE)
def submit(proposal_id: UUID, by: Caller, tx: Writer) -> schemas.ProposalOut:
    """Submit a draft for review."""
    return _committed(tx, approval.submit(tx, proposal_id, by=by, now=clock.now()), by)


@router.post("/proposals/{proposal_id}/approve")
@admission(Permission.DECIDE)
def approve(
    proposal_id: UUID, body: schemas.ApprovalIn, by: Caller, shared: Shared, read: Reader, tx: Writer
) -> schemas.ApprovalResultOut:
    """Approve exactly the previewed document. The last required approval publishes it as a version."""
    now, documents = clock.now(), Documents()
    replay = _replayed(read, proposal_id, shared, by, documents) if body.includes_replay else None
    approval_input = approval.ApprovalInput(
        fingerprint=body.fingerprint,
        make_id=ids.new,
        rules=allowed_locations.rules(tx, shared.settings),
        revision=body.revision,
        follows=body.follows_version,
        replay=replay,
        summary=body.comment,
        documents=documents,
    )
    with _keep_comment(tx, proposal_id, body.comment, by):
        result = approval.approve(tx, proposal_id, approval_input, by=by, now=now)
    if body.comment:
        # With the last approval, the comment is part of its notification.
        store = discussion.add_comment if result.version is None else discussion.store_comment
        store(tx, proposals.get(tx, proposal_id, by=by), body.comment, comment_id=ids.new(), by=by, now=now)
    tx.commit()
    version = presenters.version(result.version, by.name) if result.version else None
    return schemas.ApprovalResultOut(version=version, missing=result.missing)


@router.post("/proposals/{proposal_id}/reject", dependencies=STATED)
@admission(Permission.DECIDE)
def reject(proposal_id: UUID, body: schemas.ReasonIn, by: Caller, tx: Writer) -> schemas.ProposalOut:
    """Reject a proposal."""
    with _keep_comment(tx, proposal_id, body.reason, by):
        proposal = approval.reject(tx, proposal_id, by=by, reason=body.reason, now=clock.now())
    return _committed(tx, proposal, by)


@router.post("/proposals/{proposal_id}/request-changes", dependencies=UNCHANGED)
@admission(Permission.DECIDE)
def request_changes(proposal_id: UUID, body: schemas.ChangeRequestIn, by: Caller, tx: Writer) -> schemas.ProposalOut:
    """Request changes of a proposal and notify its authors. It cannot be approved until the request is settled."""
    change_request = change_requests.NewChangeRequest(body.text, body.revision, ids.new)
    with _keep_comment(tx, proposal_id, body.text, by):
        proposal = change_requests.request_changes(tx, proposal_id, change_request, by=by, now=clock.now())
    return _committed(tx, proposal, by)


@router.post("/proposals/{proposal_id}/request-changes/withdraw", dependencies=STATED)
@admission(Permission.PROPOSE)
def withdraw_change_request(proposal_id: UUID, by: Caller, tx: Writer) -> schemas.ProposalOut:
    """Withdraw the caller's request for changes. Its text remains in the discussion."""
    return _committed(tx, change_requests.take_back(tx, proposal_id, by=by, now=clock.now()), by)


@router.post("/proposals/{proposal_id}/assign", dependencies=STATED)
@admission(Permission.DECIDE)
def assign(proposal_id: UUID, body: schemas.AssigneeIn, by: Caller, tx: Writer) -> schemas.ProposalOut:
    """Assign a proposal to a user."""
    return _committed(tx, assignment.assign(tx, proposal_id, body.assignee, by=by, now=clock.now()), by)


@router.post("/proposals/{proposal_id}/snooze")
@admission(Permission.READ)
def snooze(proposal_id: UUID, body: schemas.ProposalSnoozeIn, by: Caller, tx: Writer) -> schemas.ProposalOut:
    """Snooze a proposal until a time, for the caller only."""
    return _committed(tx, assignment.snooze(tx, proposal_id, body.snoozed_until, by=by, now=clock.now()), by)


@router.post("/proposals/{proposal_id}/withdraw", dependencies=STATED)
@admission(Permission.PROPOSE)
def withdraw(proposal_id: UUID, body: schemas.WithdrawalIn, by: Caller, tx: Writer) -> schemas.ProposalOut:
    """Withdraw one of the caller's proposals."""
    return _committed(tx, approval.withdraw(tx, proposal_id, by=by, reason=body.reason, now=clock.now()), by)


def _replayed(read: Session, proposal_id: UUID, shared: Service, by: Principal, documents: Documents) -> dict[str, Any]:
    """Return the summary of the replay for the approval record."""
    return replays_replay.in_brief(
        replay_record(read, replay_versions.of_proposal(read, proposal_id, by=by, documents=documents), shared)
    )


def _judgement(
    body: schemas.DecisionBaseIn, patch: dict[str, Any] | None = None
) -> suggestion_decisions.SuggestionDecision:
    reason = body.reason if body.decision is not Decision.PENDING else None
    return suggestion_decisions.SuggestionDecision(
        decision=body.decision, revision=body.revision, reason=reason, patch=patch
    )


def _judge(
    tx: Session,
    proposal_id: UUID,
    chosen: tuple[UUID, ...],
    judgement: suggestion_decisions.SuggestionDecision,
    by: Principal,
    *,
    decided_only: bool = False,
) -> schemas.ProposalOut:
    with _keep_comment(tx, proposal_id, judgement.reason, by):
        proposal = suggestion_decisions.judge(tx, proposal_id, chosen, judgement, by=by, now=clock.now())
    return _committed(tx, proposal, by, chosen if decided_only else None, judgement.documents)


@contextmanager
def _heard(tx: Session, proposal_id: UUID, comment: str | None, by: Principal) -> Iterator[None]:
    """Add the comment after the block; if the revision is outdated, store only the comment."""
    with _keep_comment(tx, proposal_id, comment, by):
        yield
    if comment:
        proposal = proposals.get(tx, proposal_id, by=by)
        discussion.add_comment(tx, proposal, comment, comment_id=ids.new(), by=by, now=clock.now())


@contextmanager
def _keep_comment(tx: Session, proposal_id: UUID, comment: str | None, by: Principal) -> Iterator[None]:
    """Store the comment if the block fails because of an outdated revision or state.

    The comment is the only part of the request that is still meaningful."""
    try:
        yield
    except (RevisionConflict, IllegalTransition) as error:
        tx.rollback()
        if comment and Permission.PROPOSE in by.somewhere:
            _keep(tx, proposal_id, comment, by)
            error.message = f"{error.message.rstrip('.')}; your comment was saved in the discussion"
        raise


def _keep(tx: Session, proposal_id: UUID, comment: str, by: Principal) -> None:
    """Store the comment in a transaction of its own, because the request is rolled back."""
    with transaction(cast("Engine", tx.get_bind())) as separate_tx:
        proposal = proposals.get(separate_tx, proposal_id, by=by)
        discussion.add_comment(separate_tx, proposal, comment, comment_id=ids.new(), by=by, now=clock.now())
        separate_tx.commit()


def _committed(
    tx: Session,
    proposal: ProposalRow,
    by: Principal,
    chosen: tuple[UUID, ...] | None = None,
    documents: Documents | None = None,
) -> schemas.ProposalOut:
    tx.commit()
    return _shown(tx, proposal, by, chosen, documents)


def _shown(
    tx: Session,
    proposal: ProposalRow,
    by: Principal,
    chosen: tuple[UUID, ...] | None = None,
    documents: Documents | None = None,
) -> schemas.ProposalOut:
    suggestions = proposals.suggestions_of(tx, proposal, chosen)
    contract = tx.get(ContractRow, proposal.contract_id)
    names = users.names(tx, {proposal.decided_by_id, *(each.decided_by_id for each in suggestions)})
    review = presenters.ProposalReview(
        approvals=required_approvals.approvals(tx, proposal.id),
        writers=revisions.editors(tx, proposal),
        missing=_missing(tx, proposal, documents or Documents()),
        active_version=contract.active_version if contract else None,
    )
    return presenters.proposal(proposal_list.proposal_listing(tx, proposal), suggestions, review, names=names, by=by)


def _missing(tx: Session, proposal: ProposalRow, documents: Documents) -> tuple[str, ...]:
    """Return what a proposal in review lacks.

    Empty for other proposals, and if the document can no longer be generated."""
    if proposal.state not in PROPOSAL.states_allowing("approve"):
        return ()
    with suppress(InvalidRequest):
        return required_approvals.missing(tx, proposal, documents)
    return ()
