"""List proposals with the details that reviewers choose by."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy import func, not_, or_
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import Select

from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal
from treaty.registry.access.users import names
from treaty.registry.core.enums import Decision, ProposalState
from treaty.registry.core.pagination import PageRequest, RowPage, SortOrder
from treaty.registry.review.proposals import change_requests
from treaty.registry.tables import ProposalApprovalRow, ProposalRow, ProposalSuggestionRow, UserRow

NEWEST = SortOrder((ProposalRow.created_at, ProposalRow.id), newest_first=True)


@dataclass(frozen=True, kw_only=True)
class ProposalListing:
    """A proposal with its author, assignee, decisions, approvals and change requests.

    `counts`: suggestions by decision, without undecided optional ones. `approvers`: users with a valid approval.
    `voided`: users whose only approvals are void."""

    proposal: ProposalRow
    author: str
    assignee: str | None = None
    counts: Mapping[Decision, int] = field(default_factory=dict)
    approvers: frozenset[UUID] = frozenset()
    voided: frozenset[UUID] = frozenset()
    requests: Sequence[change_requests.ChangeRequestListing] = ()


def proposals(
    session: Session,
    by: Principal,
    request: PageRequest,
    *,
    state: ProposalState | None = None,
    contract_id: str | None = None,
) -> RowPage[ProposalListing]:
    """List proposals that the principal may see, newest first."""
    query = NEWEST.of(visible(by), request)
    if state is not None:
        query = query.where(ProposalRow.state == state)
    if contract_id is not None:
        query = query.where(ProposalRow.contract_id == contract_id)
    return NEWEST.cut(proposal_listings(session, query), request, lambda each: each.proposal)


def proposal_listing(session: Session, proposal: ProposalRow) -> ProposalListing:
    """Return the proposal with the details of a list entry."""
    query = select(ProposalRow, UserRow.name).join(UserRow, col(UserRow.id) == col(ProposalRow.author_id))
    return proposal_listings(session, query.where(ProposalRow.id == proposal.id))[0]


def visible(by: Principal) -> Select[ProposalRow, str]:
    """Select the proposals that the principal may see, with their authors' names."""
    query = select(ProposalRow, UserRow.name).join(UserRow, col(UserRow.id) == col(ProposalRow.author_id))
    is_visible = or_(col(ProposalRow.state) != ProposalState.DRAFT, col(ProposalRow.author_id) == by.user_id)
    return query.where(is_visible, visibility.proposals(by))


def proposal_listings(session: Session, query: Select[ProposalRow, str]) -> list[ProposalListing]:
    """Return the proposals of the query with the details of list entries."""
    rows = session.exec(query).all()
    counts: dict[UUID, dict[Decision, int]] = {proposal.id: {} for proposal, _ in rows}
    count_query = select(ProposalSuggestionRow.proposal_id, ProposalSuggestionRow.decision, func.count())
    grouped = count_query.group_by(col(ProposalSuggestionRow.proposal_id), col(ProposalSuggestionRow.decision))
    ignored = col(ProposalSuggestionRow.optional) & (col(ProposalSuggestionRow.decision) == Decision.PENDING)
    for proposal_id, decision, count in session.exec(
        grouped.where(col(ProposalSuggestionRow.proposal_id).in_(list(counts)), not_(ignored))
    ):
        counts[proposal_id][Decision(decision)] = count
    valid, void = _approvers(session, list(counts))
    requests = change_requests.open_change_requests(session, list(counts))
    assigned = names(session, {each.assignee_id for each, _ in rows})
    return [
        ProposalListing(
            proposal=each,
            author=author,
            assignee=assigned.get(each.assignee_id) if each.assignee_id else None,
            counts=counts[each.id],
            approvers=valid[each.id],
            voided=void[each.id] - valid[each.id],
            requests=requests.get(each.id, ()),
        )
        for each, author in rows
    ]


def _approvers(
    session: Session, proposal_ids: Collection[UUID]
) -> tuple[dict[UUID, frozenset[UUID]], dict[UUID, frozenset[UUID]]]:
    """Return, by proposal, the users with a valid approval and those with a voided one."""
    query = select(ProposalApprovalRow.proposal_id, ProposalApprovalRow.approver_id, ProposalApprovalRow.voided_at)
    rows = session.exec(query.where(col(ProposalApprovalRow.proposal_id).in_(proposal_ids))).all()
    valid = {
        each: frozenset(user_id for approved_id, user_id, void in rows if approved_id == each and not void)
        for each in proposal_ids
    }
    voided = {
        each: frozenset(user_id for approved_id, user_id, void in rows if approved_id == each and void)
        for each in proposal_ids
    }
    return valid, voided
