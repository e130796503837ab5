"""What a worker works with."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import random

from sqlalchemy import Engine as Database
from sqlalchemy.exc import OperationalError

from treaty.engine.core import clock
from treaty.engine.core.hash_key import HashKey
from treaty.engine.evaluation.evaluator import missing_states
from treaty.engine.protocol.progress import ReportProgress
from treaty.engine.protocol.requests import Engine
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


@dataclass(frozen=True, kw_only=True)
class WorkerContext:
    """What a worker works with. Everything it must remember is in the database, so that it may end at any moment."""

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

    @property
    def lease(self) -> timedelta:
        """How long a task is a worker's that says nothing."""
        return timedelta(seconds=self.settings.lease_seconds)

    def tools(self, task: TaskRow) -> ValidationDeps:
        """What the validation of that task works with."""
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
        """Keeps what is told of a task as its progress; where it is another's, or was ended, the engine is stopped."""

        def report(words: str) -> None:
            try:
                with transaction(self.database) as tx:
                    task_queue.heartbeat(tx, task.id, task.fence, until=self.clock() + self.lease, progress=words)
                    tx.commit()
            except task_queue.LeaseLost:
                self.engine.cancel()
            except OperationalError:
                # The work goes on without its progress being known; the next words may be kept again.
                return

        return report

    def report_progress(self, task: TaskRow, done: int, of: int) -> bool:
        """Tells how far the task is, about fifty times in all; True: go on. Raises Fenced where it is another's."""
        if done % max(1, of // 50) == 0:
            with transaction(self.database) as tx:
                told = f"{done} of {of} partitions"
                task_queue.heartbeat(tx, task.id, task.fence, until=self.clock() + self.lease, progress=told)
                tx.commit()
        return True
