"""Write, audit, publish: a candidate becomes part of a table only once the contract is kept with it in place.

    with gate(spark, "/data/orders", contract, StateFolder("/data/orders-states")) as candidate:
        candidate.write(frame, partition={"day": "2026-01-01"})

The candidate is staged beside the table, where no reader looks. At the end of the block its states are computed there,
the contract is judged on them together with the stored states of all other partitions, and it is published, or
`CandidateRejected` is raised and nothing has changed.

Table and states are two things that no transaction spans. What is promised of them, exactly, for a folder of Parquet
files (`treaty.engine.gate.delta_tables` and `treaty.engine.gate.catalog_tables` say what is other for Delta tables and
for those of a catalog):

    settled        no intent. The table has the files that the states were computed from. The gate answers.
      | 1 the staged files are complete on disk; so is the intent, which is then renamed to its name
    intended       table and states are the old ones
      | 2 the store swaps to the next generation, which it refuses where another writer came first
    committed      the states are the new ones, the table is the old one
      | 3 per changed partition: its folder is moved aside, the staged one is moved in
    published      table and states are the new ones
      | 4 the intent is removed
    settled        what was put aside and left over is cleared away, by this process or by the next recovery

Between 1 and 4 the gate's answer is `unknown`, and no other publication begins. After a crash there, `recover` compares
the fingerprints in the intent with what lies on disk. Where all new files and their bags are complete it does what is
left of 2 to 4: forward. Else, where all old files are, it undoes 3 and 2: back. Where neither is, because something
else changed the table or the store meanwhile, it changes nothing, says so, and the answer stays `unknown`. Recovery may
itself be cut off and begun again. Publishing and recovering hold one lock, which ends with the process that has it.

The gap: a folder cannot be exchanged for another in one step. Within 3 a reader that lists the table between the two
renames of a partition does not see that partition at all, and of several changed partitions it may see some old and
some new; one that listed it before may find files gone. After a crash within 3 it stays so until `recover`. Whoever
must not see this holds the number of the store's generation before reading against that after it, and asks `answer`.

Writers that do not go through the gate are noticed as long as they came before the last look at the table, right before
1 (`GenerationConflict`, or the partition is measured again). What they write to a changed partition after that is
replaced with it, or has recovery find neither way open."""

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
from treaty.engine.core.results import RunResult, Verdict
from treaty.engine.evaluation.evaluator import evaluate, missing_states
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.evaluation.violation_samples import redact
from treaty.engine.gate import publication_intent
from treaty.engine.gate.candidate import ADMITTED, CandidateRejected, GateCandidate, TableGate
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
from treaty.engine.protocol.requests import MeasureResult, TableSource
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
    others: Mapping[str, TableSource] | None = None,
    warnings: bool = True,
    keep: bool = False,
    key_file: str | None = None,
    keyed: str | None = None,
    spoilt: Iterable[str] = (),
) -> AbstractContextManager[GateCandidate]:
    """A block that stages a candidate in the caller's Spark session, and at its end judges and publishes it.

    `table` is a folder of Parquet, which need not be there yet, a Delta table, or a table of the catalog that is named
    with its database (db.orders); its files lie on this machine. `format` "delta" makes a new one a Delta table.
    `store` None: a folder beside the table. `object_name` None: the contract's first object. `partition_by` None: the
    partition columns that it names. `warnings` says whether a candidate is published that breaks checks of severity
    warning alone, `keep` whether a rejected one stays for inspection. `key_file`: what classified values are hashed
    with, together with `keyed`, or the table's place; without one, states that need it are not stored, and checks that
    need them of all partitions are not evaluated. `spoilt`: partitions that belong to an incident, from which nothing
    is learned and with which nothing is compared. `contract` is one that was read from a document. The block raises
    Rejected, Overtaken where other writers came first, Unsettled and Busy where a publication is open or under way,
    EngineError where something cannot be read, and ContractError."""
    from treaty.engine.spark.handlers.gate_staging import stage
    from treaty.engine.spark.handlers.measure import measure

    tables = tables_of(spark)
    site = site_of(table, tables, new=TableKind(format or TableKind.FOLDER))
    if not contract.source:
        raise EngineError("a gate needs a contract that was read: write checks with Check.document", retry=False)
    chosen = contract.object(object_name or contract.objects[0].name)
    by = tuple(chosen.partition_columns if partition_by is None else partition_by)
    admitted = ADMITTED if warnings else frozenset({Verdict.PASSED})
    return open_gate(
        TableGate(
            table=site.location,
            contract=contract,
            object=chosen.name,
            partition_by=by,
            store=store or store_of(site.location),
            measure=partial(measure, spark),
            stage=partial(stage, by, like=site.like(by)),
            admitted=admitted,
            keep=keep,
            datasets=others or {},
            kind=site.kind,
            name=site.name,
            tables=tables,
            key=key_of(keyed or site.location, key_file),
            excluded_partitions=frozenset(spoilt),
        )
    )


