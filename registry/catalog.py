"""What there is: contracts with their last verdict, proposals, and what waits for whom. Each list is a few queries."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, false, func, not_, or_
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import Select, SelectOfScalar

from engine.results import Verdict
from registry import attention, care, change_requests, forewarned, revisions, scope, subscriptions
from registry.access import Principal
from registry.cursors import Asked, Order, Portion
from registry.errors import NotFound
from registry.lifecycle import OPEN, PROPOSAL
from registry.tables import (
    ApprovalRow,
    Contract,
    ContractVersion,
    Dataset,
    DatasetContract,
    Proposal,
    Run,
    SuggestionRow,
    User,
)
from registry.words import Cause, Decision, Permission, ProposalState

RECENT = 12
FAILING = (Verdict.FAILED, Verdict.NOT_EVALUATED)
BY_ID = Order((Contract.id,))
NEWEST = Order((Proposal.created, Proposal.id), newest_first=True)


@dataclass(frozen=True)
class ListedContract:
    """A contract, its owner's name, its last run (None: never judged) and how many proposals are open.

    `upstream_failed`: bad data came to its own from further up, or are on their way."""

    contract: Contract
    owner: str
    last_run: Run | None
    open_proposals: int
    upstream_failed: bool = False


@dataclass(frozen=True)
class ListedProposal:
    """A proposal, its author's name, who is to decide, how its suggestions are decided, whose approval
    holds or is void, and what is asked to be changed."""

    proposal: Proposal
    author: str
    assignee: str | None = None
    counts: Mapping[Decision, int] = field(default_factory=dict)
    approvers: frozenset[UUID] = frozenset()
    voided: frozenset[UUID] = frozenset()
    requests: Sequence[change_requests.Listed] = ()


@dataclass(frozen=True)
class Inbox:
    """What waits for a principal's decision, what they wait for, and what else affects them: proposals for contracts
    that concern them, and runs of these that failed. `to_change`: their own, of which changes are asked. `put_off`:
    what would wait for them, had they not put it off."""

    to_decide: Sequence[ListedProposal]
    to_change: Sequence[ListedProposal]
    put_off: Sequence[ListedProposal]
    waiting: Sequence[ListedProposal]
    affecting: Sequence[ListedProposal]
    failed_runs: Sequence[Run]


def contracts(session: Session, by: Principal, asked: Asked) -> Portion[ListedContract]:
    """Contracts that the principal may read, by id."""
    query = select(Contract, User.name).join(User, col(User.id) == col(Contract.owner_id))
    found = _listed(session, BY_ID.of(query.where(scope.contracts(by)), asked), by)
    return BY_ID.cut(found, asked, lambda each: each.contract)


def contract(session: Session, contract_id: str, by: Principal) -> ListedContract:
    """The contract of that id. Raises NotFound where there is none, or it is not the principal's to read."""
    query = select(Contract, User.name).join(User, col(User.id) == col(Contract.owner_id))
    found = _listed(session, query.where(Contract.id == contract_id, scope.contracts(by)), by)
    if not found:
        raise NotFound
    return found[0]


def verdicts(session: Session, contract_id: str, by: Principal) -> list[Verdict]:
    """Of each object of the contract the verdict of its last run, of those that the principal may read; [] for none."""
    mine = (col(Run.contract_id) == contract_id) & scope.runs(by)
    return [run.verdict for run in session.exec(_latest_runs(mine))]


class Recent(NamedTuple):
    """How a run of a contract came out, and when."""

    contract_id: str
    id: UUID
    verdict: Verdict
    finished: datetime


def recent(session: Session, contract_ids: Collection[str], by: Principal) -> Mapping[str, Sequence[Recent]]:
    """Of each contract its last runs that say how its data are, at most `RECENT`, oldest first; of those that the
    principal may read. One query."""
    newest = col(Run.finished).desc(), col(Run.id).desc()
    place = func.row_number().over(partition_by=col(Run.contract_id), order_by=newest).label("place")
    told = select(Run.contract_id, Run.id, Run.verdict, Run.finished).add_columns(place)
    ranked = told.where(col(Run.contract_id).in_(contract_ids) & scope.runs(by), _told()).subquery()
    shown = ranked.c.contract_id, ranked.c.id, ranked.c.verdict, ranked.c.finished
    asked = select(*shown).where(ranked.c.place <= RECENT).order_by(ranked.c.finished, ranked.c.id)
    found: dict[str, list[Recent]] = {}
    for run in (Recent(*each) for each in session.exec(asked)):
        found.setdefault(run.contract_id, []).append(run)
    return found


