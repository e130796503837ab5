"""Write, audit, publish: publish a candidate only if the table with it passes the contract.

    with gate(spark, "/data/orders", contract, StateFolder("/data/orders-states")) as candidate:
        candidate.write(frame, partition={"day": "2026-01-01"})

The candidate is staged next to the table, where no reader sees it. At the end of the block its states are computed
there and the contract is evaluated on them together with the stored states of all other partitions. Then the
candidate is published, or `CandidateRejected` is raised and nothing has changed.

No transaction spans both table and states. These are the exact guarantees for a folder of Parquet files
(`treaty.engine.gate.delta_tables` and `treaty.engine.gate.catalog_tables` describe the differences for Delta and
catalog tables):

    settled        no intent. The table has the files that the states were computed from. The gate answers.
      | 1 the staged files are complete on disk; so is the intent, which is then renamed to its final name
    intended       table and states are the old ones
      | 2 the store swaps to the next generation; it refuses if another writer came first
    committed      the states are the new ones, the table is the old one
      | 3 per changed partition: its folder is moved aside, the staged one is moved in
    published      table and states are the new ones
      | 4 the intent is removed
    settled        set-aside files and leftovers are removed, by this process or by the next recovery

Between 1 and 4 the gate's answer is `unknown`, and no other publication can begin. After a crash in that interval,
`recover` compares the fingerprints in the intent with the files on disk. If all new files and their bags are
complete, it finishes steps 2 to 4: forward. Otherwise, if all old files exist, it undoes 3 and 2: back. If neither
is possible, because something else changed the table or the store meanwhile, it changes nothing and reports this,
and the answer stays `unknown`. Recovery may itself be interrupted and started again. Publishing and recovering take
one lock, which is released when its process ends.

The gap: a folder cannot be exchanged atomically. During 3 a reader that lists the table between the two renames of a
partition does not see that partition at all, and of several changed partitions it may see some old and some new; a
reader that listed the table earlier may find files missing. After a crash during 3 this lasts until `recover`. To
detect it, compare the store's generation number before and after reading, and call `answer`.

Writes that bypass the gate are detected if they happen before the last look at the table, right before 1
(`GenerationConflict`, or the partition is measured again). Later writes to a changed partition are replaced with it,
or block both directions of recovery."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from datetime import datetime
from functools import partial
from typing import Any
from uuid import uuid4

from treaty.contracts.document.model import Contract
from treaty.engine.checks.binding import bind
from treaty.engine.core import key_files
from treaty.engine.core.disk import LockHeld, file_lock
from treaty.engine.core.errors import EngineError, StateError
from treaty.engine.core.hash_key import HashKey
from treaty.engine.core.results import ADMITTED, RunResult, Verdict
from treaty.engine.evaluation.evaluator import missing_states
from treaty.engine.evaluation.exact_evaluation import evaluate_exactly
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.evaluation.violation_samples import redact
from treaty.engine.gate import publication_intent
from treaty.engine.gate.candidate import CandidateRejected, GateCandidate, TableGate
from treaty.engine.gate.parquet_folders import NEW, gate_of
from treaty.engine.gate.publication import (
    CANDIDATE,
    LOCK,
    answer,
    exclusive,
    intent_of,
    publish,
    recover,
    refuse_open,
    store_of,
    tables_of,
)
from treaty.engine.gate.publication_intent import PublicationIntent, StateChange
from treaty.engine.gate.publication_steps import PublicationOpen, named
from treaty.engine.gate.table_kinds import site_of
from treaty.engine.protocol.gate_requests import TableKind
from treaty.engine.protocol.requests import MeasureRequest, MeasureResult, TableSource
from treaty.engine.protocol.row_requests import ExactRequest
from treaty.engine.states.generations import (
    Generation,
    GenerationConflict,
    GenerationStore,
    GenerationVerdict,
    PartitionEntry,
    StateFolder,
)

__all__ = [
    "ADMITTED",
    "CandidateRejected",
    "GateCandidate",
    "GenerationConflict",
    "LockHeld",
    "PublicationOpen",
    "StateFolder",
    "TableGate",
    "answer",
    "gate",
    "recover",
]  # fmt: skip

REJECTED = "rejected-"
SETTING = "set spark.sql.sources.partitionColumnTypeInference.enabled to false"


def gate(  # noqa: PLR0913
    spark: Any,
    table: str,
    contract: Contract,
    store: GenerationStore | None = None,
    *,
    object_name: str | None = None,
    partition_by: Sequence[str] | None = None,
    format: str | None = None,
    other_datasets: Mapping[str, TableSource] | None = None,
    warnings: bool = True,
    keep: bool = False,
    key_file: str | None = None,
    key_context: str | None = None,
    excluded_partitions: Iterable[str] = (),
) -> AbstractContextManager[GateCandidate]:
    """Stage a candidate in the caller's Spark session; evaluate and publish it at the end of the block.

    - `table`: a folder of Parquet, which need not exist yet, a Delta table, or a catalog table with its database
      (db.orders); its files must be on this machine.
    - `contract`: a contract that was read from a document.
    - `store`: None means a folder next to the table.
    - `object_name`: None means the contract's first object.
    - `partition_by`: None means the object's partition columns.
    - `format`: "delta" creates a new table as Delta; None means Parquet.
    - `other_datasets`: other datasets that checks read.
    - `warnings`: whether a candidate that violates only checks of severity warning is published.
    - `keep`: whether a rejected candidate is kept for inspection.
    - `key_file`: key for hashing classified values, combined with `key_context`, or with the table's location if that
    is
      None; without a key file, states that need it are not stored, and checks that need them of all partitions are
      not evaluated.
    - `excluded_partitions`: partitions of an incident, from which nothing is learned and with which nothing is
    compared.

    The block raises CandidateRejected; GenerationConflict if another writer came first; PublicationOpen if a
    publication is open, LockHeld if one is in progress; EngineError if something cannot be read; and ContractError."""
    from treaty.engine.spark.handlers.exact_values import exact_values
    from treaty.engine.spark.handlers.gate_staging import stage
    from treaty.engine.spark.handlers.measure import measure

    tables = tables_of(spark)
    site = site_of(table, tables, new=TableKind(format or TableKind.FOLDER))
    if not contract.source:
        raise EngineError(
            "a gate needs a contract that was read from a document: convert checks with Check.document", retry=False
        )
    data_object = contract.object(object_name or contract.objects[0].name)
    partition_columns = tuple(data_object.partition_columns if partition_by is None else partition_by)
    admitted = ADMITTED if warnings else frozenset({Verdict.PASSED})
    return open_gate(
        TableGate(
            table=site.location,
            contract=contract,
            object=data_object.name,
            partition_by=partition_columns,
            store=store or store_of(site.location),
            measure=partial(measure, spark),
            exact=partial(exact_values, spark),
            stage=partial(stage, partition_columns, like=site.like(partition_columns)),
            admitted=admitted,
            keep=keep,
            datasets=other_datasets or {},
            kind=site.kind,
            name=site.name,
            tables=tables,
            key=key_of(key_context or site.location, key_file),
            excluded_partitions=frozenset(excluded_partitions),
        )
    )


def key_of(table: str, key_file: str | None) -> HashKey | None:
    """Return the hash key for the states of that table; None without a key file.

    Raises EngineError if the file cannot be read."""
    return key_files.read(key_file).of(table) if key_file else None


@contextmanager
def open_gate(gate: TableGate) -> Iterator[GateCandidate]:
    """Open the gate as a context manager. Raises the errors of `gate`; after any error nothing is published."""
    if f"{gate.store.place}/".startswith(f"{gate.table}/"):
        raise EngineError(f"the states are inside the table {gate.table}: use a folder outside of it", retry=False)
    with _staging(gate) as stage:
        before = _complete_generation(gate, stage)
        candidate = GateCandidate(gate, os.path.join(stage, NEW))
        yield candidate
        candidate.run = _audited(gate, stage, before)


@contextmanager
def _staging(gate: TableGate) -> Iterator[str]:
    """Create a locked staging folder and remove it at the end."""
    stage = os.path.join(gate_of(gate.table), CANDIDATE + uuid4().hex)
    with ExitStack() as locks:
        with exclusive(gate.table, gate.disk):
            gate.disk.folder(stage)
            locks.enter_context(file_lock(os.path.join(stage, LOCK), patience=0))
        try:
            yield stage
        finally:
            # A folder that an open intent refers to is left for recovery.
            if not _is_intended(gate.table, stage):
                gate.disk.clear(stage)


def _is_intended(table: str, stage: str) -> bool:
    try:
        intent = publication_intent.read(intent_of(table))
    except StateError:
        return True
    return intent is not None and intent.staged == stage


def _complete_generation(gate: TableGate, stage: str) -> Generation:
    """Return the current generation after measuring all partitions that lack states."""
    with exclusive(gate.table, gate.disk):
        refuse_open(gate.table)
        generation, fingerprints = gate.store.current(), gate.publication(stage).fingerprints()
    usable = _usable(gate, generation, fingerprints)
    if usable == fingerprints and generation.fingerprints == fingerprints:
        return generation
    measured = gate.measured(gate.source, usable).states if usable != fingerprints else {}
    with exclusive(gate.table, gate.disk):
        refuse_open(gate.table)
        if (
            gate.publication(stage).fingerprints() != fingerprints
            or measured.keys() != fingerprints.keys() - usable.keys()
        ):
            raise GenerationConflict(
                f"{gate.table} changed while it was read, or Spark names its partitions differently"
            )
        entries = {name: generation.entries[name] for name in usable}
        new = {name: PartitionEntry(fingerprints[name], gate.store.keep(packed)) for name, packed in measured.items()}
        return gate.store.swap(generation.number, entries | new)


def _usable(gate: TableGate, generation: Generation, lies: Mapping[str, str]) -> dict[str, str]:
    """Return the partitions whose stored states match their files and cover the contract's checks."""
    bags = ((name, _bag(gate, generation.entries.get(name), mark)) for name, mark in lies.items())
    stored = {name: packed for name, packed in bags if packed is not None}
    unanswered = missing_states(gate.contract, gate.object, stored, key=gate.key)
    return {name: lies[name] for name in stored if name not in unanswered}


