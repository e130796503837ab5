"""Proposals: candidate versions of a contract, with the suggested checks.

A suggestion is plain data. Its `id` identifies it across drafts; `object`, `column` (or None) and `patch` define its
change to the document, as `treaty.contracts.editing.patches` applies it. All other keys are for display."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.contracts.comparison.compatibility import Bump, compare
from treaty.contracts.document import writer
from treaty.contracts.document.model import Contract
from treaty.contracts.editing import patches as editing_patches
from treaty.contracts.errors import ContractError, Fault
from treaty.engine.checks.argument_order import order
from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal, require_permission, require_permission_anywhere
from treaty.registry.audit import audit_log
from treaty.registry.contracts.documents import Documents
from treaty.registry.contracts.numbering import next_free
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import Decision, Permission, ProposalState
from treaty.registry.core.errors import InvalidRequest, NotFound
from treaty.registry.notifications import dispatch, messages
from treaty.registry.review.proposals import rejected_suggestions
from treaty.registry.tables import ContractVersionRow, ProposalRow, ProposalSuggestionRow, UserRow


@dataclass(frozen=True)
class ProposalPreview:
    """The contract that an approval would make a version.

    The approval must name its fingerprint."""

    contract: Contract

    @property
    def document(self) -> bytes:
        """Return the text of the contract, byte for byte."""
        return self.contract.source

    @property
    def fingerprint(self) -> str:
        """Return the fingerprint of the contract's content."""
        return self.contract.fingerprint

    @property
    def version(self) -> str:
        """Return the number of the resulting version."""
        return self.contract.version


def read(document: bytes) -> Contract:
    """Parse and check a document.

    Raises InvalidRequest with all faults of its text and its checks."""
    return Documents().checked(document)


def create(session: Session, proposal: ProposalRow, *, author: Principal, now: datetime) -> ProposalRow:
    """Store a user's proposal, its `base` byte for byte.

    Raises InvalidRequest with all faults of the document, and for an effective period that ends before it begins."""
    require_permission_anywhere(author, Permission.PROPOSE)
    contract = read(proposal.base)
    for resource in visibility.affected_resources(session, contract):
        require_permission(author, Permission.PROPOSE, resource)
    refuse_window(proposal, now=now)
    proposal.contract_id, proposal.title = contract.id, proposal.title or f"{contract.name} {contract.version}"
    proposal.domain = visibility.proposed_resource(session, contract).domain
    session.add(proposal)
    details = {"contract": contract.id, "version": contract.version, "state": proposal.state.value}
    if proposal.state is ProposalState.IN_REVIEW:
        dispatch.notify(session, messages.proposal_submitted(proposal, by=author.user_id), now=now)
    audit_log.record(
        session, AuditAction.PROPOSAL_CREATED, actor=author.name, object_id=proposal.id, now=now, details=details
    )
    return proposal


def create_drafted(
    session: Session,
    proposal: ProposalRow,
    suggestions: Sequence[Mapping[str, Any]],
    *,
    make_id: Callable[[], UUID],
    now: datetime,
) -> ProposalRow:
    """Store the proposal of a draft task with its suggestions.

    Suggestions rejected before for this contract are left out unless their evidence is new; then they contain the
    new evidence. The audit entry names the proposal's author, who requested the draft. Raises InvalidRequest with
    all faults of the document."""
    contract = read(proposal.base)
    proposal.contract_id, proposal.title = contract.id, proposal.title or f"Draft of {contract.name}"
    proposal.domain = visibility.proposed_resource(session, contract).domain
    session.add(proposal)
    before = rejected_suggestions.rejected_suggestions(session, contract.id, [each["id"] for each in suggestions])
    reviewed = [
        (each, rejected_suggestions.news(before[each["id"]], each) if each["id"] in before else None)
        for each in suggestions
    ]
    remaining = [(content, news) for content, news in reviewed if news != ""]
    critical = _critical(contract)
    for position, (content, news) in enumerate(remaining):
        marked = {**content, "critical": True} if (content["object"], content["column"]) in critical else content
        session.add(_row(proposal, position, marked, news=news, row_id=make_id()))
    actor = session.get_one(UserRow, proposal.author_id).name
    counts = {"suggestions": len(remaining), "withheld": len(reviewed) - len(remaining)}
    details = {"contract": contract.id, **counts, "state": proposal.state.value}
    audit_log.record(
        session, AuditAction.PROPOSAL_CREATED, actor=actor, object_id=proposal.id, now=now, details=details
    )
    return proposal


def _critical(contract: Contract) -> frozenset[tuple[str, str]]:
    """Return the object and column names of the document's critical data elements."""
    properties = (
        (each["name"], column) for each in contract.document["schema"] for column in each.get("properties") or ()
    )
    return frozenset(
        (name, str(column.get("name"))) for name, column in properties if column.get("criticalDataElement")
    )


