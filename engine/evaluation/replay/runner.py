"""Replay a proposed version and the one in force on stored states, without Spark.

A check of scope delta is evaluated on each partition; one of scope dataset or of a view on the merged states of all
partitions that had arrived by then. Outcomes are derived as in a validation (`treaty.engine.evaluation.evaluator`)."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import NamedTuple

from treaty.contracts.document.model import Contract, View
from treaty.contracts.predicates.parser import PredicateError
from treaty.contracts.schema import Schema
from treaty.engine.analyzers.bound import MetricValue
from treaty.engine.checks.bound_check import BoundCheck
from treaty.engine.checks.dataset_limits import ReferenceValue
from treaty.engine.core.errors import StateError
from treaty.engine.core.partitions import views
from treaty.engine.core.partitions.months import date_of_name, days, members
from treaty.engine.core.results import Outcome
from treaty.engine.evaluation import metric_values
from treaty.engine.evaluation.replay.history import ReplayHistory
from treaty.engine.evaluation.replay.report import Replay, ReplayedCheck
from treaty.engine.evaluation.replay.versions import (
    NEW,
    OLD,
    PartitionScope,
    ReplayCase,
    SchemaBinder,
    SchemaBinding,
    VersionPair,
)
from treaty.engine.states import bag as bags
from treaty.engine.states.bag import ALL, StateBag, StateFileStore
from treaty.engine.states.incremental_merge import IncrementalMerge

DAMAGED = "its states cannot be read: {}"
NEEDED = "no state of it is stored: it needs a new scan of the data"
MERGED = "the states of these days were merged by month and cannot be separated"


@dataclass(frozen=True, kw_only=True)
class ReplayStep:
    """Partitions that arrived together, with their packed states, and partitions that were removed.

    - `time`: time of the arrival.
    - `references`: values of limits that refer to other datasets at that time, by the limit's text.
    - `continues`: the next step belongs to the same arrival; the dataset is evaluated after its last step.
    - `excluded_partitions`: partitions of an incident, from which detectors learn nothing; None in it means all
      partitions together."""

    added: Mapping[str, bytes]
    time: datetime
    removed: tuple[str, ...] = ()
    references: Mapping[str, ReferenceValue] = field(default_factory=dict)
    continues: bool = False
    excluded_partitions: frozenset[str | None] = frozenset()


class ReplayUnit(NamedTuple):
    """The unit to evaluate.

    `partition`: None means all partitions together. `unit`: its display name. `reason`: why it cannot be read; None
    if it can."""

    partition: str | None
    unit: str
    reason: str | None


@dataclass
class MetricCache:
    """Cache of metric values on the same states; each metric is read once."""

    read: Callable[[BoundCheck], MetricValue | str]
    cache: dict[int, MetricValue | str] = field(default_factory=dict)

    def __call__(self, case: ReplayCase) -> MetricValue | str:
        """Return the check's metric value, or the reason why it has none."""
        if case.reads not in self.cache:
            self.cache[case.reads] = self.read(case.check)
        return self.cache[case.reads]


@dataclass
class ScopeStates:
    """Merged states of the partitions in one scope.

    `faults`: by partition, why the view could not be applied to it."""

    keys: frozenset[str]
    merged: IncrementalMerge = field(default_factory=IncrementalMerge)
    faults: dict[str, str] = field(default_factory=dict)


