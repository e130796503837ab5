"""Monitor a stream: evaluate each micro-batch and fold its states into those of all rows exactly once.

    sink = watch_stream(contract, StateFolder("/data/orders-states"), stream="orders", on_run=append)
    orders.writeStream.foreachBatch(sink).option("checkpointLocation", "/data/orders-checkpoint").start()

Each batch goes through these steps:

    1 a batch whose number is folded already is skipped: Spark delivers the last batch again after a crash
    2 it is read once and evaluated: checks of scope delta on its own rows, those of the dataset and of views on all
      rows so far, including this batch
    3 the caller's `on_run` is called and writes the rows to their target
    4 its states are merged into those of its partitions, and one swap of the store makes them current, together with
      the number of the batch

After a crash before the end of 4 the batch is read, evaluated and passed to `on_run` again; after a later crash it
is not. So states are folded exactly once and `on_run` is called at least once: writing the same batch number twice
must give the same result. States merge in any order, so the result equals a single read of all rows.

Batch numbers begin at 0 with every new checkpoint. A stream with a new checkpoint is a different stream: give it
another name to continue with the states in the store, or a new store to start over. A store can be used by one
stream at a time."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from treaty.contracts.document.model import Contract
from treaty.engine.core import clock
from treaty.engine.core.errors import EngineError, StateError
from treaty.engine.core.hash_key import HashKey
from treaty.engine.core.results import AMISS, RunResult, Verdict
from treaty.engine.evaluation.exact_evaluation import evaluate_exactly
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.spark.handlers.streaming import BatchReading, arrived
from treaty.engine.states import bag as bags
from treaty.engine.states.bag import Bag, StateBag
from treaty.engine.states.generations import (
    Generation,
    GenerationConflict,
    GenerationStore,
    GenerationVerdict,
    PartitionEntry,
)

__all__ = ["BatchReading", "BatchRejected", "GenerationConflict", "StreamSink", "folded", "watch_stream"]
# Called with the run, the batch as a frame and its number; returning False excludes the batch from the states.
OnRun = Callable[[RunResult, Any, int], bool | None]


class BatchRejected(Exception):
    """The stream stops because of this batch's verdict; nothing of the batch was folded.

    `run`: the run with the reasons."""

    def __init__(self, run: RunResult) -> None:
        self.run = run
        failed = sum(each.outcome in AMISS for each in run.results)
        super().__init__(f"the batch was not folded: {run.verdict.value}, {failed} check(s) not passed")


@dataclass(frozen=True, kw_only=True)
class StreamSink:
    """The sink of a monitored stream, for `foreachBatch`.

    `read` computes the states of a frame. `on_run`: None means no callback. `stop_verdicts`: verdicts that stop the
    stream."""

    contract: Contract
    object: str
    store: GenerationStore
    stream: str
    read: Callable[[Any], BatchReading]
    on_run: OnRun | None = None
    stop_verdicts: frozenset[Verdict] = frozenset()
    now: Callable[[], datetime] = clock.now

    def __call__(self, rows: Any, batch: int) -> None:
        """Process a batch.

        Raises BatchRejected; GenerationConflict if another writer came first; StateError for damaged states;
        EngineError for a batch number of another checkpoint; and any error of `on_run`."""
        current = self.store.current()
        if self._is_folded(current, batch):
            return
        # Persisted, so that the evaluated, written and folded rows are the same even if a second read would differ.
        persisted = rows.persist()
        try:
            self._take(persisted, batch, current)
        finally:
            persisted.unpersist()

    def _is_folded(self, generation: Generation, batch: int) -> bool:
        last = folded(generation, self.stream)
        if last is not None and batch == 0 < last:
            raise EngineError(
                f"stream {self.stream} starts again at batch 0, but batches up to {last} are already folded:"
                " its checkpoint is new, so use another name, and a new store if it reads the same rows again",
                retry=False,
            )
        return last is not None and batch <= last

    def _take(self, rows: Any, batch: int, generation: Generation) -> None:
        started, arrived = self.now(), self.read(rows)
        if not any(bag.rows for bag in arrived.states.values()):
            return
        merged = {name: self._merged(generation, name, bag) for name, bag in arrived.lasting.items()}
        run = self._evaluate(arrived, merged, generation, started)
        if run.verdict in self.stop_verdicts:
            raise BatchRejected(run)
        if self.on_run is None or self.on_run(run, rows, batch) is not False:
            self._fold(merged, batch, generation, run)

    def _merged(self, generation: Generation, name: str, bag: StateBag) -> StateBag:
        entry = generation.entries.get(name)
        return bags.merged([bag, self._stored(name, entry)]) if entry else bag

    def _stored(self, name: str, entry: PartitionEntry) -> StateBag:
        try:
            return bags.unpack(self.store.bag(entry.bag))
        except StateError as error:
            location = f"partition {name}" if name else "the whole stream"
            raise StateError(f"the states of {location} in {self.store.place} cannot be used: {error}") from error

    def _evaluate(
        self, arrived: BatchReading, merged: Mapping[str, StateBag], generation: Generation, started: datetime
    ) -> RunResult:
        request = EvaluationRequest(
            contract=self.contract, object_name=self.object, states=_MergedStates(merged, generation, self.store),
            parts=arrived.states, delta=sorted(arrived.states), schema=arrived.checks.schema, checks=arrived.checks,
            started_at=started, finished_at=self.now(),
        )  # fmt: skip
        return evaluate_exactly(request, arrived.exact_values)

    def _fold(self, merged: Mapping[str, StateBag], batch: int, generation: Generation, run: RunResult) -> None:
        entries = dict(generation.entries)
        for name, bag in merged.items():
            entries[name] = PartitionEntry(self._marked(entries.get(name), batch), self.store.keep(bag.pack()))
        verdict = GenerationVerdict(run.verdict.value, self.contract.fingerprint, self.object)
        self.store.swap(generation.number, entries, verdict)
        self.store.collect()

    def _marked(self, entry: PartitionEntry | None, batch: int) -> str:
        """Return a partition's fingerprint: the last batch of each stream in it."""
        return json.dumps({**(_marks(entry) if entry else {}), self.stream: batch}, sort_keys=True)


