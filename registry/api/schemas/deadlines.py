"""Deadlines as the API gives them."""

from datetime import datetime

from registry.api.schemas.base import Schema


class DeadlineOut(Schema):
    """A promise of when data of an object come: `due` next, `missed` since, `arrived` last. `fault`: why it is not
    watched."""

    version: str
    name: str
    object: str | None
    sentence: str | None
    severity: str | None
    due: datetime | None
    missed: datetime | None
    arrived: datetime | None
    fault: str | None
