"""From states to a verdict: judge a contract on partitions whose states are known, without touching the data."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

from treaty.contracts.document.model import Contract, DataObject, View
from treaty.contracts.predicates.parser import PredicateError
from treaty.contracts.schema import Schema
from treaty.engine.analyzers.bound import MetricValue
from treaty.engine.anomaly.baselines import MetricBaselines, StateValue
from treaty.engine.anomaly.partition_order import PartitionOrder
from treaty.engine.checks import plugins
from treaty.engine.checks.binding import bind, bind_all
from treaty.engine.checks.bound_check import BoundCheck, BoundChecks
from treaty.engine.checks.schema_checks import check_structure
from treaty.engine.components.frequencies import Frequencies
from treaty.engine.core.errors import StateError
from treaty.engine.core.hash_key import HashKey
from treaty.engine.core.partitions import views
from treaty.engine.core.results import CheckResult, Measurement, Outcome, RunResult
from treaty.engine.evaluation.check_results import gap, is_gap, measurement, result_of, tagged
from treaty.engine.evaluation.metric_values import UNKNOWN, compares, outcome, previous_states, read_metric, state_value
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.evaluation.state_reuse import StateReuse
from treaty.engine.states import bag as bags
from treaty.engine.states import inventory, schema_evolution
from treaty.engine.states.bag import Bag, ComponentState, StateBag
from treaty.engine.states.planning.scan_plan import ROWS

AGAIN = "validate all partitions again, or judge a view of those that are alike"
MIXED_TYPES_REMEDY = "write them anew with one type, or judge a view of those that are alike"
NOT_AT_ONCE = "it must see all rows at once, and of some partitions only their states are known"
TOO_MANY = "there are too many distinct values to look at each: how many occur how often is known, not which"
# Enough that no partition is read twice where each is compared with the one before, few enough to be held at once.
OPENED = 8


def evaluate(request: EvaluationRequest) -> RunResult:
    """The run that judges what arrived.

    Checks of scope delta give a result per partition of the delta, those of scope dataset one over all partitions,
    those of a view one over the partitions that it chooses. Raises ContractError for faults of the contract, StateError
    for damaged states."""
    bench, contract = RunEvaluator(request), request.contract
    judged = [*bench.judge_delta(), *bench.judge_dataset(), *bench.judge_views()]
    measured = {(m.identity, m.partition): m for _, m in judged if m is not None}
    return RunResult(
        contract_id=contract.id,
        contract_version=contract.version,
        contract_fingerprint=contract.fingerprint,
        object=request.object_name,
        partitions=tuple(request.delta),
        rows=bench.rows,
        started_at=request.started_at,
        finished_at=request.finished_at,
        results=(*bench.judge_structure(), *(result for result, _ in judged)),
        measurements=tuple(measured.values()),
        plugins=plugins.loaded_plugins(),
        tags=tagged(contract, request.object),
    )


ResultPair = tuple[CheckResult, Measurement | None]


@dataclass
class RunEvaluator:
    """The packed states that one run judges. Checks are bound once to each schema that the new partitions have."""

    request: EvaluationRequest
    bound: dict[Schema, BoundChecks] = field(default_factory=dict)
    stated: dict[str, dict[str, StateValue]] = field(default_factory=dict)
    opened: dict[str, StateBag] = field(default_factory=dict)
    object: DataObject = field(init=False)

    def __post_init__(self) -> None:
        self.object, given = self.request.object, self.request.checks
        if given is not None:
            self.bound[given.schema] = given

    @cached_property
    def pasts(self) -> MetricBaselines:
        """What the metrics were before, and how the checks that ask for it share the false alarms."""
        sharing = sum(check.shares_alarms for check in self._bound(self.schema).checks)
        succession, terms = PartitionOrder.of(self.request.states), self.object.anomalies
        return MetricBaselines(
            measured=self.request.history,
            succession=succession,
            now=self.request.started_at,
            terms=terms,
            metrics=sharing,
            excluded_partitions=self.request.excluded_partitions,
        )

    @cached_property
    def recorded(self) -> Mapping[str, Schema]:
        """The schema that each new partition was read with; those that recorded none are left out."""
        found = {name: self._arrived(name, inventory.describe_bag)[0] for name in self.request.delta}
        return {name: schema for name, schema in found.items() if schema.columns}

    @cached_property
    def schema(self) -> Schema:
        """The schema of what arrived."""
        if self.request.schema is not None:
            return self.request.schema
        return next(reversed(list(self.recorded.values())), Schema(()))

    @property
    def rows(self) -> int | None:
        """How many rows arrived; None where no partition that arrived could be read."""
        rows_only = partial(bags.unpack, keys=frozenset({ROWS.key}))
        found = [self._arrived(name, rows_only).entries.get(ROWS.key) for name in self.request.delta]
        counted = [int(state.value) for state in found if state is not None]
        return sum(counted) if counted or not self.request.delta else None

    def judge_structure(self) -> Iterator[CheckResult]:
        """The promised columns and types; partition by partition where these do not have one schema."""
        if set(self.recorded.values()) <= {self.schema}:
            return check_structure(self.object, self.schema, terms=self.request.contract.terms)
        judge_one = partial(check_structure, self.object, terms=self.request.contract.terms)
        parted = [judge_one(schema, partition=name) for name, schema in self.recorded.items()]
        return (result for results in parted for result in results)

    def judge_delta(self) -> Iterator[ResultPair]:
        """Every check of scope delta on each new partition."""
        for partition in self.request.delta:
            ours = self._checks("delta", self.recorded.get(partition, self.schema))
            bag = self._arrived(partition, partial(bags.unpack, files=self.request.files, keys=_keys(ours)))
            yield from (self._judge(check, bag, partition) for check in ours)

    def judge_dataset(self) -> Iterator[ResultPair]:
        """Every check of scope dataset on all partitions together."""
        ours = self._checks("dataset", self.schema)
        apart = frozenset(part.key for part in self.bound[self.schema].plan.whole_table)
        here = _keys(ours) - apart - self.request.spectra.keys()
        merged, schemas = self._merged(self.request.states, here) if ours else (None, {})
        whole = (merged or StateBag({})).union(self._whole(apart)).union(self._spectra())
        yield from (self._of_all(check, whole, schemas) for check in ours)

    def judge_views(self) -> Iterator[ResultPair]:
        """Every check over a view, on all the partitions together that the view chooses."""
        for view in self.object.views:
            ours = self._checks(view.name, self.schema)
            if ours:
                yield from self._judge_view(view, ours)

    def _judge_view(self, view: View, ours: Sequence[BoundCheck]) -> Iterator[ResultPair]:
        try:
            names = views.chosen(
                view.where, self.request.states, views.columns(self.object, self.schema, self.request.states)
            )
        except PredicateError as error:
            reason = "; ".join(f"view {view.name} {fault.message}" for fault in error.faults)
            yield from ((result_of(check, None, Outcome.NOT_EVALUATED, reason=reason), None) for check in ours)
            return
        bag, schemas = self._merged(names, _keys(ours))
        if bag is None:
            reason = f"view {view.name} chooses none of {len(self.request.states)} partitions"
            yield from ((result_of(check, None, Outcome.NOT_APPLICABLE, reason=reason), None) for check in ours)
        else:
            yield from (self._of_all(check, bag, schemas) for check in ours)

    def _merged(self, names: Iterable[str], keys: frozenset[str]) -> tuple[StateBag | None, dict[str, Schema]]:
        """The states of these partitions together, and the schema that each was read with."""
        schemas: dict[str, Schema] = {}

        def each() -> Iterator[StateBag]:
            for name in names:
                bag = self._unpacked(name, keys)
                schemas[name] = bag.schema
                yield bag

        merged = bags.merge(each())
        return merged, schemas if len(set(schemas.values())) > 1 else {}

    def _of_all(self, check: BoundCheck, bag: StateBag, schemas: Mapping[str, Schema]) -> ResultPair:
        """The check judged on partitions together: where not all have its columns alike, the result says which."""
        paths = check.analyzer.columns_named if check.analyzer and check.bound and schemas else ()
        result, measured = self._judge(check, bag, None)
        missing, told = (
            schema_evolution.missing_columns_text(paths, schemas),
            schema_evolution.differing_columns_text(paths, schemas),
        )
        # What Spark adds up it takes by key alone.
        if told and (is_gap(measured) or not self.request.spectra.keys().isdisjoint(_keys([check]))):
            reason = f"{told}: {AGAIN if missing else MIXED_TYPES_REMEDY}"
            if result.reason and result.reason != UNKNOWN and bags.UNLIKE.format("") not in result.reason:
                reason = f"{result.reason}; {reason}"
            return result_of(check, None, Outcome.NOT_EVALUATED, reason=reason), gap(check, None, reason)
        if measured is None or is_gap(measured) or missing is None:
            return result, measured
        note = {"reason": f"{result.reason}; {missing}" if result.reason else missing}
        return result.model_copy(update=note), measured.model_copy(update=note)

    def _spectra(self) -> StateBag:
        """What Spark told in the place of merged frequencies, and why nothing else can be said of those."""
        entries = {
            key: ComponentState(component=Frequencies(), value=spectrum)
            for key, spectrum in self.request.spectra.items()
        }
        return StateBag(entries, self.schema, dict.fromkeys(entries, TOO_MANY))

    def _whole(self, keys: frozenset[str]) -> StateBag:
        """The bag of what was read of all rows at once; where it was not, why not."""
        if self.request.whole_table_states is None:
            return StateBag({}, failures=dict.fromkeys(keys, NOT_AT_ONCE))
        return bags.unpack(self.request.whole_table_states, keys=keys)

    def _judge(self, check: BoundCheck, bag: StateBag, partition: str | None) -> ResultPair:
        known = replace(check, referents=self.request.reference_values)
        judged = self._beside_past(known, partition) if check.detector else known
        return _judge(
            judged, read_metric(check, bag, self.request.started_at, self._before(check, partition)), bag, partition
        )

    def _before(self, check: BoundCheck, partition: str | None) -> StateBag | None:
        """What a check that compares is told beside that partition."""
        return previous_states(check, self.pasts.before(partition), self._comparable) if compares(check) else None

    def _comparable(self, partition: str) -> StateBag:
        """The states that checks compare with; none of a partition whose states are damaged."""
        if partition not in self.opened:
            keys = _keys([each for each in self._checks("delta", self.schema) if compares(each)])
            for oldest in list(self.opened)[: len(self.opened) - OPENED + 1]:
                del self.opened[oldest]
            try:
                self.opened[partition] = bags.unpack(
                    self.request.states[partition], files=self.request.files, keys=keys
                )
            except StateError:
                self.opened[partition] = StateBag({})
        return self.opened[partition]

    def _beside_past(self, check: BoundCheck, partition: str | None) -> BoundCheck:
        """The check with what its detector says of the point that is judged."""
        if check.detector is None or check.analyzer is None or check.bound is None:
            return check
        share = check.analyzer.unit == "share"
        told = partial(self._stated, check)
        return replace(check, detection=self.pasts.detect(check.detector, check.identity or "", partition, told, share))

    def _stated(self, check: BoundCheck, names: Iterable[str]) -> dict[str, StateValue]:
        """The check's metric on other partitions, as their states tell it; a gap where they do not."""
        for name in names:
            if name not in self.stated:
                self.stated[name] = self._metrics(name)
        return {name: self.stated[name].get(check.identity or "", StateValue(None, UNKNOWN)) for name in names}

    def _metrics(self, partition: str) -> dict[str, StateValue]:
        """What the metrics that detectors look at are on that partition."""
        asking = [each for each in self._checks("delta", self.schema) if each.detector]
        try:
            bag = bags.unpack(self.request.states[partition], files=self.request.files, keys=_keys(asking))
        except StateError as error:
            return {each.identity or "": StateValue(None, str(error)) for each in asking}
        read = [read_metric(each, bag, self.request.started_at, self._before(each, partition)) for each in asking]
        return {each.identity or "": state_value(found) for each, found in zip(asking, read, strict=True)}

    def _checks(self, scope: str, schema: Schema) -> list[BoundCheck]:
        return [check for check in self._bound(schema).checks if check.scope == scope]

    def _bound(self, schema: Schema) -> BoundChecks:
        if schema not in self.bound:
            self.bound[schema] = bind(self.object, schema)
        return self.bound[schema]

    def _unpacked(self, partition: str, keys: frozenset[str]) -> StateBag:
        return self._named(partition, partial(bags.unpack, files=self.request.files, keys=keys))  # type: ignore[no-any-return]

    def _arrived(self, partition: str, read: Callable[[Bag], Any]) -> Any:
        return self._named(
            partition, read, self.request.parts if partition in self.request.parts else self.request.states
        )

    def _named(self, partition: str, read: Callable[[Bag], Any], given: Mapping[str, Bag] | None = None) -> Any:
        try:
            return read((self.request.states if given is None else given)[partition])
        except StateError as error:
            raise StateError(f"{f'partition {partition}' if partition else 'the whole table'}: {error}") from error


