"""Evaluate a contract on stored states, without access to the data."""

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
from treaty.engine.evaluation.exact_states import precise_metric
from treaty.engine.evaluation.metric_values import (
    UNKNOWN,
    compares,
    outcome,
    previous_partition,
    read_metric,
    state_value,
)
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.evaluation.state_reuse import StateReuse
from treaty.engine.evaluation.uncertainty import is_decided_by_estimate
from treaty.engine.states import bag as bags
from treaty.engine.states import inventory, schema_evolution
from treaty.engine.states.bag import Bag, ComponentState, StateBag
from treaty.engine.states.missing_states import is_unlike
from treaty.engine.states.planning.scan_plan import ROWS

AGAIN = "validate all partitions again, or use a view of partitions with equal columns"
MIXED_TYPES_REMEDY = "rewrite them with one type, or use a view of partitions with equal columns"
NOT_AT_ONCE = "it needs all rows at once, but of some partitions only the states are available"
TOO_MANY = "there are too many distinct values: only their frequencies are known, not the values"
# Enough that comparing each partition with the previous one reads none twice, few enough to fit in memory.
OPENED = 8


def evaluate(request: EvaluationRequest) -> RunResult:
    """Evaluate a contract on the partitions that arrived.

    Checks of scope delta give a result per arrived partition, those of scope dataset one result over all partitions,
    and those of a view one over the partitions that it selects. Raises ContractError for faults of the contract,
    StateError for damaged states."""
    evaluator, contract = RunEvaluator(request), request.contract
    pairs = [*evaluator.judge_delta(), *evaluator.judge_dataset(), *evaluator.judge_views()]
    measured = {(m.identity, m.partition): m for _, m in pairs if m is not None}
    return RunResult(
        contract_id=contract.id,
        contract_version=contract.version,
        contract_fingerprint=contract.fingerprint,
        object=request.object_name,
        partitions=tuple(request.delta),
        rows=evaluator.rows,
        started_at=request.started_at,
        finished_at=request.finished_at,
        results=(*evaluator.judge_structure(), *(result for result, _ in pairs)),
        measurements=tuple(measured.values()),
        plugins=plugins.loaded_plugins(),
        tags=tagged(contract, request.object),
    )


ResultPair = tuple[CheckResult, Measurement | None]


