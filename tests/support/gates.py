"""Tables of a gate without Spark: text files for Parquet, numbers for rows, and a disk that ends at a chosen step."""

import os
import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from support.bags import bag
from support.orders import NOW, check, contract, states

from treaty.contracts.document.classification import with_classifications
from treaty.contracts.document.model import Contract
from treaty.contracts.schema import Column, Schema
from treaty.engine.checks.binding import bind
from treaty.engine.core.disk import Disk
from treaty.engine.gate.gate import CandidateRejected, GateCandidate, StateFolder, TableGate, answer, open_gate, recover
from treaty.engine.gate.parquet_folders import FolderPublication, local_folder
from treaty.engine.gate.publication import intent_of, store_of
from treaty.engine.protocol.requests import MeasureRequest, MeasureResult, TableSource
from treaty.engine.spark.handlers.requested_checks import objects
from treaty.engine.spark.sources.changes import layout
from treaty.engine.states import bag as bags

SCHEMA = Schema((Column("id", "bigint"),))
PROPERTIES = [{"name": "id", "logicalType": "integer"}]
# Every partition promises positive numbers; all of them together, fewer than a hundred rows.
PROMISED = contract(
    check("minimum", "positive", column="id", mustBeGreaterThan=0),
    check("size", "few", scope="dataset", mustBeLessThan=100),
    properties=PROPERTIES,
)
Rows = Mapping[str, list[int]]


class Crash(BaseException):
    """The process ends here: nothing that would follow is done."""


@dataclass
class Ending(Disk):
    """A disk whose process ends at step `last`, in the midst of it; None: never. `steps` counts those that began.

    Once ended, every further step is another end: what a process does on its way out is not done either."""

    last: int | None = None
    steps: int = 0
    names: list[str] = field(default_factory=list)
    rng: random.Random = field(default_factory=lambda: random.Random(1))

    def write(self, path: str, content: bytes) -> None:
        self._step("write", path, lambda: Path(path).write_bytes(content[: self.rng.randrange(len(content))]))
        super().write(path, content)

    def rename(self, origin: str, target: str) -> None:
        # A rename has no midst.
        self._step("before renaming to", target, lambda: None)
        super().rename(origin, target)
        self._step("after renaming to", target, lambda: None)

    def remove(self, path: str) -> None:
        self._step("remove", path, lambda: None)
        super().remove(path)

    def clear(self, folder: str) -> None:
        self._step("clear", folder, lambda: self._half(folder))
        super().clear(folder)

    def step(self, name: str) -> None:
        """A step of something else, that has no midst."""
        self._step(name, "", lambda: None)

    def end(self) -> None:
        """What becomes of the process."""
        raise Crash

    def _step(self, name: str, path: str, midst: Any) -> None:
        ended = self.last is not None and self.steps > self.last
        self.steps += 1
        self.names.append(f"{name} {os.path.basename(path)}")
        if self.last is not None and self.steps > self.last:
            if not ended:
                midst()
            self.end()

    def _half(self, folder: str) -> None:
        files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
        for path in files[: len(files) // 2]:
            path.unlink()


def stage(partition_by: tuple[str, ...], rows: Rows, folder: str, _: Any) -> None:
    """Writes the rows of each partition as a file of a name that no other has, as Spark does."""
    for name, numbers in rows.items():
        place = Path(folder) / name
        place.mkdir(parents=True, exist_ok=True)
        (place / f"part-{uuid4().hex}.parquet").write_text(" ".join(map(str, numbers)))


def measure(given: Contract, request: MeasureRequest, schema: Schema = SCHEMA) -> MeasureResult:
    """The states of the partitions that changed, as the engine answers."""
    lies = layout(None, request.source)
    told = (
        with_classifications(given, request.object, objects(request)[0].classifying_objects)
        if request.classifying
        else given
    )
    plan = replace(bind(told.object(request.object), schema).plan, key=request.key)
    found = {
        name: bag(plan, schema, {"id": rows_of(lies.files[name])}) for name in lies.changed(request.stored_fingerprints)
    }
    passing = {name: kept.dump_all() for name, each in found.items() if (kept := each.passing)}
    return MeasureResult(
        schema=schema,
        fingerprints=lies.fingerprints,
        states={name: each.pack() for name, each in found.items()},
        transient_states=passing,
    )


def rows_of(files: tuple[str, ...]) -> list[int]:
    """The numbers in the files of a partition."""
    return sorted(int(each) for path in files for each in Path(path).read_text().split())


@dataclass
class Gated:
    """A table with its gate, and what is looked at after each step."""

    folder: Path
    partition_by: tuple[str, ...] = ("day",)
    given: Contract = PROMISED
    schema: Schema = SCHEMA

    @property
    def table(self) -> str:
        return str(self.folder / "orders")

    def gate(self, disk: Disk | None = None, **more: Any) -> TableGate:
        used = disk or Disk()
        return TableGate(
            table=local_folder(self.table),
            contract=self.given,
            object="orders",
            partition_by=self.partition_by,
            store=store_of(self.table, used),
            measure=partial(measure, self.given, schema=self.schema),
            stage=partial(stage, self.partition_by),
            disk=used,
            now=lambda: NOW,
            **more,
        )

    def publish(self, rows: Rows, disk: Disk | None = None, **more: Any) -> GateCandidate:
        """The candidate that was published. Raises as the gate does."""
        with open_gate(self.gate(disk, **more)) as candidate:
            candidate.write(rows)
        return candidate

    def recover(self, disk: Disk | None = None) -> str:
        return recover(self.table, store_of(self.table, disk), disk=disk)

    @property
    def answer(self) -> str:
        return answer(self.table, self.given, partition_by=self.partition_by)

    @property
    def open(self) -> bool:
        return os.path.exists(intent_of(local_folder(self.table)))

    @property
    def store(self) -> StateFolder:
        return store_of(self.table)

    @property
    def rows(self) -> dict[str, list[int]]:
        """What readers of the table see."""
        if not self.fingerprints:
            return {}
        lies = layout(None, TableSource(self.table, "parquet", self.partition_by))
        return {name: rows_of(files) for name, files in lies.files.items()}

    @property
    def fingerprints(self) -> dict[str, str]:
        return FolderPublication(self.table, self.partition_by, self.table).fingerprints()

    def agree(self) -> bool:
        """Whether the states are those of exactly the files in the table, computed anew."""
        current = self.store.current()
        kept = {name: _values(self.store.bag(entry.bag)) for name, entry in current.entries.items()}
        anew = {name: _values(states(self.given, {"id": rows}, self.schema).pack()) for name, rows in self.rows.items()}
        return current.fingerprints == self.fingerprints and kept == anew

    @property
    def leftovers(self) -> list[str]:
        """What lies in the gate's folder that is of no use once it is settled."""
        place = Path(self.table).parent / ".orders.gate"
        found = {str(path.relative_to(place)) for path in place.rglob("*") if path.is_file()}
        named = {f"states/bags/{entry.bag}" for entry in self.store.current().entries.values()}
        return sorted(found - named - {"lock", "states/lock", "states/current.json"})


def _values(packed: bytes) -> dict[str, Any]:
    """As they compare: tables of frequencies, which are sorted, as their bytes."""
    found = bags.unpack(packed).entries
    return {
        key: state.component.dump(state.value) if state.component.grouping else state.value
        for key, state in found.items()
    }


def attempt(gated: Gated, rows: Rows, disk: Disk) -> bool:
    """Whether the candidate was published; False where the contract refused it."""
    try:
        gated.publish(rows, disk)
    except CandidateRejected:
        return False
    return True