def _bag(gate: TableGate, entry: PartitionEntry | None, fingerprint: str) -> bytes | None:
    """Return the stored bag of these files; None if it belongs to other files, is lost or damaged."""
    if entry is None or entry.fingerprint != fingerprint:
        return None
    try:
        return gate.store.bag(entry.bag)
    except StateError:
        return None


def _audited(gate: TableGate, stage: str, before: Generation) -> RunResult:
    """Evaluate the candidate and publish it. Raises CandidateRejected, GenerationConflict."""
    method, started = gate.publication(stage), gate.now()
    staged = method.staged()
    if not staged:
        raise EngineError("nothing was written to the candidate: call its write method within the block", retry=False)
    staged_source = TableSource(os.path.join(stage, NEW), "parquet", gate.partition_by)
    staged_request = gate.request(staged_source, {}, with_others=bool(before.entries.keys() - staged.keys()))
    measured = gate.measure(staged_request)
    if measured.states.keys() != staged.keys():
        raise EngineError(f"Spark names the staged partitions differently from their folders: {SETTING}", retry=False)
    with exclusive(gate.table, gate.disk):
        refuse_open(gate.table)
        current = gate.store.current()
        # States of a whole-table scan are valid only if no other partition changes.
        relevant = staged if measured.whole_table_states is None else {**staged, **before.entries, **current.entries}
        _refuse_changes(before, current, relevant)
        notes = method.noted(staged, current.fingerprints)
        run = _evaluate_candidate(gate, staged_request, measured, current, started)
        if gate.verdict(run) not in gate.admitted:
            raise CandidateRejected(run, _keep_rejected(gate, stage))
        after = {name: PartitionEntry(mark, gate.store.keep(measured.states[name])) for name, mark in staged.items()}
        changes = {name: StateChange(current.entries.get(name), entry) for name, entry in sorted(after.items())}
        verdict = gate.store.verdict_of(run, measured.schema)
        publish(_intent(gate, stage, current, verdict, changes, notes), gate.store, method, gate.disk)
    return run


