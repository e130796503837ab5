"""The table of requests that are made once, however often they are sent."""

from datetime import datetime

from sqlmodel import Field

from treaty.registry.tables.base import BaseRow, json_column, time_column


class IdempotencyKeyRow(BaseRow, table=True):
    """A request that was done under an idempotency key, and its answer, for whoever sends it again.

    `key` is a hash of who asked, what for, and their key; `content` one of the request's body with their key: neither
    tells what was sent. `rights`: those that it was done with, as `Principal.extent` has them. `answer` None: it holds
    a secret, which is shown once."""

    __tablename__ = "done_request"
    key: str = Field(primary_key=True)
    content: str
    rights: str | None = None
    status: int
    headers: dict[str, str] = json_column()
    answer: bytes | None = None
    created: datetime = time_column(index=True)
