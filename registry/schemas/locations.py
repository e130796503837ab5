"""Models of allowed locations."""

from datetime import datetime
from uuid import UUID

from treaty.registry.schemas.base import ApiModel, ApiRequest, Location, Name


class AllowedLocationIn(ApiRequest):
    """A location below which tables may be read.

    - `location`: a folder, a URL such as `s3://lake/raw`, or a catalog or schema.
    - `domain`: the only domain whose contracts may read there; null means all."""

    location: Location
    domain: Name | None = None


class AllowedLocationOut(ApiModel):
    """An allowed location.

    - `id`: null for a location of the settings, which only the settings can change.
    - `location`: a folder, a URL such as `s3://lake/raw`, or a catalog or schema.
    - `domain`: the only domain whose contracts may read there; null means all.
    - `added_by`: administrator who added it; null for the settings and for locations of older contracts."""

    id: UUID | None = None
    location: str
    domain: str | None = None
    added_by: str | None = None
    created_at: datetime | None = None
