"""The typed client of the API, for the command line, the pages and programs. Imports no database and no server."""

from types import TracebackType
from typing import Self

from registry.client.audit import Audit
from registry.client.catalog import Catalog
from registry.client.consumers import Consumers
from registry.client.contract_requests import Requested
from registry.client.contracts import Contracts
from registry.client.exchange import Exchange
from registry.client.fits_and_feedback import Learned
from registry.client.gate import Gate
from registry.client.history import History
from registry.client.incidents import Incidents
from registry.client.lineage_events import Inbox
from registry.client.lineage_graph import Graph
from registry.client.notifications import Notifications
from registry.client.patterns import Patterns
from registry.client.people import People
from registry.client.profiles import Profiles
from registry.client.proposals import Proposals
from registry.client.replays import Replays
from registry.client.states import Memory
from registry.client.tasks import Tasks
from registry.client.transport import PREFIX, UNREACHABLE, ClientError
from registry.client.versions import Versions

__all__ = ["PREFIX", "UNREACHABLE", "Client", "ClientError"]


class Client(
    People,
    Audit,
    Profiles,
    Proposals,
    Contracts,
    Catalog,
    Consumers,
    Exchange,
    Inbox,
    Memory,
    Notifications,
    Patterns,
    Gate,
    Graph,
    History,
    Incidents,
    Learned,
    Tasks,
    Replays,
    Requested,
    Versions,
):
    """The API at `base_url`, as whoever `token` (an API token or a session's secret) says; None: as nobody.

    Every method raises ClientError for an answer that is not a success. `http` is the connection to use instead of an
    own one, as tests do."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection."""
        self._http.close()
