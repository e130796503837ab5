"""Client methods for allowed locations."""

from uuid import UUID

from treaty.registry.client.transport import ApiTransport
from treaty.registry.schemas.locations import AllowedLocationIn, AllowedLocationOut


class LocationsApi(ApiTransport):
    """Client methods for allowed locations."""

    def locations(self) -> list[AllowedLocationOut]:
        """List the allowed locations, those of the settings first. Requires an administrator."""
        return self._get(list[AllowedLocationOut], "/locations")

    def add_location(self, location: str, *, domain: str | None = None) -> AllowedLocationOut:
        """Allow a location; `domain` None allows it to all contracts. Requires an administrator."""
        body = AllowedLocationIn(location=location, domain=domain)
        return self._post(AllowedLocationOut, "/locations", body)

    def remove_location(self, location_id: UUID) -> None:
        """Remove an added location. Requires an administrator."""
        self._send("DELETE", f"/locations/{location_id}")
