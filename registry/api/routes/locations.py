"""Routes of allowed locations."""

from uuid import UUID

from treaty.engine.core import clock
from treaty.registry.api.http.admission import admission, admission_router
from treaty.registry.api.http.dependencies import Caller, Reader, Shared, Writer
from treaty.registry.contracts.locations import allowed_locations
from treaty.registry.core import ids
from treaty.registry.core.enums import Permission
from treaty.registry.schemas.locations import AllowedLocationIn, AllowedLocationOut
from treaty.registry.tables import AllowedLocationRow

router = admission_router(tags=["people"])


@router.get("/locations")
def list_locations(by: Caller, shared: Shared, tx: Reader) -> list[AllowedLocationOut]:
    """List the allowed locations: those of the settings, then the added ones. Requires an administrator."""
    added = allowed_locations.list_locations(tx, by)
    configured = [AllowedLocationOut(location=each) for each in shared.settings.location_names]
    return [*configured, *map(AllowedLocationOut.model_validate, added)]


@router.post("/locations", status_code=201)
@admission(Permission.USERS)
def add_location(body: AllowedLocationIn, by: Caller, shared: Shared, tx: Writer) -> AllowedLocationOut:
    """Allow a location: contracts may be about the tables below it. Requires an administrator."""
    now = clock.now()
    row = AllowedLocationRow(id=ids.new(), location=body.location, domain=body.domain, added_by=by.name, created_at=now)
    added = allowed_locations.add(tx, row, shared.settings, by=by, now=now)
    tx.commit()
    return AllowedLocationOut.model_validate(added)


@router.delete("/locations/{location_id}", status_code=204)
@admission(Permission.USERS)
def remove_location(location_id: UUID, by: Caller, tx: Writer) -> None:
    """Remove an added location. Tables below it are no longer read. Requires an administrator."""
    allowed_locations.remove(tx, location_id, by=by, now=clock.now())
    tx.commit()