def versions(session: Session, contract_id: str) -> Sequence[tuple[ContractVersion, str]]:
    """The contract's versions with their approvers' names, newest first."""
    query = select(ContractVersion, User.name).join(User, col(User.id) == col(ContractVersion.approved_by_id))
    ordered = query.order_by(col(ContractVersion.approved_at).desc(), col(ContractVersion.id).desc())
    return session.exec(ordered.where(ContractVersion.contract_id == contract_id)).all()


def version(session: Session, contract_id: str, number: str | None = None) -> ContractVersion:
    """That version of the contract; the active one where no number is given. Raises NotFound where there is none."""
    wanted = number or select(Contract.active_version).where(Contract.id == contract_id).scalar_subquery()
    query = select(ContractVersion).where(ContractVersion.contract_id == contract_id, ContractVersion.version == wanted)
    found = session.exec(query).first()
    if found is None:
        raise NotFound
    return found


def datasets(session: Session, contract_id: str) -> Sequence[tuple[Dataset, str]]:
    """The datasets that the contract is about, each with the object that promises something about it."""
    link = DatasetContract
    query = select(Dataset, link.object).join(link, col(link.dataset_id) == col(Dataset.id))
    return session.exec(query.where(link.contract_id == contract_id).order_by(link.object, Dataset.name)).all()


def proposals(
    session: Session,
    by: Principal,
    asked: Asked,
    *,
    state: ProposalState | None = None,
    contract_id: str | None = None,
) -> Portion[ListedProposal]:
    """Proposals that the principal may see, newest first."""
    query = NEWEST.of(_visible(by), asked)
    if state is not None:
        query = query.where(Proposal.state == state)
    if contract_id is not None:
        query = query.where(Proposal.contract_id == contract_id)
    return NEWEST.cut(_counted(session, query), asked, lambda each: each.proposal)


def listed(session: Session, proposal: Proposal) -> ListedProposal:
    """The proposal as lists show it."""
    query = select(Proposal, User.name).join(User, col(User.id) == col(Proposal.author_id))
    return _counted(session, query.where(Proposal.id == proposal.id))[0]


def inbox(session: Session, by: Principal, *, now: datetime, limit: int = 50) -> Inbox:
    """What concerns the principal now, oldest proposals first. Nothing to decide for who may not decide.

    Who approved a proposal already, asks for changes of it or had a hand in it, waits for others; so does whoever sees
    it in the hands of another. A failed run waits for nobody whose incident somebody else looks after, or is put off,
    or over."""
    query = _visible(by).where(col(Proposal.state).in_(OPEN)).order_by(col(Proposal.created)).limit(limit)
    changing = (col(Proposal.state) == ProposalState.CHANGES_REQUESTED) & (col(Proposal.author_id) == by.user_id)
    mine = or_(revisions.wrote(by.user_id), _approved(by), revisions.asked_by(by.user_id))
    others = query.where(col(Proposal.state) != ProposalState.DRAFT, not_(mine))
    free = col(Proposal.state).in_(PROPOSAL.where("approve")) & not_(func.coalesce(care.with_another(by), false()))
    deciding = func.coalesce(scope.proposals(by, Permission.DECIDE), false()) & free
    able = Permission.DECIDE in by.somewhere
    later, concerning = care.put_off(by, now=now), col(Proposal.contract_id).in_(_concerning(by))
    failed = _latest_runs(col(Run.contract_id).in_(_concerning(by))).where(
        col(Run.verdict).in_(FAILING), scope.runs(by), not_(attention.cared_for(by, now=now))
    )
    return Inbox(
        to_decide=_counted(session, others.where(deciding, not_(later))) if able else [],
        to_change=_counted(session, query.where(changing, not_(later))),
        put_off=_counted(session, query.where(later, or_(changing, not_(mine) & deciding))),
        waiting=_counted(session, query.where(mine, not_(changing))),
        affecting=_counted(session, others.where(concerning, not_(deciding))),
        failed_runs=session.exec(failed.order_by(col(Run.finished).desc()).limit(limit)).all(),
    )


def _concerning(by: Principal) -> SelectOfScalar[str]:
    """The contracts that the principal owns, or is subscribed to, alone or with a team."""
    used = col(Contract.id).in_(subscriptions.contracts(by))
    return select(Contract.id).where((col(Contract.owner_id) == by.user_id) | used)


