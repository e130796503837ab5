"""Fits of programs: limits that were learned after a version was approved, and which of them judge.

A version never changes, and nothing judges that it does not admit: by the newest fit that is within what it approved,
else by its own limits. Rows are kept as they were written."""

from collections.abc import Collection, Sequence

from sqlalchemy import func
from sqlmodel import Session, col, select

from treaty.contracts.document.model import Contract
from treaty.engine.anomaly.fits import LearnedFit, refittable_clauses, with_fits
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.tables import FitRow


def with_active_fits(session: Session, contract: Contract, object_name: str) -> Contract:
    """The contract as its object is judged now: by the newest fits that it admits."""
    return with_fits(contract, object_name, active_fits(session, contract, object_name))


def active_fits(session: Session, contract: Contract, object_name: str) -> dict[str, LearnedFit]:
    """The newest fits that the contract admits of the object's clauses, by the checks' ids; those that have none judge
    by their own limits."""
    wanted = {each.named for each in refittable_clauses(contract.object(object_name)).values()}
    rows = newest(session, ContractObject(contract.id, object_name), wanted, admitted=True) if wanted else ()
    return {row.check_id: _fit(row) for row in rows}


def with_named_fits(session: Session, contract: Contract, object_name: str, names: Collection[str]) -> Contract:
    """The contract as its object was judged by the fits of these names; those that are none are the version's own."""
    mine = FitRow.contract_id == contract.id, FitRow.object == object_name, col(FitRow.name).in_(names)
    rows = session.exec(select(FitRow).where(*mine)).all() if names else ()
    return with_fits(contract, object_name, {row.check_id: _fit(row) for row in rows})


def newest(
    session: Session, about: ContractObject, clauses: Collection[str], *, admitted: bool = False
) -> Sequence[FitRow]:  # fmt: skip
    """The last fit of each check whose approved limits bear one of these names; `admitted`: of those that may judge."""
    row = FitRow
    mine = row.contract_id == about.contract_id, row.object == about.object, col(row.clause).in_(clauses)
    judging = (col(row.is_active).is_(True),) if admitted else ()
    order = col(row.created_at).desc(), col(row.id).desc()
    age = func.row_number().over(partition_by=[col(row.check_id), col(row.clause)], order_by=order)
    ranked = select(row.id, age.label("age")).where(*mine, *judging).subquery()
    return session.exec(select(row).join(ranked, ranked.c.id == col(row.id)).where(ranked.c.age == 1)).all()


def list_fits(
    session: Session, contract_id: str, object_name: str, *, check_id: str | None = None, limit: int
) -> Sequence[FitRow]:  # fmt: skip
    """The fits of the contract's object, newest first; of one check where it is named."""
    row = FitRow
    query = select(row).where(row.contract_id == contract_id, row.object == object_name)
    if check_id is not None:
        query = query.where(row.check_id == check_id)
    return session.exec(query.order_by(col(row.created_at).desc(), col(row.id).desc()).limit(limit)).all()


def _fit(row: FitRow) -> LearnedFit:
    return LearnedFit(row.name, row.clause, (row.lower, row.upper), row.points)
