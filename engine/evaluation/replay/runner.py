"""A version judged on what is stored, before anybody approves it: old against new, partition by partition, no Spark.

A check of scope delta is judged on each partition by itself; one of scope dataset, or of a view, on all that had come
by then, whose states are merged as they come. It is the judge of every validation that judges here
(`treaty.engine.evaluation.evaluator`)."""

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
NEEDED = "no state of it is kept: it needs the data once"
MERGED = "the states of these days were merged by month: they are not told apart any more"


@dataclass(frozen=True, kw_only=True)
class ReplayStep:
    """Partitions that came at once, by name with their packed states, and those that went; `time`: when.

    `references`: what limits that refer to other datasets were then, by their words. `continues`: others of the same
    arrival follow in the next step; the dataset is judged once all of them came. `excluded_partitions`: those of an
    incident,
    from which detectors learn nothing; None among them: all together."""

    added: Mapping[str, bytes]
    time: datetime
    removed: tuple[str, ...] = ()
    references: Mapping[str, ReferenceValue] = field(default_factory=dict)
    continues: bool = False
    excluded_partitions: frozenset[str | None] = frozenset()


class ReplayUnit(NamedTuple):
    """What is judged: the `partition` (None: all of them together), what people call it, why nothing of it is read."""

    partition: str | None
    unit: str
    reason: str | None


@dataclass
class MetricCache:
    """What metrics of checks are on the same states: each is `read` once."""

    read: Callable[[BoundCheck], MetricValue | str]
    cache: dict[int, MetricValue | str] = field(default_factory=dict)

    def __call__(self, case: ReplayCase) -> MetricValue | str:
        """What the check's metric reads, or why it reads nothing."""
        if case.reads not in self.cache:
            self.cache[case.reads] = self.read(case.check)
        return self.cache[case.reads]


@dataclass
class ScopeStates:
    """What lies on a ground: the states of its partitions together. `faults`: why some cannot be chosen, by name."""

    keys: frozenset[str]
    merged: IncrementalMerge = field(default_factory=IncrementalMerge)
    faults: dict[str, str] = field(default_factory=dict)


