"""The typed client of the API, for the command line, the pages and programs. Imports no database and no server."""

from types import TracebackType
from typing import Self

from treaty.registry.client.audit import Audit
from treaty.registry.client.catalog import Catalog
from treaty.registry.client.consumers import Consumers
from treaty.registry.client.contract_requests import Requested
from treaty.registry.client.contracts import Contracts
from treaty.registry.client.exchange import Exchange
from treaty.registry.client.fits_and_feedback import Learned
from treaty.registry.client.gate import Gate
from treaty.registry.client.history import History
from treaty.registry.client.incidents import Incidents
from treaty.registry.client.lineage_events import Inbox
from treaty.registry.client.lineage_graph import Graph
from treaty.registry.client.notifications import Notifications
from treaty.registry.client.patterns import Patterns
from treaty.registry.client.people import People
from treaty.registry.client.profiles import Profiles
from treaty.registry.client.proposals import Proposals
from treaty.registry.client.replays import Replays
from treaty.registry.client.states import Memory
from treaty.registry.client.tasks import Tasks
from treaty.registry.client.transport import PREFIX, UNREACHABLE, ClientError
from treaty.registry.client.versions import Versions

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