def _approved(by: Principal) -> ColumnElement[bool]:
    """The condition that the principal approved a proposal as it stands."""
    given = select(ApprovalRow.proposal_id).where(ApprovalRow.approver_id == by.user_id)
    return col(Proposal.id).in_(given.where(col(ApprovalRow.void_since).is_(None)))


def names(session: Session, user_ids: Collection[UUID | None]) -> dict[UUID, str]:
    """The names of those users."""
    query = select(User.id, User.name).where(col(User.id).in_([each for each in user_ids if each]))
    return dict(session.exec(query).all())


def _listed(session: Session, query: Select[Contract, str], by: Principal) -> list[ListedContract]:
    found = session.exec(query).all()
    ids = [contract.id for contract, _ in found]
    latest = _latest_runs(col(Run.contract_id).in_(ids) & scope.runs(by)).order_by(col(Run.finished))
    runs = session.exec(latest).all()
    last = {run.contract_id: run for run in runs}
    opened = select(Proposal.contract_id, func.count())
    opened = opened.where(col(Proposal.contract_id).in_(ids), col(Proposal.state).in_(OPEN))
    open_counts = dict(session.exec(opened.group_by(Proposal.contract_id)).all())
    harmed = forewarned.harmed(session, ids)
    return [
        ListedContract(each, owner, last.get(each.id), open_counts.get(each.id, 0), each.id in harmed)
        for each, owner in found
    ]


def _latest_runs(which: ColumnElement[bool]) -> SelectOfScalar[Run]:
    """Of those runs the last one of each object of each contract that says how its data are: that they are gone, too,
    while they are."""
    newest = col(Run.finished).desc(), col(Run.id).desc()
    place = func.row_number().over(partition_by=[col(Run.contract_id), col(Run.object)], order_by=newest)
    ranked = select(Run.id, place.label("place")).where(which, _told()).subquery()
    return select(Run).join(ranked, ranked.c.id == col(Run.id)).where(ranked.c.place == 1)


def _told() -> ColumnElement[bool]:
    """The condition that a run says how the data of a contract's own object are."""
    gone = (col(Run.cause) == Cause.PRESENCE) & (col(Run.verdict) == Verdict.FAILED) & col(Run.superseded).is_(None)
    return col(Run.subscription_id).is_(None) & (col(Run.cause).in_((Cause.DATA, Cause.SCHEMA)) | gone)


def _visible(by: Principal) -> Select[Proposal, str]:
    query = select(Proposal, User.name).join(User, col(User.id) == col(Proposal.author_id))
    shown = or_(col(Proposal.state) != ProposalState.DRAFT, col(Proposal.author_id) == by.user_id)
    return query.where(shown, scope.proposals(by))


def _counted(session: Session, query: Select[Proposal, str]) -> list[ListedProposal]:
    found = session.exec(query).all()
    counts: dict[UUID, dict[Decision, int]] = {proposal.id: {} for proposal, _ in found}
    counting = select(SuggestionRow.proposal_id, SuggestionRow.decision, func.count())
    grouped = counting.group_by(col(SuggestionRow.proposal_id), col(SuggestionRow.decision))
    for proposal_id, decision, count in session.exec(grouped.where(col(SuggestionRow.proposal_id).in_(list(counts)))):
        counts[proposal_id][Decision(decision)] = count
    given, void = _approvers(session, list(counts))
    requests = change_requests.listed(session, list(counts))
    assigned = names(session, {each.assignee_id for each, _ in found})
    return [
        ListedProposal(
            each,
            author,
            assigned.get(each.assignee_id) if each.assignee_id else None,
            counts[each.id],
            given[each.id],
            void[each.id] - given[each.id],
            requests.get(each.id, ()),
        )
        for each, author in found
    ]


def _approvers(
    session: Session, proposal_ids: Collection[UUID]
) -> tuple[dict[UUID, frozenset[UUID]], dict[UUID, frozenset[UUID]]]:
    """Of each proposal who gave an approval that holds, and who gave one that is void."""
    query = select(ApprovalRow.proposal_id, ApprovalRow.approver_id, ApprovalRow.void_since)
    rows = session.exec(query.where(col(ApprovalRow.proposal_id).in_(proposal_ids))).all()
    given = {each: frozenset(who for of, who, void in rows if of == each and not void) for each in proposal_ids}
    voided = {each: frozenset(who for of, who, void in rows if of == each and void) for each in proposal_ids}
    return given, voided
