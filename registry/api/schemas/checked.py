"""How a check came out over time, as the API gives it."""

from datetime import datetime
from uuid import UUID

from pydantic import AwareDatetime, Field

from registry.api.schemas.base import Schema
from registry.api.schemas.contracts import ResultOut


class CheckedAsked(Schema):
    """Which check is asked for, by its id. `since`: of runs that ended then or later."""

    contract_id: str
    object: str
    check: str
    since: AwareDatetime | None = None
    limit: int = Field(default=500, ge=1, le=5000)


class CheckedOut(ResultOut):
    """A result of a check, and the run that it is of: its contract's version, and when it ended."""

    run_id: UUID
    version: str
    finished: datetime
