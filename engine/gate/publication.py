"""A publication carried out, and ended where it was cut off: the steps that the docstring of `treaty.engine.gate.gate`
draws."""

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
    """The states beside a table's folder, where no other store is named."""
    return StateFolder(os.path.join(gate_of(os.path.realpath(location)), STATES), disk or Disk())


def publish(intent: PublicationIntent, store: GenerationStore, publication: PublicationMethod, disk: Disk) -> None:
    """Steps 1 to 4, for who holds the lock. Raises Overtaken, with nothing changed, where a writer past the gate came
    first, and Unsettled where a step failed: what is left of them is for `recover`."""
    publication.sweep()
    disk.settle(os.path.join(intent.staged, NEW))
    disk.replace(intent_of(intent.table), intent.content)
    try:
        publication.carry_out(intent, store)
    except GenerationConflict:
        disk.remove(intent_of(intent.table))
        raise
    except (OSError, EngineError, StateError) as error:
        raise PublicationOpen(f"the publication to {intent.table} was cut off ({_why(error)}): {REMEDY}") from error
    disk.remove(intent_of(intent.table))
    store.collect()


def _why(error: Exception) -> str:
    number = getattr(error, "errno", None)
    return os.strerror(number) if number else getattr(error, "reason", type(error).__name__)


def recover(table: str, store: GenerationStore | None = None, *, spark: Any = None, disk: Disk | None = None) -> str:
    """Ends a publication that was cut off: 'forward' or 'back', 'nothing' where none was; leftovers are cleared away.

    `store` None: the folder beside the table. `spark` is the session that knows the table, not needed for a folder of
    Parquet. Raises Unsettled where neither way is open, or where the intent speaks of another store, Busy where a
    publication is under way, StateError where the intent is damaged, EngineError where the table cannot be read."""
    tables = tables_of(spark)
    return recover_table(site_of(table, tables), store, tables, disk or Disk())


def recover_table(site: GatedTable, store: GenerationStore | None, tables: GateTables | None, disk: Disk) -> str:
    """What `recover` says, of a table that is known."""
    place = site.location
    if not os.path.isdir(gate_of(place)):
        return NOTHING
    known = store or store_of(place, disk)
    with exclusive(place, disk):
        intent = publication_intent.read(intent_of(place))
        outcome = _settle(intent, known, intended(intent, disk, tables)) if intent else NOTHING
        for left in (intent_of(place), aside(intent_of(place))):
            disk.remove(left)
        known.collect()
        publication(site, (), place, disk, tables, {}).sweep()
        _sweep(place, disk)
        return outcome


def _settle(intent: PublicationIntent, store: GenerationStore, way: PublicationMethod) -> str:
    if store.place != intent.states:
        raise PublicationOpen(f"the open publication belongs to the states in {intent.states}: name that store")
    try:
        return way.settle(intent, store)
    except PublicationOpen as error:
        undo = f"restore them, or remove {intent_of(intent.table)} to have what is there measured again"
        raise PublicationOpen(f"{error.reason}: {undo}") from error


def is_plain(table: str) -> bool:
    """Whether Spark need not be asked about a table: a folder of plain files, or none yet, where none of another kind
    was about to be made."""
    if is_named(table) or site_of(table).kind is not TableKind.FOLDER:
        return False
    try:
        intent = publication_intent.read(intent_of(site_of(table).location))
    except StateError:
        return True
    return intent is None or intent.kind is TableKind.FOLDER


def tables_of(spark: Any) -> GateTables | None:
    """The tables that a Spark session knows; None without one."""
    from treaty.engine.spark.handlers.gate_tables import SessionTables

    return SessionTables(spark) if spark is not None else None


def _sweep(table: str, disk: Disk) -> None:
    """Clears away what ended processes have staged; what a process still holds is left to it."""
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
    """The verdict of the run that judged exactly the files that the table has now, by exactly this contract; `unknown`
    where none did, while a publication is open, and where table and states do not agree. Arguments are those of
    `gate`; `spark` is not needed for a plain folder of Parquet."""
    tables, chosen = tables_of(spark), contract.object(object_name or contract.objects[0].name)
    by = tuple(chosen.partition_columns if partition_by is None else partition_by)
    return answer_for_table(site_of(table, tables), by, store, tables, (contract.fingerprint, chosen.name))


def answer_for_table(
    site: GatedTable,
    partition_by: tuple[str, ...],
    store: GenerationStore | None,
    tables: GateTables | None,
    asked: tuple[str, str],
) -> str:
    """What `answer` says, of a table that is known. `asked`: the contract's fingerprint and the object of it."""
    place = site.location
    known = store or store_of(place)
    try:
        before = known.current()
        lies = publication(site, partition_by, place, Disk(), tables, {}).fingerprints()
        # A publication that came between the two shows as open, or as another generation.
        if os.path.exists(intent_of(place)) or known.current().number != before.number:
            return UNKNOWN
    except StateError:
        return UNKNOWN
    judged = before.judged if before.fingerprints == lies else None
    return judged.verdict if judged and (judged.contract, judged.object) == asked else UNKNOWN


def exclusive(table: str, disk: Disk) -> AbstractContextManager[None]:
    """Holds the table's lock: one process at a time publishes or recovers. Raises Busy."""
    disk.folder(gate_of(table))
    return file_lock(os.path.join(gate_of(table), LOCK), patience=PATIENCE_SECONDS)


def intent_of(table: str) -> str:
    """Where the intent of a table's open publication lies."""
    return os.path.join(gate_of(table), INTENT)


def refuse_open(table: str) -> None:
    """Raises Unsettled while a publication is open."""
    if os.path.exists(intent_of(table)):
        raise PublicationOpen(f"a publication to {table} was begun and not ended: {REMEDY}")
