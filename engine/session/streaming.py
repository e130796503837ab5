"""A stream watched: each micro-batch judged, and its states folded into those of all rows so far, exactly once.

    sink = watched(contract, StateFolder("/data/orders-states"), stream="orders", on_run=append)
    orders.writeStream.foreachBatch(sink).option("checkpointLocation", "/data/orders-checkpoint").start()

What happens to a batch, in this order:

    1 what its number says is folded already is left alone: Spark hands the last batch in again after a crash
    2 it is read once, and judged: checks of scope delta on its own rows, those of the dataset and of views on all rows
      so far, this batch included
    3 the caller's `on_run` is told, and writes the rows where they belong
    4 its states are merged into those of its partitions, and one swap of the store makes them current, together with
      the number of the batch

A crash before the end of 4 has the batch read, judged and told again; one after it does not. So states are folded
exactly once, and `on_run` is called at least once: what it writes must be the same when written twice with one number.
States merge in any order, so they are those of all rows read at once.

The numbers of batches begin at 0 with every new checkpoint. A stream with a new checkpoint is another stream: it has
another name, and folds on top of what the store has, or with a new store begins anew. One stream at a time has a
store."""

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
from treaty.engine.core.results import RunResult, Verdict
from treaty.engine.evaluation.evaluator import evaluate
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
# Told the run, the batch's rows as a frame and its number; False has the batch left out of the states.
OnRun = Callable[[RunResult, Any, int], bool | None]


class BatchRejected(Exception):
    """The stream is to stop at a batch of this verdict; nothing of the batch was folded. `run` says why."""

    def __init__(self, run: RunResult) -> None:
        self.run = run
        failed = sum(each.outcome in ("failed", "not_evaluated") for each in run.results)
        super().__init__(f"the batch was not folded: {run.verdict.value}, {failed} check(s) not passed")


@dataclass(frozen=True, kw_only=True)
class StreamSink:
    """The sink of a watched stream, for `foreachBatch`; `read` answers what arrived in a frame of rows."""

    contract: Contract
    object: str
    store: GenerationStore
    stream: str
    read: Callable[[Any], BatchReading]
    on_run: OnRun | None = None
    stop_verdicts: frozenset[Verdict] = frozenset()
    now: Callable[[], datetime] = clock.now

    def __call__(self, rows: Any, batch: int) -> None:
        """Takes a batch in. Raises Refused, Overtaken where another writer came first, StateError for states that are
        damaged, EngineError for a number that is of another checkpoint, and whatever `on_run` raises."""
        known = self.store.current()
        if self._is_folded(known, batch):
            return
        # What is judged, written and folded are the same rows, even where a second reading would give others.
        held = rows.persist()
        try:
            self._take(held, batch, known)
        finally:
            held.unpersist()

    def _is_folded(self, known: Generation, batch: int) -> bool:
        last = folded(known, self.stream)
        if last is not None and batch == 0 < last:
            raise EngineError(
                f"stream {self.stream} begins anew, and up to batch {last} it is folded in already: its checkpoint is"
                " another one, so give it another name, and a new store if it reads the same rows again",
                retry=False,
            )
        return last is not None and batch <= last

    def _take(self, rows: Any, batch: int, known: Generation) -> None:
        started, arrived = self.now(), self.read(rows)
        if not any(bag.rows for bag in arrived.states.values()):
            return
        merged = {name: self._merged(known, name, bag) for name, bag in arrived.lasting.items()}
        run = self._evaluate(arrived, merged, known, started)
        if run.verdict in self.stop_verdicts:
            raise BatchRejected(run)
        if self.on_run is None or self.on_run(run, rows, batch) is not False:
            self._fold(merged, batch, known, run)

    def _merged(self, known: Generation, name: str, bag: StateBag) -> StateBag:
        entry = known.entries.get(name)
        return bags.merged([bag, self._stored(name, entry)]) if entry else bag

    def _stored(self, name: str, entry: PartitionEntry) -> StateBag:
        try:
            return bags.unpack(self.store.bag(entry.bag))
        except StateError as error:
            where = f"partition {name}" if name else "the whole stream"
            raise StateError(f"the states of {where} in {self.store.place} cannot be used: {error}") from error

    def _evaluate(
        self, arrived: BatchReading, merged: Mapping[str, StateBag], known: Generation, started: datetime
    ) -> RunResult:
        request = EvaluationRequest(
            contract=self.contract, object_name=self.object, states=_MergedStates(merged, known, self.store),
            parts=arrived.states, delta=sorted(arrived.states), schema=arrived.checks.schema, checks=arrived.checks,
            started_at=started, finished_at=self.now(),
        )  # fmt: skip
        return evaluate(request)

    def _fold(self, merged: Mapping[str, StateBag], batch: int, known: Generation, run: RunResult) -> None:
        entries = dict(known.entries)
        for name, bag in merged.items():
            entries[name] = PartitionEntry(self._marked(entries.get(name), batch), self.store.keep(bag.pack()))
        judged = GenerationVerdict(run.verdict.value, self.contract.fingerprint, self.object)
        self.store.swap(known.number, entries, judged)
        self.store.collect()

    def _marked(self, entry: PartitionEntry | None, batch: int) -> str:
        """The fingerprint of a partition that the batch has rows of: the last batch of each stream in it."""
        return json.dumps({**(_marks(entry) if entry else {}), self.stream: batch}, sort_keys=True)


