"""Open a catalog: its kind, its secret, and a transport that is allowed to reach it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit
from uuid import UUID

from treaty.registry.catalogs import catalog_kinds, secrets
from treaty.registry.catalogs.kinds.protocol import CatalogAccess, CatalogKind
from treaty.registry.catalogs.transport import CatalogTransport, RequestBudget
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.notifications.transport import egress
from treaty.registry.notifications.transport.egress import EgressPolicy
from treaty.registry.tables import CatalogConnectionRow


@dataclass(frozen=True, kw_only=True)
class CatalogSource:
    """A connection outside of any transaction. `revision`: that of the connection when it was loaded."""

    id: UUID
    name: str
    kind: str
    address: str
    secret: str | None
    options: Mapping[str, str]
    namespaces: Mapping[str, str]
    private: bool
    revision: int

    @classmethod
    def of(cls, row: CatalogConnectionRow) -> Self:
        """Return the source of a connection."""
        return cls(**row.model_dump(include=set(cls.__dataclass_fields__)))


def kind(source: CatalogSource, settings: RegistrySettings) -> CatalogKind:
    """Return the kind of the connection. Raises InvalidRequest if its plug-in is not installed any more."""
    return catalog_kinds.kind_of(source.kind, settings.plugin_names)


def access(source: CatalogSource, settings: RegistrySettings) -> CatalogAccess:
    """Return the access with its secret. Raises CatalogSecretMissing."""
    options = catalog_kinds.complete_options(kind(source, settings), source.options)
    secret = secrets.secret_of(source.secret, settings)
    return CatalogAccess(address=source.address, options=options, secret=secret)


def transport(source: CatalogSource, settings: RegistrySettings, budget: RequestBudget) -> CatalogTransport:
    """Return the transport to the catalog, which allows private addresses if the connection does."""
    allowed = egress.reach(settings.webhook_allowed_hosts)
    hosts = frozenset(_hosts(source)) if source.private else frozenset[str]()
    within = EgressPolicy(allowed.names | hosts, allowed.networks)
    return CatalogTransport(address=source.address, within=within, budget=budget)


def _hosts(source: CatalogSource) -> list[str]:
    urls = (source.address, *(each for each in source.options.values() if "://" in each))
    return [(urlsplit(each).hostname or "").lower() for each in urls]
