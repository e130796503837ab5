"""Publish in repeatable and reversible steps, for tables whose new files are known beforehand.

The states are swapped first, then the table partition by partition; recovery compares the fingerprints of both."""

from collections.abc import Iterable, Mapping
from typing import Protocol

from treaty.engine.core.errors import EngineError, StateError
from treaty.engine.gate.publication_intent import PublicationIntent, StateChange
from treaty.engine.states.generations import GenerationStore

FORWARD, BACK = "forward", "back"


class PublicationOpen(EngineError):
    """A publication was interrupted; the state of the table is unknown until it is recovered."""


class PublicationSteps(Protocol):
    """The publication steps of one kind of table; each can be repeated after a crash at any point."""

    def fingerprints(self) -> dict[str, str]:
        """Return the fingerprint of every partition of the table."""

    def staged(self) -> dict[str, str]:
        """Return the fingerprint of every staged partition."""

    def aside(self, names: Iterable[str]) -> dict[str, str]:
        """Return the fingerprints of old files that were moved out and still exist."""

    def able(self, changes: Mapping[str, StateChange]) -> bool:
        """Return whether the publication can be completed.

        Every new partition must be in the table, or staged with the old one or none in the table."""
        current, staged = self.fingerprints(), self.staged()
        return all(
            current.get(name) == change.after.fingerprint
            or (staged.get(name) == change.after.fingerprint and current.get(name) in (None, change.old))
            for name, change in changes.items()
        )

    def publish(self, changes: Mapping[str, StateChange]) -> None:
        """Move the new files into the table, from any point of a crash."""

    def reversible(self, changes: Mapping[str, StateChange]) -> bool:
        """Return whether the publication can be undone.

        Every old partition must be in the table, or set aside with the new one or none in the table."""
        current, set_aside = self.fingerprints(), self.aside(changes)
        return all(
            current.get(name) == change.old
            or (set_aside.get(name) == change.old and current.get(name) in (None, change.after.fingerprint))
            for name, change in changes.items()
        )

    def restore(self, changes: Mapping[str, StateChange]) -> None:
        """Move the old files back into the table, from any point of a crash."""

    def carry_out(self, intent: PublicationIntent, store: GenerationStore) -> None:
        """Swap the states and publish. Raises GenerationConflict, with nothing changed, after a concurrent write."""
        store.swap(intent.number, intent.after(store.current().entries), intent.judged)
        self.publish(intent.changes)

    def settle(self, intent: PublicationIntent, store: GenerationStore) -> str:
        """Complete the publication (FORWARD) or undo it (BACK). Raises PublicationOpen if neither is possible."""
        store.last()
        current = store.current()
        entries = {name: current.entries.get(name) for name in intent.changes}
        old, new = entries == intent.olds, entries == intent.news
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
            f"neither the old nor the new files of {named(list(intent.changes))} are complete, or the states match"
            " neither"
        )

    def sweep(self) -> None:
        """Do nothing: files set aside are removed with the staging folder."""
        return


def are_kept(intent: PublicationIntent, store: GenerationStore) -> bool:
    """Return whether the store has all new states."""
    try:
        return all(store.bag(entry.bag) for entry in intent.news.values())
    except StateError:
        return False


def named(names: list[str]) -> str:
    """Join the names of the partitions for a message."""
    shown = ", ".join(name or "the table" for name in names[:5])
    return shown + (", ..." if len(names) > 5 else "")
