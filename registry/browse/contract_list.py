"""What there is: contracts with their last verdict, and proposals. Each list is a few queries."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import func
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import Select

from treaty.engine.core.results import Verdict
from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal
from treaty.registry.core.errors import NotFound
from treaty.registry.core.pagination import PageRequest, RowPage, SortOrder
from treaty.registry.core.state_machines import OPEN
from treaty.registry.measurements.runs.latest import _latest_runs, reports_on_data
from treaty.registry.tables import ContractRow, ProposalRow, RunRow, UserRow
from treaty.registry.validation.gate import upstream_warning

RECENT = 12
BY_ID = SortOrder((ContractRow.id,))


@dataclass(frozen=True, kw_only=True)
class ContractListing:
    """A contract, its owner's name, its last run (None: never judged) and how many proposals are open.

    `upstream_failed`: bad data came to its own from further up, or are on their way."""

    contract: ContractRow
    owner: str
    last_run: RunRow | None
    open_proposals: int
    upstream_failed: bool = False


def contracts(session: Session, by: Principal, asked: PageRequest) -> RowPage[ContractListing]:
    """Contracts that the principal may read, by id."""
    query = select(ContractRow, UserRow.name).join(UserRow, col(UserRow.id) == col(ContractRow.owner_id))
    found = _contract_listings(session, BY_ID.of(query.where(visibility.readable_contracts(by)), asked), by)
    return BY_ID.cut(found, asked, lambda each: each.contract)


def ids(session: Session, by: Principal) -> Sequence[str]:
    """The ids of all contracts that the principal may read, in their order."""
    return session.exec(select(ContractRow.id).where(visibility.readable_contracts(by)).order_by(ContractRow.id)).all()


def contract(session: Session, contract_id: str, by: Principal) -> ContractListing:
    """The contract of that id. Raises NotFound where there is none, or it is not the principal's to read."""
    query = select(ContractRow, UserRow.name).join(UserRow, col(UserRow.id) == col(ContractRow.owner_id))
    found = _contract_listings(
        session, query.where(ContractRow.id == contract_id, visibility.readable_contracts(by)), by
    )
    if not found:
        raise NotFound
    return found[0]


def verdicts(session: Session, contract_id: str, by: Principal) -> list[Verdict]:
    """Of each object of the contract the verdict of its last run, of those that the principal may read; [] for none."""
    mine = (col(RunRow.contract_id) == contract_id) & visibility.runs(by)
    return [run.verdict for run in session.exec(_latest_runs(mine))]


class RecentVerdict(NamedTuple):
    """How a run of a contract came out, and when."""

    contract_id: str
    id: UUID
    verdict: Verdict
    finished_at: datetime


def recent(session: Session, contract_ids: Collection[str], by: Principal) -> Mapping[str, Sequence[RecentVerdict]]:
    """Of each contract its last runs that say how its data are, at most `RECENT`, oldest first; of those that the
    principal may read. One query."""
    newest = col(RunRow.finished_at).desc(), col(RunRow.id).desc()
    place = func.row_number().over(partition_by=col(RunRow.contract_id), order_by=newest).label("place")
    told = select(RunRow.contract_id, RunRow.id, RunRow.verdict, RunRow.finished_at).add_columns(place)
    ranked = told.where(col(RunRow.contract_id).in_(contract_ids) & visibility.runs(by), reports_on_data()).subquery()
    shown = ranked.c.contract_id, ranked.c.id, ranked.c.verdict, ranked.c.finished_at
    asked = select(*shown).where(ranked.c.place <= RECENT).order_by(ranked.c.finished_at, ranked.c.id)
    found: dict[str, list[RecentVerdict]] = {}
    for run in (RecentVerdict(*each) for each in session.exec(asked)):
        found.setdefault(run.contract_id, []).append(run)
    return found


def _contract_listings(session: Session, query: Select[ContractRow, str], by: Principal) -> list[ContractListing]:
    found = session.exec(query).all()
    shown = [contract.id for contract, _ in found]
    last = _last_runs(session, shown, by)
    opened = select(ProposalRow.contract_id, func.count())
    opened = opened.where(col(ProposalRow.contract_id).in_(shown), col(ProposalRow.state).in_(OPEN))
    open_counts = dict(session.exec(opened.group_by(ProposalRow.contract_id)).all())
    harmed = upstream_warning.harmed(session, shown)
    return [
        ContractListing(
            contract=each,
            owner=owner,
            last_run=last.get(each.id),
            open_proposals=open_counts.get(each.id, 0),
            upstream_failed=each.id in harmed,
        )
        for each, owner in found
    ]


def _last_runs(session: Session, contract_ids: Collection[str], by: Principal) -> dict[str, RunRow]:
    """Of each contract its last run that says how its data are, of those that the principal may read. An index finds
    it, however many there were before."""
    of, last = aliased(ContractRow), aliased(RunRow)
    mine = select(RunRow.id).where(RunRow.contract_id == of.id, reports_on_data(), visibility.runs(by)).correlate(of)
    newest = mine.order_by(col(RunRow.finished_at).desc(), col(RunRow.id).desc()).limit(1).scalar_subquery()
    query = select(last).join(of, col(last.id) == newest).where(col(of.id).in_(contract_ids))
    return {run.contract_id: run for run in session.exec(query)}
