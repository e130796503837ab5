"""Take in lineage events: claim them, process them in batches, and park those that repeatedly fail."""

import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from itertools import repeat, takewhile

from treaty.engine.core import interrupts
from treaty.registry.core import logs
from treaty.registry.core.database import transaction
from treaty.registry.lineage.events import event_store
from treaty.registry.lineage.events.event_store import EventLeaseLost
from treaty.registry.tables import LineageEventRow
from treaty.registry.worker import failures, recovery
from treaty.registry.worker.context import WorkerContext
from treaty.registry.worker.intake import event_processing
from treaty.registry.worker.watchdog import UnitKind

log = logging.getLogger("treaty.worker")
AT_A_TIME = 200
# Other transactions that change the same rows wait while this many events are processed.
BATCH_SIZE = 20


@dataclass(frozen=True)
class Inbox:
    """The inbox as one worker processes it. `claimed`: its events whose outcome is not stored.

    The next claim releases them: their attempt failed with others, or because the database was not available."""

    means: WorkerContext
    claimed: list[LineageEventRow] = field(default_factory=list)

    def take_in(self) -> bool:
        """Process pending events in batches; return whether there were any.

        If a batch fails, its events are processed one by one, so that a faulty event does not block the others."""
        batches = (self._batch() for _ in repeat(None, AT_A_TIME // BATCH_SIZE))
        return sum(takewhile(bool, batches)) > 0

    def _batch(self) -> bool:
        count = self._step(BATCH_SIZE)
        if not self.claimed:
            return count > 0
        singles = (self._step(1) > 0 for _ in repeat(None, count))
        return sum(takewhile(bool, singles)) > 0

    def _step(self, most: int) -> int:
        """Claim and process events; return their number. If a batch fails, its events remain claimed."""
        # An interrupt between the claim and the outcome would count as an attempt.
        with interrupts.defer_interrupts(), self.means.watchdog.turn() as turn:
            count = self._claim(most) if turn else 0
            if turn and count and self.claimed[0].attempts == 1:
                self.means.watchdog.leave(turn)
            if count == 1:
                self._process_one(self.claimed[0])
            elif count:
                self._process_batch()
        return count

    def _claim(self, most: int) -> int:
        """Claim the next events and return their number; if there are none, park those that ended with their worker."""
        now, lease = self.means.clock(), timedelta(seconds=self.means.settings.event_timeout_seconds)
        with transaction(self.means.database) as tx:
            event_store.release(tx, self.claimed)
            claimed = event_store.claim(tx, worker=self.means.name, now=now, lease=lease, most=most)
            for each in [] if claimed else event_store.abandoned(tx, now=now):
                recovery.blame_event(tx, each, f"ended with its worker, in attempt {each.attempts}", now)
            tx.commit()
        self.claimed[:] = claimed
        return len(claimed)

    def _process_one(self, event: LineageEventRow) -> None:
        with logs.log_fields(event_key=event.content_hash), failures.survive_errors(partial(self._blame, event)):
            self._process()

    def _process_batch(self) -> None:
        try:
            self._process()
        except Exception as error:
            log.info("a batch of lineage events failed and is processed one by one: %s", failures.reason(error))

    def _process(self) -> None:
        """Parse the claimed events, then store what follows from them in one transaction."""
        first, seconds = self.claimed[0], self.means.settings.event_timeout_seconds
        key = first.id if len(self.claimed) == 1 else recovery.BATCH
        with self.means.watchdog.limit(UnitKind.EVENT, key, seconds):
            for each in self._fold(self.claimed):
                logs.log_event(log, "event processed", event_key=each.content_hash, lineage_run_id=each.lineage_run_id)
                self.means.figures.events.labels(each.state).inc()
        self.claimed.clear()

    def _fold(self, claimed: Sequence[LineageEventRow]) -> Sequence[LineageEventRow]:
        # Before the transaction: other writers need not wait for the parsers.
        parsed = event_processing.parse_events(claimed)
        means, old = self.means, timedelta(days=self.means.settings.trigger_max_age_days)
        with transaction(means.database) as tx:
            rows = event_store.hold(tx, claimed)
            event_processing.process_events(tx, rows, parsed, now=means.clock(), ids=means.ids, old=old)
            tx.commit()
        return rows

    def _blame(self, event: LineageEventRow, error: Exception) -> None:
        with suppress(EventLeaseLost), transaction(self.means.database) as tx:
            (row,) = event_store.hold(tx, [event])
            recovery.blame_event(tx, row, failures.reason(error), self.means.clock())
            tx.commit()
            self.means.figures.events.labels(row.state).inc()
        self.claimed.clear()
