"""Count the first run of each periodic job in a worker process.

A run that ends the process is counted, because it began. A fault that persists meets the first run in the next
process, so later runs need not be counted."""

from datetime import datetime, timedelta

from sqlmodel import Session, col, delete, select

from treaty.registry.audit import audit_log
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.database import insert
from treaty.registry.tables import PeriodicJobRow

TRIES = 3
# A job is needed by others: it is tried again after a while.
PAUSE = timedelta(hours=1)
ACTOR = "worker"


def begin(session: Session, name: str, *, worker: str, now: datetime, lease: timedelta) -> bool:
    """Count an attempt at the job, lease it to `worker`, and return True.

    Returns False if the job is paused, which it is after too many attempts, or if another worker attempts it."""
    job = _locked(session, name)
    if job.paused_until is not None and job.paused_until > now:
        return False
    if job.lease_expires_at is not None and job.lease_expires_at > now and job.worker != worker:
        return False
    if job.attempts >= TRIES:
        pause(session, job, job.error or "ended with its worker", now=now)
        return False
    job.attempts += 1
    job.worker, job.lease_expires_at, job.paused_until = worker, now + lease, None
    return True


def succeed(session: Session, name: str) -> None:
    """Forget the attempts at the job: the process survived a run."""
    session.exec(delete(PeriodicJobRow).where(col(PeriodicJobRow.name) == name))


def blame(session: Session, name: str, error: str, *, now: datetime) -> None:
    """Record that a run of the job ended its worker process. The third one pauses the job."""
    job = _locked(session, name)
    # A later run in its process was not counted when it began.
    job.attempts += job.lease_expires_at is None
    job.error, job.lease_expires_at = error, None
    if job.attempts >= TRIES:
        pause(session, job, error, now=now)


def release(session: Session, job: PeriodicJobRow) -> None:
    """Forget the last attempt at a job that did not end its process."""
    job.attempts, job.lease_expires_at = job.attempts - 1, None


def pause(session: Session, job: PeriodicJobRow, error: str, *, now: datetime) -> None:
    """Stop the job for a while; after it, one more attempt is allowed."""
    job.paused_until, job.attempts, job.lease_expires_at, job.error = now + PAUSE, TRIES - 1, None, error
    details = {"error": error, "until": job.paused_until.isoformat()}
    audit_log.record(session, AuditAction.JOB_PAUSED, actor=ACTOR, object_id=job.name, details=details, now=now)


def leased(session: Session, worker: str) -> list[PeriodicJobRow]:
    """Return the jobs whose first run `worker` is making."""
    row = PeriodicJobRow
    return list(session.exec(select(row).where(row.worker == worker, col(row.lease_expires_at).is_not(None))))


def _locked(session: Session, name: str) -> PeriodicJobRow:
    """Return the job's row, created if necessary, locked until the transaction ends."""
    table = PeriodicJobRow.__table__  # type: ignore[attr-defined]
    session.connection().execute(insert(session, table).values(name=name, attempts=0).on_conflict_do_nothing())
    return session.exec(select(PeriodicJobRow).where(PeriodicJobRow.name == name).with_for_update()).one()