def get(session: Session, proposal_id: UUID, *, by: Principal, lock: bool = False) -> ProposalRow:
    """Return the proposal.

    Raises NotFound if it does not exist or is an unsubmitted draft of another user."""
    require_permission_anywhere(by, Permission.READ)
    proposal = session.get(ProposalRow, proposal_id, with_for_update=lock)
    if proposal is None or not visible(proposal, by):
        raise NotFound
    return proposal


def visible(proposal: ProposalRow, by: Principal) -> bool:
    """Return whether the principal may see the proposal; a draft is visible to its author alone."""
    own = proposal.author_id == by.user_id
    return own or (
        proposal.state is not ProposalState.DRAFT and by.may(Permission.READ, visibility.proposal_resource(proposal))
    )


def suggestions_of(
    session: Session, proposal: ProposalRow, chosen: Collection[UUID] | None = None
) -> Sequence[ProposalSuggestionRow]:
    """Return the proposal's suggestions in order; [] if a user wrote it.

    `chosen`: restricts the result to these ids; None means all."""
    query = select(ProposalSuggestionRow).where(ProposalSuggestionRow.proposal_id == proposal.id)
    if chosen is not None:
        query = query.where(col(ProposalSuggestionRow.id).in_(chosen))
    return session.exec(query.order_by(col(ProposalSuggestionRow.position))).all()


def preview(session: Session, proposal: ProposalRow, documents: Documents | None = None) -> ProposalPreview:
    """Return the document as an approval would make it a version.

    This is the author's text, or the draft with its accepted suggestions. A draft gets the next free version number,
    a major one for a change of that size. `documents`: cache of parsed documents; None starts an empty one. Raises
    InvalidRequest if accepted suggestions do not fit the document."""
    cache, rows = documents or Documents(), suggestions_of(session, proposal)
    if not rows and proposal.task_id is None:
        return ProposalPreview(cache.checked(proposal.base))
    accepted = [patch_of(row.content, row.edited_patch) for row in rows if row.decision is Decision.ACCEPTED]
    body = with_patches(cache, proposal, accepted, status="active")
    drafted = cache.parsed(body)
    version = _number(session, cache, drafted)
    if version != drafted.version:
        body = with_patches(cache, proposal, accepted, version=version, status="active")
    return ProposalPreview(cache.checked(body))


def _number(session: Session, documents: Documents, drafted: Contract) -> str:
    """Return the draft's version number, or the next free one if it is in use."""
    of_contract = select(ContractVersionRow).where(ContractVersionRow.contract_id == drafted.id)
    versions = {each.version: each for each in session.exec(of_contract)}
    before = versions.get(drafted.version)
    if before is None:
        return drafted.version
    bump = compare(documents.stored(before.body), drafted, order).bump
    return next_free(versions, Bump.MAJOR if bump is Bump.MAJOR else Bump.MINOR)


def with_patches(
    documents: Documents, proposal: ProposalRow, patches: Iterable[editing_patches.Patch], **words: str
) -> bytes:
    """Return the proposal's document with the patches applied and these root attributes set.

    Raises InvalidRequest if the patches do not fit."""
    base = documents.parsed(proposal.base)
    try:
        return writer.write({**editing_patches.apply(base.document, patches), **words})
    except ContractError as error:
        raise InvalidRequest.because(error) from error


def patch_of(content: Mapping[str, Any], edited: Mapping[str, Any] | None) -> editing_patches.Patch:
    """Return the patch of a suggestion: the edited one, else the drafted one."""
    patch = content["patch"] if edited is None else edited
    return editing_patches.Patch(object=content["object"], column=content["column"], set=patch)


def refuse_window(proposal: ProposalRow, *, now: datetime) -> None:
    """Raise InvalidRequest if no version could be in force within the proposal's effective period."""
    start, end = proposal.effective_from, proposal.effective_until
    if end is not None and end <= max(now, start or now):
        fault = Fault(
            code="TR-WINDOW",
            where="effective_until",
            message="is before the start or in the past",
            remedy="choose an end after the start and in the future",
        )
        raise InvalidRequest("the effective period is empty", faults=[fault])


def _row(
    proposal: ProposalRow, position: int, content: Mapping[str, Any], *, news: str | None, row_id: UUID
) -> ProposalSuggestionRow:
    """Return the suggestion's row.

    `news`: new evidence since its rejection; None means it was never rejected."""
    return ProposalSuggestionRow(
        id=row_id,
        proposal_id=proposal.id,
        identity=content["id"],
        position=position,
        content=dict(content),
        rejected_before=news is not None,
        optional=bool(content.get("optional")),
        new_evidence=news,
    )