@dataclass
class RunEvaluator:
    """Evaluator of one run on packed states; checks are bound once per schema of the arrived partitions."""

    request: EvaluationRequest
    bound: dict[Schema, BoundChecks] = field(default_factory=dict)
    stated: dict[str, dict[str, StateValue]] = field(default_factory=dict)
    opened: dict[str, StateBag] = field(default_factory=dict)
    object: DataObject = field(init=False)

    def __post_init__(self) -> None:
        self.object, checks = self.request.object, self.request.checks
        if checks is not None:
            self.bound[checks.schema] = checks

    @cached_property
    def pasts(self) -> MetricBaselines:
        """Return the metrics' histories, with the false-alarm budget that detectors share."""
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
        """Return the recorded schema of each arrived partition; partitions without one are left out."""
        schemas = {name: self._arrived(name, inventory.describe_bag)[0] for name in self.request.delta}
        return {name: schema for name, schema in schemas.items() if schema.columns}

    @cached_property
    def schema(self) -> Schema:
        """Return the schema of what arrived, by default that of the last partition."""
        if self.request.schema is not None:
            return self.request.schema
        return next(reversed(list(self.recorded.values())), Schema(()))

    @property
    def rows(self) -> int | None:
        """Return the number of rows that arrived; None if no arrived partition could be read."""
        rows_only = partial(bags.unpack, keys=frozenset({ROWS.key}))
        states = [self._arrived(name, rows_only).entries.get(ROWS.key) for name in self.request.delta]
        counted = [int(state.value) for state in states if state is not None]
        return sum(counted) if counted or not self.request.delta else None

    def judge_structure(self) -> Iterator[CheckResult]:
        """Check columns and types, per partition if the partitions differ in schema."""
        if set(self.recorded.values()) <= {self.schema}:
            return check_structure(self.object, self.schema, terms=self.request.contract.terms)
        judge_one = partial(check_structure, self.object, terms=self.request.contract.terms)
        results_per_partition = [judge_one(schema, partition=name) for name, schema in self.recorded.items()]
        return (result for results in results_per_partition for result in results)

    def judge_delta(self) -> Iterator[ResultPair]:
        """Evaluate every check of scope delta on each arrived partition."""
        for partition in self.request.delta:
            checks = self.delta_checks(partition)
            bag = self._arrived(partition, partial(bags.unpack, files=self.request.files, keys=_keys(checks)))
            yield from (self._judge(check, bag, partition) for check in checks)

    def delta_checks(self, partition: str) -> list[BoundCheck]:
        """Return the checks of scope delta for the partition's schema."""
        return self._checks("delta", self.recorded.get(partition, self.schema))

    def judge_dataset(self) -> Iterator[ResultPair]:
        """Evaluate every check of scope dataset on the merged states of all partitions."""
        checks = self._checks("dataset", self.schema)
        separate_keys = frozenset(part.key for part in self.bound[self.schema].plan.whole_table)
        merged_keys = _keys(checks) - separate_keys - self.request.spectra.keys()
        merged, schemas = self._merged(self.request.states, merged_keys) if checks else (None, {})
        bag = (merged or StateBag({})).union(self._whole(separate_keys)).union(self._spectra())
        yield from (self._of_all(check, bag, schemas) for check in checks)

    def judge_views(self) -> Iterator[ResultPair]:
        """Evaluate every check over a view on the merged states of the partitions it selects."""
        for view in self.object.views:
            checks = self._checks(view.name, self.schema)
            if checks:
                yield from self._judge_view(view, checks)

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
            reason = f"view {view.name} selects none of {len(self.request.states)} partitions"
            yield from ((result_of(check, None, Outcome.NOT_APPLICABLE, reason=reason), None) for check in ours)
        else:
            yield from (self._of_all(check, bag, schemas) for check in ours)

    def _merged(self, names: Iterable[str], keys: frozenset[str]) -> tuple[StateBag | None, dict[str, Schema]]:
        """Merge the states of these partitions; return their schemas too if they differ."""
        schemas: dict[str, Schema] = {}

        def each() -> Iterator[StateBag]:
            for name in names:
                bag = self._unpacked(name, keys)
                schemas[name] = bag.schema
                yield bag

        merged = bags.merge(each())
        return merged, schemas if len(set(schemas.values())) > 1 else {}

    def _of_all(self, check: BoundCheck, bag: StateBag, schemas: Mapping[str, Schema]) -> ResultPair:
        """Evaluate the check on merged partitions and report partitions with different columns."""
        paths = check.analyzer.columns_named if check.analyzer and check.bound and schemas else ()
        result, measured = self._judge(check, bag, None)
        missing = schema_evolution.missing_columns_text(paths, schemas)
        difference = schema_evolution.differing_columns_text(paths, schemas)
        # Spark merges frequencies by key alone, without regard to types.
        if difference and (is_gap(measured) or not self.request.spectra.keys().isdisjoint(_keys([check]))):
            reason = f"{difference}: {AGAIN if missing else MIXED_TYPES_REMEDY}"
            unlike = any(is_unlike(bag.failures.get(key)) for key in _keys([check]))
            if result.reason and result.reason != UNKNOWN and not unlike:
                reason = f"{result.reason}; {reason}"
            return result_of(check, None, Outcome.NOT_EVALUATED, reason=reason), gap(check, None, reason)
        if measured is None or is_gap(measured) or missing is None:
            return result, measured
        note = {"reason": f"{result.reason}; {missing}" if result.reason else missing}
        return result.model_copy(update=note), measured.model_copy(update=note)

    def _spectra(self) -> StateBag:
        """Return the frequency spectra that Spark computed in place of merged frequencies."""
        entries = {
            key: ComponentState(component=Frequencies(), value=spectrum)
            for key, spectrum in self.request.spectra.items()
        }
        return StateBag(entries, self.schema, dict.fromkeys(entries, TOO_MANY))

    def _whole(self, keys: frozenset[str]) -> StateBag:
        """Return the states of the whole-table scan; failures if there was none."""
        if self.request.whole_table_states is None:
            return StateBag({}, failures=dict.fromkeys(keys, NOT_AT_ONCE))
        return bags.unpack(self.request.whole_table_states, keys=keys)

    def _judge(self, check: BoundCheck, bag: StateBag, partition: str | None) -> ResultPair:
        resolved = replace(check, referents=self.request.reference_values)
        detected = self._beside_past(resolved, partition) if check.detector else resolved
        before, key = self._before(check, partition), (check.identity or "", partition)
        is_exact, has_rows = key in self.request.exact_values, self.request.has_rows
        bounded = is_exact or not is_decided_by_estimate(check, has_rows=has_rows)
        estimate = read_metric(check, bag, self.request.started_at, before, bounded=bounded)
        exact = precise_metric(check, estimate, self.request.exact_values[key], bag, before) if is_exact else estimate
        return _judge(detected, exact, bag, partition, has_rows=has_rows)

    def previous(self, check: BoundCheck, partition: str | None) -> str | None:
        """Return the partition that a check compares with; None if there is none or it does not compare."""
        return previous_partition(check, self.pasts.before(partition), self._comparable) if compares(check) else None

    def _before(self, check: BoundCheck, partition: str | None) -> StateBag | None:
        return None if (name := self.previous(check, partition)) is None else self._comparable(name)

    def _comparable(self, partition: str) -> StateBag:
        """Return a partition's states for comparison; an empty bag if they are damaged."""
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
        """Run the check's detector on the current point."""
        if check.detector is None or check.analyzer is None or check.bound is None:
            return check
        lookup, domain = partial(self._stated, check), check.analyzer.detected_domain
        return replace(
            check, detection=self.pasts.detect(check.detector, check.identity or "", partition, lookup, domain)
        )

    def _stated(self, check: BoundCheck, names: Iterable[str]) -> dict[str, StateValue]:
        """Return the check's metric on other partitions, from their states; gaps if they lack it."""
        for name in names:
            if name not in self.stated:
                self.stated[name] = self._metrics(name)
        return {name: self.stated[name].get(check.identity or "", StateValue(None, UNKNOWN)) for name in names}

    def _metrics(self, partition: str) -> dict[str, StateValue]:
        """Compute the metrics of checks with a detector on that partition."""
        checks = [each for each in self._checks("delta", self.schema) if each.detector]
        try:
            bag = bags.unpack(self.request.states[partition], files=self.request.files, keys=_keys(checks))
        except StateError as error:
            return {each.identity or "": StateValue(None, str(error)) for each in checks}
        now = self.request.started_at
        values = [read_metric(each, bag, now, self._before(each, partition), bounded=False) for each in checks]
        return {each.identity or "": state_value(value) for each, value in zip(checks, values, strict=True)}

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

    def _named(self, partition: str, read: Callable[[Bag], Any], bags: Mapping[str, Bag] | None = None) -> Any:
        try:
            return read((self.request.states if bags is None else bags)[partition])
        except StateError as error:
            raise StateError(f"{f'partition {partition}' if partition else 'the whole table'}: {error}") from error