class ReplayRunner:
    """A replay that runs step by step, oldest first, and reports the results so far.

    `old`: None means no version is in force. `counting`: also merge counts of values; without it, checks that need
    them are not evaluated. `beyond`: component keys of states that are not merged here, with the reason. Raises
    ContractError for faults of either contract."""

    def __init__(
        self,
        *,
        old: Contract | None,
        new: Contract,
        object_name: str,
        files: StateFileStore | None = None,
        counting: bool = False,
        beyond: Mapping[str, str] | None = None,
    ) -> None:
        self.files = files
        self.sides = VersionPair(old=old, new=new, object_name=object_name, counting=counting, beyond=beyond or {})
        self.forms: dict[Schema, SchemaBinding] = {}
        self.form = self._form(Schema(()))
        self.packed: dict[str, bytes] = {}
        self.scope_states: dict[PartitionScope, ScopeStates] = {}
        self.alone: Counter[str] = Counter()
        self.arrivals: Counter[str] = Counter()
        self.new_partitions: list[str] = []
        self.history = ReplayHistory()
        self.near: dict[str, StateBag] = {}

    def take(self, step: ReplayStep) -> None:
        """Evaluate the partitions of the step, then the dataset."""
        opened = {name: self._opened(packed) for name, packed in step.added.items()}
        self.near |= opened
        self.history.add_partitions(opened, step.excluded_partitions)
        reads = {name: MetricCache(partial(self._reading, bag, name, step.time)) for name, bag in opened.items()}
        for name, bag in opened.items():
            self.history.see(self._form(bag.schema).per_partition, name, reads[name], step.time)
        for name, bag in opened.items():
            self._judge_alone(name, bag, reads[name], step)
        for name in step.removed:
            self.packed.pop(name, None)
        self.packed.update(step.added)
        self.near = opened
        self.new_partitions += step.added
        # Scopes without checks skip this step and are rebuilt when they are needed again.
        self.scope_states = {scope: self._stood(scope, opened, step) for scope in self.form.by_scope}
        if not step.continues:
            self._judge_together(step)
            self.new_partitions = []

    def report(self, stored: int) -> Replay:
        """Return the results so far; `stored`: total number of partitions to evaluate."""
        units = _unit(self.alone, "partitions"), _unit(self.arrivals, "arrivals")
        names = [day for name in self.alone for day in members(name)]
        dates = {date_of_name(name) for name in names}
        return Replay(
            object=self.sides.object,
            old=self.sides.numbers[OLD],
            new=self.sides.numbers[NEW] or "",
            lines=tuple(self._line(check_id, units) for check_id in self.sides.places),
            partitions=len(names),
            stored=stored,
            days=None if None in dates or not dates else len(dates),
        )

    def _line(self, place: tuple[str, int], units: tuple[str, str]) -> ReplayedCheck:
        tallies = self.sides.places[place]
        outcomes = {side: tally.outcome(units[tally.scope != "delta"]) for side, tally in tallies.items()}
        tally_for_name = tallies.get(NEW) or tallies[OLD]
        trial = self.sides.trials.get(place)
        trial_result = trial.result() if trial and self.sides.counting else None
        return ReplayedCheck(
            check_id=place[0],
            name=tally_for_name.name,
            old=outcomes.get(OLD),
            new=outcomes.get(NEW),
            trial=trial_result,
            can_try_patterns=trial is not None,
        )

    def _judge_alone(self, name: str, bag: StateBag, read: MetricCache, step: ReplayStep) -> None:
        unit, unreadable = _named(name, self.alone), MERGED if len(members(name)) > 1 else bag.failures.get(ALL)
        if bag.schema.columns:
            self.form = self._form(bag.schema)
            for tally, outcome, reason in self.form.structure:
                tally.add(unit, outcome, reason)
        self._judge(self.form.per_partition, read, step, ReplayUnit(name, unit, unreadable))
        for trial, key in self.form.trials:
            trial.take(unit, bag, key)

    def _judge_together(self, step: ReplayStep) -> None:
        if not self.packed:
            return
        unit = _named(_label(self.new_partitions), self.arrivals)
        for scope, cases in self.form.by_scope.items():
            states = self.scope_states[scope]
            bag, reason = states.merged.merged, next(iter(states.faults.values()), None)
            if bag is None and reason is None:
                _count_empty(cases, unit)
            else:
                read = MetricCache(partial(self._reading, bag or StateBag({}), None, step.time))
                self._judge(cases, read, step, ReplayUnit(None, unit, reason))
                self.history.see(cases, None, read, step.time)

    def _judge(self, cases: Sequence[ReplayCase], read: MetricCache, step: ReplayStep, spot: ReplayUnit) -> None:
        for case in cases:
            value = case.refused or spot.reason or _lacked(read(case))
            check = replace(case.check, referents=step.references) if case.refers else case.check
            check = self.history.with_detection(check, case, spot.partition, step.time)
            outcome, reason = _outcome(check, value)
            for tally in case.tallies:
                tally.add(spot.unit, outcome, reason)

    def _reading(self, bag: StateBag, partition: str | None, moment: datetime, check: BoundCheck) -> MetricValue | str:
        """Read the check's metric from the bag, with the previous partition if it compares."""
        earlier = self.history.before(partition) if metric_values.compares(check) else ()
        return metric_values.read_metric(
            check, bag, moment, metric_values.previous_states(check, earlier, self._comparable)
        )

    def _comparable(self, partition: str) -> StateBag:
        """Return the states of an earlier partition; those of the newest are not read again."""
        bag, packed = self.near.get(partition), self.packed.get(partition)
        return bag or (self._opened(packed) if packed else StateBag({}))

    def _stood(self, ground: PartitionScope, opened: Mapping[str, StateBag], step: ReplayStep) -> ScopeStates:
        """Update the scope's merged states; rebuild them if they lack states that are now needed."""
        keys, states, added = self.form.needed[ground], self.scope_states.get(ground), dict(opened)
        if states is None or not keys <= states.keys:
            states, added = ScopeStates(keys), {name: self._opened(packed) for name, packed in self.packed.items()}
        for name in (*step.removed, *added):
            states.faults.pop(name, None)
        chosen = set(added) if ground.view is None else self._chosen(ground.view, ground.schema, added, states)
        dropped = [name for name in (*step.removed, *added) if name not in chosen]
        states.merged.change({name: added[name].only(states.keys) for name in added if name in chosen}, dropped)
        return states

    def _chosen(self, view: View, schema: Schema, names: Iterable[str], stand: ScopeStates) -> set[str]:
        """Return the partitions that the view selects, and record faults of the others."""
        selected = set[str]()
        for name in names:
            try:
                selected.update(views.chosen(view.where, [name], views.columns(self.sides.newest, schema, [name])))
            except PredicateError as error:
                stand.faults[name] = "; ".join(f"view {view.name} {fault.message}" for fault in error.faults)
        return selected

    def _opened(self, packed: bytes) -> StateBag:
        """Unpack the states that the checks need; an unreadable bag becomes an empty one with the reason."""
        try:
            bag = self._read(packed, self.form)
            form = self._form(bag.schema)
            return bag if form.keys <= self.form.keys else self._read(packed, form)
        except StateError as error:
            return StateBag({}, failures={ALL: DAMAGED.format(error)})

    def _read(self, packed: bytes, form: SchemaBinding) -> StateBag:
        plain = bags.unpack(packed, keys=form.keys - form.filed)
        if not form.filed:
            return plain
        try:
            return plain.union(bags.unpack(packed, self.files, keys=form.filed))
        except StateError as error:
            return replace(plain, failures={**plain.failures, **dict.fromkeys(form.filed, str(error))})

    def _form(self, schema: Schema) -> SchemaBinding:
        if schema not in self.forms:
            self.forms[schema] = SchemaBinder(self.sides, schema).form()
        return self.forms[schema]


