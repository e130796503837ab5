"""Proposals: documents on their way to become versions, and the decisions about their suggested checks.

A suggestion is plain data: its `id` names it from draft to draft; `object`, `column` (or None) and `patch` say what
it would set in the document, as `contracts.changes` takes it; everything else in it is for people."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlmodel import Session, col, select

from contracts import changes, reading, writing
from contracts.document import Contract
from contracts.errors import ContractError, Fault
from contracts.logical_types import Schema
from engine.checks import bind
from registry import audit, scope
from registry.access import Principal, decide, decide_somewhere
from registry.datasets import names_of
from registry.errors import Conflict, Forbidden, IllegalTransition, Invalid, NotFound
from registry.tables import ContractVersion, Proposal, SuggestionRow, User
from registry.versions import next_free
from registry.words import Action, Decision, Permission, ProposalState

LONGEST_NAME = 500
OPEN = frozenset({ProposalState.DRAFT, ProposalState.IN_REVIEW})
STEPS: dict[ProposalState, Mapping[str, ProposalState]] = {
    ProposalState.DRAFT: {"submit": ProposalState.IN_REVIEW, "withdraw": ProposalState.WITHDRAWN},
    ProposalState.IN_REVIEW: {
        "approve": ProposalState.APPROVED,
        "reject": ProposalState.REJECTED,
        "withdraw": ProposalState.WITHDRAWN,
    },
    ProposalState.APPROVED: {},
    ProposalState.REJECTED: {},
    ProposalState.WITHDRAWN: {},
}
DECIDED = {
    Decision.ACCEPTED: Action.SUGGESTION_ACCEPTED,
    Decision.REJECTED: Action.SUGGESTION_REJECTED,
    Decision.PENDING: Action.SUGGESTION_RESET,
}


@dataclass(frozen=True)
class Preview:
    """The document that an approval would make a version, and the fingerprint that the approval must name."""

    document: bytes
    fingerprint: str
    version: str


@dataclass(frozen=True)
class Judgement:
    """A decision about suggestions. `revision` is the one that the deciding person saw."""

    decision: Decision
    revision: int
    reason: str | None = None


def read(document: bytes) -> Contract:
    """The contract in the document. Raises Invalid with all faults of its text and of its checks."""
    try:
        contract = reading.read(document)
    except ContractError as error:
        raise Invalid.because(error) from error
    faults = [fault for each in contract.objects for fault in _faults_of(contract, each.name)]
    faults.extend(_unkeepable(contract))
    if faults:
        raise Invalid.because(ContractError(faults))
    return contract


def create(session: Session, proposal: Proposal, *, author: Principal, now: datetime) -> Proposal:
    """Adds a person's proposal: its `base` is kept byte for byte. Raises Invalid with all faults of the document."""
    decide_somewhere(author, Permission.PROPOSE)
    contract = read(proposal.base)
    for place in scope.targets(session, contract):
        decide(author, Permission.PROPOSE, place)
    proposal.contract_id, proposal.title = contract.id, proposal.title or f"{contract.name} {contract.version}"
    proposal.domain = scope.proposed(session, contract).domain
    session.add(proposal)
    details = {"contract": contract.id, "version": contract.version, "state": proposal.state.value}
    audit.record(session, Action.PROPOSAL_CREATED, actor=author.name, object_id=proposal.id, now=now, details=details)
    return proposal


def create_drafted(
    session: Session,
    proposal: Proposal,
    suggestions: Sequence[Mapping[str, Any]],
    *,
    make_id: Callable[[], UUID],
    now: datetime,
) -> Proposal:
    """Adds the proposal of a draft task with its suggestions; those rejected before for this contract are marked.

    The audit names the author, who asked for the draft. Raises Invalid with all faults of the document."""
    contract = read(proposal.base)
    proposal.contract_id, proposal.title = contract.id, proposal.title or f"Draft of {contract.name}"
    proposal.domain = scope.proposed(session, contract).domain
    session.add(proposal)
    remembered = _rejected_before(session, contract.id, [each["id"] for each in suggestions])
    for position, content in enumerate(suggestions):
        session.add(_row(proposal, position, content, remembered=remembered, row_id=make_id()))
    actor = session.get_one(User, proposal.author_id).name
    details = {"contract": contract.id, "suggestions": len(suggestions), "state": proposal.state.value}
    audit.record(session, Action.PROPOSAL_CREATED, actor=actor, object_id=proposal.id, now=now, details=details)
    return proposal


def get(session: Session, proposal_id: UUID, *, by: Principal, lock: bool = False) -> Proposal:
    """The proposal. Raises NotFound where there is none, and for drafts of others who did not submit them yet."""
    decide_somewhere(by, Permission.READ)
    proposal = session.get(Proposal, proposal_id, with_for_update=lock)
    if proposal is None or not visible(proposal, by):
        raise NotFound
    return proposal


def visible(proposal: Proposal, by: Principal) -> bool:
    """Whether the principal may see it: a draft is its author's alone until it is submitted."""
    own = proposal.author_id == by.user_id
    return own or (proposal.state is not ProposalState.DRAFT and by.may(Permission.READ, scope.of_proposal(proposal)))


def suggestions_of(session: Session, proposal: Proposal) -> Sequence[SuggestionRow]:
    """The proposal's suggestions in their order; [] for one that a person wrote."""
    query = select(SuggestionRow).where(SuggestionRow.proposal_id == proposal.id)
    return session.exec(query.order_by(col(SuggestionRow.position))).all()


def may_judge(proposal: Proposal, by: Principal) -> bool:
    """Whether the principal may decide about its suggestions now."""
    place = scope.of_proposal(proposal)
    involved = proposal.author_id == by.user_id or by.may(Permission.DECIDE, place)
    return proposal.state in OPEN and involved and by.may(Permission.PROPOSE, place)


