"""What a publication is about to do to a table and to its states, written down before it begins."""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from treaty.engine.core.disk import dump_checked, load_checked
from treaty.engine.core.errors import StateError
from treaty.engine.protocol.gate_requests import TableKind
from treaty.engine.states.generations import GenerationVerdict, PartitionEntry, judgement

FORMAT = 1


@dataclass(frozen=True)
class StateChange:
    """A partition's states, and with them the fingerprint of its files, before (None: there was none) and after."""

    before: PartitionEntry | None
    after: PartitionEntry

    @property
    def old(self) -> str | None:
        """The fingerprint of the files before; None where there were none."""
        return self.before.fingerprint if self.before else None


@dataclass(frozen=True, kw_only=True)
class PublicationIntent:
    """One publication: `changes` by partition of `table`, whose new files are staged in the folder `staged`.

    `kind` says what the table is to its gate, `name` what Spark calls it; `notes` are what that kind needs to know of
    the table as it was. `states` names the store, `number` the generation that it follows, `judged` how the candidate
    was judged, `judged_before` how that generation was, `written` the time, ISO 8601."""

    table: str
    partition_by: tuple[str, ...]
    staged: str
    states: str
    number: int
    judged: GenerationVerdict
    judged_before: GenerationVerdict | None
    changes: Mapping[str, StateChange]
    written: str
    kind: TableKind = TableKind.FOLDER
    name: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)

    @property
    def content(self) -> bytes:
        """The intent as a file holds it, with a checksum."""
        return dump_checked({"format": FORMAT, **asdict(self)})

    @property
    def olds(self) -> dict[str, PartitionEntry | None]:
        """The entries of the changed partitions as they were."""
        return {name: change.before for name, change in self.changes.items()}

    @property
    def news(self) -> dict[str, PartitionEntry]:
        """The entries of the changed partitions as they shall be."""
        return {name: change.after for name, change in self.changes.items()}

    def before(self, entries: Mapping[str, PartitionEntry]) -> dict[str, PartitionEntry]:
        """These entries with those of the changed partitions as they were."""
        return {name: entry for name, entry in {**entries, **self.olds}.items() if entry}

    def after(self, entries: Mapping[str, PartitionEntry]) -> dict[str, PartitionEntry]:
        """These entries with those of the changed partitions as they shall be."""
        return {**entries, **self.news}


def read(path: str) -> PublicationIntent | None:
    """The intent that lies there; None where none does. Raises StateError where it is damaged or of another format."""
    if not os.path.exists(path):
        return None
    with open(path, "rb") as stream:
        found = load_checked(stream.read(), f"the intent {path}")
    if found.pop("format") != FORMAT:
        raise StateError(f"the intent {path} was written by another version, which has to finish it")
    changes = {
        name: StateChange(_entry(each["before"]), PartitionEntry(**each["after"]))
        for name, each in found["changes"].items()
    }
    judged = {name: judgement(found[name]) for name in ("judged", "judged_before")}
    kind = TableKind(found.get("kind", TableKind.FOLDER))
    return PublicationIntent(
        **{**found, **judged, "kind": kind, "partition_by": tuple(found["partition_by"]), "changes": changes}
    )


def _entry(found: Mapping[str, Any] | None) -> PartitionEntry | None:
    return PartitionEntry(**found) if found else None