def key_of(table: str, key_file: str | None) -> HashKey | None:
    """The key of the states of the table at that place; None where no key file is named. Raises EngineError where it
    cannot be read."""
    return key_files.read(key_file).of(table) if key_file else None


@contextmanager
def open_gate(gate: TableGate) -> Iterator[GateCandidate]:
    """The block of a gate. Raises as `gate` says; whatever is raised within it, nothing is published."""
    if f"{gate.store.place}/".startswith(f"{gate.table}/"):
        raise EngineError(f"the states lie within the table {gate.table}: name a folder beside it", retry=False)
    with _staging(gate) as stage:
        before = _complete_generation(gate, stage)
        candidate = GateCandidate(gate, os.path.join(stage, NEW))
        yield candidate
        candidate.run = _audited(gate, stage, before)


@contextmanager
def _staging(gate: TableGate) -> Iterator[str]:
    """A folder to stage in, which this process holds until it is cleared away."""
    stage = os.path.join(gate_of(gate.table), CANDIDATE + uuid4().hex)
    with ExitStack() as held:
        with exclusive(gate.table, gate.disk):
            gate.disk.folder(stage)
            held.enter_context(file_lock(os.path.join(stage, LOCK), patience=0))
        try:
            yield stage
        finally:
            # What an open intent speaks of is left for recovery.
            if not _is_intended(gate.table, stage):
                gate.disk.clear(stage)


def _is_intended(table: str, stage: str) -> bool:
    try:
        intent = publication_intent.read(intent_of(table))
    except StateError:
        return True
    return intent is not None and intent.staged == stage


def _complete_generation(gate: TableGate, stage: str) -> Generation:
    """The current generation, with the states of every partition of the table: those that lack are measured."""
    with exclusive(gate.table, gate.disk):
        refuse_open(gate.table)
        known, lies = gate.store.current(), gate.publication(stage).fingerprints()
    usable = _usable(gate, known, lies)
    if usable == lies and known.fingerprints == lies:
        return known
    found = gate.measured(gate.source, usable).states if usable != lies else {}
    with exclusive(gate.table, gate.disk):
        refuse_open(gate.table)
        if gate.publication(stage).fingerprints() != lies or found.keys() != lies.keys() - usable.keys():
            raise GenerationConflict(
                f"{gate.table} changed while it was read, or its partitions have other names to Spark"
            )
        entries = {name: known.entries[name] for name in usable}
        new = {name: PartitionEntry(lies[name], gate.store.keep(packed)) for name, packed in found.items()}
        return gate.store.swap(known.number, entries | new)


def _usable(gate: TableGate, known: Generation, lies: Mapping[str, str]) -> dict[str, str]:
    """The partitions whose stored states are those of their files and answer every check of the contract."""
    found = ((name, _bag(gate, known.entries.get(name), mark)) for name, mark in lies.items())
    stored = {name: packed for name, packed in found if packed is not None}
    unanswered = missing_states(gate.contract, gate.object, stored, key=gate.key)
    return {name: lies[name] for name in stored if name not in unanswered}