def judge(
    session: Session, proposal_id: UUID, chosen: Collection[UUID], judgement: Judgement, *, by: Principal, now: datetime
) -> Proposal:
    """Decides about the chosen suggestions, all or none, and raises the revision.

    Raises Conflict, naming who changed what, where the principal saw an older revision; Invalid for a rejection
    without a reason; NotFound for a suggestion of another proposal."""
    proposal = get(session, proposal_id, by=by, lock=True)
    _refuse_judging(session, proposal, judgement, by)
    rows = [row for row in suggestions_of(session, proposal) if row.id in set(chosen)]
    if len(rows) != len(set(chosen)):
        raise NotFound
    for row in rows:
        row.decision, row.reason = judgement.decision, judgement.reason
        row.decided_by_id, row.decided_at = by.user_id, now
    proposal.revision += 1
    for row in rows:
        details = {"proposal": str(proposal.id), "identity": row.identity, "reason": judgement.reason}
        audit.record(session, DECIDED[judgement.decision], actor=by.name, object_id=row.id, now=now, details=details)
    return proposal


def preview(session: Session, proposal: Proposal) -> Preview:
    """The document as it would become a version: the author's bytes, or the draft with its accepted suggestions.

    A drafted one takes the next free version. Raises Invalid where accepted suggestions do not fit the document."""
    rows = suggestions_of(session, proposal)
    contract = read(proposal.base)
    if not rows and proposal.task_id is None:
        return Preview(proposal.base, contract.fingerprint, contract.version)
    accepted = [_patch(row.content) for row in rows if row.decision is Decision.ACCEPTED]
    taken = session.exec(select(ContractVersion.version).where(ContractVersion.contract_id == contract.id)).all()
    version = next_free(taken) if contract.version in taken else contract.version
    try:
        merged = changes.apply(contract.document, accepted)
        body = writing.write({**merged, "version": version, "status": "active"})
    except ContractError as error:
        raise Invalid.because(error) from error
    return Preview(body, read(body).fingerprint, version)


def step(proposal: Proposal, name: str) -> None:
    """Moves the proposal by a step of STEPS. Raises IllegalTransition, naming the legal ones."""
    legal = STEPS[proposal.state]
    if name not in legal:
        raise IllegalTransition("proposal", state=proposal.state.value, step=name, legal=legal)
    proposal.state = legal[name]
    proposal.revision += 1


def _faults_of(contract: Contract, name: str) -> Sequence[Fault]:
    try:
        bind(contract.object(name), Schema(()))
    except ContractError as error:
        return error.faults
    return ()


def _unkeepable(contract: Contract) -> Iterator[Fault]:
    """Names that no index of the database holds."""
    domain = scope.domain_of(contract) or ""
    tables = ((each.path, part) for each, name in names_of(contract) for part in (name.namespace, name.name))
    named = (("id", contract.id), ("name", contract.name), ("version", contract.version), ("domain", domain), *tables)
    for where, text in named:
        if len(text) > LONGEST_NAME or any(character < " " for character in text):
            remedy = f"use at most {LONGEST_NAME} characters and no control characters"
            yield Fault("TR-NAME", where, "is no name that can be kept", remedy, contract.lines.get(where))


def _patch(content: Mapping[str, Any]) -> changes.Patch:
    return changes.Patch(object=content["object"], column=content["column"], set=content["patch"])


def _row(
    proposal: Proposal, position: int, content: Mapping[str, Any], *, remembered: Collection[str], row_id: UUID
) -> SuggestionRow:
    identity = content["id"]
    return SuggestionRow(
        id=row_id,
        proposal_id=proposal.id,
        identity=identity,
        position=position,
        content=dict(content),
        rejected_before=identity in remembered,
    )


def _rejected_before(session: Session, contract_id: str, identities: Collection[str]) -> frozenset[str]:
    """Which identities were last decided with a rejection, in any earlier proposal for the contract."""
    query = (
        select(SuggestionRow.identity, SuggestionRow.decision)
        .join(Proposal, col(Proposal.id) == col(SuggestionRow.proposal_id))
        .where(Proposal.contract_id == contract_id, col(SuggestionRow.decided_at).is_not(None))
        .order_by(col(SuggestionRow.decided_at))
    )
    latest = dict(session.exec(query).all())
    return frozenset(each for each in identities if latest.get(each) is Decision.REJECTED)


def _refuse_judging(session: Session, proposal: Proposal, judgement: Judgement, by: Principal) -> None:
    if proposal.state not in OPEN:
        raise IllegalTransition("proposal", state=proposal.state.value, step="decide", legal=STEPS[proposal.state])
    if not may_judge(proposal, by):
        raise Forbidden("suggestions are decided by the author or by an owner")
    if judgement.revision != proposal.revision:
        raise Conflict(_who_changed(session, proposal))
    if judgement.decision is Decision.REJECTED and not judgement.reason:
        fault = Fault("TR-REASON", "reason", "a rejection needs a reason", "say why, so that it is not suggested again")
        raise Invalid("say why it is rejected", faults=[fault])


def _who_changed(session: Session, proposal: Proposal) -> str:
    query = (
        select(SuggestionRow, User.name)
        .join(User, col(User.id) == col(SuggestionRow.decided_by_id))
        .where(SuggestionRow.proposal_id == proposal.id)
        .order_by(col(SuggestionRow.decided_at).desc(), col(SuggestionRow.position))
    )
    last = session.exec(query).first()
    if last is None:
        return f"the proposal was changed in the meantime; it is at revision {proposal.revision} now"
    row, name = last
    what = f"{name} set suggestion {row.position + 1} to {row.decision.value} in the meantime"
    return f"{what}; the proposal is at revision {proposal.revision} now: look again"
