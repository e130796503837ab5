"""The table of requests that are made once, however often they are sent."""

from datetime import datetime

from sqlmodel import Field

from treaty.registry.tables.base import BaseRow, json_column, time_column


class IdempotencyKeyRow(BaseRow, table=True):
    """A request that was done under an idempotency key, and its answer, for whoever sends it again.

    `key` is a hash of who asked, what for, and their key; `request_hash` one of the request's body with their key:
    neither tells what was sent. `permissions`: those that it was done with, as `Principal.extent` has them.
    `response_body` None: it holds a secret, which is shown once."""

    __tablename__ = "idempotency_key"
    key: str = Field(primary_key=True)
    request_hash: str
    permissions: str | None = None
    status: int
    headers: dict[str, str] = json_column()
    response_body: bytes | None = None
    created_at: datetime = time_column(index=True)