def _refuse_changes(before: Generation, current: Generation, read: Iterable[str]) -> None:
    """Raise GenerationConflict if a partition that was read has changed since the block began."""
    changed = [name for name in sorted(read) if current.fingerprints.get(name) != before.fingerprints.get(name)]
    if changed:
        raise GenerationConflict(f"another writer published {named(changed)} in the meantime: nothing was changed")


def _evaluate_candidate(
    gate: TableGate, measure: MeasureRequest, result: MeasureResult, current: Generation, started: datetime
) -> RunResult:
    """Evaluate the table as if the candidate were published."""
    arrived, data_object = result.evaluated_states(result.states), gate.contract.object(gate.object)
    unchanged = {name: gate.store.bag(each.bag) for name, each in current.entries.items() if name not in result.states}
    request = EvaluationRequest(
        contract=gate.contract, object_name=gate.object, schema=result.schema, states={**unchanged, **arrived},
        delta=sorted(result.states), started_at=started, finished_at=gate.now(), reference_values=result.referents,
        whole_table_states=result.whole_table_states, excluded_partitions=gate.excluded_partitions,
    )  # fmt: skip
    run = evaluate_exactly(request, lambda checks: gate.exact(ExactRequest.of(measure, checks)))
    return redact(bind(data_object, result.schema), run)


def _keep_rejected(gate: TableGate, stage: str) -> str | None:
    if not gate.keep:
        return None
    folder = stage.replace(CANDIDATE, REJECTED)
    gate.disk.rename(stage, folder)
    return folder


def _intent(
    gate: TableGate, stage: str, current: Generation, verdict: GenerationVerdict, changes: Mapping[str, StateChange],
    notes: Mapping[str, str],
) -> PublicationIntent:  # fmt: skip
    return PublicationIntent(
        table=gate.table, partition_by=gate.partition_by, staged=stage, states=gate.store.place,
        number=current.number, judged=verdict,
        judged_before=current.judged, changes=changes,
        written=gate.now().isoformat(), kind=gate.kind, name=gate.name, notes=notes,
    )  # fmt: skip
