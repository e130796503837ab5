"""A gate whose states live in the registry: `registered_contract` hands out what it needs, over HTTP.

    with registered_contract("shop-orders") as kept:
        with gate(spark, "/data/orders", kept.contract, kept.store, **kept.more) as candidate:
            candidate.write(frame, partition={"day": "2026-01-01"})

The contract is the one in force: it judges by the limits that its programs have learned since, where it admits them,
learns nothing from partitions of incidents, and knows what other contracts about the table classify of it. A published
candidate's run and states are part of the registry's history, and no lineage event makes work of that write. Imports
no database."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from treaty.contracts.document.classification import with_classifications
from treaty.contracts.document.model import Contract, DataObject
from treaty.contracts.document.reader import read
from treaty.contracts.schema import Schema
from treaty.engine.anomaly.fits import LearnedFit, with_fits
from treaty.engine.checks.binding import bind
from treaty.engine.core.errors import EngineError, StateError
from treaty.engine.core.results import RunResult
from treaty.engine.evaluation.violation_samples import redact
from treaty.engine.gate.gated_contract import GatedContract
from treaty.engine.protocol.requests import TableSource
from treaty.engine.states import inventory
from treaty.engine.states.generations import Generation, GenerationConflict, GenerationVerdict, PartitionEntry
from treaty.registry import schemas
from treaty.registry.client import UNREACHABLE, Client, ClientError
from treaty.registry.core.settings import load
from treaty.registry.measurements.runs import run_codec

NOT_FOUND, CONFLICT, FAILING = 404, 409, 500
# States are large, and written to a database.
TIMEOUT_SECONDS = 300


@dataclass(frozen=True, kw_only=True)
class RegistryStates:
    """The states of a dataset as the registry has them: a store for a gate. `place` is the service and the dataset.

    Every method raises EngineError where the service refuses or cannot be reached."""

    client: Client
    place: str
    name: str
    namespace: str
    contract_id: str
    object: DataObject
    _read: dict[str, bytes] = field(default_factory=dict, compare=False, repr=False)

    def current(self) -> Generation:
        """The newest generation."""
        with _engine_errors():
            return _generation(self.client.generation(self.name, **self._query))

    def keep(self, packed: bytes) -> str:
        """The name of the bag, its content's checksum; it is not part of the memory until a generation names it."""
        with _engine_errors():
            kept = self.client.store_bag(packed)
        self._read[kept] = packed
        return kept

    def bag(self, name: str) -> bytes:
        """The packed bag of that name, asked for once. Raises StateError where it is gone or damaged."""
        if name not in self._read:
            self._read[name] = self._fetched(name)
        return self._read[name]

    @property
    def _query(self) -> dict[str, str]:
        """Which dataset of the name, and whose promises about it."""
        return {"namespace": self.namespace, "contract_id": f"{self.contract_id}.{self.object.name}"}

    def _fetched(self, name: str) -> bytes:
        with _engine_errors():
            try:
                packed = self.client.bag(self.name, name, **self._query)
            except ClientError as error:
                if error.status == NOT_FOUND:
                    raise StateError(error.message) from None
                raise
        inventory.describe_bag(packed)
        return packed

    def verdict_of(self, run: RunResult, schema: Schema) -> GenerationVerdict:
        """How the run ended, with the run itself kept, to be recorded with the generation. What the contract classifies
        does not leave this process."""
        with _engine_errors():
            kept = self.client.store_bag(run_codec.written(redact(bind(self.object, schema), run)))
        return GenerationVerdict(run.verdict.value, run.contract_fingerprint, run.object, kept)

    def swap(
        self, expected: int, entries: Mapping[str, PartitionEntry], judged: GenerationVerdict | None = None
    ) -> Generation:
        """Makes these the entries of the generation after `expected`. Raises Overtaken where that is not current, or
        the contract not in force."""
        body = schemas.GenerationBody.model_validate(
            {"number": expected, "entries": {name: vars(each) for name, each in entries.items()},
             "verdict": vars(judged) if judged else None}
        )  # fmt: skip
        try:
            with _engine_errors():
                return _generation(self.client.swap_generation(self.name, body, **self._query))
        except GenerationConflict:
            # A request that was sent twice on its way is refused the second time: then what came first was this one.
            found = self.current()
            if (found.number, found.entries) != (expected + 1, entries):
                raise
            return found

    def last(self) -> None:
        """Nothing is to do: what the registry answered that it has, its database has."""

    def collect(self) -> None:
        """Has the registry know that no publication is open; it collects what is left over itself."""
        with _engine_errors():
            try:
                self.client.recover_publication(self.name, **self._query)
            except ClientError as error:
                if error.status != CONFLICT:
                    raise


@contextmanager
def registered_contract(
    dataset: str, namespace: str | None = None, *, client: Client | None = None
) -> Iterator[GatedContract]:
    """What the registry keeps of a dataset, named as for `treaty metrics`, as long as the block lasts.

    `client` None: the service and token of TREATY_API_URL and TREATY_TOKEN. Raises EngineError where the registry knows
    no such dataset, where the token may not write states, and where it cannot be reached."""
    settings = load()
    with client or Client(settings.api, settings.token or None, timeout=TIMEOUT_SECONDS) as used:
        with _engine_errors():
            found = used.gated_dataset(dataset, namespace=namespace)
            contract = _promised(used.document(found.contract_id, found.version), found)
        where = f"{settings.api}/dataset/{found.dataset_id}"
        others = {name: _source(place) for name, place in found.datasets.items()}
        described = contract.object(found.object)
        store = RegistryStates(
            client=used,
            place=where,
            name=found.name,
            namespace=found.namespace,
            contract_id=found.contract_id,
            object=described,
        )
        by, lies = found.location.partition_by, found.location.location
        keyed, spoilt = str(found.dataset_id), frozenset(found.excluded_partitions)
        yield GatedContract(
            contract=contract,
            object=found.object,
            partition_by=by,
            store=store,
            datasets=others,
            location=lies,
            key_context=keyed,
            excluded_partitions=spoilt,
        )


@contextmanager
def _engine_errors() -> Iterator[None]:
    """What the service refuses, in the engine's words."""
    try:
        yield
    except ClientError as error:
        if error.status == CONFLICT:
            raise GenerationConflict(error.message) from error
        again = error.status == UNREACHABLE or error.status >= FAILING
        raise EngineError(f"the registry: {error.message}", retry=again) from error


def _promised(source: bytes, found: schemas.GatedDatasetOut) -> Contract:
    """The contract as it judges now, whose object knows what others classify of the table: they share one memory."""
    contracts = (read(each.encode()) for each in found.classifying)
    contract = with_classifications(read(source), found.object, tuple(each.objects[0] for each in contracts))
    return with_fits(contract, found.object, {check: _fit(each) for check, each in found.fits.items()})


def _fit(given: schemas.FitLimitsOut) -> LearnedFit:
    return LearnedFit(given.name, given.clause, (given.lower, given.upper), given.points)


def _source(place: schemas.DatasetLocationOut) -> TableSource:
    return TableSource(place.location or "", place.format, place.partition_by)


def _generation(found: schemas.GenerationBody) -> Generation:
    entries = {name: PartitionEntry(each.fingerprint, each.bag) for name, each in found.entries.items()}
    return Generation(found.number, entries, GenerationVerdict(**found.verdict.model_dump()) if found.verdict else None)
