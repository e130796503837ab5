"""What waits for whom: proposals and failed runs, to be looked at one by one, or to be counted."""

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

# The most of each kind.
MOST = 50
Proposals = Select[ProposalRow, str]


@dataclass(frozen=True, kw_only=True)
class UserInbox:
    """What waits for a principal's decision, what they wait for, and what else affects them: proposals for contracts
    that concern them, and runs of these that failed. `to_change`: their own, of which changes are asked. `snoozed`:
    what would wait for them, had they not put it off."""

    to_decide: Sequence[ProposalListing]
    to_change: Sequence[ProposalListing]
    snoozed: Sequence[ProposalListing]
    waiting: Sequence[ProposalListing]
    affecting: Sequence[ProposalListing]
    failed_runs: Sequence[RunRow]


@dataclass(frozen=True)
class UserInboxCounts:
    """How much of each kind waits for a principal themself."""

    failed_runs: int
    acknowledgements: int
    to_change: int
    to_decide: int


@dataclass(frozen=True, kw_only=True)
class _Queries:
    """What asks for each part of an inbox, oldest proposals and newest runs first."""

    to_decide: Proposals
    to_change: Proposals
    put_off: Proposals
    waiting: Proposals
    affecting: Proposals
    failed_runs: SelectOfScalar[RunRow]


def inbox(session: Session, by: Principal, *, now: datetime) -> UserInbox:
    """What concerns the principal now, oldest proposals first. Nothing to decide for who may not decide.

    Who approved a proposal already, asks for changes of it or had a hand in it, waits for others; so does whoever sees
    it in the hands of another. A failed run waits for nobody whose incident somebody else looks after, or is put off,
    or over."""
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
    """How much waits for the principal: as much as `inbox` lists, and of what they are asked what they did not answer.
    One statement."""
    queries = _queries(by, now)
    of = queries.failed_runs, acknowledgements.unanswered(by), queries.to_change, queries.to_decide
    failed, asked, to_change, to_decide = session.connection().execute(select(*map(_size, of))).one()
    return UserInboxCounts(failed, asked, to_change, to_decide)


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
    mine = or_(revisions.wrote(by.user_id), _approved(by), revisions.asked_by(by.user_id))
    others = query.where(col(ProposalRow.state) != ProposalState.DRAFT, not_(mine))
    free = col(ProposalRow.state).in_(PROPOSAL.states_allowing("approve")) & not_(
        func.coalesce(assignment.assigned_elsewhere(by), false())
    )
    deciding = func.coalesce(visibility.proposals(by, Permission.DECIDE), false()) & free
    later, concerning = assignment.snoozed_by(by, now=now), col(ProposalRow.contract_id).in_(_concerning(by))
    failing = latest.failing_runs(col(RunRow.contract_id).in_(_concerning(by)))
    failed = failing.where(visibility.runs(by), not_(ownership.cared_for(by, now=now)))
    return _Queries(
        to_decide=others.where(deciding, not_(later)),
        to_change=query.where(changing, not_(later)),
        put_off=query.where(later, or_(changing, not_(mine) & deciding)),
        waiting=query.where(mine, not_(changing)),
        affecting=others.where(concerning, not_(deciding)),
        failed_runs=failed.order_by(col(RunRow.finished_at).desc()).limit(MOST),
    )


def _concerning(by: Principal) -> SelectOfScalar[str]:
    """The contracts that the principal owns, or is subscribed to, alone or with a team."""
    used = col(ContractRow.id).in_(subscriptions.contracts(by))
    return select(ContractRow.id).where((col(ContractRow.owner_id) == by.user_id) | used)


def _approved(by: Principal) -> ColumnElement[bool]:
    """The condition that the principal approved a proposal as it stands."""
    given = select(ProposalApprovalRow.proposal_id).where(ProposalApprovalRow.approver_id == by.user_id)
    return col(ProposalRow.id).in_(given.where(col(ProposalApprovalRow.voided_at).is_(None)))
