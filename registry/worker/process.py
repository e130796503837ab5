"""Run the worker process with Spark until a signal stops it."""

import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from sqlalchemy import Engine as Database

from treaty.engine.checks import plugins
from treaty.engine.core import key_files
from treaty.engine.core.hash_key import HashKey
from treaty.engine.core.locations.rules import LocationRules
from treaty.registry.contracts.locations import allowed_locations
from treaty.registry.core import home
from treaty.registry.core.database import connect, migrate, read_session
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.validation.dependencies import Large
from treaty.registry.worker import recovery
from treaty.registry.worker.database_clock import DatabaseClock
from treaty.registry.worker.loop import StopSignal, Worker
from treaty.registry.worker.metrics import WorkerMetrics, served
from treaty.registry.worker.periodic import PeriodicJob, run_periodic_jobs
from treaty.registry.worker.restricted_engine import RestrictedEngine
from treaty.registry.worker.watchdog import Watchdog, guard

if TYPE_CHECKING:
    from treaty.engine.spark.process.child import ChildSettings

log = logging.getLogger("treaty.worker")
ADJUSTED = timedelta(minutes=1)
# A process is silent only while one call holds the interpreter, which is shorter than the work around it.
SILENCES = 2


@dataclass(frozen=True)
class Supervision:
    """The context of a supervised process: name of the worker, pipe to the supervisor, end of the process before."""

    name: str
    channel: int
    ending: str = ""


def run(settings: RegistrySettings, supervision: Supervision) -> None:
    """Run a worker with Spark until SIGTERM or SIGINT.

    Then release its task and stop Spark."""
    from treaty.engine.evaluation.evaluator import evaluate

    plugins.load(settings.plugin_names)
    metrics, watchdog = WorkerMetrics(), Watchdog()
    database = connect(settings.database)
    engine = _spark(settings, database, partial(_request, metrics, watchdog, settings))
    try:
        stop = _stop_by_signal()
        home.prepare(settings)
        migrate(database)
        time = DatabaseClock(database)
        time.adjust()
        worker = Worker(
            database=database, engine=engine, evaluate=evaluate, large=_large(settings), settings=settings,
            clock=time, key=_key(settings), figures=metrics, watchdog=watchdog, name=supervision.name,
        )  # fmt: skip
        if ending := recovery.Ending.parse(supervision.ending):
            recovery.recover(worker, ending)
        log.info("worker started")
        clock_job = run_periodic_jobs(worker, [PeriodicJob("clock", ADJUSTED, lambda _: time.adjust())])
        guarded = guard(watchdog, supervision.channel, SILENCES * settings.event_timeout_seconds)
        with guarded, clock_job, served(metrics, settings.host, settings.worker_metrics_port):
            worker.forever(stop)
    except KeyboardInterrupt:
        pass
    finally:
        engine.close()
        database.dispose()
    log.info("stopped")


def _spark(
    settings: RegistrySettings, database: Database, around: Callable[[str], AbstractContextManager[None]]
) -> RestrictedEngine:
    """Return the client of Spark, which reads allowed locations only. It starts at the first request."""
    from treaty.engine.spark.process.child import SparkChild
    from treaty.engine.spark.process.environment import withheld

    if names := withheld(os.environ, settings.spark_variables):
        log.warning("not passed to Spark: %s; name them in TREATY_SPARK_ENVIRONMENT if it needs them", ", ".join(names))
    child = SparkChild(_child_settings(settings), around=around)
    return RestrictedEngine(child, partial(_rules, database, settings))


def _child_settings(settings: RegistrySettings) -> "ChildSettings":
    from treaty.engine.spark.process.child import ChildSettings

    return ChildSettings(
        limit_seconds=settings.engine_timeout_seconds,
        limit_memory=settings.engine_memory,
        memory=settings.spark_memory,
        remote=settings.spark_remote,
        master=settings.spark_master,
        log=str(settings.home / "logs" / "spark.log"),
        plugins=settings.plugin_names,
        environment=settings.spark_variables,
    )


def _rules(database: Database, settings: RegistrySettings) -> LocationRules:
    with read_session(database) as session:
        return allowed_locations.rules(session, settings)


@contextmanager
def _request(metrics: WorkerMetrics, watchdog: Watchdog, settings: RegistrySettings, verb: str) -> Iterator[None]:
    """Count a request to Spark, whose time has a limit of its own."""
    limit = settings.engine_timeout_seconds + settings.task_timeout_seconds
    with watchdog.extended(limit), metrics.request(verb):
        yield


def _large(settings: RegistrySettings) -> Large:
    """Return the function that finds states too large to be merged by this process."""
    from treaty.engine.evaluation.large_frequencies import large
    from treaty.engine.states.state_files import StateFiles

    return partial(large, files=StateFiles(settings.states), most=settings.spark_merge_threshold)


def _key(settings: RegistrySettings) -> HashKey | None:
    """Return the key for hashes of classified values; None if no key file is configured or present.

    Raises EngineError if the file cannot be used."""
    if not settings.hash_key_file and not Path(settings.key).exists():
        log.warning("no key file: hashes of classified values are not stored; set TREATY_HASH_KEY_FILE to a key file")
        return None
    return key_files.read(settings.key)


def _stop_by_signal() -> StopSignal:
    """Return the flag that SIGTERM and SIGINT set.

    The signals also raise KeyboardInterrupt in the running code; Python ignores it inside finalizers."""
    stop = StopSignal()

    def on_signal(*_: Any) -> NoReturn:
        for each in (signal.SIGTERM, signal.SIGINT):
            signal.signal(each, signal.SIG_IGN)
        stop.requested = True
        raise KeyboardInterrupt

    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, on_signal)
    sys.unraisablehook = _quiet
    return stop


def _quiet(swallowed: Any) -> None:
    """Ignore a KeyboardInterrupt raised in a finalizer; report all other errors as Python does."""
    if not isinstance(swallowed.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(swallowed)