def _bag(gate: TableGate, entry: PartitionEntry | None, fingerprint: str) -> bytes | None:
    """What is stored of these files; None where it is of others, lost or damaged."""
    if entry is None or entry.fingerprint != fingerprint:
        return None
    try:
        return gate.store.bag(entry.bag)
    except StateError:
        return None


def _audited(gate: TableGate, stage: str, before: Generation) -> RunResult:
    """The run that judged the candidate, which is published then. Raises Rejected, Overtaken."""
    way, started = gate.publication(stage), gate.now()
    staged = way.staged()
    if not staged:
        raise EngineError("nothing was written to the candidate: write a frame to it within the block", retry=False)
    here = TableSource(os.path.join(stage, NEW), "parquet", gate.partition_by)
    found = gate.measured(here, {}, beside=bool(before.entries.keys() - staged.keys()))
    if found.states.keys() != staged.keys():
        raise EngineError(f"Spark names the staged partitions otherwise than their folders: {SETTING}", retry=False)
    with exclusive(gate.table, gate.disk):
        refuse_open(gate.table)
        current = gate.store.current()
        # What was read of all rows at once holds as long as no other partition changes.
        read = staged if found.whole_table_states is None else {**staged, **before.entries, **current.entries}
        _refuse_changes(before, current, read)
        notes = way.noted(staged, current.fingerprints)
        run = _evaluate_candidate(gate, found, current, started)
        if run.verdict not in gate.admitted:
            raise CandidateRejected(run, _keep_rejected(gate, stage))
        after = {name: PartitionEntry(mark, gate.store.keep(found.states[name])) for name, mark in staged.items()}
        changes = {name: StateChange(current.entries.get(name), entry) for name, entry in sorted(after.items())}
        judged = gate.store.verdict_of(run, found.schema)
        publish(_intent(gate, stage, current, judged, changes, notes), gate.store, way, gate.disk)
    return run


def _refuse_changes(before: Generation, current: Generation, read: Iterable[str]) -> None:
    """Raises Overtaken where one of the partitions that were read is another than when the block began."""
    lost = [name for name in sorted(read) if current.fingerprints.get(name) != before.fingerprints.get(name)]
    if lost:
        raise GenerationConflict(f"another writer published {named(lost)} since this one began: nothing was changed")


def _evaluate_candidate(gate: TableGate, found: MeasureResult, current: Generation, started: datetime) -> RunResult:
    """The run that judges the candidate as if it were in."""
    arrived, chosen = found.evaluated_states(found.states), gate.contract.object(gate.object)
    others = {name: gate.store.bag(each.bag) for name, each in current.entries.items() if name not in found.states}
    request = EvaluationRequest(
        contract=gate.contract, object_name=gate.object, schema=found.schema, states={**others, **arrived},
        delta=sorted(found.states), started_at=started, finished_at=gate.now(), reference_values=found.referents,
        whole_table_states=found.whole_table_states, excluded_partitions=gate.excluded_partitions,
    )  # fmt: skip
    return redact(bind(chosen, found.schema), evaluate(request))


def _keep_rejected(gate: TableGate, stage: str) -> str | None:
    if not gate.keep:
        return None
    kept = stage.replace(CANDIDATE, REJECTED)
    gate.disk.rename(stage, kept)
    return kept


def _intent(
    gate: TableGate, stage: str, current: Generation, judged: GenerationVerdict, changes: Mapping[str, StateChange],
    notes: Mapping[str, str],
) -> PublicationIntent:  # fmt: skip
    return PublicationIntent(
        table=gate.table, partition_by=gate.partition_by, staged=stage, states=gate.store.place,
        number=current.number, judged=judged,
        judged_before=current.judged, changes=changes,
        written=gate.now().isoformat(), kind=gate.kind, name=gate.name, notes=notes,
    )  # fmt: skip
