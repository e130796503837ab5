"""Store the planned changes of a publication to table and states before it begins."""

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
    """States and file fingerprint of a partition before (None: absent) and after a publication."""

    before: PartitionEntry | None
    after: PartitionEntry

    @property
    def old(self) -> str | None:
        """Return the fingerprint of the old files; None if there were none."""
        return self.before.fingerprint if self.before else None


@dataclass(frozen=True, kw_only=True)
class PublicationIntent:
    """The intent of one publication.

    - `changes`: by partition of `table`.
    - `staged`: folder with the new files.
    - `kind`, `name`: the table's kind and its name in Spark.
    - `notes`: facts about the old table that recovery of that kind needs.
    - `states`: location of the store; `number`: the generation that the publication follows.
    - `judged`: verdict on the candidate; `judged_before`: verdict on that generation.
    - `written`: time, ISO 8601."""

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
        """Return the file content of the intent, with a checksum."""
        return dump_checked({"format": FORMAT, **asdict(self)})

    @property
    def olds(self) -> dict[str, PartitionEntry | None]:
        """Return the previous entries of the changed partitions."""
        return {name: change.before for name, change in self.changes.items()}

    @property
    def news(self) -> dict[str, PartitionEntry]:
        """Return the new entries of the changed partitions."""
        return {name: change.after for name, change in self.changes.items()}

    def before(self, entries: Mapping[str, PartitionEntry]) -> dict[str, PartitionEntry]:
        """Replace the changed partitions in these entries by their previous entries."""
        return {name: entry for name, entry in {**entries, **self.olds}.items() if entry}

    def after(self, entries: Mapping[str, PartitionEntry]) -> dict[str, PartitionEntry]:
        """Replace the changed partitions in these entries by their new entries."""
        return {**entries, **self.news}


def read(path: str) -> PublicationIntent | None:
    """Read the intent at that path; None if there is none.

    Raises StateError if it is damaged or has another format version."""
    if not os.path.exists(path):
        return None
    with open(path, "rb") as stream:
        content = load_checked(stream.read(), f"the intent {path}")
    if content.pop("format") != FORMAT:
        raise StateError(f"the intent {path} was written by another version of Treaty: recover it with that version")
    changes = {
        name: StateChange(_entry(each["before"]), PartitionEntry(**each["after"]))
        for name, each in content["changes"].items()
    }
    verdicts = {name: judgement(content[name]) for name in ("judged", "judged_before")}
    kind = TableKind(content.get("kind", TableKind.FOLDER))
    return PublicationIntent(
        **{**content, **verdicts, "kind": kind, "partition_by": tuple(content["partition_by"]), "changes": changes}
    )


def _entry(document: Mapping[str, Any] | None) -> PartitionEntry | None:
    return PartitionEntry(**document) if document else None
