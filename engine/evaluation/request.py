"""Define the request to evaluate the checks of a contract on stored states."""

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
from treaty.engine.core.results import MetricKey, Value
from treaty.engine.evaluation.exact_states import ExactStates
from treaty.engine.states.bag import Bag, StateFileStore


@dataclass(frozen=True, kw_only=True)
class EvaluationRequest:
    """Input of one run: a contract, one of its objects, and the states of its partitions.

    - `states`: the bag of every partition, packed or not.
    - `delta`: names of the partitions that arrived.
    - `schema`: schema of the delta; None means the one recorded by its last partition; partitions that recorded
      another schema are evaluated with their own.
    - `files`: store of large states; None means no files.
    - `whole_table_states`: the bag of a scan of all rows; None means there was no such scan.
    - `reference_values`: values of limits that refer to other datasets, by the limit's text.
    - `checks`: the object's checks if already bound.
    - `spectra`: frequency spectra that Spark computed because the frequencies are too large to merge here, by
      component key.
    - `parts`: states of what arrived in partitions that also have older rows; checks of scope delta are evaluated on
      these.
    - `history`: earlier measurements for anomaly checks, by metric identity; missing ones are read from the
      partitions' states, except for `excluded_partitions`, which belong to an incident.
    - `exact_values`: exact values of estimates, computed from the rows; for metrics that compare partitions also the
      states to compare.
    - `has_rows`: the rows are at hand: checks that need exact values are uncertain, even those with learned thresholds
      (`treaty.engine.evaluation.exact_evaluation`)."""

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
    exact_values: Mapping[MetricKey, Value | ExactStates] = field(default_factory=dict)
    has_rows: bool = False

    @cached_property
    def object(self) -> DataObject:
        """Return the evaluated object. Raises ContractError if the contract lacks it."""
        return self.contract.object(self.object_name)
