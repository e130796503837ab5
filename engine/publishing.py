"""A publication carried out, and ended where it was cut off: the steps that the docstring of `engine.gate` draws."""

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager

from contracts.document import Contract
from engine import intents
from engine.disk import Busy, Disk, aside, locked
from engine.folders import NEW, Folders, Publication, gate_of, located
from engine.generations import Overtaken, StateFolder, Store
from engine.intents import Intent
from engine.requests import EngineError
from engine.states import StateError

UNKNOWN = "unknown"
NOTHING, FORWARD, BACK = "nothing", "forward", "back"
CANDIDATE = "candidate-"
STATES, INTENT, LOCK = "states", "intent.json", "lock"
PATIENCE_SECONDS = 30.0
REMEDY = "recover it first (treaty gate TABLE --recover)"


class Unsettled(EngineError):
    """A publication was begun and not ended: nothing is known of the table until it is recovered."""


def store_of(table: str, disk: Disk | None = None) -> StateFolder:
    """The states beside a table, where no other store is named."""
    return StateFolder(os.path.join(gate_of(located(table)), STATES), disk or Disk())


def publish(intent: Intent, store: Store, publication: Publication, disk: Disk) -> None:
    """Steps 1 to 4, for who holds the lock. Raises Overtaken, with nothing changed, where a writer past the gate came
    first, and Unsettled where a step failed: what is left of them is for `recover`."""
    disk.settle(os.path.join(intent.staged, NEW))
    disk.replace(intent_of(intent.table), intent.content)
    try:
        store.swap(intent.number, intent.after(store.current().entries), intent.judged)
        publication.publish(intent.changes)
    except Overtaken:
        disk.remove(intent_of(intent.table))
        raise
    except (OSError, EngineError, StateError) as error:
        raise Unsettled(f"the publication to {intent.table} was cut off ({_why(error)}): {REMEDY}") from error
    disk.remove(intent_of(intent.table))
    store.collect()


def _why(error: Exception) -> str:
    number = getattr(error, "errno", None)
    return os.strerror(number) if number else type(error).__name__


def recover(table: str, store: Store | None = None, *, disk: Disk | None = None) -> str:
    """Ends a publication that was cut off: 'forward' or 'back', 'nothing' where none was; leftovers are cleared away.

    `store` None: the folder beside the table. Raises Unsettled where neither way is open, or where the intent speaks
    of another store, Busy where a publication is under way, StateError where the intent is damaged."""
    place, disk = located(table), disk or Disk()
    if not os.path.isdir(gate_of(place)):
        return NOTHING
    known = store or store_of(place, disk)
    with exclusive(place, disk):
        intent = intents.read(intent_of(place))
        outcome = _resolved(intent, known, _folders(intent, disk)) if intent else NOTHING
        for left in (intent_of(place), aside(intent_of(place))):
            disk.remove(left)
        known.collect()
        _sweep(place, disk)
        return outcome


def _folders(intent: Intent, disk: Disk) -> Folders:
    return Folders(intent.table, intent.partition_by, intent.staged, disk)


def _resolved(intent: Intent, store: Store, publication: Publication) -> str:
    """Does what is left of the publication, or undoes it. Raises Unsettled where neither can be done."""
    if store.where != intent.states:
        raise Unsettled(f"the open publication belongs to the states in {intent.states}: name that store")
    store.last()
    current = store.current()
    found = {name: current.entries.get(name) for name in intent.changes}
    old, new = found == intent.olds, found == intent.news
    if (new or (old and _are_kept(intent, store))) and publication.able(intent.changes):
        if not new:
            store.swap(current.number, intent.after(current.entries), intent.judged)
        publication.publish(intent.changes)
        return FORWARD
    if (new or old) and publication.reversible(intent.changes):
        publication.restore(intent.changes)
        if not old:
            store.swap(current.number, intent.before(current.entries), intent.judged_before)
        return BACK
    raise Unsettled(
        f"neither the old nor the new files of {named(list(intent.changes))} are complete, or the states are of"
        f" neither: restore them, or remove {intent_of(intent.table)} to have what is there measured again"
    )


def _are_kept(intent: Intent, store: Store) -> bool:
    try:
        return all(store.bag(entry.bag) for entry in intent.news.values())
    except StateError:
        return False


def _sweep(table: str, disk: Disk) -> None:
    """Clears away what ended processes have staged; what a process still holds is left to it."""
    for name in sorted(os.listdir(gate_of(table))):
        stage = os.path.join(gate_of(table), name)
        if name.startswith(CANDIDATE):
            try:
                with locked(os.path.join(stage, LOCK), patience=0):
                    disk.clear(stage)
            except Busy:
                continue


def answer(
    table: str,
    contract: Contract,
    store: Store | None = None,
    *,
    object_name: str | None = None,
    partition_by: Sequence[str] | None = None,
) -> str:
    """The verdict of the run that judged exactly the files that the table has now, by exactly this contract; `unknown`
    where none did, while a publication is open, and where table and states do not agree. Arguments are those of
    `gate`."""
    place, chosen = located(table), contract.object(object_name or contract.objects[0].name)
    by = tuple(chosen.partition_columns if partition_by is None else partition_by)
    known = store or store_of(place)
    try:
        before, lies = known.current(), Folders(place, by, place).fingerprints()
        # A publication that came between the two shows as open, or as another generation.
        if os.path.exists(intent_of(place)) or known.current().number != before.number:
            return UNKNOWN
    except StateError:
        return UNKNOWN
    judged = before.judged if before.fingerprints == lies else None
    same = judged is not None and (judged.contract, judged.object) == (contract.fingerprint, chosen.name)
    return judged.verdict if judged and same else UNKNOWN


def exclusive(table: str, disk: Disk) -> AbstractContextManager[None]:
    """Holds the table's lock: one process at a time publishes or recovers. Raises Busy."""
    disk.folder(gate_of(table))
    return locked(os.path.join(gate_of(table), LOCK), patience=PATIENCE_SECONDS)


def intent_of(table: str) -> str:
    """Where the intent of a table's open publication lies."""
    return os.path.join(gate_of(table), INTENT)


def refuse_open(table: str) -> None:
    """Raises Unsettled while a publication is open."""
    if os.path.exists(intent_of(table)):
        raise Unsettled(f"a publication to {table} was begun and not ended: {REMEDY}")


def named(names: Sequence[str]) -> str:
    """The partitions in words."""
    shown = ", ".join(name or "the table" for name in names[:5])
    return shown + (", ..." if len(names) > 5 else "")
