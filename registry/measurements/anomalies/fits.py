"""Store fits: bounds learned after a version was approved, and select those in force.

A version never changes. It is evaluated with the newest fit within its approved bounds, else with its own bounds. Fits
are never modified."""

from collections.abc import Collection, Sequence

from sqlalchemy import func
from sqlmodel import Session, col, select

from treaty.contracts.document.model import Contract
from treaty.engine.anomaly.fits import LearnedFit, refittable_clauses, with_fits
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.tables import FitRow


def with_active_fits(session: Session, contract: Contract, object_name: str) -> Contract:
    """Return the contract with the newest fits that it admits for the object."""
    return with_fits(contract, object_name, active_fits(session, contract, object_name))


def active_fits(session: Session, contract: Contract, object_name: str) -> dict[str, LearnedFit]:
    """Return the newest admitted fits of the object's clauses, by check id.

    Checks without one use their own bounds."""
    clause_names = {each.named for each in refittable_clauses(contract.object(object_name)).values()}
    rows = (
        newest(session, ContractObject(contract.id, object_name), clause_names, admitted=True) if clause_names else ()
    )
    return {row.check_id: _fit(row) for row in rows}


def with_named_fits(session: Session, contract: Contract, object_name: str, names: Collection[str]) -> Contract:
    """Return the contract with the fits of these names; unknown names are ignored."""
    conditions = FitRow.contract_id == contract.id, FitRow.object == object_name, col(FitRow.name).in_(names)
    rows = session.exec(select(FitRow).where(*conditions)).all() if names else ()
    return with_fits(contract, object_name, {row.check_id: _fit(row) for row in rows})


def newest(
    session: Session, about: ContractObject, clauses: Collection[str], *, admitted: bool = False
) -> Sequence[FitRow]:  # fmt: skip
    """Return the latest fit of each check for clauses of these names.

    `admitted`: only fits that may be used in evaluations."""
    row = FitRow
    conditions = row.contract_id == about.contract_id, row.object == about.object, col(row.clause).in_(clauses)
    active = (col(row.is_active).is_(True),) if admitted else ()
    order = col(row.created_at).desc(), col(row.id).desc()
    age = func.row_number().over(partition_by=[col(row.check_id), col(row.clause)], order_by=order)
    ranked = select(row.id, age.label("age")).where(*conditions, *active).subquery()
    return session.exec(select(row).join(ranked, ranked.c.id == col(row.id)).where(ranked.c.age == 1)).all()


def list_fits(
    session: Session, contract_id: str, object_name: str, *, check_id: str | None = None, limit: int
) -> Sequence[FitRow]:  # fmt: skip
    """Return the fits of the contract object, newest first.

    `check_id`: restrict to this check; None means all checks."""
    row = FitRow
    query = select(row).where(row.contract_id == contract_id, row.object == object_name)
    if check_id is not None:
        query = query.where(row.check_id == check_id)
    return session.exec(query.order_by(col(row.created_at).desc(), col(row.id).desc()).limit(limit)).all()


def _fit(row: FitRow) -> LearnedFit:
    return LearnedFit(row.name, row.clause, (row.lower, row.upper), row.points)