class _MergedStates(Mapping[str, Bag]):
    """The states of every partition; those without rows in the batch are loaded only on demand."""

    def __init__(self, merged: Mapping[str, StateBag], generation: Generation, store: GenerationStore) -> None:
        self.merged = merged
        self.generation = generation
        self.store = store

    def __getitem__(self, name: str) -> Bag:
        return self.merged[name] if name in self.merged else self.store.bag(self.generation.entries[name].bag)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self.generation.entries, *self.merged}))

    def __len__(self) -> int:
        return len({*self.generation.entries, *self.merged})


def folded(generation: Generation, stream: str) -> int | None:
    """Return the number of the stream's last folded batch; None if there is none.

    Raises StateError if the states do not come from a stream."""
    # A swap updates every partition of its batch, so the largest number is the last batch that had rows.
    return max((marks[stream] for marks in map(_marks, generation.entries.values()) if stream in marks), default=None)


def _marks(entry: PartitionEntry) -> Mapping[str, int]:
    try:
        marks = json.loads(entry.fingerprint)
    except ValueError:
        marks = None
    if not isinstance(marks, dict):
        raise StateError("the store contains states of files, not of a stream: use a separate store for the stream")
    return marks


def watch_stream(  # noqa: PLR0913
    contract: Contract,
    store: GenerationStore,
    *,
    stream: str,
    object_name: str | None = None,
    partition_by: Sequence[str] | None = None,
    on_run: OnRun | None = None,
    stop_verdicts: Collection[Verdict | str] = (),
    key: HashKey | None = None,
) -> StreamSink:
    """Create a sink for `foreachBatch` that evaluates batches and folds their states into the store.

    - `store`: store of the states of all batches so far.
    - `stream`: name of the stream; keep it as long as the checkpoint.
    - `object_name`: None means the contract's first object.
    - `partition_by`: None means the object's partition columns that the rows have.
    - `on_run`: called with the run, the batch as a frame and its number; an exception stops the stream with nothing
      folded, and returning False excludes the batch from the states.
    - `stop_verdicts`: verdicts that stop the stream before `on_run` is called; none by default.
    - `key`: hashes values of classified columns; without one their states are not stored, and checks that need them
      of all rows so far are not evaluated. Checks that read other datasets, and `sql` checks over all rows, are not
      evaluated either."""
    name = object_name or contract.objects[0].name
    partition_columns = None if partition_by is None else tuple(partition_by)
    read = partial(arrived, contract.object(name), partition_columns, key)
    return StreamSink(
        contract=contract,
        object=name,
        store=store,
        stream=stream,
        read=read,
        on_run=on_run,
        stop_verdicts=frozenset(Verdict(each) for each in stop_verdicts),
    )
