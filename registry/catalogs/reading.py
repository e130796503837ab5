"""Read a catalog: list its tables, load those that changed, and store their facts in short transactions.

A read takes a worker for a bounded time: it stores how far it came, and the next task continues. A failed read leaves
the stored facts as they are."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Engine as Database
from sqlmodel import Session

from treaty.registry.catalogs import access, table_store
from treaty.registry.catalogs.access import CatalogSource
from treaty.registry.catalogs.errors import (
    CatalogAnswerInvalid,
    CatalogBudgetSpent,
    CatalogPermissionMissing,
    CatalogUnavailable,
)
from treaty.registry.catalogs.kinds.protocol import CatalogReader
from treaty.registry.catalogs.model import LoadedTable, TableListing
from treaty.registry.catalogs.read_plan import ReadPlan, TableLoad, plan_read
from treaty.registry.catalogs.table_store import FactChanges
from treaty.registry.catalogs.transport import CatalogTransport, RequestBudget
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.errors import RegistryError
from treaty.registry.core.ids import Ids
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.tables import CatalogConnectionRow

MOST_TABLES = 100_000
MOST_REQUESTS = 50_000
# Seconds for the listing, and for the tables that one task loads: meanwhile the worker validates nothing.
LISTING_SECONDS = 120.0
LOAD_SECONDS = 20.0
# Tables that one transaction stores.
BATCH = 100
FEW = 5
# A table alone may be broken; if several in a row cannot be loaded, the catalog is down.
MOST_FAILURES = 3


class ConnectionChanged(RegistryError):
    """The connection was changed or removed while it was read; the results of the read are discarded."""

    default_message = "The connection was changed or removed while it was read."


@dataclass(frozen=True, kw_only=True)
class ReadContext:
    """Dependencies of a read. `check_lease`: raises if another worker reads the connection now."""

    database: Database
    settings: RegistrySettings
    clock: Callable[[], datetime]
    ids: Ids
    check_lease: Callable[[Session], None]
    report: Callable[[int, int], object]


@dataclass(kw_only=True)
class CatalogReadResult:
    """Result of a read. `after`: the last table of this part, if others are left for the next task; None if not.

    `problems`: parts of the catalog that cannot be read, with the reason."""

    listed: int = 0
    requests: int = 0
    changes: FactChanges = field(default_factory=FactChanges)
    problems: list[str] = field(default_factory=list)
    after: str | None = None

    def summary(self) -> dict[str, Any]:
        """Return the result as plain data, without names: more people may read tasks than connections."""
        numbers = {"listed": self.listed, "requests": self.requests, **vars(self.changes)}
        return {**numbers, "problems": len(self.problems), "more": self.after is not None}


def load_source(session: Session, connection_id: UUID) -> CatalogSource:
    """Return the connection to read. Raises ConnectionChanged if it does not exist any more."""
    row = session.get(CatalogConnectionRow, connection_id)
    if row is None:
        raise ConnectionChanged
    return CatalogSource.of(row)


def read(context: ReadContext, source: CatalogSource, *, after: str = "") -> CatalogReadResult:
    """Read the catalog, or the rest of it. `after`: the last table of the previous part; '' to begin.

    Raises CatalogError if the catalog cannot be read, and ConnectionChanged."""
    budget = RequestBudget.of(requests=MOST_REQUESTS, seconds=LISTING_SECONDS)
    with access.transport(source, context.settings, budget) as http:
        reader, listing = _listing(context, source, http)
        with read_session(context.database) as session:
            stored = table_store.stored_tables(session, source.id)
        budget.until = time.monotonic() + LOAD_SECONDS
        run = _Run(context=context, source=source, http=http, reader=reader)
        return run.finish(plan_read(listing, stored, after=after), listing)


def _listing(context: ReadContext, source: CatalogSource, http: CatalogTransport) -> tuple[CatalogReader, TableListing]:
    opening = access.kind(source, context.settings).open(access.access(source, context.settings))
    try:
        reader = http.run(opening)
        return reader, http.run(reader.listing(MOST_TABLES))
    except CatalogBudgetSpent:
        raise CatalogUnavailable(
            f"The tables cannot be listed within {LISTING_SECONDS:.0f} seconds. Limit them by an option."
        ) from None


@dataclass(kw_only=True)
class _Run:
    """A read in progress. `failures`: tables in a row that could not be loaded."""

    context: ReadContext
    source: CatalogSource
    http: CatalogTransport
    reader: CatalogReader
    result: CatalogReadResult = field(default_factory=CatalogReadResult)
    failures: int = 0

    def finish(self, plan: ReadPlan, listing: TableListing) -> CatalogReadResult:
        self.result.listed = len(listing.tables)
        self.result.problems += listing.problems
        if plan.unstorable:
            self.result.problems.append(f"{plan.unstorable:,} tables have names that are too long or not printable")
        self._confirm(plan)
        self._load(plan.loads)
        self.result.requests = self.http.sent
        return self.result

    def _confirm(self, plan: ReadPlan) -> None:
        """Store what follows from the listing alone."""

        def do(session: Session, row: CatalogConnectionRow, now: datetime) -> FactChanges:
            confirmed = table_store.confirm(session, row.id, plan.confirmed, now=now)
            return FactChanges(confirmed=confirmed, dropped=table_store.drop(session, row.id, plan.dropped, now=now))

        self._store(do)

    def _load(self, loads: Sequence[TableLoad]) -> None:
        """Load tables and store each batch, also that before an error or the budget's end."""
        for start in range(0, len(loads), BATCH):
            batch = loads[start : start + BATCH]
            loaded: dict[str, LoadedTable] = {}
            try:
                for at, each in enumerate(batch, start):
                    loaded |= self._loaded(each)
                    self.context.report(at, len(loads))
            except CatalogBudgetSpent:
                # A first table that takes all of the time is left out of this read, so that the next part is not stuck.
                self.result.after = loads[max(at - 1, 0)].name
                return
            finally:
                self._store_batch(loaded)

    def _loaded(self, load: TableLoad) -> Mapping[str, LoadedTable]:
        """Return the loaded table; {} if this one cannot be read, which is a problem."""
        try:
            loaded = {load.name: self.http.run(self.reader.load(load.identifier, load.token))}
        except CatalogBudgetSpent:
            raise
        except (CatalogPermissionMissing, CatalogAnswerInvalid) as error:
            self.result.problems.append(str(error))
            return {}
        except CatalogUnavailable as error:
            self.failures += 1
            if self.failures >= MOST_FAILURES:
                raise
            self.result.problems.append(str(error))
            return {}
        self.failures = 0
        return loaded

    def _store_batch(self, loaded: Mapping[str, LoadedTable]) -> None:
        if loaded:
            ids = self.context.ids
            self._store(lambda session, row, now: table_store.store(session, row, loaded, now=now, ids=ids))

    def _store(self, do: Callable[[Session, CatalogConnectionRow, datetime], FactChanges]) -> None:
        """Store in a transaction, unless the connection has changed or another worker reads it."""
        with transaction(self.context.database) as session:
            row = session.get(CatalogConnectionRow, self.source.id, with_for_update=True)
            if row is None or row.revision != self.source.revision:
                raise ConnectionChanged
            self.context.check_lease(session)
            changes = do(session, row, self.context.clock())
            session.commit()
        self.result.changes += changes
