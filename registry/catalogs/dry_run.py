"""Test a connection step by step without storing anything."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from treaty.registry.catalogs import access
from treaty.registry.catalogs.access import CatalogSource
from treaty.registry.catalogs.errors import CatalogError
from treaty.registry.catalogs.kinds.protocol import CatalogAccess, CatalogReader
from treaty.registry.catalogs.model import TableListing
from treaty.registry.catalogs.transport import CatalogTransport, RequestBudget
from treaty.registry.core.errors import InvalidRequest
from treaty.registry.core.settings import RegistrySettings

Result = TypeVar("Result")
# A user waits for the answer.
SECONDS = 20.0
REQUESTS = 30


@dataclass(frozen=True)
class DryRunStep:
    """A step of a test. `detail`: its result, or why it failed and what to do."""

    name: str
    ok: bool
    detail: str


@dataclass
class _DryRun:
    """A test in progress; a failed step ends it."""

    source: CatalogSource
    settings: RegistrySettings
    http: CatalogTransport
    steps: list[DryRunStep] = field(default_factory=list)

    def run(self) -> None:
        secret_access = self._step("secret", self._secret, lambda _: self.source.secret or "none")
        reader = self._step("sign in", lambda: self._open(secret_access), lambda _: "configuration read")
        listing = self._step("list tables", lambda: self.http.run(reader.listing(1)), _listing_words)
        if listing.tables:
            identifier = listing.tables[0].identifier
            self._step(
                "load a table", lambda: self.http.run(reader.load(identifier, "")), lambda _: "metadata can be read"
            )

    def _secret(self) -> CatalogAccess:
        return access.access(self.source, self.settings)

    def _open(self, secret_access: CatalogAccess) -> CatalogReader:
        return self.http.run(access.kind(self.source, self.settings).open(secret_access))

    def _step(self, name: str, do: Callable[[], Result], describe: Callable[[Result], str]) -> Result:
        try:
            result = do()
        except (CatalogError, InvalidRequest) as error:
            self.steps.append(DryRunStep(name, ok=False, detail=error.message))
            raise
        self.steps.append(DryRunStep(name, ok=True, detail=describe(result)))
        return result


def dry_run(source: CatalogSource, settings: RegistrySettings) -> tuple[DryRunStep, ...]:
    """Return the steps up to the first that fails. Sends a few requests, for at most 20 seconds."""
    budget = RequestBudget.of(requests=REQUESTS, seconds=SECONDS)
    with access.transport(source, settings, budget) as http:
        run = _DryRun(source, settings, http)
        with suppress(CatalogError, InvalidRequest):
            run.run()
        return tuple(run.steps)


def _listing_words(listing: TableListing) -> str:
    denied = f"; denied: {listing.problems[0]}" if listing.problems else ""
    return ("tables are listed" if listing.tables else "there is no table that the catalog lists") + denied