class _MergedStates(Mapping[str, Bag]):
    """The states of every partition, those that a batch leaves as they are fetched only where a check asks for them."""

    def __init__(self, merged: Mapping[str, StateBag], known: Generation, store: GenerationStore) -> None:
        self.merged = merged
        self.known = known
        self.store = store

    def __getitem__(self, name: str) -> Bag:
        return self.merged[name] if name in self.merged else self.store.bag(self.known.entries[name].bag)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self.known.entries, *self.merged}))

    def __len__(self) -> int:
        return len({*self.known.entries, *self.merged})


def folded(known: Generation, stream: str) -> int | None:
    """The number of the stream's last batch in these states; None where none is. Raises StateError for states that no
    stream was folded into."""
    # A swap names every partition of its batch, so the largest number is the last batch that had rows.
    return max((marks[stream] for marks in map(_marks, known.entries.values()) if stream in marks), default=None)


def _marks(entry: PartitionEntry) -> Mapping[str, int]:
    try:
        found = json.loads(entry.fingerprint)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise StateError("the store holds the states of files, not of a stream: give the stream a store of its own")
    return found


def watch_stream(  # noqa: PLR0913
    contract: Contract,
    store: GenerationStore,
    *,
    stream: str,
    object_name: str | None = None,
    partition_by: Sequence[str] | None = None,
    on_run: OnRun | None = None,
    stops: Collection[Verdict | str] = (),
    key: HashKey | None = None,
) -> StreamSink:
    """The sink that judges a stream's batches and folds their states into the store, for `foreachBatch`.

    `stream` is the stream's name for as long as it has its checkpoint. `object_name` None: the contract's first object.
    `partition_by` None: the partition columns that it names, where the rows have them. `on_run` is told the run, the
    batch as a frame and its number; what it raises stops the stream with nothing folded, and where it returns False the
    batch is left out of the states. `stops` are the verdicts that stop the stream before `on_run` is told; by default
    none does. `key`: what values of classified columns are hashed with; None: states of them are not kept, and what
    needs them of all rows so far is not evaluated. Nor are checks that read other datasets, or `sql` of it all."""
    chosen = object_name or contract.objects[0].name
    by = None if partition_by is None else tuple(partition_by)
    read = partial(arrived, contract.object(chosen), by, key)
    return StreamSink(
        contract=contract,
        object=chosen,
        store=store,
        stream=stream,
        read=read,
        on_run=on_run,
        stop_verdicts=frozenset(Verdict(each) for each in stops),
    )
