"""Generations of a table's states: which bag stands for each partition, swapped as a whole, in a folder of files.

A bag lies in a file named by its content. What is current is told by one small file, replaced by a rename: whoever
reads it sees one generation or the next. A swap names the generation that it follows; where another came first it is
refused, and nothing of it can be seen. Bags that no generation names are left over and are collected."""

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
    """The states of a partition: the fingerprint of the files that they were computed from, and the name of the bag."""

    fingerprint: str
    bag: str


@dataclass(frozen=True)
class GenerationVerdict:
    """How a run ended, and the fingerprint of the contract and the object of it that were judged by.

    `run` names the run where the store keeps it as a whole."""

    verdict: str
    contract: str
    object: str
    run: str | None = None


@dataclass(frozen=True)
class Generation:
    """The states of all partitions at one time. `judged`: of the run that judged exactly these; None: none did."""

    number: int = 0
    entries: Mapping[str, PartitionEntry] = field(default_factory=dict)
    judged: GenerationVerdict | None = None

    @property
    def fingerprints(self) -> dict[str, str]:
        """The fingerprint of each partition's files."""
        return {name: entry.fingerprint for name, entry in self.entries.items()}


class GenerationStore(Protocol):
    """Where the states of one table lie. `place` names the place."""

    @property
    def place(self) -> str: ...

    def current(self) -> Generation:
        """The newest generation; an empty one, number 0, of a new store. Raises StateError where it is damaged."""

    def keep(self, packed: bytes) -> str:
        """The name of a bag that is kept from now on, for a generation to name it."""

    def bag(self, name: str) -> bytes:
        """The packed bag of that name. Raises StateError where it is gone or damaged."""

    def verdict_of(self, run: RunResult, schema: Schema) -> GenerationVerdict:
        """The judgement of a generation that this run judges, on tables of that schema; with the run kept, where the
        store keeps runs."""

    def swap(
        self, expected: int, entries: Mapping[str, PartitionEntry], judged: GenerationVerdict | None = None
    ) -> Generation:
        """Makes these the entries of the generation after `expected`. Raises Overtaken where that is not current."""

    def last(self) -> None:
        """Has the current generation last a loss of power, where who made it ended before that was so."""

    def collect(self) -> None:
        """Removes bags that the current generation does not name: no publication is open, and no other writer may be
        keeping bags meanwhile."""


@dataclass(frozen=True)
class StateFolder:
    """The states of one table in a folder of this machine, which is made when something is kept."""

    place: str
    disk: Disk = field(default_factory=Disk, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", os.path.realpath(self.place))

    def current(self) -> Generation:
        """The newest generation; an empty one of a new folder. Raises StateError where the file that says so is
        damaged: with it gone, all partitions are measured again."""
        try:
            content = _read(self._path(POINTER))
        except FileNotFoundError:
            return Generation()
        return _generation(load_checked(content, f"{self._path(POINTER)} (remove it to measure all partitions again)"))

    def keep(self, packed: bytes) -> str:
        """The name of the bag, the checksum of its content; keeping equal content again changes nothing."""
        name = sha256(packed).hexdigest()
        self.disk.folder(self._path(BAGS))
        with self._alone():
            if os.path.exists(self._path(BAGS, name)):
                self.disk.anchor(self._path(BAGS, name))
            else:
                self.disk.replace(self._path(BAGS, name), packed)
        return name

    def bag(self, name: str) -> bytes:
        """The packed bag of that name. Raises StateError where it is gone or damaged."""
        try:
            content = _read(self._path(BAGS, name))
        except FileNotFoundError:
            raise StateError(f"the bag {name} is gone; compute the partition again") from None
        if sha256(content).hexdigest() != name:
            raise StateError(f"the bag {name} is damaged: the checksum differs; compute the partition again")
        return content

    def verdict_of(self, run: RunResult, _: Schema) -> GenerationVerdict:
        """How the run ended; the run itself is not kept."""
        return GenerationVerdict(run.verdict.value, run.contract_fingerprint, run.object)

    def swap(
        self, expected: int, entries: Mapping[str, PartitionEntry], judged: GenerationVerdict | None = None
    ) -> Generation:
        """Makes these the entries of the generation after `expected`. Raises Overtaken where that is not current."""
        following = Generation(expected + 1, dict(entries), judged)
        self.disk.folder(self.place)
        with self._alone():
            found = self.current().number
            if found != expected:
                raise GenerationConflict(f"the states are of generation {found}, no longer of {expected}: begin anew")
            self.disk.replace(self._path(POINTER), dump_checked({"format": FORMAT, **asdict(following)}))
        return following

    def last(self) -> None:
        """Has the file that says what is current last."""
        self.disk.anchor(self._path(POINTER))

    def collect(self) -> None:
        """Removes bags that the current generation does not name, and what a crash left of others."""
        self.disk.remove(aside(self._path(POINTER)))
        named = {entry.bag for entry in self.current().entries.values()}
        if os.path.isdir(self._path(BAGS)):
            for left in sorted(set(os.listdir(self._path(BAGS))) - named):
                self.disk.remove(self._path(BAGS, left))

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
    """The judgement that was written as plain data."""
    return GenerationVerdict(**document) if document else None


def _read(path: str) -> bytes:
    with open(path, "rb") as stream:
        return stream.read()
