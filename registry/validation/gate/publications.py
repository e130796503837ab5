"""Publications through a gate, as the memory takes part in them: generations of states that a gate swaps, the run that
judged them, and what the gate answers to others.

Bags and runs are kept before a generation names them, as files named by their content: what is never named is left over
and is collected with other state files. A generation is swapped in one transaction, with its run and the audit."""

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
from treaty.registry.audit import audit_log
from treaty.registry.contracts import in_force
from treaty.registry.core.enums import AuditAction
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
    """What a gate stands before: a dataset, and the object of the contract in force that promises something of it."""

    dataset: DatasetRow
    contract: Contract
    object: DataObject


@dataclass(frozen=True)
class GenerationSwap:
    """The generation that shall follow number `after`: its entries, and the judgement of exactly these."""

    after: int
    entries: Mapping[str, PartitionEntry]
    verdict: GenerationVerdict | None = None


@dataclass(frozen=True, kw_only=True)
class PreparedSwap:
    """What a swap changes, read and checked before anything is locked: new bags by partition, and who is gone."""

    swap: GenerationSwap
    packed: Mapping[str, bytes]
    schema: Schema
    gone: frozenset[str]
    run: RunResult | None


@dataclass(frozen=True)
class GateVerdict:
    """What the gate answers. `verdict` UNKNOWN: nothing is known of the data as they are now; `reason` says why."""

    verdict: str
    dataset_fingerprint: str | None = None
    run: RunRow | None = None
    reason: str | None = None


def subject(session: Session, asked: StateQuery) -> GatedDataset:
    """What is asked about. Raises NotFound for no such dataset, or none with a contract in force."""
    dataset, about = state_queries.dataset_of(session, asked)
    contract, found = state_queries.promised(session, dataset, about)
    return GatedDataset(dataset, contract, found)


def dataset_sources(session: Session, of: GatedDataset) -> dict[str, TableSource]:
    """Where the other datasets are that the object's checks read or refer to, by the names they are called."""
    return related_datasets.places(session, of.contract, of.object)


def learned(session: Session, of: GatedDataset) -> dict[str, LearnedFit]:
    """The limits that were learned after the version was approved and judge now, by the checks' ids."""
    return fits.active_fits(session, of.contract, of.object.name)


def spoilt(session: Session, of: GatedDataset) -> tuple[str, ...]:
    """The partitions that belong to an incident of the object, from which nothing is learned."""
    return baselines.spoilt_partitions(session, RunSeriesKey(of.contract.id, of.object.name, of.contract.fingerprint))


def current(session: Session, of: GatedDataset) -> Generation:
    """The states of every partition as the dataset's row says, with the contract's newest run that judged exactly
    these."""
    dataset, number = of.dataset, of.dataset.states_version
    entries = {
        name: PartitionEntry(*each) for name, each in state_store.entries(session, dataset.id, version=number).items()
    }
    run = _judging(session, of, _marker(session, dataset))
    judged = GenerationVerdict(run.verdict.value, run.fingerprint, run.object) if run else None
    return Generation(number, entries, judged)


def _judging(session: Session, of: GatedDataset, marker: str | None) -> RunRow | None:
    """The contract's newest run of exactly these data."""
    mine = RunRow.dataset_id == of.dataset.id, RunRow.contract_id == of.contract.id, RunRow.object == of.object.name
    query = select(RunRow).where(*mine, RunRow.dataset_fingerprint == marker, col(RunRow.subscription_id).is_(None))
    return session.exec(query.order_by(col(RunRow.id).desc()).limit(1)).first() if marker else None


def _marker(session: Session, dataset: DatasetRow) -> str | None:
    """What names the data that are known; None where none are."""
    known = state_store.stored_fingerprints(session, dataset.id, version=dataset.states_version)
    return fingerprint(known) if known else None


def keep(files: StateFileStore, content: bytes) -> str:
    """The name of a bag or a run that is kept from now on, for a generation to name it."""
    return files.write(content).removesuffix(SUFFIX)


def bag(session: Session, dataset_id: UUID, name: str, files: StateFileStore) -> bytes:
    """The bag of that name, whole, with its large states in it. Raises NotFound where it is gone or damaged."""
    try:
        return bags.with_inline_states(_bag(session, dataset_id, name, files), files)
    except StateError as error:
        raise NotFound(str(error)) from None


def _bag(session: Session, dataset_id: UUID, name: str, files: StateFileStore) -> bytes:
    """As it was kept; else as it is stored. Raises StateError where it is neither."""
    try:
        return files.read(name + SUFFIX)
    except StateError:
        stored = state_store.bag(session, dataset_id, name)
        if stored is None:
            raise
        return stored


