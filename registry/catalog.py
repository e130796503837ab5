"""What there is: contracts with their last verdict, and proposals. Each list is a few queries."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, func, or_, tuple_
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import Select, SelectOfScalar

from engine.results import Verdict
from registry import change_requests, forewarned, scope
from registry.access import Principal
from registry.cursors import Asked, Order, Portion
from registry.errors import NotFound
from registry.lifecycle import OPEN
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
from registry.words import Cause, Decision, ProposalState

FAILING = (Verdict.FAILED, Verdict.NOT_EVALUATED)
RECENT = 12
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


def contracts(session: Session, by: Principal, asked: Asked) -> Portion[ListedContract]:
    """Contracts that the principal may read, by id."""
    query = select(Contract, User.name).join(User, col(User.id) == col(Contract.owner_id))
    found = _listed(session, BY_ID.of(query.where(scope.contracts(by)), asked), by)
    return BY_ID.cut(found, asked, lambda each: each.contract)


def ids(session: Session, by: Principal) -> Sequence[str]:
    """The ids of all contracts that the principal may read, in their order."""
    return session.exec(select(Contract.id).where(scope.contracts(by)).order_by(Contract.id)).all()


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
    query = NEWEST.of(visible(by), asked)
    if state is not None:
        query = query.where(Proposal.state == state)
    if contract_id is not None:
        query = query.where(Proposal.contract_id == contract_id)
    return NEWEST.cut(counted(session, query), asked, lambda each: each.proposal)


def listed(session: Session, proposal: Proposal) -> ListedProposal:
    """The proposal as lists show it."""
    query = select(Proposal, User.name).join(User, col(User.id) == col(Proposal.author_id))
    return counted(session, query.where(Proposal.id == proposal.id))[0]


def names(session: Session, user_ids: Collection[UUID | None]) -> dict[UUID, str]:
    """The names of those users."""
    query = select(User.id, User.name).where(col(User.id).in_([each for each in user_ids if each]))
    return dict(session.exec(query).all())


def _listed(session: Session, query: Select[Contract, str], by: Principal) -> list[ListedContract]:
    found = session.exec(query).all()
    shown = [contract.id for contract, _ in found]
    last = _last_runs(session, shown, by)
    opened = select(Proposal.contract_id, func.count())
    opened = opened.where(col(Proposal.contract_id).in_(shown), col(Proposal.state).in_(OPEN))
    open_counts = dict(session.exec(opened.group_by(Proposal.contract_id)).all())
    harmed = forewarned.harmed(session, shown)
    return [
        ListedContract(each, owner, last.get(each.id), open_counts.get(each.id, 0), each.id in harmed)
        for each, owner in found
    ]


def _last_runs(session: Session, contract_ids: Collection[str], by: Principal) -> dict[str, Run]:
    """Of each contract its last run that says how its data are, of those that the principal may read. An index finds
    it, however many there were before."""
    of, last = aliased(Contract), aliased(Run)
    mine = select(Run.id).where(Run.contract_id == of.id, _told(), scope.runs(by)).correlate(of)
    newest = mine.order_by(col(Run.finished).desc(), col(Run.id).desc()).limit(1).scalar_subquery()
    query = select(last).join(of, col(last.id) == newest).where(col(of.id).in_(contract_ids))
    return {run.contract_id: run for run in session.exec(query)}


def failing_runs(which: ColumnElement[bool]) -> SelectOfScalar[Run]:
    """Of those runs the ones that failed, or could not tell, and are the last that say how the data of their object
    are; as a query."""
    later = aliased(Run)
    same = (col(later.contract_id) == col(Run.contract_id)) & (col(later.object) == col(Run.object))
    after = tuple_(col(later.finished), col(later.id)) > tuple_(col(Run.finished), col(Run.id))
    replaced = select(later.id).where(same, after, _told(later)).correlate(Run).exists()
    return select(Run).where(which, col(Run.verdict).in_(FAILING), _told(), ~replaced)


def _latest_runs(which: ColumnElement[bool]) -> SelectOfScalar[Run]:
    """Of those runs the last one of each object of each contract that says how its data are: that they are gone, too,
    while they are."""
    newest = col(Run.finished).desc(), col(Run.id).desc()
    place = func.row_number().over(partition_by=[col(Run.contract_id), col(Run.object)], order_by=newest)
    ranked = select(Run.id, place.label("place")).where(which, _told()).subquery()
    return select(Run).join(ranked, ranked.c.id == col(Run.id)).where(ranked.c.place == 1)


def _told(run: type[Run] = Run) -> ColumnElement[bool]:
    """The condition that a run says how the data of a contract's own object are."""
    gone = (col(run.cause) == Cause.PRESENCE) & (col(run.verdict) == Verdict.FAILED) & col(run.superseded).is_(None)
    return col(run.subscription_id).is_(None) & (col(run.cause).in_((Cause.DATA, Cause.SCHEMA)) | gone)


def visible(by: Principal) -> Select[Proposal, str]:
    """The proposals that the principal may see, with their authors' names, as a query."""
    query = select(Proposal, User.name).join(User, col(User.id) == col(Proposal.author_id))
    shown = or_(col(Proposal.state) != ProposalState.DRAFT, col(Proposal.author_id) == by.user_id)
    return query.where(shown, scope.proposals(by))


def counted(session: Session, query: Select[Proposal, str]) -> list[ListedProposal]:
    """The proposals of that query, as lists show them."""
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
