"""List and count the proposals and failed runs that wait for a principal."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, false, func, not_, or_
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import Select, SelectOfScalar

from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal
from treaty.registry.contracts import subscriptions
from treaty.registry.core.enums import Permission, ProposalState
from treaty.registry.core.state_machines import OPEN, PROPOSAL
from treaty.registry.incidents import ownership
from treaty.registry.measurements.runs import latest
from treaty.registry.review.consumers import acknowledgements
from treaty.registry.review.proposals import assignment, proposal_list, revisions
from treaty.registry.review.proposals.proposal_list import ProposalListing
from treaty.registry.tables import ContractRow, ProposalApprovalRow, ProposalRow, RunRow

# Maximum number of items of each kind.
MOST = 50
Proposals = Select[ProposalRow, str]


@dataclass(frozen=True, kw_only=True)
class UserInbox:
    """Proposals and failed runs that concern a principal.

    `to_decide`: proposals that wait for the principal's decision.
    `to_change`: the principal's own proposals with requested changes.
    `snoozed`: proposals that the principal has snoozed.
    `waiting`: proposals that the principal wrote, approved or requested changes of, and that wait for others.
    `affecting`: other open proposals for contracts that the principal owns or subscribes to.
    `failed_runs`: failed runs of contracts that the principal owns or subscribes to."""

    to_decide: Sequence[ProposalListing]
    to_change: Sequence[ProposalListing]
    snoozed: Sequence[ProposalListing]
    waiting: Sequence[ProposalListing]
    affecting: Sequence[ProposalListing]
    failed_runs: Sequence[RunRow]


@dataclass(frozen=True)
class UserInboxCounts:
    """Number of items of each kind that wait for a principal."""

    failed_runs: int
    acknowledgements: int
    to_change: int
    to_decide: int


@dataclass(frozen=True, kw_only=True)
class _Queries:
    """Queries for the sections of an inbox: oldest proposals and newest runs first."""

    to_decide: Proposals
    to_change: Proposals
    put_off: Proposals
    waiting: Proposals
    affecting: Proposals
    failed_runs: SelectOfScalar[RunRow]


def inbox(session: Session, by: Principal, *, now: datetime) -> UserInbox:
    """Return the inbox of the principal, oldest proposals first.

    `to_decide` is empty unless the principal may decide about a contract, and omits proposals assigned to someone
    else. A failed run is omitted if its incident is assigned to someone else, snoozed or resolved."""
    queries = _queries(by, now)
    return UserInbox(
        to_decide=proposal_list.proposal_listings(session, queries.to_decide)
        if Permission.DECIDE in by.somewhere
        else [],
        to_change=proposal_list.proposal_listings(session, queries.to_change),
        snoozed=proposal_list.proposal_listings(session, queries.put_off),
        waiting=proposal_list.proposal_listings(session, queries.waiting),
        affecting=proposal_list.proposal_listings(session, queries.affecting),
        failed_runs=session.exec(queries.failed_runs).all(),
    )


def counts(session: Session, by: Principal, *, now: datetime) -> UserInboxCounts:
    """Count the items of the inbox and the unanswered acknowledgement requests in one statement."""
    queries = _queries(by, now)
    sections = queries.failed_runs, acknowledgements.unanswered(by), queries.to_change, queries.to_decide
    failed_runs, unanswered, to_change, to_decide = session.connection().execute(select(*map(_size, sections))).one()
    return UserInboxCounts(failed_runs, unanswered, to_change, to_decide)


def _size(query: Any) -> Any:
    return select(func.count()).select_from(query.subquery()).scalar_subquery()


def _queries(by: Principal, now: datetime) -> _Queries:
    query = (
        proposal_list.visible(by)
        .where(col(ProposalRow.state).in_(OPEN))
        .order_by(col(ProposalRow.created_at))
        .limit(MOST)
    )
    changing = (col(ProposalRow.state) == ProposalState.CHANGES_REQUESTED) & (col(ProposalRow.author_id) == by.user_id)
    involved = or_(revisions.wrote(by.user_id), _approved(by), revisions.asked_by(by.user_id))
    reviewable = query.where(col(ProposalRow.state) != ProposalState.DRAFT, not_(involved))
    undecided = col(ProposalRow.state).in_(PROPOSAL.states_allowing("approve")) & not_(
        func.coalesce(assignment.assigned_elsewhere(by), false())
    )
    deciding = func.coalesce(visibility.proposals(by, Permission.DECIDE), false()) & undecided
    snoozed, concerning = assignment.snoozed_by(by, now=now), col(ProposalRow.contract_id).in_(_concerning(by))
    failing = latest.failing_runs(col(RunRow.contract_id).in_(_concerning(by)))
    failed_runs = failing.where(visibility.runs(by), not_(ownership.cared_for(by, now=now)))
    return _Queries(
        to_decide=reviewable.where(deciding, not_(snoozed)),
        to_change=query.where(changing, not_(snoozed)),
        put_off=query.where(snoozed, or_(changing, not_(involved) & deciding)),
        waiting=query.where(involved, not_(changing)),
        affecting=reviewable.where(concerning, not_(deciding)),
        failed_runs=failed_runs.order_by(col(RunRow.finished_at).desc()).limit(MOST),
    )


def _concerning(by: Principal) -> SelectOfScalar[str]:
    """Select the contracts that the principal owns or subscribes to, directly or through a team."""
    used = col(ContractRow.id).in_(subscriptions.contracts(by))
    return select(ContractRow.id).where((col(ContractRow.owner_id) == by.user_id) | used)


def _approved(by: Principal) -> ColumnElement[bool]:
    """Return the condition that the principal has approved a proposal in its current form."""
    approvals = select(ProposalApprovalRow.proposal_id).where(ProposalApprovalRow.approver_id == by.user_id)
    return col(ProposalRow.id).in_(approvals.where(col(ProposalApprovalRow.voided_at).is_(None)))
