"""Publication in steps that can each be done again and undone: for tables whose new files are known beforehand.

States are swapped first, then partition by partition the table; recovery compares the fingerprints of both."""

from collections.abc import Iterable, Mapping
from typing import Protocol

from treaty.engine.core.errors import EngineError, StateError
from treaty.engine.gate.publication_intent import PublicationIntent, StateChange
from treaty.engine.states.generations import GenerationStore

FORWARD, BACK = "forward", "back"


class PublicationOpen(EngineError):
    """A publication was begun and not ended: nothing is known of the table until it is recovered."""


class PublicationSteps(Protocol):
    """The steps of one kind of table. Every one may be done again after a crash at any point."""

    def fingerprints(self) -> dict[str, str]:
        """The fingerprint of every partition that the table has."""

    def staged(self) -> dict[str, str]:
        """The fingerprint of every partition that is staged."""

    def aside(self, names: Iterable[str]) -> dict[str, str]:
        """The fingerprints of those of the partitions whose old files are there, but not in the table any more."""

    def able(self, changes: Mapping[str, StateChange]) -> bool:
        """Whether every new partition is in the table, or staged while the table has the old one or none."""
        here, staged = self.fingerprints(), self.staged()
        return all(
            here.get(name) == change.after.fingerprint
            or (staged.get(name) == change.after.fingerprint and here.get(name) in (None, change.old))
            for name, change in changes.items()
        )

    def publish(self, changes: Mapping[str, StateChange]) -> None:
        """Has the table hold the new files, from whatever point a crash has left it at."""

    def reversible(self, changes: Mapping[str, StateChange]) -> bool:
        """Whether every old partition is in the table, or aside while the table has the new one or none."""
        here, aside = self.fingerprints(), self.aside(changes)
        return all(
            here.get(name) == change.old
            or (aside.get(name) == change.old and here.get(name) in (None, change.after.fingerprint))
            for name, change in changes.items()
        )

    def restore(self, changes: Mapping[str, StateChange]) -> None:
        """Has the table hold the old files, from whatever point a crash has left it at."""

    def carry_out(self, intent: PublicationIntent, store: GenerationStore) -> None:
        """Swaps the states and publishes. Raises Overtaken, with nothing changed, where another writer came first."""
        store.swap(intent.number, intent.after(store.current().entries), intent.judged)
        self.publish(intent.changes)

    def settle(self, intent: PublicationIntent, store: GenerationStore) -> str:
        """Does what is left of the publication, FORWARD, or undoes it, BACK. Raises Unsettled where neither can be."""
        store.last()
        current = store.current()
        found = {name: current.entries.get(name) for name in intent.changes}
        old, new = found == intent.olds, found == intent.news
        if (new or (old and are_kept(intent, store))) and self.able(intent.changes):
            if not new:
                store.swap(current.number, intent.after(current.entries), intent.judged)
            self.publish(intent.changes)
            return FORWARD
        if (new or old) and self.reversible(intent.changes):
            self.restore(intent.changes)
            if not old:
                store.swap(current.number, intent.before(current.entries), intent.judged_before)
            return BACK
        raise PublicationOpen(
            f"neither the old nor the new files of {named(list(intent.changes))} are complete, or the states are of"
            " neither"
        )

    def sweep(self) -> None:
        """Nothing: what is put aside lies with what was staged."""
        return


def are_kept(intent: PublicationIntent, store: GenerationStore) -> bool:
    """Whether the store has all the new states."""
    try:
        return all(store.bag(entry.bag) for entry in intent.news.values())
    except StateError:
        return False


def named(names: list[str]) -> str:
    """The partitions in words."""
    shown = ", ".join(name or "the table" for name in names[:5])
    return shown + (", ..." if len(names) > 5 else "")
