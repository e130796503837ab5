"""Models of contract requests."""

from datetime import datetime
from uuid import UUID

from treaty.registry.schemas.base import ApiModel, ApiRequest, Location, Name, Prose, Reason


class ContractRequestIn(ApiRequest):
    """A request for a contract of a dataset.

    - `namespace`, `name`: the dataset as in lineage events.
    - `purpose`: why the contract is needed."""

    namespace: Name = "file"
    name: Location
    purpose: Reason


class ContractRequestOut(ApiModel):
    """A requested contract.

    - `location`: where Spark reads the dataset.
    - `is_own`: the caller created the request.
    - `can_decide`: the caller may decide about the request."""

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
    """Closes a contract request.

    - `reason`: required to decline another user's request, optional to withdraw an own one."""

    reason: Prose | None = None
