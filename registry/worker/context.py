"""Dependencies of a worker."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import random

from sqlalchemy import Engine as Database
from sqlalchemy.exc import OperationalError

from treaty.engine.core import clock
from treaty.engine.core.hash_key import HashKey
from treaty.engine.evaluation.evaluator import missing_states
from treaty.engine.protocol.engine import Engine
from treaty.engine.protocol.progress import ReportProgress
from treaty.engine.states.state_files import StateFiles
from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.core.ids import Ids
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.measurements.states.checkpoints import TaskCheckpoints
from treaty.registry.queue import task_queue
from treaty.registry.review.consumers import consumer_checks
from treaty.registry.tables import TaskRow
from treaty.registry.validation.dependencies import EvaluateFunction, Large, MissingStatesFunction, ValidationDeps
from treaty.registry.validation.plan import Consumers
from treaty.registry.validation.sampling import SamplingPolicy
from treaty.registry.worker.metrics import WorkerMetrics
from treaty.registry.worker.watchdog import Watchdog


@dataclass(frozen=True, kw_only=True)
class WorkerContext:
    """Dependencies of a worker; its durable state is in the database, so that it may stop at any time."""

    database: Database
    engine: Engine
    evaluate: EvaluateFunction
    large: Large
    settings: RegistrySettings
    missing_states: MissingStatesFunction = missing_states
    clock: Callable[[], datetime] = clock.now
    ids: Ids = ids.new
    jitter: Callable[[], float] = random
    name: str = field(default_factory=lambda: f"worker-{ids.new()}")
    key: HashKey | None = None
    consumers: Consumers = consumer_checks.documents
    figures: WorkerMetrics = field(default_factory=WorkerMetrics)
    watchdog: Watchdog = field(default_factory=Watchdog)

    @property
    def lease(self) -> timedelta:
        """Return how long a task remains leased without a heartbeat."""
        return timedelta(seconds=self.settings.lease_seconds)

    def tools(self, task: TaskRow) -> ValidationDeps:
        """Return the dependencies of the task's validation."""
        sampling = SamplingPolicy(self.settings.sample_rows, timedelta(days=self.settings.sample_retention_days))
        parts = TaskCheckpoints(
            database=self.database, task_id=task.id, fence=task.fence, clock=self.clock, lease=self.lease
        )
        return ValidationDeps(
            database=self.database, engine=self.engine, evaluate=self.evaluate,
            missing_states=self.missing_states, large=self.large,
            clock=self.clock, state_url=self.settings.states, sampling=sampling, parts=parts,
            portion=self.settings.read_batch_partitions, key=self.key, files=StateFiles(self.settings.states),
        )  # fmt: skip

    def progress_reporter(self, task: TaskRow) -> ReportProgress:
        """Return a callback that stores the task's progress and extends its lease.

        If the lease is lost or the task was canceled, the engine is stopped."""

        def report(words: str) -> None:
            self.watchdog.renew()
            try:
                with transaction(self.database) as tx:
                    task_queue.heartbeat(tx, task.id, task.fence, until=self.clock() + self.lease, progress=words)
                    tx.commit()
            except task_queue.LeaseLost:
                self.engine.cancel()
            except OperationalError:
                # The work continues without a progress report; the next one may succeed.
                return

        return report

    def report_progress(self, task: TaskRow, done: int, of: int, unit: str = "partitions") -> bool:
        """Store the progress of the task, about fifty times in all, and extend its lease.

        Always returns True, to continue. Raises LeaseLost if another worker has the task."""
        self.watchdog.renew()
        if done % max(1, of // 50) == 0:
            with transaction(self.database) as tx:
                progress = f"{done} of {of} {unit}"
                task_queue.heartbeat(tx, task.id, task.fence, until=self.clock() + self.lease, progress=progress)
                tx.commit()
        return True
