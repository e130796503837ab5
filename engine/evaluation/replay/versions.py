"""The two versions that a replay compares, bound to a schema: what both promise alike is one case, judged once."""

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
from treaty.engine.core.results import Outcome
from treaty.engine.evaluation.evaluator import NOT_AT_ONCE
from treaty.engine.evaluation.replay.pattern_trial import RegexTrial, counted, trial
from treaty.engine.evaluation.replay.report import CheckOutcome

OLD, NEW = 0, 1
COUNTED = "it needs how often each value occurs: that is merged on request alone"
Place = tuple[str, int]


@dataclass(kw_only=True)
class OutcomeCounter:
    """How one version's check comes out, counted as the replay goes on."""

    scope: str
    severity: str
    sentence: str
    name: str
    evaluated: int = 0
    empty: int = 0
    alerts: list[str] = field(default_factory=list)
    not_evaluated: dict[str, list[str]] = field(default_factory=dict)

    def add(self, unit: str, outcome: Outcome, reason: str | None) -> None:
        """Counts how it came out on a partition, or after an arrival."""
        if outcome is Outcome.NOT_EVALUATED:
            self.not_evaluated.setdefault(reason or "", []).append(unit)
        elif outcome is Outcome.NOT_APPLICABLE:
            self.empty += 1
        else:
            self.evaluated += 1
            if outcome is Outcome.FAILED:
                self.alerts.append(unit)

    def outcome(self, unit: str) -> CheckOutcome:
        """What was counted, of what people call by that word."""
        unjudged = {why: tuple(names) for why, names in self.not_evaluated.items()}
        return CheckOutcome(
            scope=self.scope,
            severity=self.severity,
            sentence=self.sentence,
            unit=unit,
            evaluated=self.evaluated,
            alerts=tuple(self.alerts),
            empty=self.empty,
            not_evaluated=unjudged,
        )


class DetectorBudget(NamedTuple):
    """What a version's detectors keep to: its `terms`, shared by so many `metrics`."""

    terms: Anomalies
    metrics: int


@dataclass(frozen=True, kw_only=True)
class ReplayCase:
    """A check on one schema, of one version or of both alike: it is judged once, and counted for each.

    `reads`: the same number for checks whose metric is the same. `refused`: why it is not replayed. `refers`: to
    another dataset. `budget`: of a check that looks at the past, what its detector keeps to; else None."""

    check: BoundCheck
    reads: int
    refused: str | None
    refers: bool
    tallies: tuple[OutcomeCounter, ...]
    budget: DetectorBudget | None = None


class PartitionScope(NamedTuple):
    """The partitions that checks are judged on together: those of a view on that schema; None: all there are."""

    view: View | None
    schema: Schema


@dataclass(frozen=True, kw_only=True)
class SchemaBinding:
    """The checks of both versions on one schema. `per_partition` are judged on each partition by itself.

    `keys`: the states that they are read from, `filed` those of them that may lie in files. `trials`: pairs of
    patterns, each with the state whose values they are tried on."""

    structure: tuple[tuple[OutcomeCounter, Outcome, str | None], ...]
    per_partition: tuple[ReplayCase, ...]
    by_scope: Mapping[PartitionScope, tuple[ReplayCase, ...]]
    keys: frozenset[str]
    filed: frozenset[str]
    trials: tuple[tuple[RegexTrial, str], ...] = ()

    @cached_property
    def needed(self) -> Mapping[PartitionScope, frozenset[str]]:
        """By ground, the states that its checks are read from."""
        return {ground: keys_of(cases) for ground, cases in self.by_scope.items()}


class VersionPair:
    """The object of that name in both versions, and the tallies of their checks by `places`: id, and which of that id.

    A version that does not have the object has no checks."""

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
        """The object as the newest version that has it says. Raises ValueError where none has."""
        return self.contracts[max(self.contracts)].object(self.object)

    def tally(self, place: Place, side: int, made: OutcomeCounter) -> OutcomeCounter:
        """The tally of that check of that version: the one there is, else this one."""
        return self.places.setdefault(place, {}).setdefault(side, made)


