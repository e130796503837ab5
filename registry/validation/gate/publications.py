"""Registry side of gated publications: state generations, their runs and answers for the gate.

Bags and runs are stored before a generation refers to them, as files named by their content; files that are never
referenced are collected with other state files. A generation is swapped in one transaction, with its run and audit
entry."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.contracts.document.model import Contract, DataObject
from treaty.contracts.errors import ContractError
from treaty.contracts.fingerprint import fingerprint
from treaty.contracts.schema import Schema
from treaty.engine.anomaly.fits import LearnedFit
from treaty.engine.checks.binding import bind
from treaty.engine.core.errors import StateError
from treaty.engine.core.results import RunResult
from treaty.engine.evaluation import state_reuse
from treaty.engine.evaluation.violation_samples import redact
from treaty.engine.protocol.requests import MeasureResult, TableSource
from treaty.engine.states import bag as bags
from treaty.engine.states import inventory
from treaty.engine.states.bag import StateFileStore
from treaty.engine.states.generations import Generation, GenerationVerdict, PartitionEntry
from treaty.engine.states.state_files import StateUpload
from treaty.registry.audit import audit_log
from treaty.registry.contracts import in_force
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.errors import Conflict, InvalidRequest, NotFound
from treaty.registry.datasets import related_datasets
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.incidents import lifecycle
from treaty.registry.measurements.anomalies import baselines, fits
from treaty.registry.measurements.runs import recording, run_codec
from treaty.registry.measurements.runs.recording import RunProvenance, RunSeriesKey
from treaty.registry.measurements.states import state_queries, state_store
from treaty.registry.measurements.states.state_queries import StateQuery
from treaty.registry.tables import ContractVersionRow, DatasetRow, RunRow
from treaty.registry.validation import openlineage_emitter
from treaty.registry.validation.evaluation import EvaluationResult
from treaty.registry.validation.gate import staleness
from treaty.registry.validation.gate.staleness import ReadinessQuery
from treaty.registry.validation.openlineage_emitter import SILENT, Emitter
from treaty.registry.validation.plan import ValidationTarget

UNKNOWN = "unknown"
SUFFIX = ".parquet"


@dataclass(frozen=True)
class GatedDataset:
    """A dataset behind a gate, with the object of the contract in force about it."""

    dataset: DatasetRow
    contract: Contract
    object: DataObject


@dataclass(frozen=True)
class GenerationSwap:
    """A generation that replaces number `after`, with its entries.

    `verdict`: verdict on exactly these entries; None means not evaluated."""

    after: int
    entries: Mapping[str, PartitionEntry]
    verdict: GenerationVerdict | None = None


@dataclass(frozen=True, kw_only=True)
class PreparedSwap:
    """Changes of a swap, read and checked before anything is locked.

    `packed`: new bags by partition. `gone`: partitions removed."""

    swap: GenerationSwap
    packed: Mapping[str, bytes]
    schema: Schema
    gone: frozenset[str]
    run: RunResult | None


@dataclass(frozen=True)
class GateVerdict:
    """Answer of the gate for a dataset.

    `verdict`: UNKNOWN if nothing is known about the current data; `reason` explains it."""

    verdict: str
    dataset_fingerprint: str | None = None
    run: RunRow | None = None
    reason: str | None = None


def subject(session: Session, query: StateQuery) -> GatedDataset:
    """Return the gated dataset of a query.

    Raises NotFound if the dataset does not exist or has no contract in force."""
    dataset, about = state_queries.dataset_of(session, query)
    contract, data_object = state_queries.promised(session, dataset, about)
    return GatedDataset(dataset, contract, data_object)


def dataset_sources(session: Session, of: GatedDataset) -> dict[str, TableSource]:
    """Return the locations of other datasets that the object's checks reference, by name."""
    return related_datasets.places(session, of.contract, of.object)


def learned(session: Session, of: GatedDataset) -> dict[str, LearnedFit]:
    """Return the active fits learned after the version was approved, by check id."""
    return fits.active_fits(session, of.contract, of.object.name)


def spoilt(session: Session, of: GatedDataset) -> tuple[str, ...]:
    """Return the partitions that belong to an incident of the object; they are excluded from learning."""
    return baselines.spoilt_partitions(session, RunSeriesKey(of.contract.id, of.object.name, of.contract.fingerprint))


def current(session: Session, of: GatedDataset) -> Generation:
    """Return the current generation, with the verdict of the newest run on exactly these states."""
    dataset, number = of.dataset, of.dataset.states_version
    entries = {
        name: PartitionEntry(*each) for name, each in state_store.entries(session, dataset.id, version=number).items()
    }
    run = _judging(session, of, _marker(session, dataset))
    verdict = GenerationVerdict(run.verdict.value, run.fingerprint, run.object) if run else None
    return Generation(number, entries, verdict)


