"""Routes of catalog connections and of what catalogs state about datasets."""

from typing import Annotated

from fastapi import Path, Response

from treaty.engine.core import clock
from treaty.registry import schemas
from treaty.registry.access.authentication import require_permission
from treaty.registry.api.http import presenters
from treaty.registry.api.http.admission import admission, admission_router
from treaty.registry.api.http.dependencies import Caller, Paging, Reader, Shared, Writer
from treaty.registry.api.http.etags import NeedsMatch, with_etag
from treaty.registry.api.routes.states import Called
from treaty.registry.browse import catalog_statements
from treaty.registry.catalogs import catalog_kinds, catalog_links, connections, health, table_store
from treaty.registry.catalogs.access import CatalogSource
from treaty.registry.catalogs.connections import ConnectionListing
from treaty.registry.catalogs.dry_run import dry_run
from treaty.registry.core import ids
from treaty.registry.core.enums import Permission
from treaty.registry.schemas.catalogs import (
    CatalogConnectionIn,
    CatalogConnectionOut,
    CatalogConnectionUpdateIn,
    CatalogKindOut,
    CatalogStatementOut,
    CatalogTableOut,
    CatalogTestStepOut,
)
from treaty.registry.tables import CatalogConnectionRow

router = admission_router(tags=["catalogs"])
ConnectionName = Annotated[
    str, Path(max_length=63, pattern="^[a-z0-9][a-z0-9-]*$", description="Name of the connection")
]


@router.get("/catalog-kinds")
def list_catalog_kinds(by: Caller, shared: Shared) -> list[CatalogKindOut]:
    """List the kinds of catalogs with their options and the permissions they need. Requires an administrator."""
    require_permission(by, Permission.USERS)
    by_name = sorted(catalog_kinds.kinds(shared.settings.plugin_names).items())
    return [CatalogKindOut.model_validate(kind) for _, kind in by_name]


@router.get("/catalogs")
def list_catalogs(by: Caller, tx: Reader) -> list[CatalogConnectionOut]:
    """List the connections to metadata catalogs with their health. Requires an administrator."""
    return list(map(_connection, connections.list_connections(tx, by)))


@router.post("/catalogs", status_code=201)
@admission(Permission.USERS)
def add_catalog(body: CatalogConnectionIn, by: Caller, shared: Shared, tx: Writer) -> CatalogConnectionOut:
    """Add a connection; its tables are read within a minute. Requires an administrator."""
    now = clock.now()
    fields = {**body.model_dump(), "writes": list(body.writes)}
    row = CatalogConnectionRow(id=ids.new(), next_read_at=now, created_at=now, created_by=by.name, **fields)
    added = connections.add(tx, row, shared.settings, by=by, now=now)
    tx.commit()
    return _connection(ConnectionListing(added, 0))


@router.get("/catalogs/{name}")
def get_catalog(name: ConnectionName, by: Caller, tx: Reader, answer: Response) -> CatalogConnectionOut:
    """Retrieve a connection with its health. Requires an administrator."""
    return with_etag(answer, _shown(tx, connections.named(tx, name, by)))


@router.patch("/catalogs/{name}")
@admission(Permission.USERS)
def change_catalog(
    name: ConnectionName, body: CatalogConnectionUpdateIn, by: Caller, shared: Shared, tx: Writer, match: NeedsMatch
) -> CatalogConnectionOut:
    """Change a connection. Requires an administrator, and If-Match: the `etag` as read, or `*`."""
    row = connections.named(tx, name, by, lock=True)
    match.check(tx, row.id, _shown(tx, row).etag)
    changes = {field: value for field, value in body if field in body.model_fields_set and _is_set(field, value)}
    changed = connections.change(tx, name, changes, shared.settings, by=by, now=clock.now())
    tx.commit()
    return _shown(tx, changed)


@router.delete("/catalogs/{name}", status_code=204)
@admission(Permission.USERS)
def remove_catalog(name: ConnectionName, by: Caller, tx: Writer, match: NeedsMatch) -> None:
    """Remove a connection with all facts and links read from it. Requires an administrator, and If-Match."""
    row = connections.named(tx, name, by, lock=True)
    match.check(tx, row.id, _shown(tx, row).etag)
    connections.remove(tx, name, by=by, now=clock.now())
    tx.commit()


@router.post("/catalogs/{name}/test")
@admission(Permission.USERS)
def test_catalog(name: ConnectionName, by: Caller, shared: Shared, tx: Reader) -> list[CatalogTestStepOut]:
    """Test a connection: which steps work, and which permission is missing. Stores nothing."""
    source = CatalogSource.of(connections.named(tx, name, by))
    # The catalog may take its time; meanwhile no transaction is open.
    tx.close()
    return [CatalogTestStepOut.model_validate(each) for each in dry_run(source, shared.settings)]


@router.post("/catalogs/{name}/read", status_code=202)
@admission(Permission.USERS)
def read_catalog(name: ConnectionName, by: Caller, tx: Writer) -> schemas.TaskOut:
    """Read a catalog now. Responds 409 if it is being read. Requires an administrator."""
    task = health.request(tx, name, by=by, now=clock.now(), ids=ids.new)
    tx.commit()
    return schemas.TaskOut.model_validate(task)


@router.get("/catalogs/{name}/tables")
def list_catalog_tables(name: ConnectionName, by: Caller, tx: Reader, paging: Paging) -> schemas.Page[CatalogTableOut]:
    """List the tables of a catalog by name, with those that were dropped. Requires an administrator."""
    row = connections.named(tx, name, by)
    tables = table_store.list_tables(tx, row.id, paging)
    conflicts = catalog_links.conflicts(tx, row.id, [each.identifier for each in tables.rows])
    return presenters.page(
        lambda each: CatalogTableOut(**each.model_dump(), conflicts=conflicts.get(each.identifier, ())), tables
    )


@router.get("/dataset/catalogs")
def get_catalog_statements(named: Called, by: Caller, tx: Reader) -> list[CatalogStatementOut]:
    """Retrieve what catalogs state about a dataset, under any of its names."""
    return [CatalogStatementOut.model_validate(each) for each in catalog_statements.of_dataset(tx, named, by)]


def _is_set(field: str, value: object) -> bool:
    """Return whether the field of a change has a value; only the secret may be removed."""
    return value is not None or field == "secret"


def _shown(tx: Reader, row: CatalogConnectionRow) -> CatalogConnectionOut:
    return _connection(connections.listing(tx, row))


def _connection(listing: ConnectionListing) -> CatalogConnectionOut:
    return CatalogConnectionOut(**listing.connection.model_dump(), tables=listing.tables)