class ReplayRunner:
    """A replay under way: it takes step after step, oldest first, and tells at any time what it has found.

    `old` None: no version is in force. `counting`: counts of values are merged too; without it, checks that need them
    are not judged. `beyond`: states that are not merged here, by component key, and why. Raises ContractError for
    faults of either contract."""

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
        self.stands: dict[PartitionScope, ScopeStates] = {}
        self.alone: Counter[str] = Counter()
        self.arrivals: Counter[str] = Counter()
        self.came: list[str] = []
        self.walked = ReplayHistory()
        self.near: dict[str, StateBag] = {}

    def take(self, step: ReplayStep) -> None:
        """Judges what came, then all that is there."""
        opened = {name: self._opened(packed) for name, packed in step.added.items()}
        self.near |= opened
        self.walked.add_partitions(opened, step.excluded_partitions)
        reads = {name: MetricCache(partial(self._reading, bag, name, step.time)) for name, bag in opened.items()}
        for name, bag in opened.items():
            self.walked.see(self._form(bag.schema).per_partition, name, reads[name], step.time)
        for name, bag in opened.items():
            self._judge_alone(name, bag, reads[name], step)
        for name in step.removed:
            self.packed.pop(name, None)
        self.packed.update(step.added)
        self.near = opened
        self.came += step.added
        # What stands on no ground of these checks does not see this step, and is made anew once it is asked for.
        self.stands = {ground: self._stood(ground, opened, step) for ground in self.form.by_scope}
        if not step.continues:
            self._judge_together(step)
            self.came = []

    def report(self, stored: int) -> Replay:
        """What was found so far; `stored`: how many partitions there are to be judged."""
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
        told = {side: tally.outcome(units[tally.scope != "delta"]) for side, tally in tallies.items()}
        named = tallies.get(NEW) or tallies[OLD]
        trial = self.sides.trials.get(place)
        tried = trial.result() if trial and self.sides.counting else None
        return ReplayedCheck(
            check_id=place[0],
            name=named.name,
            old=told.get(OLD),
            new=told.get(NEW),
            trial=tried,
            can_try_patterns=trial is not None,
        )

    def _judge_alone(self, name: str, bag: StateBag, read: MetricCache, step: ReplayStep) -> None:
        unit, why = _named(name, self.alone), MERGED if len(members(name)) > 1 else bag.failures.get(ALL)
        if bag.schema.columns:
            self.form = self._form(bag.schema)
            for tally, ended, reason in self.form.structure:
                tally.add(unit, ended, reason)
        self._judge(self.form.per_partition, read, step, ReplayUnit(name, unit, why))
        for trial, key in self.form.trials:
            trial.take(unit, bag, key)

    def _judge_together(self, step: ReplayStep) -> None:
        if not self.packed:
            return
        unit = _named(_label(self.came), self.arrivals)
        for ground, cases in self.form.by_scope.items():
            stand = self.stands[ground]
            bag, why = stand.merged.merged, next(iter(stand.faults.values()), None)
            if bag is None and why is None:
                _count_empty(cases, unit)
            else:
                read = MetricCache(partial(self._reading, bag or StateBag({}), None, step.time))
                self._judge(cases, read, step, ReplayUnit(None, unit, why))
                self.walked.see(cases, None, read, step.time)

    def _judge(self, cases: Sequence[ReplayCase], read: MetricCache, step: ReplayStep, spot: ReplayUnit) -> None:
        for case in cases:
            found = case.refused or spot.reason or _lacked(read(case))
            check = replace(case.check, referents=step.references) if case.refers else case.check
            check = self.walked.with_detection(check, case, spot.partition, step.time)
            ended, reason = _outcome(check, found)
            for tally in case.tallies:
                tally.add(spot.unit, ended, reason)

    def _reading(self, bag: StateBag, partition: str | None, moment: datetime, check: BoundCheck) -> MetricValue | str:
        """What the check's metric is by the bag, beside the partition before where it compares."""
        known = self.walked.before(partition) if metric_values.compares(check) else ()
        return metric_values.read_metric(
            check, bag, moment, metric_values.previous_states(check, known, self._comparable)
        )

    def _comparable(self, partition: str) -> StateBag:
        """The states of a partition that came, those of the newest without reading them again."""
        known, packed = self.near.get(partition), self.packed.get(partition)
        return known or (self._opened(packed) if packed else StateBag({}))

    def _stood(self, ground: PartitionScope, opened: Mapping[str, StateBag], step: ReplayStep) -> ScopeStates:
        """The ground with what came; made anew from all that is there where it lacks states."""
        keys, stand, came = self.form.needed[ground], self.stands.get(ground), dict(opened)
        if stand is None or not keys <= stand.keys:
            stand, came = ScopeStates(keys), {name: self._opened(packed) for name, packed in self.packed.items()}
        for name in (*step.removed, *came):
            stand.faults.pop(name, None)
        chosen = set(came) if ground.view is None else self._chosen(ground.view, ground.schema, came, stand)
        left = [name for name in (*step.removed, *came) if name not in chosen]
        stand.merged.change({name: came[name].only(stand.keys) for name in came if name in chosen}, left)
        return stand

    def _chosen(self, view: View, schema: Schema, names: Iterable[str], stand: ScopeStates) -> set[str]:
        """Those of the partitions that the view chooses; why it cannot say so of others is kept."""
        found = set[str]()
        for name in names:
            try:
                found.update(views.chosen(view.where, [name], views.columns(self.sides.newest, schema, [name])))
            except PredicateError as error:
                stand.faults[name] = "; ".join(f"view {view.name} {fault.message}" for fault in error.faults)
        return found

    def _opened(self, packed: bytes) -> StateBag:
        """The states that the checks need; of a bag that cannot be read none, and why."""
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
    """What the unit is called: its name, and which time it came where that is not the first."""
    units[name] += 1
    return name if units[name] == 1 else f"{name} (arrival {units[name]})"


def _count_empty(cases: Iterable[ReplayCase], unit: str) -> None:
    for tally in (tally for case in cases for tally in case.tallies):
        tally.add(unit, Outcome.NOT_APPLICABLE, None)


def _outcome(check: BoundCheck, read: MetricValue | str) -> tuple[Outcome, str | None]:
    if isinstance(read, str):
        return metric_values.outcome(check, read)
    beside = check.with_segment_baselines(read)
    return metric_values.outcome(beside, beside.observed(read))


def _lacked(found: MetricValue | str) -> MetricValue | str:
    return NEEDED if found == metric_values.UNKNOWN else found


def _label(names: Sequence[str]) -> str:
    """What an arrival is called: its partition, or the day that all of them are of."""
    if len(names) == 1:
        return names[0]
    dates = {date_of_name(name) for name in names if days(name)}
    if len(dates) == 1 and all(map(days, names)):
        return dates.pop() or names[-1]
    return f"{len(names)} partitions up to {names[-1]}" if names else "what was left"


def _unit(names: Iterable[str], word: str) -> str:
    """What people call units of these names: days, where each is another one."""
    found = [date_of_name(name) for name in names]
    return "days" if found and None not in found and len(set(found)) == len(found) else word
