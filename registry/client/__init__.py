"""Typed client of the HTTP API, for the command line, the pages and programs.

Imports no database and no server."""

from types import TracebackType
from typing import Self

from treaty.registry.client.audit import AuditApi
from treaty.registry.client.catalog import CatalogApi
from treaty.registry.client.catalogs import CatalogConnectionsApi
from treaty.registry.client.consumers import ConsumersApi
from treaty.registry.client.contract_requests import ContractRequestsApi
from treaty.registry.client.contracts import ContractsApi
from treaty.registry.client.exchange import ExchangeApi
from treaty.registry.client.fits_and_feedback import FitsApi
from treaty.registry.client.gate import GateApi
from treaty.registry.client.history import HistoryApi
from treaty.registry.client.incidents import IncidentsApi
from treaty.registry.client.key_models import KeyModelsApi
from treaty.registry.client.lineage_events import LineageEventsApi
from treaty.registry.client.lineage_graph import GraphApi
from treaty.registry.client.locations import LocationsApi
from treaty.registry.client.notifications import NotificationsApi
from treaty.registry.client.patterns import PatternsApi
from treaty.registry.client.people import PeopleApi
from treaty.registry.client.profiles import ProfilesApi
from treaty.registry.client.proposals import ProposalsApi
from treaty.registry.client.replays import ReplaysApi
from treaty.registry.client.states import StatesApi
from treaty.registry.client.tasks import TasksApi
from treaty.registry.client.transport import PREFIX, UNREACHABLE, ClientError
from treaty.registry.client.versions import VersionsApi

__all__ = ["PREFIX", "UNREACHABLE", "Client", "ClientError"]


class Client(
    PeopleApi,
    AuditApi,
    ProfilesApi,
    ProposalsApi,
    ContractsApi,
    CatalogApi,
    CatalogConnectionsApi,
    ConsumersApi,
    ExchangeApi,
    LineageEventsApi,
    StatesApi,
    LocationsApi,
    NotificationsApi,
    PatternsApi,
    KeyModelsApi,
    GateApi,
    GraphApi,
    HistoryApi,
    IncidentsApi,
    FitsApi,
    TasksApi,
    ReplaysApi,
    ContractRequestsApi,
    VersionsApi,
):
    """Client of the API at `base_url`.

    `token`: an API token or the secret of a session; None sends anonymous requests.
    `http`: an existing connection to use, for example in tests; None opens a new one.
    `timeout`: seconds per request.
    Every method raises ClientError if the response is not successful."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._http.close()
