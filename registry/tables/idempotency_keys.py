"""Table of idempotency keys, which prevent repeated requests from being executed again."""

from datetime import datetime

from sqlmodel import Field

from treaty.registry.tables.base import BaseRow, json_column, time_column


class IdempotencyKeyRow(BaseRow, table=True):
    """A request executed under an idempotency key, with its response for repeats.

    `key`: hash of principal, endpoint and the client's key. `request_hash`: hash of the request body with the client's
    key; neither reveals the content. `permissions`: permissions of the first request, see `Principal.extent`.
    `response_body`: None if it contains a secret, which is shown only once."""

    __tablename__ = "idempotency_key"
    key: str = Field(primary_key=True)
    request_hash: str
    permissions: str | None = None
    status: int
    headers: dict[str, str] = json_column()
    response_body: bytes | None = None
    created_at: datetime = time_column(index=True)