def _judging(session: Session, of: GatedDataset, marker: str | None) -> RunRow | None:
    """Return the contract's newest run on exactly these data."""
    conditions = (
        RunRow.dataset_id == of.dataset.id,
        RunRow.contract_id == of.contract.id,
        RunRow.object == of.object.name,
    )
    query = select(RunRow).where(
        *conditions, RunRow.dataset_fingerprint == marker, col(RunRow.subscription_id).is_(None)
    )
    return session.exec(query.order_by(col(RunRow.id).desc()).limit(1)).first() if marker else None


def _marker(session: Session, dataset: DatasetRow) -> str | None:
    """Return the fingerprint of the stored data; None if there is none."""
    fingerprints = state_store.stored_fingerprints(session, dataset.id, version=dataset.states_version)
    return fingerprint(fingerprints) if fingerprints else None


def finish(upload: StateUpload) -> str:
    """Store an uploaded bag or run for a later generation and return its name."""
    return upload.finish().removesuffix(SUFFIX)


def bag(session: Session, dataset_id: UUID, name: str, files: StateFileStore) -> bytes:
    """Return a bag with its large states inlined.

    Raises NotFound if it is missing or damaged."""
    try:
        return bags.with_inline_states(_bag(session, dataset_id, name, files), files)
    except StateError as error:
        raise NotFound(str(error)) from None


def _bag(session: Session, dataset_id: UUID, name: str, files: StateFileStore) -> bytes:
    """Return the bag from its file, else from the state store.

    Raises StateError if it is in neither."""
    try:
        return files.read(name + SUFFIX)
    except StateError:
        stored = state_store.bag(session, dataset_id, name)
        if stored is None:
            raise
        return stored


def prepared(session: Session, of: GatedDataset, swap: GenerationSwap, files: StateFileStore) -> PreparedSwap:
    """Read and check everything that a swap refers to.

    Raises StateConflict if another generation is current, InvalidRequest if a bag or the run is missing, damaged or
    about something else, and Conflict if another version of the contract came into force."""
    _refuse_other(of.dataset, swap.after)
    before = current(session, of).entries
    usable = before if swap.verdict else _sound(session, of.dataset.id, before, files)
    changed = {name: entry for name, entry in swap.entries.items() if usable.get(name) != entry}
    try:
        new_bags = {name: _bag(session, of.dataset.id, each.bag, files) for name, each in sorted(changed.items())}
        packed = {
            name: bags.with_filed_states(each, files) for name, each in _discreet_bags(session, of, new_bags).items()
        }
        schema = inventory.describe_bag(packed[max(packed)])[0] if packed else Schema(())
        run = _run(session, of, swap.verdict, changed, files)
    except (StateError, ContractError) as error:
        raise InvalidRequest(str(error)) from None
    return PreparedSwap(
        swap=swap, packed=packed, schema=schema, gone=frozenset(before.keys() - swap.entries.keys()), run=run
    )


