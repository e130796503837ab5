"""Store generations of a table's states in a folder: one bag per partition, swapped atomically.

A bag is a file named by its content. One small file defines the current generation and is replaced by a rename, so a
reader sees one generation or the next. A swap names the generation that it follows; if another one came first, it is
refused without visible effect. Bags that no generation refers to are collected."""

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any, Protocol

from treaty.contracts.schema import Schema
from treaty.engine.core.disk import Disk, aside, dump_checked, file_lock, load_checked
from treaty.engine.core.errors import EngineError, StateError
from treaty.engine.core.results import RunResult

POINTER, LOCK, BAGS = "current.json", "lock", "bags"
FORMAT = 1
PATIENCE_SECONDS = 30.0


class GenerationConflict(EngineError):
    """Another writer came first; nothing was changed."""


@dataclass(frozen=True)
class PartitionEntry:
    """A partition's states: the fingerprint of the files they were computed from, and the name of the bag."""

    fingerprint: str
    bag: str


@dataclass(frozen=True)
class GenerationVerdict:
    """The verdict of a run, with the contract's fingerprint and the object's name.

    `run`: id of the run, if the store keeps whole runs; otherwise None."""

    verdict: str
    contract: str
    object: str
    run: str | None = None


@dataclass(frozen=True)
class Generation:
    """The states of all partitions at one time.

    `judged`: verdict of the run that evaluated exactly these states; None without one."""

    number: int = 0
    entries: Mapping[str, PartitionEntry] = field(default_factory=dict)
    judged: GenerationVerdict | None = None

    @property
    def fingerprints(self) -> dict[str, str]:
        """Return the fingerprint of each partition's files."""
        return {name: entry.fingerprint for name, entry in self.entries.items()}


class GenerationStore(Protocol):
    """A store for the states of one table; `place` is its location."""

    @property
    def place(self) -> str: ...

    def current(self) -> Generation:
        """Return the newest generation; for a new store an empty one, number 0. Raises StateError if damaged."""

    def keep(self, packed: bytes) -> str:
        """Store a bag and return its name, for use in a generation."""

    def bag(self, name: str) -> bytes:
        """Return the packed bag of that name. Raises StateError if it is missing or damaged."""

    def verdict_of(self, run: RunResult, schema: Schema) -> GenerationVerdict:
        """Return the verdict of a run for a generation; the run is stored if the store keeps runs."""

    def swap(
        self, expected: int, entries: Mapping[str, PartitionEntry], verdict: GenerationVerdict | None = None
    ) -> Generation:
        """Make these the entries of the generation after `expected`.

        Raises GenerationConflict if that generation is not current."""

    def last(self) -> None:
        """Flush the current generation to disk, in case its writer crashed before doing so."""

    def collect(self) -> None:
        """Remove bags that the current generation does not use.

        No publication may be open and no other writer may be storing bags meanwhile."""


@dataclass(frozen=True)
class StateFolder:
    """The states of one table in a local folder, created on the first write."""

    place: str
    disk: Disk = field(default_factory=Disk, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", os.path.realpath(self.place))

    def current(self) -> Generation:
        """Return the newest generation; an empty one for a new folder.

        Raises StateError if the pointer file is damaged; once it is removed, all partitions are measured again."""
        try:
            content = _read(self._path(POINTER))
        except FileNotFoundError:
            return Generation()
        return _generation(load_checked(content, f"{self._path(POINTER)} (remove it to measure all partitions again)"))

    def keep(self, packed: bytes) -> str:
        """Store the bag under the checksum of its content; storing equal content again changes nothing."""
        name = sha256(packed).hexdigest()
        self.disk.folder(self._path(BAGS))
        with self._alone():
            if os.path.exists(self._path(BAGS, name)):
                self.disk.anchor(self._path(BAGS, name))
            else:
                self.disk.replace(self._path(BAGS, name), packed)
        return name

    def bag(self, name: str) -> bytes:
        """Return the packed bag of that name. Raises StateError if it is missing or damaged."""
        try:
            content = _read(self._path(BAGS, name))
        except FileNotFoundError:
            raise StateError(f"the bag {name} is missing; compute the partition again") from None
        if sha256(content).hexdigest() != name:
            raise StateError(f"the bag {name} is damaged: the checksum differs; compute the partition again")
        return content

    def verdict_of(self, run: RunResult, _: Schema) -> GenerationVerdict:
        """Return the verdict of the run; the run itself is not stored."""
        return GenerationVerdict(run.verdict.value, run.contract_fingerprint, run.object)

    def swap(
        self, expected: int, entries: Mapping[str, PartitionEntry], verdict: GenerationVerdict | None = None
    ) -> Generation:
        """Make these the entries of the generation after `expected`.

        Raises GenerationConflict if that generation is not current."""
        generation = Generation(expected + 1, dict(entries), verdict)
        self.disk.folder(self.place)
        with self._alone():
            actual = self.current().number
            if actual != expected:
                raise GenerationConflict(f"the states are of generation {actual}, no longer of {expected}: start again")
            self.disk.replace(self._path(POINTER), dump_checked({"format": FORMAT, **asdict(generation)}))
        return generation

    def last(self) -> None:
        """Flush the pointer file to disk."""
        self.disk.anchor(self._path(POINTER))

    def collect(self) -> None:
        """Remove bags that the current generation does not use, and leftovers of crashes."""
        self.disk.remove(aside(self._path(POINTER)))
        used = {entry.bag for entry in self.current().entries.values()}
        if os.path.isdir(self._path(BAGS)):
            for name in sorted(set(os.listdir(self._path(BAGS))) - used):
                self.disk.remove(self._path(BAGS, name))

    def _alone(self) -> AbstractContextManager[None]:
        return file_lock(self._path(LOCK), patience=PATIENCE_SECONDS)

    def _path(self, *parts: str) -> str:
        return os.path.join(self.place, *parts)


def _generation(document: Mapping[str, Any]) -> Generation:
    if document["format"] != FORMAT:
        raise StateError(f"states of format {document['format']} cannot be read by this version, which reads {FORMAT}")
    entries = {name: PartitionEntry(**entry) for name, entry in document["entries"].items()}
    return Generation(document["number"], entries, judgement(document["judged"]))


def judgement(document: Mapping[str, Any] | None) -> GenerationVerdict | None:
    """Parse a verdict from plain data; None stays None."""
    return GenerationVerdict(**document) if document else None


def _read(path: str) -> bytes:
    with open(path, "rb") as stream:
        return stream.read()