def _keys(checks: Sequence[BoundCheck]) -> frozenset[str]:
    return frozenset(part.key for check in checks if check.bound for part in check.bound.parts.values())


def _judge(
    check: BoundCheck, measured: MetricValue | str, bag: StateBag, partition: str | None, *, has_rows: bool
) -> ResultPair:
    check = check if isinstance(measured, str) else check.with_segment_baselines(measured)
    observed = measured if isinstance(measured, str) else check.observed(measured)
    final, reason = outcome(check, observed, has_rows=has_rows)
    if isinstance(observed, str):
        return result_of(check, partition, final, reason=reason), gap(check, partition, observed)
    record = None if isinstance(measured, str) else measurement(check, bag, measured, partition)
    return result_of(check, partition, final, reason=reason, reading=observed), record


def missing_states(
    contract: Contract,
    object_name: str,
    stored: Mapping[str, bytes],
    *,
    key: HashKey | None = None,
    afresh: bool = False,
    also: Sequence[DataObject] = (),
) -> dict[str, frozenset[str]]:
    """Return, by partition, the usable keys of stored states that do not cover the checks.

    `also`: further objects whose checks use the same table. Bags that cover everything are left out, and so are
    those that record why their partition could not be read. A damaged bag has no keys; nor do states of another
    format version, or states that the contract does not permit to store (values of classified columns, hashes made
    with another `key`). States that are never stored count as missing only with `afresh`, which evaluates all
    partitions. Raises ContractError for faults of the contract."""
    bound: dict[Schema, StateReuse] = {}
    missing = {}
    for name, packed in stored.items():
        try:
            contents = inventory.contents(packed)
        except StateError:
            missing[name] = frozenset[str]()
            continue
        if contents.schema not in bound:
            checks = bind_all([contract.object(object_name), *also], contents.schema)
            bound[contents.schema] = StateReuse(checks, key, afresh)
        if bags.ALL not in contents.failures and not bound[contents.schema].answers(contents):
            missing[name] = bound[contents.schema].stored_keys(contents)
    return missing
