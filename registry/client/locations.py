"""Client methods for allowed locations."""

from uuid import UUID

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport


class LocationsApi(ApiTransport):
    """Client methods for allowed locations."""

    def locations(self) -> list[schemas.AllowedLocationOut]:
        """List the allowed locations, those of the settings first. Requires an administrator."""
        return self._get(list[schemas.AllowedLocationOut], "/locations")

    def add_location(self, location: str, *, domain: str | None = None) -> schemas.AllowedLocationOut:
        """Allow a location; `domain` None allows it to all contracts. Requires an administrator."""
        body = schemas.AllowedLocationIn(location=location, domain=domain)
        return self._post(schemas.AllowedLocationOut, "/locations", body)

    def remove_location(self, location_id: UUID) -> None:
        """Remove an added location. Requires an administrator."""
        self._send("DELETE", f"/locations/{location_id}")
