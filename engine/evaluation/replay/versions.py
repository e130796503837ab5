"""Bind both versions of a replay to a schema; checks that are equal in both are evaluated once."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from treaty.contracts.document.model import Anomalies, Contract, DataObject, View
from treaty.contracts.schema import Schema
from treaty.engine.checks.binding import bind
from treaty.engine.checks.bound_check import BoundCheck
from treaty.engine.checks.schema_checks import check_structure
from treaty.engine.core.results import UNDECIDED, Outcome
from treaty.engine.evaluation.evaluator import NOT_AT_ONCE
from treaty.engine.evaluation.replay.pattern_trial import RegexTrial, counted, trial
from treaty.engine.evaluation.replay.report import CheckOutcome

OLD, NEW = 0, 1
COUNTED = "it needs counts of values, which are merged only on request"
UNCERTAIN = "uncertain: the threshold lies within the error of the estimate"
Place = tuple[str, int]


@dataclass(kw_only=True)
class OutcomeCounter:
    """Counter of the outcomes of one version's check during the replay."""

    scope: str
    severity: str
    sentence: str
    name: str
    evaluated: int = 0
    empty: int = 0
    alerts: list[str] = field(default_factory=list)
    not_evaluated: dict[str, list[str]] = field(default_factory=dict)

    def add(self, unit: str, outcome: Outcome, reason: str | None) -> None:
        """Count an outcome on a partition or after an arrival."""
        if outcome in UNDECIDED:
            self.not_evaluated.setdefault(reason or UNCERTAIN, []).append(unit)
        elif outcome is Outcome.NOT_APPLICABLE:
            self.empty += 1
        else:
            self.evaluated += 1
            if outcome is Outcome.FAILED:
                self.alerts.append(unit)

    def outcome(self, unit: str) -> CheckOutcome:
        """Return the counts; `unit` is the plural noun of the units."""
        not_evaluated = {why: tuple(names) for why, names in self.not_evaluated.items()}
        return CheckOutcome(
            scope=self.scope,
            severity=self.severity,
            sentence=self.sentence,
            unit=unit,
            evaluated=self.evaluated,
            alerts=tuple(self.alerts),
            empty=self.empty,
            not_evaluated=not_evaluated,
        )


class DetectorBudget(NamedTuple):
    """The anomaly terms of a version, and the number of metrics sharing its budget."""

    terms: Anomalies
    metrics: int


@dataclass(frozen=True, kw_only=True)
class ReplayCase:
    """A check on one schema, evaluated once and counted for each version that has it.

    - `reads`: equal numbers mean equal metrics.
    - `refused`: why it is not replayed; None if it is.
    - `refers`: whether a limit refers to another dataset.
    - `budget`: the detector's budget; None without a detector."""

    check: BoundCheck
    reads: int
    refused: str | None
    refers: bool
    tallies: tuple[OutcomeCounter, ...]
    budget: DetectorBudget | None = None


class PartitionScope(NamedTuple):
    """The partitions on which checks are evaluated together: those of a view, or all if `view` is None."""

    view: View | None
    schema: Schema


@dataclass(frozen=True, kw_only=True)
class SchemaBinding:
    """The checks of both versions on one schema.

    `per_partition`: checks evaluated on each partition. `keys`: states that the checks read; `filed`: those that may
    be stored in files. `trials`: pairs of patterns, each with the key of the state whose values they are tried on."""

    structure: tuple[tuple[OutcomeCounter, Outcome, str | None], ...]
    per_partition: tuple[ReplayCase, ...]
    by_scope: Mapping[PartitionScope, tuple[ReplayCase, ...]]
    keys: frozenset[str]
    filed: frozenset[str]
    trials: tuple[tuple[RegexTrial, str], ...] = ()

    @cached_property
    def needed(self) -> Mapping[PartitionScope, frozenset[str]]:
        """Return the states that the checks of each scope read."""
        return {ground: keys_of(cases) for ground, cases in self.by_scope.items()}


class VersionPair:
    """The object in both versions, with the tallies of its checks.

    `places` maps a check id and its occurrence number to tallies by version. A version without the object has no
    checks."""

    def __init__(
        self, *, old: Contract | None, new: Contract, object_name: str, counting: bool, beyond: Mapping[str, str]
    ) -> None:
        self.object, self.counting, self.beyond = object_name, counting, beyond
        self.contracts = {side: each for side, each in ((OLD, old), (NEW, new)) if each and _has(each, object_name)}
        self.numbers = (old.version if old else None, new.version)
        self.places: dict[Place, dict[int, OutcomeCounter]] = {}
        self.trials: dict[Place, RegexTrial] = {}

    @property
    def newest(self) -> DataObject:
        """Return the object in the newest version that has it. Raises ValueError if neither has."""
        return self.contracts[max(self.contracts)].object(self.object)

    def tally(self, place: Place, side: int, counter: OutcomeCounter) -> OutcomeCounter:
        """Return the existing tally of that check and version, or add this one."""
        return self.places.setdefault(place, {}).setdefault(side, counter)


