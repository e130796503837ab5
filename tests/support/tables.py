"""Gated tables of a catalog and of a table format without Spark: what Spark would do is done in memory and on disk.

Each call may be the step at which the process ends, before it or after it; what was done stays done."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from uuid import uuid4

from support.gates import PROMISED, SCHEMA, Crash, Ending, Rows, rows_of, stage
from support.orders import NOW, states

from treaty.contracts.document.model import Contract
from treaty.engine.core.disk import Disk
from treaty.engine.gate.gate import GateCandidate, GenerationConflict, TableGate, open_gate
from treaty.engine.gate.parquet_folders import fingerprints_at
from treaty.engine.gate.publication import answer_for_table, intent_of, recover_table, store_of
from treaty.engine.gate.table_kinds import GatedTable
from treaty.engine.protocol.gate_requests import (
    CommitRequest,
    FenceRequest,
    LocationRequest,
    TableKind,
    TableStatus,
    TableStatusRequest,
)
from treaty.engine.protocol.requests import MeasureRequest, MeasureResult
from treaty.engine.spark.sources.changes import layout
from treaty.engine.states import bag as bags
from treaty.engine.states.generations import StateFolder

BY = ("day",)


@dataclass
class Fake:
    """One table. `disk` ends at a step of its own or of this."""

    location: Path
    disk: Disk = field(default_factory=Disk)
    meanwhile: Callable[[], object] = lambda: None

    def step(self, name: str) -> None:
        """Here the process may end."""
        if isinstance(self.disk, Ending):
            self.disk.step(name)

    def look(self, request: TableStatusRequest) -> TableStatus:
        raise NotImplementedError

    def rows(self) -> dict[str, list[int]]:
        """What readers see."""
        raise NotImplementedError

    def past(self, rows: Rows) -> None:
        """Rows written by who knows of no gate."""
        raise NotImplementedError

    def commit(self, request: CommitRequest) -> None:
        raise NotImplementedError

    def fence(self, request: FenceRequest) -> None:
        raise NotImplementedError

    def place(self, request: LocationRequest) -> None:
        raise NotImplementedError


@dataclass
class FakeDelta(Fake):
    """Versions of a table: who made each, and the files of every partition in it."""

    versions: list[tuple[str, dict[str, tuple[str, ...]]]] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    # What others do once the version was looked at.
    between: Callable[[], object] = lambda: None

    def look(self, request: TableStatusRequest) -> TableStatus:
        self.step("look")
        made = [
            at for at, (ident, _) in enumerate(self.versions) if ident == request.ident and at > request.since_version
        ]
        version = made[0] if made else len(self.versions) - 1
        if version < 0:
            return TableStatus(kind=TableKind.DELTA, location=str(self.location), fingerprints={})
        files = self.versions[version][1]
        marks = {name: " ".join(map(os.path.basename, paths)) for name, paths in files.items()}
        return TableStatus(
            kind=TableKind.DELTA,
            location=str(self.location),
            fingerprints=marks,
            version=version,
            committed=made[0] if made else None,
        )

    def commit(self, request: CommitRequest) -> None:
        self.step("before the commit")
        self.meanwhile()
        if (len(self.versions) - 1 if self.versions else None) != request.version:
            raise GenerationConflict("another version")
        if request.ident not in self.taken:
            self.taken.add(request.ident)
            self.between()
            staged = layout(
                None, GatedTable(TableKind.FOLDER, request.staged, request.staged).source(request.partition_by)
            ).files
            self._made(request.ident, {name: staged.get(name, ()) for name in request.names})
        self.step("after the commit")

    def fence(self, request: FenceRequest) -> None:
        self.step("before the fence")
        if request.ident not in self.taken and self.versions:
            self.taken.add(request.ident)
            self._made("", {})
        self.step("after the fence")

    def past(self, rows: Rows) -> None:
        folder = str(self.location.parent / uuid4().hex)
        stage(BY, rows, folder, {})
        self._made("", {name: tuple(map(str, Path(folder, name).glob("*"))) for name in rows})

    def rows(self) -> dict[str, list[int]]:
        return {name: rows_of(files) for name, files in (self.versions[-1][1] if self.versions else {}).items()}

    def _made(self, ident: str, changed: dict[str, tuple[str, ...]]) -> None:
        """Another version, whose files nobody else holds."""
        self.location.mkdir(parents=True, exist_ok=True)
        before = self.versions[-1][1] if self.versions else {}
        copies = {name: tuple(map(self._copied, paths)) for name, paths in changed.items()}
        self.versions.append((ident, {name: files for name, files in {**before, **copies}.items() if files}))

    def _copied(self, path: str) -> str:
        return shutil.copy(path, self.location / f"{uuid4().hex}.parquet")


@dataclass
class FakeCatalog(Fake):
    """Where every partition lies."""

    places: dict[str, str] = field(default_factory=dict)

    def look(self, request: TableStatusRequest) -> TableStatus:
        self.step("look")
        marks = {name: self._mark(folder) for name, folder in self.places.items()}
        return TableStatus(
            kind=TableKind.CATALOG,
            location=str(self.location),
            fingerprints={name: mark for name, mark in marks.items() if mark},
            folders=frozenset(os.path.relpath(each, self.location) for each in self.places.values()),
            places={name: self.places[name] for name in request.partitions if name in self.places},
        )

    def place(self, request: LocationRequest) -> None:
        self.step(f"before placing {request.name}")
        if request.folder is None:
            self.places.pop(request.name, None)
        else:
            self.places[request.name] = request.folder
        self.step(f"after placing {request.name}")

    def past(self, rows: Rows) -> None:
        stage(BY, rows, str(self.location), {})
        self.places.update({name: str(self.location / name) for name in rows})

    def rows(self) -> dict[str, list[int]]:
        files = {name: tuple(map(str, Path(folder).glob("*.parquet"))) for name, folder in self.places.items()}
        return {name: rows_of(paths) for name, paths in files.items() if paths}

    def _mark(self, folder: str) -> str | None:
        return fingerprints_at(folder, (), within=os.path.relpath(folder, self.location)).get("")


FAKES: dict[TableKind, type[Fake]] = {TableKind.DELTA: FakeDelta, TableKind.CATALOG: FakeCatalog}


class TableUnderTest:
    """A table of that kind with its gate, and what is looked at after each step."""

    def __init__(self, folder: Path, kind: TableKind, given: Contract = PROMISED) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.fake = FAKES[kind](folder.resolve() / "orders")
        if kind is TableKind.CATALOG:
            self.fake.location.mkdir()
        self.given = given
        self.site = GatedTable(
            kind, "db.orders" if kind is TableKind.CATALOG else str(self.fake.location), str(self.fake.location)
        )

    @property
    def store(self) -> StateFolder:
        return store_of(self.site.location)

    def publish(self, rows: Rows, disk: Disk | None = None) -> GateCandidate:
        """The candidate that was published. Raises as the gate does."""
        self.fake.disk = used = disk or Disk()
        gate = TableGate(
            table=self.site.location,
            contract=self.given,
            object="orders",
            partition_by=BY,
            store=store_of(self.site.location, used),
            measure=self.measure,
            stage=partial(stage, BY),
            disk=used,
            now=lambda: NOW,
            kind=self.site.kind,
            name=self.site.name,
            tables=self.fake,
        )
        with open_gate(gate) as candidate:
            candidate.write(rows)
        return candidate

    def measure(self, request: MeasureRequest) -> MeasureResult:
        """The states of the partitions that changed, as the engine answers."""
        if request.source.location == self.site.name:
            rows, marks = (
                self.fake.rows(),
                dict(self.fake.look(TableStatusRequest(table=self.site.name, partition_by=BY)).fingerprints),
            )
        else:
            lies = layout(None, request.source)
            rows, marks = {name: rows_of(files) for name, files in lies.files.items()}, dict(lies.fingerprints)
        wanted = [name for name, mark in marks.items() if request.stored_fingerprints.get(name) != mark]
        found = {name: states(self.given, {"id": rows[name]}, SCHEMA).pack() for name in wanted}
        return MeasureResult(schema=SCHEMA, fingerprints=marks, states=found)

    def recover(self, disk: Disk | None = None) -> str:
        self.fake.disk = used = disk or Disk()
        return recover_table(self.site, store_of(self.site.location, used), self.fake, used)

    @property
    def answer(self) -> str:
        self.fake.disk = Disk()
        asked = (self.given.fingerprint, "orders")
        return answer_for_table(self.site, BY, None, self.fake, asked)

    @property
    def open(self) -> bool:
        return os.path.exists(intent_of(self.site.location))

    def agree(self) -> bool:
        """Whether the states are those of exactly the rows in the table, computed anew."""
        self.fake.disk = Disk()
        current = self.store.current()
        kept = {name: bags.unpack(self.store.bag(entry.bag)).values for name, entry in current.entries.items()}
        anew = {name: states(self.given, {"id": rows}, SCHEMA) for name, rows in self.fake.rows().items()}
        marks = self.fake.look(TableStatusRequest(table=self.site.name, partition_by=BY)).fingerprints
        return current.fingerprints == marks and kept == {name: bag.values for name, bag in anew.items()}


def cut_off(gated: TableUnderTest, rows: Rows, disk: Ending) -> bool:
    """Whether the process ended before it was done."""
    try:
        gated.publish(rows, disk)
    except Crash:
        return True
    return False


def steps(begin: Callable[[int], TableUnderTest], rows: Rows) -> Iterator[tuple[TableUnderTest, str]]:
    """The table after a publication that ended at its first step, at its second and so on, and the name of the step."""
    last = 0
    while True:
        gated, disk = begin(last), Ending(last=last)
        if not cut_off(gated, rows, disk):
            return
        yield gated, disk.names[last]
        last += 1
