"""Table of allowed locations."""

from datetime import datetime
from uuid import UUID

from sqlmodel import Field

from treaty.registry.tables.base import BaseRow, time_column


class AllowedLocationRow(BaseRow, table=True):
    """A folder, bucket or catalog below which tables may be read.

    `domain`: the only domain whose contracts may read there; None means all. `added_by`: name of the administrator;
    None means that a migration took it from a contract."""

    __tablename__ = "allowed_location"
    id: UUID = Field(primary_key=True)
    location: str = Field(index=True)
    domain: str | None = None
    added_by: str | None = None
    created_at: datetime = time_column()
