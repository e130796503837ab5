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
from treaty.registry.core.pagination import Asked, Order, Portion
from treaty.registry.core.state_machines import OPEN
from treaty.registry.measurements.runs.latest import _latest_runs, reports_on_data
from treaty.registry.tables import Contract, Proposal, Run, User
from treaty.registry.validation.gate import upstream_warning

RECENT = 12
BY_ID = Order((Contract.id,))


@dataclass(frozen=True, kw_only=True)
class ListedContract:
    """A contract, its owner's name, its last run (None: never judged) and how many proposals are open.

    `upstream_failed`: bad data came to its own from further up, or are on their way."""

    contract: Contract
    owner: str
    last_run: Run | None
    open_proposals: int
    upstream_failed: bool = False


def contracts(session: Session, by: Principal, asked: Asked) -> Portion[ListedContract]:
    """Contracts that the principal may read, by id."""
    query = select(Contract, User.name).join(User, col(User.id) == col(Contract.owner_id))
    found = _listed(session, BY_ID.of(query.where(visibility.contracts(by)), asked), by)
    return BY_ID.cut(found, asked, lambda each: each.contract)


def ids(session: Session, by: Principal) -> Sequence[str]:
    """The ids of all contracts that the principal may read, in their order."""
    return session.exec(select(Contract.id).where(visibility.contracts(by)).order_by(Contract.id)).all()


def contract(session: Session, contract_id: str, by: Principal) -> ListedContract:
    """The contract of that id. Raises NotFound where there is none, or it is not the principal's to read."""
    query = select(Contract, User.name).join(User, col(User.id) == col(Contract.owner_id))
    found = _listed(session, query.where(Contract.id == contract_id, visibility.contracts(by)), by)
    if not found:
        raise NotFound
    return found[0]


def verdicts(session: Session, contract_id: str, by: Principal) -> list[Verdict]:
    """Of each object of the contract the verdict of its last run, of those that the principal may read; [] for none."""
    mine = (col(Run.contract_id) == contract_id) & visibility.runs(by)
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
    ranked = told.where(col(Run.contract_id).in_(contract_ids) & visibility.runs(by), reports_on_data()).subquery()
    shown = ranked.c.contract_id, ranked.c.id, ranked.c.verdict, ranked.c.finished
    asked = select(*shown).where(ranked.c.place <= RECENT).order_by(ranked.c.finished, ranked.c.id)
    found: dict[str, list[Recent]] = {}
    for run in (Recent(*each) for each in session.exec(asked)):
        found.setdefault(run.contract_id, []).append(run)
    return found


def _listed(session: Session, query: Select[Contract, str], by: Principal) -> list[ListedContract]:
    found = session.exec(query).all()
    shown = [contract.id for contract, _ in found]
    last = _last_runs(session, shown, by)
    opened = select(Proposal.contract_id, func.count())
    opened = opened.where(col(Proposal.contract_id).in_(shown), col(Proposal.state).in_(OPEN))
    open_counts = dict(session.exec(opened.group_by(Proposal.contract_id)).all())
    harmed = upstream_warning.harmed(session, shown)
    return [
        ListedContract(
            contract=each,
            owner=owner,
            last_run=last.get(each.id),
            open_proposals=open_counts.get(each.id, 0),
            upstream_failed=each.id in harmed,
        )
        for each, owner in found
    ]


def _last_runs(session: Session, contract_ids: Collection[str], by: Principal) -> dict[str, Run]:
    """Of each contract its last run that says how its data are, of those that the principal may read. An index finds
    it, however many there were before."""
    of, last = aliased(Contract), aliased(Run)
    mine = select(Run.id).where(Run.contract_id == of.id, reports_on_data(), visibility.runs(by)).correlate(of)
    newest = mine.order_by(col(Run.finished).desc(), col(Run.id).desc()).limit(1).scalar_subquery()
    query = select(last).join(of, col(last.id) == newest).where(col(of.id).in_(contract_ids))
    return {run.contract_id: run for run in session.exec(query)}