def _keys(checks: Sequence[BoundCheck]) -> frozenset[str]:
    return frozenset(part.key for check in checks if check.bound for part in check.bound.parts.values())


def _judge(check: BoundCheck, measured: MetricValue | str, bag: StateBag, partition: str | None) -> ResultPair:
    check = check if isinstance(measured, str) else check.with_segment_baselines(measured)
    found = measured if isinstance(measured, str) else check.observed(measured)
    ended, reason = outcome(check, found)
    if isinstance(found, str):
        return result_of(check, partition, ended, reason=reason), gap(check, partition, found)
    kept = None if isinstance(measured, str) else measurement(check, bag, measured, partition)
    return result_of(check, partition, ended, reason=reason, reading=found), kept


def missing_states(
    contract: Contract,
    object_name: str,
    stored: Mapping[str, bytes],
    *,
    key: HashKey | None = None,
    afresh: bool = False,
    also: Sequence[DataObject] = (),
) -> dict[str, frozenset[str]]:
    """By partition, the keys of the states that its stored bag has, where the checks of the object, or of those that
    are `also` promised of the table, need more.

    Bags that answer them all are left out, and those that say why their partition could not be read. No key for a
    damaged bag, nor for states of another version, nor for what the contract does not let be stored as it is: values of
    classified columns, hashes that were not made with the `key`. States that are never stored are lacking `afresh`
    alone: then all partitions are judged. Raises ContractError for faults of the contract."""
    bound: dict[Schema, StateReuse] = {}
    found = {}
    for name, packed in stored.items():
        try:
            contents = inventory.contents(packed)
        except StateError:
            found[name] = frozenset[str]()
            continue
        if contents.schema not in bound:
            checks = bind_all([contract.object(object_name), *also], contents.schema)
            bound[contents.schema] = StateReuse(checks, key, afresh)
        if bags.ALL not in contents.failures and not bound[contents.schema].answers(contents):
            found[name] = bound[contents.schema].stored_keys(contents)
    return found
