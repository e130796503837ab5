"""Store samples of violating rows until they expire."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete
from sqlmodel import Session, col, select

from treaty.engine.core.results import ViolationSample
from treaty.registry.core.errors import NotFound
from treaty.registry.tables import RunRow, ViolationSampleRow

ZERO, SHOWN = "\x00", "\N{REPLACEMENT CHARACTER}"


def keep(session: Session, run_id: UUID, samples: Sequence[ViolationSample], *, until: datetime, now: datetime) -> None:
    """Store the samples of a run until `until`, and delete all expired samples."""
    forget(session, now=now)
    session.add_all(
        ViolationSampleRow(
            run_id=run_id,
            position=position,
            check_id=each.check_id,
            columns=list(each.columns),
            masked=list(each.masked),
            # PostgreSQL rejects NUL characters.
            rows=[[cell.replace(ZERO, SHOWN) if cell else cell for cell in row] for row in each.rows],
            expires_at=until,
        )
        for position, each in enumerate(samples)
    )


def forget(session: Session, *, now: datetime) -> None:
    """Delete all expired samples."""
    session.exec(delete(ViolationSampleRow).where(col(ViolationSampleRow.expires_at) <= now))


def of_run(session: Session, run_id: UUID, *, now: datetime) -> Sequence[ViolationSampleRow]:
    """Return the unexpired samples of a run; [] if there are none. Raises NotFound for an unknown run."""
    if session.get(RunRow, run_id) is None:
        raise NotFound
    query = select(ViolationSampleRow).where(
        ViolationSampleRow.run_id == run_id, col(ViolationSampleRow.expires_at) > now
    )
    return session.exec(query.order_by(col(ViolationSampleRow.position))).all()
