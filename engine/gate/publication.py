"""Publish, and recover interrupted publications, in the steps described in `treaty.engine.gate.gate`."""

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from treaty.contracts.document.model import Contract
from treaty.engine.core.disk import Disk, LockHeld, aside, file_lock
from treaty.engine.core.errors import EngineError, StateError
from treaty.engine.gate import publication_intent
from treaty.engine.gate.parquet_folders import NEW, PublicationMethod, gate_of
from treaty.engine.gate.publication_intent import PublicationIntent
from treaty.engine.gate.publication_steps import PublicationOpen
from treaty.engine.gate.table_kinds import GatedTable, intended, is_named, publication, site_of
from treaty.engine.protocol.gate_requests import GateTables, TableKind
from treaty.engine.states.generations import GenerationConflict, GenerationStore, StateFolder

UNKNOWN = "unknown"
NOTHING = "nothing"
CANDIDATE = "candidate-"
STATES, INTENT, LOCK = "states", "intent.json", "lock"
PATIENCE_SECONDS = 30.0
REMEDY = "recover it first (treaty gate TABLE --recover)"


def store_of(location: str, disk: Disk | None = None) -> StateFolder:
    """Return the default state store in the gate's folder next to the table."""
    return StateFolder(os.path.join(gate_of(os.path.realpath(location)), STATES), disk or Disk())


def publish(intent: PublicationIntent, store: GenerationStore, publication: PublicationMethod, disk: Disk) -> None:
    """Run steps 1 to 4; the caller holds the lock.

    Raises GenerationConflict, with nothing changed, if a writer that bypassed the gate came first. Raises
    PublicationOpen if a step failed; `recover` completes or undoes it."""
    publication.sweep()
    disk.settle(os.path.join(intent.staged, NEW))
    disk.replace(intent_of(intent.table), intent.content)
    try:
        publication.carry_out(intent, store)
    except GenerationConflict:
        disk.remove(intent_of(intent.table))
        raise
    except (OSError, EngineError, StateError) as error:
        raise PublicationOpen(f"the publication to {intent.table} was interrupted ({_why(error)}): {REMEDY}") from error
    disk.remove(intent_of(intent.table))
    store.collect()


def _why(error: Exception) -> str:
    number = getattr(error, "errno", None)
    return os.strerror(number) if number else getattr(error, "reason", type(error).__name__)


def recover(table: str, store: GenerationStore | None = None, *, spark: Any = None, disk: Disk | None = None) -> str:
    """Complete or undo an interrupted publication and remove leftovers; return 'forward', 'back' or 'nothing'.

    `store`: None means the folder next to the table. `spark`: session that can read the table; not needed for a
    folder of Parquet. Raises PublicationOpen if neither direction is possible or the intent belongs to another
    store; LockHeld if a publication is in progress; StateError if the intent is damaged; EngineError if the table
    cannot be read."""
    tables = tables_of(spark)
    return recover_table(site_of(table, tables), store, tables, disk or Disk())


def recover_table(site: GatedTable, store: GenerationStore | None, tables: GateTables | None, disk: Disk) -> str:
    """Recover a table whose kind and location are already determined; see `recover`."""
    place = site.location
    if not os.path.isdir(gate_of(place)):
        return NOTHING
    states = store or store_of(place, disk)
    with exclusive(place, disk):
        intent = publication_intent.read(intent_of(place))
        outcome = _settle(intent, states, intended(intent, disk, tables)) if intent else NOTHING
        for path in (intent_of(place), aside(intent_of(place))):
            disk.remove(path)
        states.collect()
        publication(site, (), place, disk, tables, {}).sweep()
        _sweep(place, disk)
        return outcome


def _settle(intent: PublicationIntent, store: GenerationStore, way: PublicationMethod) -> str:
    if store.place != intent.states:
        raise PublicationOpen(f"the open publication belongs to the states in {intent.states}: use that store")
    try:
        return way.settle(intent, store)
    except PublicationOpen as error:
        undo = f"restore them, or remove {intent_of(intent.table)} to measure the current files again"
        raise PublicationOpen(f"{error.reason}: {undo}") from error


def is_plain(table: str) -> bool:
    """Return whether the table is, or will be, a plain folder, which needs no Spark.

    False if an open publication was about to create a table of another kind."""
    if is_named(table) or site_of(table).kind is not TableKind.FOLDER:
        return False
    try:
        intent = publication_intent.read(intent_of(site_of(table).location))
    except StateError:
        return True
    return intent is None or intent.kind is TableKind.FOLDER


def tables_of(spark: Any) -> GateTables | None:
    """Return access to the tables of a Spark session; None without one."""
    from treaty.engine.spark.handlers.gate_tables import SessionTables

    return SessionTables(spark) if spark is not None else None


def _sweep(table: str, disk: Disk) -> None:
    """Remove staging folders of ended processes; a locked folder is still in use."""
    for name in sorted(os.listdir(gate_of(table))):
        stage = os.path.join(gate_of(table), name)
        if name.startswith(CANDIDATE):
            try:
                with file_lock(os.path.join(stage, LOCK), patience=0):
                    disk.clear(stage)
            except LockHeld:
                continue


def answer(
    table: str,
    contract: Contract,
    store: GenerationStore | None = None,
    *,
    object_name: str | None = None,
    partition_by: Sequence[str] | None = None,
    spark: Any = None,
) -> str:
    """Return the verdict of the run that evaluated the table's current files by this contract.

    `unknown` if there is no such run, while a publication is open, and if table and states do not match. The
    arguments are those of `gate`; `spark` is not needed for a folder of Parquet."""
    tables, data_object = tables_of(spark), contract.object(object_name or contract.objects[0].name)
    partition_columns = tuple(data_object.partition_columns if partition_by is None else partition_by)
    return answer_for_table(
        site_of(table, tables), partition_columns, store, tables, (contract.fingerprint, data_object.name)
    )


def answer_for_table(
    site: GatedTable,
    partition_by: tuple[str, ...],
    store: GenerationStore | None,
    tables: GateTables | None,
    expected: tuple[str, str],
) -> str:
    """Answer for a table whose kind and location are already determined; see `answer`.

    `expected`: fingerprint of the contract, and name of its object."""
    place = site.location
    states = store or store_of(place)
    try:
        before = states.current()
        fingerprints = publication(site, partition_by, place, Disk(), tables, {}).fingerprints()
        # A publication in between is visible as an open intent or a new generation.
        if os.path.exists(intent_of(place)) or states.current().number != before.number:
            return UNKNOWN
    except StateError:
        return UNKNOWN
    verdict = before.judged if before.fingerprints == fingerprints else None
    return verdict.verdict if verdict and (verdict.contract, verdict.object) == expected else UNKNOWN


def exclusive(table: str, disk: Disk) -> AbstractContextManager[None]:
    """Lock the table, so that one process at a time publishes or recovers. Raises LockHeld."""
    disk.folder(gate_of(table))
    return file_lock(os.path.join(gate_of(table), LOCK), patience=PATIENCE_SECONDS)


def intent_of(table: str) -> str:
    """Return the path of the intent of the table's open publication."""
    return os.path.join(gate_of(table), INTENT)


def refuse_open(table: str) -> None:
    """Raise PublicationOpen while a publication is open."""
    if os.path.exists(intent_of(table)):
        raise PublicationOpen(f"a publication to {table} was not completed: {REMEDY}")
