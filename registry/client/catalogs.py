"""Client methods for catalog connections and what catalogs state about datasets."""

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport
from treaty.registry.schemas.catalogs import (
    CatalogConnectionIn,
    CatalogConnectionOut,
    CatalogConnectionUpdateIn,
    CatalogKindOut,
    CatalogStatementOut,
    CatalogTableOut,
    CatalogTestStepOut,
)


class CatalogConnectionsApi(ApiTransport):
    """Client methods for catalog connections and what catalogs state about datasets."""

    def catalog_kinds(self) -> list[CatalogKindOut]:
        """List the kinds of catalogs with their options. Requires an administrator."""
        return self._get(list[CatalogKindOut], "/catalog-kinds")

    def catalogs(self) -> list[CatalogConnectionOut]:
        """List the connections to catalogs with their health. Requires an administrator."""
        return self._get(list[CatalogConnectionOut], "/catalogs")

    def catalog_connection(self, name: str) -> CatalogConnectionOut:
        """Fetch a connection with its health. Requires an administrator."""
        return self._get(CatalogConnectionOut, f"/catalogs/{name}")

    def add_catalog(self, connection: CatalogConnectionIn) -> CatalogConnectionOut:
        """Add a connection. Requires an administrator."""
        return self._post(CatalogConnectionOut, "/catalogs", connection)

    def change_catalog(self, name: str, changes: CatalogConnectionUpdateIn, *, etag: str = "*") -> CatalogConnectionOut:
        """Change a connection. Requires an administrator.

        `etag`: `etag` of the connection as read; "*" changes it in any state."""
        return self._changed(CatalogConnectionOut, "PATCH", f"/catalogs/{name}", etag, body=changes)

    def remove_catalog(self, name: str, *, etag: str = "*") -> None:
        """Remove a connection with all that was read from it. Requires an administrator.

        `etag`: `etag` of the connection as read; "*" removes it in any state."""
        self._deleted(f"/catalogs/{name}", etag)

    def test_catalog(self, name: str) -> list[CatalogTestStepOut]:
        """Test a connection step by step; nothing is stored. Requires an administrator."""
        return self._post(list[CatalogTestStepOut], f"/catalogs/{name}/test")

    def read_catalog(self, name: str) -> schemas.TaskOut:
        """Start a task that reads a catalog now. Requires an administrator."""
        return self._post(schemas.TaskOut, f"/catalogs/{name}/read")

    def catalog_tables(self, name: str, *, limit: int | None = None) -> list[CatalogTableOut]:
        """List the tables of a catalog by name. Requires an administrator."""
        return self._list(schemas.Page[CatalogTableOut], f"/catalogs/{name}/tables", limit=limit)

    def catalog_statements(
        self, name: str, *, namespace: str | None = None, contract_id: str | None = None
    ) -> list[CatalogStatementOut]:
        """Fetch what catalogs state about a dataset.

        `name`: a contract, `contract.object`, or the name of a dataset. `namespace`: that of the dataset.
        `contract_id`: selects one of several contracts on it."""
        query = {"name": name, "namespace": namespace, "contract_id": contract_id}
        return self._get(list[CatalogStatementOut], "/dataset/catalogs", **query)
