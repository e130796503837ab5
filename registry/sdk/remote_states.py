"""Gate writes with states that are stored in the registry, over HTTP.

    with registered_contract("shop-orders") as registered:
        with gate(spark, "/data/orders", registered.contract, registered.store, **registered.more) as candidate:
            candidate.write(frame, partition={"day": "2026-01-01"})

The contract is the version in force, with the learned limits of its programs where the contract allows refits, and with
the classifications of other contracts on the same table. Partitions with incidents are excluded from learning. The run
and the states of a published candidate become part of the registry's history, and no lineage event triggers another
validation of that write. Imports no database."""

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
# States are large and are written to a database.
TIMEOUT_SECONDS = 300


@dataclass(frozen=True, kw_only=True)
class RegistryStates:
    """State store of a gate, backed by the registry.

    `place`: address of the service and the dataset.
    Every method raises EngineError if the service rejects the request or cannot be reached."""

    client: Client
    place: str
    name: str
    namespace: str
    contract_id: str
    object: DataObject
    _read: dict[str, bytes] = field(default_factory=dict, compare=False, repr=False)

    def current(self) -> Generation:
        """Fetch the newest generation."""
        with _engine_errors():
            return _generation(self.client.generation(self.name, **self._query))

    def keep(self, packed: bytes) -> str:
        """Store packed states and return their name, the checksum of the content.

        They become part of the dataset's states when a generation refers to them."""
        with _engine_errors():
            name = self.client.store_bag(packed)
        self._read[name] = packed
        return name

    def bag(self, name: str) -> bytes:
        """Return the packed states of that name, fetched once. Raises StateError if they are missing or damaged."""
        if name not in self._read:
            self._read[name] = self._fetched(name)
        return self._read[name]

    @property
    def _query(self) -> dict[str, str]:
        """Return the query parameters that select the dataset and the contract."""
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
        """Store the run and return its verdict, to be recorded with the generation.

        Classified values are redacted before the run is sent."""
        with _engine_errors():
            name = self.client.store_bag(run_codec.written(redact(bind(self.object, schema), run)))
        return GenerationVerdict(run.verdict.value, run.contract_fingerprint, run.object, name)

    def swap(
        self, expected: int, entries: Mapping[str, PartitionEntry], verdict: GenerationVerdict | None = None
    ) -> Generation:
        """Replace the generation `expected` by one with these entries.

        Raises GenerationConflict if `expected` is not the current generation or the contract is not in force."""
        body = schemas.GenerationBody.model_validate(
            {"number": expected, "entries": {name: vars(each) for name, each in entries.items()},
             "verdict": vars(verdict) if verdict else None}
        )  # fmt: skip
        try:
            with _engine_errors():
                return _generation(self.client.swap_generation(self.name, body, **self._query))
        except GenerationConflict:
            # A request that was sent twice is rejected the second time although the first attempt succeeded.
            newest = self.current()
            if (newest.number, newest.entries) != (expected + 1, entries):
                raise
            return newest

    def last(self) -> None:
        """Do nothing: the registry commits before it responds."""

    def collect(self) -> None:
        """Report to the registry that no publication is open; the registry collects leftovers itself."""
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
    """Yield the contract and the state store of a dataset for use with the gate.

    `dataset`, `namespace`: as for `treaty metrics`.
    `client`: None uses the service and token of TREATY_API_URL and TREATY_TOKEN.
    Raises EngineError if the dataset is unknown, the token may not write states, or the registry cannot be reached."""
    settings = load()
    with client or Client(settings.api, settings.token or None, timeout=TIMEOUT_SECONDS) as api_client:
        with _engine_errors():
            gated = api_client.gated_dataset(dataset, namespace=namespace)
            contract = _promised(api_client.document(gated.contract_id, gated.version), gated)
        address = f"{settings.api}/dataset/{gated.dataset_id}"
        sources = {name: _source(place) for name, place in gated.datasets.items()}
        described = contract.object(gated.object)
        store = RegistryStates(
            client=api_client,
            place=address,
            name=gated.name,
            namespace=gated.namespace,
            contract_id=gated.contract_id,
            object=described,
        )
        partition_by, location = gated.location.partition_by, gated.location.location
        key_context, excluded_partitions = str(gated.dataset_id), frozenset(gated.excluded_partitions)
        yield GatedContract(
            contract=contract,
            object=gated.object,
            partition_by=partition_by,
            store=store,
            datasets=sources,
            location=location,
            key_context=key_context,
            excluded_partitions=excluded_partitions,
        )


@contextmanager
def _engine_errors() -> Iterator[None]:
    """Translate client errors into errors of the engine."""
    try:
        yield
    except ClientError as error:
        if error.status == CONFLICT:
            raise GenerationConflict(error.message) from error
        retry = error.status == UNREACHABLE or error.status >= FAILING
        raise EngineError(f"Registry error: {error.message}", retry=retry) from error


def _promised(source: bytes, dataset: schemas.GatedDatasetOut) -> Contract:
    """Return the contract with its learned fits and the table's classifications from other contracts."""
    contracts = (read(each.encode()) for each in dataset.classifying)
    contract = with_classifications(read(source), dataset.object, tuple(each.objects[0] for each in contracts))
    return with_fits(contract, dataset.object, {check: _fit(each) for check, each in dataset.fits.items()})


def _fit(limits: schemas.FitLimitsOut) -> LearnedFit:
    return LearnedFit(limits.name, limits.clause, (limits.lower, limits.upper), limits.points)


def _source(place: schemas.DatasetLocationOut) -> TableSource:
    return TableSource(place.location or "", place.format, place.partition_by)


def _generation(generation: schemas.GenerationBody) -> Generation:
    entries = {name: PartitionEntry(each.fingerprint, each.bag) for name, each in generation.entries.items()}
    return Generation(
        generation.number, entries, GenerationVerdict(**generation.verdict.model_dump()) if generation.verdict else None
    )
