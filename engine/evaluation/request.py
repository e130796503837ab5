"""The request to evaluate the checks of a contract on stored states."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from treaty.contracts.document.model import Contract, DataObject
from treaty.contracts.schema import Schema
from treaty.engine.anomaly.baselines import Histories
from treaty.engine.checks.bound_check import BoundChecks
from treaty.engine.checks.dataset_limits import ReferenceValue
from treaty.engine.components.frequencies import FrequencySpectrum
from treaty.engine.states.bag import Bag, StateFileStore


@dataclass(frozen=True, kw_only=True)
class EvaluationRequest:
    """What one run is evaluated from: a contract, one of its objects, and the states of its partitions.

    `states`: every partition's bag, packed or not. `delta`: the partitions that arrived. `schema`: that of the delta;
    None means as its last partition recorded it; a partition that recorded another one is judged on its own. `files`:
    where large states lie; None means nowhere. `whole_table_states`: the bag of what was read of all rows at once; None
    means that it was not read. `reference_values`: the values of limits that refer to other datasets, by their words.
    `checks`: those of the object, if they are bound to a schema already. `spectra`: by component key, what Spark
    computed of frequencies that are too many to be merged here. `parts`: of new partitions, what arrived of them if
    that is not all they have; checks of scope delta are judged on that. `history`: what was measured before, by the
    metric's identity, for checks of anomalies; what it lacks of earlier partitions is read from their states, without
    those that are `excluded_partitions`: they belong to an incident."""

    contract: Contract
    object_name: str
    states: Mapping[str, Bag]
    delta: Sequence[str]
    started_at: datetime
    finished_at: datetime
    schema: Schema | None = None
    files: StateFileStore | None = None
    whole_table_states: Bag | None = None
    reference_values: Mapping[str, ReferenceValue] = field(default_factory=dict)
    checks: BoundChecks | None = None
    spectra: Mapping[str, FrequencySpectrum] = field(default_factory=dict)
    parts: Mapping[str, Bag] = field(default_factory=dict)
    history: Histories = field(default_factory=dict)
    excluded_partitions: frozenset[str] = frozenset()

    @cached_property
    def object(self) -> DataObject:
        """The object that is judged. Raises ContractError for one that the contract does not have."""
        return self.contract.object(self.object_name)