def _named(name: str, units: Counter[str]) -> str:
    """Return the unit's display name, numbered from its second arrival on."""
    units[name] += 1
    return name if units[name] == 1 else f"{name} (arrival {units[name]})"


def _count_empty(cases: Iterable[ReplayCase], unit: str) -> None:
    for tally in (tally for case in cases for tally in case.tallies):
        tally.add(unit, Outcome.NOT_APPLICABLE, None)


def _outcome(check: BoundCheck, read: MetricValue | str) -> tuple[Outcome, str | None]:
    if isinstance(read, str):
        return metric_values.outcome(check, read)
    baselined = check.with_segment_baselines(read)
    return metric_values.outcome(baselined, baselined.observed(read))


def _lacked(reading: MetricValue | str) -> MetricValue | str:
    return NEEDED if reading == metric_values.UNKNOWN else reading


def _label(names: Sequence[str]) -> str:
    """Return the name of an arrival: its partition, or the common day of its partitions."""
    if len(names) == 1:
        return names[0]
    dates = {date_of_name(name) for name in names if days(name)}
    if len(dates) == 1 and all(map(days, names)):
        return dates.pop() or names[-1]
    return f"{len(names)} partitions up to {names[-1]}" if names else "remaining partitions"


def _unit(names: Iterable[str], word: str) -> str:
    """Return the noun for these units: days if each is a different day, else `word`."""
    dates = [date_of_name(name) for name in names]
    return "days" if dates and None not in dates and len(set(dates)) == len(dates) else word
