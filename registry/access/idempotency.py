"""Execute a request once per idempotency key.

The response is stored in the transaction of the request's effect."""

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
UNDER_WAY = "This request is still being processed. Retry in a few seconds to receive its response."
OTHER = "This idempotency key was used for a different request. Use a new key for each request."
RIGHTS = "This request was already processed, with permissions other than your current ones. Check its result."
SHOWN_ONCE = (
    "This request was already processed. Its response contained a secret that is shown only once. Create a new one."
)


@dataclass(frozen=True)
class StoredResponse:
    """A stored response.

    `body`: None if the response contained a secret."""

    status: int
    headers: Mapping[str, str]
    body: bytes | None


class RequestReplayed(Exception):
    """The request was executed before; carries the stored response."""

    def __init__(self, answer: StoredResponse) -> None:
        self.answer = answer
        super().__init__()


@dataclass
class IdempotencyAttempt:
    """A request with an idempotency key. The hash of its body grows as the body arrives."""

    key: str
    operation: str
    body: "hmac.HMAC" = field(init=False)

    def __post_init__(self) -> None:
        # Keyed with the idempotency key, so that the stored hash cannot be used to guess passwords in the body.
        self.body = hmac.new(self.key.encode(), digestmod=hashlib.sha256)

    def name(self, user_id: UUID) -> str:
        """Return the key under which this user's request is stored."""
        return hashlib.sha256("\n".join((str(user_id), self.operation, self.key)).encode()).hexdigest()


def begin(session: Session, attempt: IdempotencyAttempt, by: Principal, *, now: datetime) -> None:
    """Claim the request until the transaction ends; return if it must be executed now.

    Raises RequestReplayed if it was executed before, Conflict if it is being executed or was executed with
    permissions other than the current ones of `by` (the route, which would verify them, does not run again), and
    InvalidRequest if the key was used for a different request."""
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
    """Store the response in the transaction of the request."""
    row = IdempotencyKeyRow(
        key=attempt.name(by.user_id),
        request_hash=attempt.body.hexdigest(),
        permissions=by.extent,
        status=answer.status,
        headers=dict(answer.headers),
        response_body=answer.body,
        created_at=now,
    )
    session.add(row)


def forget(session: Session, *, now: datetime) -> None:
    """Delete expired responses."""
    session.exec(delete(IdempotencyKeyRow).where(col(IdempotencyKeyRow.created_at) <= now - RETENTION))


def _locked(session: Session, name: str) -> bool:
    """Return whether this transaction acquired the lock of the request. SQLite serializes writers instead."""
    connection = session.connection()
    if connection.dialect.name != "postgresql":
        return True
    number = int.from_bytes(bytes.fromhex(name)[:8], signed=True)
    return bool(connection.scalar(text("select pg_try_advisory_xact_lock(:number)"), {"number": number}))