class SchemaBinder:
    """Makes the form of a schema."""

    def __init__(self, sides: VersionPair, schema: Schema) -> None:
        self.sides, self.schema = sides, schema
        self.numbers: dict[Hashable, int] = {}

    def form(self) -> SchemaBinding:
        """The checks of both versions on the schema. Raises ContractError for faults of either contract."""
        structure = tuple(self._structure()) if self.schema.columns else ()
        alike: dict[Hashable, ReplayCase] = {}
        for side, place, check in self._bound:
            self._join(alike, side, place, check)
        cases, grounds = tuple(alike.values()), dict[PartitionScope, tuple[ReplayCase, ...]]()
        for case in (each for each in cases if each.check.scope != "delta"):
            ground = self._ground(case.check)
            grounds[ground] = (*grounds.get(ground, ()), case)
        alone = tuple(each for each in cases if each.check.scope == "delta")
        trials = tuple(self._trials())
        wanted = frozenset(key for _, key in trials)
        filed = frozenset(key for case in cases if case.refused is None for key in _counted(case.check)) | wanted
        return SchemaBinding(
            structure=structure,
            per_partition=alone,
            by_scope=grounds,
            keys=keys_of(cases) | wanted,
            filed=filed,
            trials=trials,
        )

    def _trials(self) -> Iterator[tuple[RegexTrial, str]]:
        """Edits of patterns that can be tried on what counts the values; none are unless counts are asked for."""
        sides: dict[Place, dict[int, BoundCheck]] = {}
        for side, place, check in self._bound:
            sides.setdefault(place, {})[side] = check
        for place, each in sides.items():
            found = trial(each[OLD], each[NEW]) if each.keys() == {OLD, NEW} else None
            key = counted(each[NEW]) if found else None
            if found and key:
                tried = self.sides.trials.setdefault(place, found)
                if self.sides.counting and key not in self.sides.beyond:
                    yield tried, key

    def _structure(self) -> Iterator[tuple[OutcomeCounter, Outcome, str | None]]:
        for side, contract in self.sides.contracts.items():
            for each in check_structure(contract.object(self.sides.object), self.schema, terms=contract.terms):
                made = OutcomeCounter(scope="delta", severity=each.severity, sentence=each.sentence, name=each.name)
                yield self.sides.tally((each.check_id, 0), side, made), each.outcome, each.reason

    @cached_property
    def _bound(self) -> list[tuple[int, Place, BoundCheck]]:
        """Every check of both versions on the schema, with its place."""
        return list(self._checks())

    def _checks(self) -> Iterator[tuple[int, Place, BoundCheck]]:
        for side, contract in self.sides.contracts.items():
            seen: Counter[str] = Counter()
            for check in bind(contract.object(self.sides.object), self.schema).checks:
                seen[check.check.id] += 1
                yield side, (check.check.id, seen[check.check.id]), check

    def _join(self, alike: dict[Hashable, ReplayCase], side: int, place: Place, check: BoundCheck) -> None:
        """Adds the check to the case of one that is the same in the other version, or as a case of its own."""
        promised, refused = check.check.assertion, self._refused(check)
        tally = self.sides.tally(
            place,
            side,
            OutcomeCounter(
                scope=check.scope, severity=check.check.severity, sentence=check.sentence, name=check.check.name
            ),
        )
        reads = self.numbers.setdefault((_metric(check), refused), len(self.numbers))
        budget = self._budgets[side] if check.detector else None
        # Limits may be lists, which do not hash.
        same = (place, reads, repr(promised), repr(budget), None if check.scope == "delta" else self._ground(check))
        known = alike[same].tallies if same in alike else ()
        alike[same] = ReplayCase(
            check=check,
            reads=reads,
            refused=refused,
            refers=bool(promised and promised.references),
            tallies=(*known, tally),
            budget=budget,
        )

    @cached_property
    def _budgets(self) -> Mapping[int, DetectorBudget]:
        """By version, the false alarms that its checks share."""
        sharing = Counter(side for side, _, check in self._bound if check.shares_alarms)
        objects = {side: each.object(self.sides.object) for side, each in self.sides.contracts.items()}
        return {side: DetectorBudget(each.anomalies, sharing[side]) for side, each in objects.items()}

    def _refused(self, check: BoundCheck) -> str | None:
        """Why the check cannot be replayed, whatever is stored."""
        parts = check.bound.parts.values() if check.bound else ()
        if check.scope == "dataset" and any(part.component.needs_own_statement for part in parts):
            return NOT_AT_ONCE
        if not self.sides.counting and _counted(check):
            return COUNTED
        return next((self.sides.beyond[part.key] for part in parts if part.key in self.sides.beyond), None)

    def _ground(self, check: BoundCheck) -> PartitionScope:
        return PartitionScope(check.view, self.schema if check.view else Schema(()))


def keys_of(cases: Iterable[ReplayCase]) -> frozenset[str]:
    """The states that the cases are read from, those that are not replayed left out."""
    bound = (case.check.bound for case in cases if case.refused is None)
    return frozenset(part.key for each in bound if each for part in each.parts.values())


def _has(contract: Contract, name: str) -> bool:
    return any(each.name == name for each in contract.objects)


def _metric(check: BoundCheck) -> Hashable:
    """What the check reads: equal for equal readings."""
    if check.bound is None or check.analyzer is None:
        return check.reason
    return check.analyzer.identity, tuple(sorted(part.key for part in check.bound.parts.values()))


def _counted(check: BoundCheck) -> frozenset[str]:
    """The states among those of the check that count values."""
    parts = check.bound.parts.values() if check.bound else ()
    return frozenset(part.key for part in parts if part.component.grouping)
