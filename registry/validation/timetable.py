"""List the deadlines of a contract with their next time and missed times."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from treaty.contracts.document.deadlines import ParsedDeadline, promises
from treaty.contracts.document.reader import read
from treaty.registry.core.state_machines import IN_FORCE
from treaty.registry.datasets import contract_datasets
from treaty.registry.tables import ContractVersionRow, ScheduleEntryRow


@dataclass(frozen=True, kw_only=True)
class DeadlineStatus:
    """Status of a deadline.

    `due_at`: next time by which data must arrive; None after a missed deadline until data arrives, or until a worker
    has scheduled the version. `missed_at`: latest missed time whose data has not arrived; None if none is missed.
    `last_arrival_at`: time of the last arrival. `fault`: why the deadline cannot be monitored; all other optional
    fields are then None."""

    version: str
    name: str
    object: str | None = None
    sentence: str | None = None
    severity: str | None = None
    due_at: datetime | None = None
    missed_at: datetime | None = None
    last_arrival_at: datetime | None = None
    fault: str | None = None


def of_contract(session: Session, contract_id: str) -> list[DeadlineStatus]:
    """List the deadlines of the contract's versions in force."""
    row = ContractVersionRow
    query = select(row).where(row.contract_id == contract_id, col(row.state).in_(IN_FORCE))
    return [line for version in session.exec(query.order_by(col(row.id))) for line in _of_version(session, version)]


def _of_version(session: Session, version: ContractVersionRow) -> Iterator[DeadlineStatus]:
    parsed = promises(read(version.body))
    for promised in parsed.watched:
        yield _line(session, version, promised)
    for fault in parsed.faults:
        yield DeadlineStatus(version=version.version, name=fault.where, fault=f"{fault.message}: {fault.remedy}")


def _line(session: Session, version: ContractVersionRow, promised: ParsedDeadline) -> DeadlineStatus:
    row = session.get(ScheduleEntryRow, (version.id, promised.object, promised.name))
    dataset = contract_datasets.dataset_of(session, version.contract_id, promised.object)
    return DeadlineStatus(
        version=version.version,
        name=promised.name,
        object=promised.object,
        sentence=promised.sentence,
        severity=promised.severity,
        due_at=row.due_at if row else None,
        missed_at=row.missed_at if row else None,
        last_arrival_at=dataset.last_arrival_at if dataset else None,
    )
