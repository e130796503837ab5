"""Contracts that people ask for, as the API takes and gives them."""

from datetime import datetime
from uuid import UUID

from treaty.registry.schemas.base import Location, Name, Prose, Reason, Request, Schema


class ContractRequestIn(Request):
    """Which dataset shall have a contract, as lineage names it, and why."""

    namespace: Name = "file"
    name: Location
    why: Reason


class ContractRequestOut(Schema):
    """A contract that somebody asks for. `location`: where Spark reads the dataset. `own`: the asking principal asks
    for it; `decides`: they may decide about it."""

    id: UUID
    namespace: str
    name: str
    location: str
    author: str
    why: str
    created: datetime
    own: bool
    decides: bool


class EndIn(Request):
    """Why a contract that was asked for will not be; who takes their own request back need not say."""

    reason: Prose | None = None
