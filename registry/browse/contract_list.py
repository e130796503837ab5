"""List contracts with their last verdict and open proposals in a few queries per list."""

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
    """A contract with the values shown in lists.

    `owner`: user name of the owner.
    `last_run`: None means never validated.
    `upstream_failed`: bad upstream data has reached, or is about to reach, a dataset of the contract."""

    contract: ContractRow
    owner: str
    last_run: RunRow | None
    open_proposals: int
    upstream_failed: bool = False


def contracts(session: Session, by: Principal, request: PageRequest) -> RowPage[ContractListing]:
    """List the contracts that the principal may read, ordered by id."""
    query = select(ContractRow, UserRow.name).join(UserRow, col(UserRow.id) == col(ContractRow.owner_id))
    listings = _contract_listings(session, BY_ID.of(query.where(visibility.readable_contracts(by)), request), by)
    return BY_ID.cut(listings, request, lambda each: each.contract)


def ids(session: Session, by: Principal) -> Sequence[str]:
    """Return the sorted ids of all contracts that the principal may read."""
    return session.exec(select(ContractRow.id).where(visibility.readable_contracts(by)).order_by(ContractRow.id)).all()


def contract(session: Session, contract_id: str, by: Principal) -> ContractListing:
    """Fetch a contract. Raises NotFound if it does not exist or the principal may not read it."""
    query = select(ContractRow, UserRow.name).join(UserRow, col(UserRow.id) == col(ContractRow.owner_id))
    listings = _contract_listings(
        session, query.where(ContractRow.id == contract_id, visibility.readable_contracts(by)), by
    )
    if not listings:
        raise NotFound
    return listings[0]


def verdicts(session: Session, contract_id: str, by: Principal) -> list[Verdict]:
    """Return the last verdict of each object of the contract.

    Considers only runs that the principal may read; empty if there is none."""
    mine = (col(RunRow.contract_id) == contract_id) & visibility.runs(by)
    return [run.verdict for run in session.exec(_latest_runs(mine))]


class RecentVerdict(NamedTuple):
    """Verdict and time of a run."""

    contract_id: str
    id: UUID
    verdict: Verdict
    finished_at: datetime


def recent(session: Session, contract_ids: Collection[str], by: Principal) -> Mapping[str, Sequence[RecentVerdict]]:
    """Return the recent runs of each contract, oldest first.

    At most `RECENT` runs per contract, limited to runs that assess the data and that the principal may read. One
    query."""
    newest = col(RunRow.finished_at).desc(), col(RunRow.id).desc()
    place = func.row_number().over(partition_by=col(RunRow.contract_id), order_by=newest).label("place")
    runs = select(RunRow.contract_id, RunRow.id, RunRow.verdict, RunRow.finished_at).add_columns(place)
    ranked = runs.where(col(RunRow.contract_id).in_(contract_ids) & visibility.runs(by), reports_on_data()).subquery()
    columns = ranked.c.contract_id, ranked.c.id, ranked.c.verdict, ranked.c.finished_at
    newest_runs = select(*columns).where(ranked.c.place <= RECENT).order_by(ranked.c.finished_at, ranked.c.id)
    by_contract: dict[str, list[RecentVerdict]] = {}
    for run in (RecentVerdict(*each) for each in session.exec(newest_runs)):
        by_contract.setdefault(run.contract_id, []).append(run)
    return by_contract


def _contract_listings(session: Session, query: Select[ContractRow, str], by: Principal) -> list[ContractListing]:
    rows = session.exec(query).all()
    contract_ids = [contract.id for contract, _ in rows]
    last = _last_runs(session, contract_ids, by)
    opened = select(ProposalRow.contract_id, func.count())
    opened = opened.where(col(ProposalRow.contract_id).in_(contract_ids), col(ProposalRow.state).in_(OPEN))
    open_counts = dict(session.exec(opened.group_by(ProposalRow.contract_id)).all())
    warned_ids = upstream_warning.harmed(session, contract_ids)
    return [
        ContractListing(
            contract=each,
            owner=owner,
            last_run=last.get(each.id),
            open_proposals=open_counts.get(each.id, 0),
            upstream_failed=each.id in warned_ids,
        )
        for each, owner in rows
    ]


def _last_runs(session: Session, contract_ids: Collection[str], by: Principal) -> dict[str, RunRow]:
    """Return each contract's last readable run that assesses its data, found through an index."""
    contract_row, last = aliased(ContractRow), aliased(RunRow)
    readable_runs = (
        select(RunRow.id)
        .where(RunRow.contract_id == contract_row.id, reports_on_data(), visibility.runs(by))
        .correlate(contract_row)
    )
    newest = readable_runs.order_by(col(RunRow.finished_at).desc(), col(RunRow.id).desc()).limit(1).scalar_subquery()
    query = select(last).join(contract_row, col(last.id) == newest).where(col(contract_row.id).in_(contract_ids))
    return {run.contract_id: run for run in session.exec(query)}
