"""Requests done once, however often they are sent: the answer is kept in the transaction that holds the effect."""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import delete, text
from sqlmodel import Session, col

from treaty.registry.access.permissions import Principal
from treaty.registry.core.errors import Conflict, InvalidRequest
from treaty.registry.tables import IdempotencyKeyRow

RETENTION = timedelta(hours=24)
UNDER_WAY = "this request is being done at this moment: send it again in a few seconds for its answer"
OTHER = "this idempotency key was used for another request: take a new one for what is not the same"
RIGHTS = "this was done before, with other rights than you have now: look at what there is"
SHOWN_ONCE = "this was done before; its answer held a secret, which is shown once: look at what there is, and make anew"


@dataclass(frozen=True)
class StoredResponse:
    """What was answered; `body` None: it held a secret."""

    status: int
    headers: Mapping[str, str]
    body: bytes | None


class RequestReplayed(Exception):
    """The request was done before, with this answer."""

    def __init__(self, answer: StoredResponse) -> None:
        self.answer = answer
        super().__init__()


@dataclass
class IdempotencyAttempt:
    """A request under an idempotency key, as far as its body has arrived."""

    key: str
    operation: str
    body: "hmac.HMAC" = field(init=False)

    def __post_init__(self) -> None:
        # Keyed, so that nobody tries passwords on what is kept of a body.
        self.body = hmac.new(self.key.encode(), digestmod=hashlib.sha256)

    def name(self, user_id: UUID) -> str:
        """The name under which this request of that user is kept."""
        return hashlib.sha256("\n".join((str(user_id), self.operation, self.key)).encode()).hexdigest()


def begin(session: Session, attempt: IdempotencyAttempt, by: Principal, *, now: datetime) -> None:
    """Returns where the request is to be done now, and lets nobody else do it until the transaction ends.

    Raises Repeated where it was done before, Conflict where somebody does it now, and where the rights it was done with
    are others than `by` has now: the route, which would look at them, is not asked again. Invalid where the key was
    used for another request."""
    name = attempt.name(by.user_id)
    if not _locked(session, name):
        raise Conflict(UNDER_WAY)
    done = session.get(IdempotencyKeyRow, name)
    if done is None:
        return
    if done.created_at <= now - RETENTION:
        session.delete(done)
        session.flush()
        return
    if not hmac.compare_digest(done.request_hash, attempt.body.hexdigest()):
        raise InvalidRequest(OTHER)
    if done.permissions != by.extent:
        raise Conflict(RIGHTS)
    raise RequestReplayed(StoredResponse(done.status, done.headers, done.response_body))


def keep(
    session: Session, attempt: IdempotencyAttempt, by: Principal, answer: StoredResponse, *, now: datetime
) -> None:
    """Adds the answer to the transaction that did the request."""
    kept = IdempotencyKeyRow(
        key=attempt.name(by.user_id),
        request_hash=attempt.body.hexdigest(),
        permissions=by.extent,
        status=answer.status,
        headers=dict(answer.headers),
        response_body=answer.body,
        created_at=now,
    )
    session.add(kept)


def forget(session: Session, *, now: datetime) -> None:
    """Removes answers that are not given again any more."""
    session.exec(delete(IdempotencyKeyRow).where(col(IdempotencyKeyRow.created_at) <= now - RETENTION))


def _locked(session: Session, name: str) -> bool:
    """Whether nobody else does the request of that name. On SQLite one waits until they have done it."""
    connection = session.connection()
    if connection.dialect.name != "postgresql":
        return True
    number = int.from_bytes(bytes.fromhex(name)[:8], signed=True)
    return bool(connection.scalar(text("select pg_try_advisory_xact_lock(:number)"), {"number": number}))