def prepared(session: Session, of: GatedDataset, swap: GenerationSwap, files: StateFileStore) -> PreparedSwap:
    """The swap with all that it names. Raises Overtaken where another generation is current, Invalid where a bag or the
    run is gone, damaged or of something else, Conflict where another version of the contract came into force."""
    _refuse_other(of.dataset, swap.after)
    before = current(session, of).entries
    known = before if swap.verdict else _sound(session, of.dataset.id, before, files)
    changed = {name: entry for name, entry in swap.entries.items() if known.get(name) != entry}
    try:
        found = {name: _bag(session, of.dataset.id, each.bag, files) for name, each in sorted(changed.items())}
        packed = {
            name: bags.with_filed_states(each, files) for name, each in _discreet_bags(session, of, found).items()
        }
        schema = inventory.describe_bag(packed[max(packed)])[0] if packed else Schema(())
        run = _run(session, of, swap.verdict, changed, files)
    except (StateError, ContractError) as error:
        raise InvalidRequest(str(error)) from None
    return PreparedSwap(
        swap=swap, packed=packed, schema=schema, gone=frozenset(before.keys() - swap.entries.keys()), run=run
    )


def _discreet_bags(session: Session, of: GatedDataset, packed: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """The bags without what contracts in force classify: one may have come into force since the gate asked."""
    if not of.object.classifying_objects:
        return packed
    promised = (each.object for each in in_force.all_about(session, of.dataset.id))
    return state_reuse.storable_states(packed, [of.object, *promised])


def _sound(
    session: Session, dataset_id: UUID, entries: Mapping[str, PartitionEntry], files: StateFileStore
) -> dict[str, PartitionEntry]:
    """Those whose stored bags can be used: what was computed again may bear the name of what it stands in for."""
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
        found = dataset.states_version
        raise state_store.StateConflict(f"the states are of generation {found}, no longer of {expected}: begin anew")


def _run(
    session: Session,
    of: GatedDataset,
    judged: GenerationVerdict | None,
    changed: Collection[str],
    files: StateFileStore,
) -> RunResult | None:
    """The run that the judgement names, by what is known here of its contract; None where it names none."""
    if judged is None or judged.run is None:
        return None
    run = run_codec.read(files.read(judged.run + SUFFIX))
    told = GenerationVerdict(run.verdict.value, run.contract_fingerprint, run.object, judged.run)
    if told != judged or (run.contract_id, run.object) != (of.contract.id, of.object.name):
        raise InvalidRequest("the run is of another object or ended otherwise than the judgement says")
    # A partition that was judged as empty may be none of the table.
    if not frozenset(changed) <= frozenset(run.partitions):
        raise InvalidRequest("the run judged other partitions than the generation changes")
    _refuse_superseded(session, of, run)
    return run


def _refuse_superseded(session: Session, of: GatedDataset, run: RunResult) -> None:
    """A version that is in force no longer judges nothing; what it judged while it was stays judged."""
    if run.contract_fingerprint == of.contract.fingerprint:
        return
    row = ContractVersionRow
    query = select(row).where(row.contract_id == run.contract_id, col(row.activated_at) <= run.finished_at)
    newest = session.exec(query.order_by(col(row.activated_at).desc(), col(row.id).desc()).limit(1)).first()
    if newest is None or newest.fingerprint != run.contract_fingerprint:
        raise Conflict(f"version {run.contract_version} of contract {run.contract_id} is not the one in force")


@dataclass(frozen=True)
class PublicationContext:
    """Who publishes, when, and how the lineage is told of it."""

    actor: str
    now: datetime
    ids: Callable[[], UUID]
    emitter: Emitter = SILENT


def commit(session: Session, of: GatedDataset, ready: PreparedSwap, by: PublicationContext) -> Generation:
    """The generation that the swap makes, with its run and the audit; a publication is open from now on where a run
    judged it. Raises Overtaken where another generation became current meanwhile."""
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
        promise = ValidationTarget(
            contract=of.contract,
            object=of.object,
            contract_object=ContractObject(of.contract.id, of.object.name),
            validated_fingerprints=None,
        )
        openlineage_emitter.note(session, EvaluationResult(target=promise, result=result), run, by.emitter, now=by.now)
    return Generation(number, entries, ready.swap.verdict)


def _discreet(session: Session, of: GatedDataset, run: RunResult) -> RunResult:
    """The run as the memory keeps runs: nothing is told in it of columns that the contract classifies."""
    return redact(bind(of.object, state_store.schema(session, of.dataset.id)), run)


def settle(session: Session, dataset_id: UUID, *, actor: str, now: datetime) -> bool:
    """Whether a publication was open, which is settled now: the table's files are those of the current generation."""
    dataset = session.get_one(DatasetRow, dataset_id, with_for_update=True, populate_existing=True)
    if dataset.publishing_version is None:
        return False
    details = {"generation": dataset.states_version}
    dataset.publishing_version, dataset.last_scanned_at, dataset.last_arrival_at = None, now, now
    audit_log.record(session, AuditAction.STATES_SETTLED, actor=actor, object_id=dataset.id, details=details, now=now)
    return True


def answer(session: Session, of: GatedDataset, marker: str | None = None) -> GateVerdict:
    """The verdict of the contract in force on exactly the data that are there, as far as is known here; `marker` is
    what the asker sees of the data now."""
    whose = RunSeriesKey(of.contract.id, of.object.name, of.contract.fingerprint)
    run = staleness.newest(session, of.dataset, whose, marker)
    doubt = staleness.doubt(session, of.dataset, whose, run, ReadinessQuery(dataset_fingerprint=marker))
    found = _marker(session, of.dataset)
    return GateVerdict(UNKNOWN if doubt or run is None else run.verdict.value, found, None if doubt else run, doubt)
