"""Contracts that people ask for, as the API takes and gives them."""

from datetime import datetime
from uuid import UUID

from treaty.registry.schemas.base import ApiModel, ApiRequest, Location, Name, Prose, Reason


class ContractRequestIn(ApiRequest):
    """Which dataset shall have a contract, as lineage names it, and why."""

    namespace: Name = "file"
    name: Location
    purpose: Reason


class ContractRequestOut(ApiModel):
    """A contract that somebody asks for. `location`: where Spark reads the dataset. `is_own`: the asking principal asks
    for it; `can_decide`: they may decide about it."""

    id: UUID
    namespace: str
    name: str
    location: str
    author: str
    purpose: str
    created_at: datetime
    is_own: bool
    can_decide: bool


class ContractRequestEndIn(ApiRequest):
    """Why a contract that was asked for will not be; who takes their own request back need not say."""

    reason: Prose | None = None