def _discreet_bags(session: Session, of: GatedDataset, packed: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """Return the bags without states of columns that contracts in force classify.

    Such a contract may have come into force since the gate read its own."""
    if not of.object.classifying_objects:
        return packed
    objects = (each.object for each in in_force.all_about(session, of.dataset.id))
    return state_reuse.storable_states(packed, [of.object, *objects])


def _sound(
    session: Session, dataset_id: UUID, entries: Mapping[str, PartitionEntry], files: StateFileStore
) -> dict[str, PartitionEntry]:
    """Return the entries whose stored bags are usable.

    A recomputed bag can have the same name as the damaged one that it replaces."""
    rows = state_store.load_partitions(
        session, dataset_id, entries.keys(), version=session.get_one(DatasetRow, dataset_id).states_version
    )
    return {row.partition: entries[row.partition] for row in rows if _is_whole(row.states, files)}


def _is_whole(packed: bytes, files: StateFileStore) -> bool:
    try:
        return bool(bags.with_inline_states(packed, files))
    except StateError:
        return False


def _refuse_other(dataset: DatasetRow, expected: int) -> None:
    if dataset.states_version != expected:
        current_version = dataset.states_version
        raise state_store.StateConflict(
            f"the states are of generation {current_version}, no longer of {expected}: start again"
        )


def _run(
    session: Session,
    of: GatedDataset,
    verdict: GenerationVerdict | None,
    changed: Collection[str],
    files: StateFileStore,
) -> RunResult | None:
    """Return the run that the verdict names, if it matches it; None if it names none."""
    if verdict is None or verdict.run is None:
        return None
    run = run_codec.read(files.read(verdict.run + SUFFIX))
    actual = GenerationVerdict(run.verdict.value, run.contract_fingerprint, run.object, verdict.run)
    if actual != verdict or (run.contract_id, run.object) != (of.contract.id, of.object.name):
        raise InvalidRequest("the run does not match its verdict: the object, contract or outcome differs")
    # A partition evaluated as empty may not exist in the table.
    if not frozenset(changed) <= frozenset(run.partitions):
        raise InvalidRequest("the run did not evaluate all partitions that the generation changes")
    _refuse_superseded(session, of, run)
    return run


def _refuse_superseded(session: Session, of: GatedDataset, run: RunResult) -> None:
    """Raise Conflict unless the run's version was in force when the run finished."""
    if run.contract_fingerprint == of.contract.fingerprint:
        return
    row = ContractVersionRow
    query = select(row).where(row.contract_id == run.contract_id, col(row.activated_at) <= run.finished_at)
    newest = session.exec(query.order_by(col(row.activated_at).desc(), col(row.id).desc()).limit(1)).first()
    if newest is None or newest.fingerprint != run.contract_fingerprint:
        raise Conflict(f"version {run.contract_version} of contract {run.contract_id} is not the version in force")


@dataclass(frozen=True)
class PublicationContext:
    """Actor, time, id generator and emitter of a publication."""

    actor: str
    now: datetime
    ids: Callable[[], UUID]
    emitter: Emitter = SILENT


def commit(session: Session, of: GatedDataset, ready: PreparedSwap, by: PublicationContext) -> Generation:
    """Store the swap's generation with its run and audit entry, and return the generation.

    If a run evaluated it, the publication is open until it is settled. Raises StateConflict if another generation
    became current meanwhile."""
    dataset = session.get_one(DatasetRow, of.dataset.id, with_for_update=True, populate_existing=True)
    _refuse_other(dataset, ready.swap.after)
    entries = ready.swap.entries
    fresh = MeasureResult(
        schema=ready.schema,
        fingerprints={name: each.fingerprint for name, each in entries.items()},
        states=ready.packed,
    )
    number = state_store.save(session, dataset.id, fresh, vanished=ready.gone, now=by.now, ids=by.ids)
    state_store.name(session, dataset.id, {name: entries[name].bag for name in ready.packed})
    details = {"generation": number, "partitions": len(ready.packed), "gone": len(ready.gone)}
    audit_log.record(
        session, AuditAction.STATES_COMMITTED, actor=by.actor, object_id=dataset.id, details=details, now=by.now
    )
    if ready.run is not None:
        dataset.publishing_version = number
        origin = RunProvenance(
            dataset_id=dataset.id, dataset_fingerprint=_marker(session, dataset), states_version=number
        )
        result = _discreet(session, of, ready.run)
        run = recording.record(session, by.ids(), result, origin, now=by.now, actor=by.actor)
        lifecycle.apply_run(session, run, result, now=by.now, ids=by.ids)
        target = ValidationTarget(
            contract=of.contract,
            object=of.object,
            contract_object=ContractObject(of.contract.id, of.object.name),
            validated_fingerprints=None,
        )
        openlineage_emitter.note(session, EvaluationResult(target=target, result=result), run, by.emitter, now=by.now)
    return Generation(number, entries, ready.swap.verdict)


def _discreet(session: Session, of: GatedDataset, run: RunResult) -> RunResult:
    """Return the run without values of columns that the contract classifies."""
    return redact(bind(of.object, state_store.schema(session, of.dataset.id)), run)


def settle(session: Session, dataset_id: UUID, *, actor: str, now: datetime) -> bool:
    """Close an open publication; return whether one was open.

    The table's files are then those of the current generation."""
    dataset = session.get_one(DatasetRow, dataset_id, with_for_update=True, populate_existing=True)
    if dataset.publishing_version is None:
        return False
    details = {"generation": dataset.states_version}
    dataset.publishing_version, dataset.last_scanned_at, dataset.last_arrival_at = None, now, now
    audit_log.record(session, AuditAction.STATES_RECOVERED, actor=actor, object_id=dataset.id, details=details, now=now)
    return True


def answer(session: Session, of: GatedDataset, marker: str | None = None) -> GateVerdict:
    """Return the verdict of the contract in force on the current data.

    `marker`: fingerprint of the data as the caller sees it; None means the stored data."""
    run_key = RunSeriesKey(of.contract.id, of.object.name, of.contract.fingerprint)
    run = staleness.newest(session, of.dataset, run_key, marker)
    doubt = staleness.doubt(session, of.dataset, run_key, run, ReadinessQuery(dataset_fingerprint=marker))
    current_marker = _marker(session, of.dataset)
    return GateVerdict(
        UNKNOWN if doubt or run is None else run.verdict.value, current_marker, None if doubt else run, doubt
    )