class SchemaBinder:
    """Binder of both versions to one schema."""

    def __init__(self, sides: VersionPair, schema: Schema) -> None:
        self.sides, self.schema = sides, schema
        self.numbers: dict[Hashable, int] = {}

    def form(self) -> SchemaBinding:
        """Return the checks of both versions on the schema. Raises ContractError for faults of either contract."""
        structure = tuple(self._structure()) if self.schema.columns else ()
        cases_by_key: dict[Hashable, ReplayCase] = {}
        for side, place, check in self._bound:
            self._join(cases_by_key, side, place, check)
        cases, by_scope = tuple(cases_by_key.values()), dict[PartitionScope, tuple[ReplayCase, ...]]()
        for case in (each for each in cases if each.check.scope != "delta"):
            scope = self._ground(case.check)
            by_scope[scope] = (*by_scope.get(scope, ()), case)
        per_partition = tuple(each for each in cases if each.check.scope == "delta")
        trials = tuple(self._trials())
        trial_keys = frozenset(key for _, key in trials)
        filed = frozenset(key for case in cases if case.refused is None for key in _counted(case.check)) | trial_keys
        return SchemaBinding(
            structure=structure,
            per_partition=per_partition,
            by_scope=by_scope,
            keys=keys_of(cases) | trial_keys,
            filed=filed,
            trials=trials,
        )

    def _trials(self) -> Iterator[tuple[RegexTrial, str]]:
        """Yield edited patterns to try on stored counts of values; none unless counting is on."""
        sides: dict[Place, dict[int, BoundCheck]] = {}
        for side, place, check in self._bound:
            sides.setdefault(place, {})[side] = check
        for place, each in sides.items():
            candidate = trial(each[OLD], each[NEW]) if each.keys() == {OLD, NEW} else None
            key = counted(each[NEW]) if candidate else None
            if candidate and key:
                registered = self.sides.trials.setdefault(place, candidate)
                if self.sides.counting and key not in self.sides.beyond:
                    yield registered, key

    def _structure(self) -> Iterator[tuple[OutcomeCounter, Outcome, str | None]]:
        for side, contract in self.sides.contracts.items():
            for each in check_structure(contract.object(self.sides.object), self.schema, terms=contract.terms):
                counter = OutcomeCounter(scope="delta", severity=each.severity, sentence=each.sentence, name=each.name)
                yield self.sides.tally((each.check_id, 0), side, counter), each.outcome, each.reason

    @cached_property
    def _bound(self) -> list[tuple[int, Place, BoundCheck]]:
        """Return every check of both versions on the schema, with its place."""
        return list(self._checks())

    def _checks(self) -> Iterator[tuple[int, Place, BoundCheck]]:
        for side, contract in self.sides.contracts.items():
            occurrences: Counter[str] = Counter()
            for check in bind(contract.object(self.sides.object), self.schema).checks:
                occurrences[check.check.id] += 1
                yield side, (check.check.id, occurrences[check.check.id]), check

    def _join(self, alike: dict[Hashable, ReplayCase], side: int, place: Place, check: BoundCheck) -> None:
        """Add the check to its equal in the other version, or create a case."""
        assertion, refused = check.check.assertion, self._refused(check)
        tally = self.sides.tally(
            place,
            side,
            OutcomeCounter(
                scope=check.scope, severity=check.check.severity, sentence=check.sentence, name=check.check.name
            ),
        )
        reads = self.numbers.setdefault((_metric(check), refused), len(self.numbers))
        budget = self._budgets[side] if check.detector else None
        # Limits may be lists, which are not hashable.
        case_key = (
            place,
            reads,
            repr(assertion),
            repr(budget),
            None if check.scope == "delta" else self._ground(check),
        )
        tallies = alike[case_key].tallies if case_key in alike else ()
        alike[case_key] = ReplayCase(
            check=check,
            reads=reads,
            refused=refused,
            refers=bool(assertion and assertion.references),
            tallies=(*tallies, tally),
            budget=budget,
        )

    @cached_property
    def _budgets(self) -> Mapping[int, DetectorBudget]:
        """Return the false-alarm budget of each version."""
        sharing = Counter(side for side, _, check in self._bound if check.shares_alarms)
        objects = {side: each.object(self.sides.object) for side, each in self.sides.contracts.items()}
        return {side: DetectorBudget(each.anomalies, sharing[side]) for side, each in objects.items()}

    def _refused(self, check: BoundCheck) -> str | None:
        """Return why the check cannot be replayed on any states; None if it can."""
        parts = check.bound.parts.values() if check.bound else ()
        if check.scope == "dataset" and any(part.component.needs_own_statement for part in parts):
            return NOT_AT_ONCE
        if not self.sides.counting and _counted(check):
            return COUNTED
        return next((self.sides.beyond[part.key] for part in parts if part.key in self.sides.beyond), None)

    def _ground(self, check: BoundCheck) -> PartitionScope:
        return PartitionScope(check.view, self.schema if check.view else Schema(()))


def keys_of(cases: Iterable[ReplayCase]) -> frozenset[str]:
    """Return the states that the cases read, without cases that are not replayed."""
    bound = (case.check.bound for case in cases if case.refused is None)
    return frozenset(part.key for each in bound if each for part in each.parts.values())


def _has(contract: Contract, name: str) -> bool:
    return any(each.name == name for each in contract.objects)


def _metric(check: BoundCheck) -> Hashable:
    """Return a key that is equal for checks with equal readings."""
    if check.bound is None or check.analyzer is None:
        return check.reason
    return check.analyzer.identity, tuple(sorted(part.key for part in check.bound.parts.values()))


def _counted(check: BoundCheck) -> frozenset[str]:
    """Return the check's states that count values."""
    parts = check.bound.parts.values() if check.bound else ()
    return frozenset(part.key for part in parts if part.component.grouping)
