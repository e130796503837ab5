"""What a replay found: how each check of the version in force and of the proposed one comes out on what is stored."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from treaty.engine.core.partitions.months import date_of_name, members
from treaty.engine.evaluation.replay.pattern_trial import UNASKED, RegexTrialResult

NAMED = 5
NOTHING = "nothing is stored to judge it on"


@dataclass(frozen=True, kw_only=True)
class CheckOutcome:
    """How a check of one version comes out: on how many it is `evaluated`, and which are `alerts`, in the order in
    which they came.

    Of scope delta these are partitions, else arrivals: all that was there once something came; `unit` says what people
    call them. `empty`: of how many there is nothing to measure. `not_evaluated`: by the reason, those on which it
    cannot be judged."""

    scope: str
    severity: str
    sentence: str
    unit: str
    evaluated: int = 0
    alerts: tuple[str, ...] = ()
    empty: int = 0
    not_evaluated: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def lacking(self) -> int:
        """On how many it cannot be judged; days whose states were merged count each."""
        return sum(len(members(name)) for names in self.not_evaluated.values() for name in names)

    @property
    def whole(self) -> int:
        """How many there are."""
        return self.evaluated + self.empty + self.lacking


@dataclass(frozen=True, kw_only=True)
class ReplayedCheck:
    """A check of the version in force (`old`; None: it has none of that id) and of the proposed one (`new`).

    `trial`: what both patterns do with stored values, where the edit is one of a pattern; `can_try_patterns`: that can
    be told, once counts of values are asked for."""

    check_id: str
    name: str
    old: CheckOutcome | None
    new: CheckOutcome | None
    trial: RegexTrialResult | None = None
    can_try_patterns: bool = False

    @cached_property
    def appeared(self) -> tuple[str, ...]:
        """Where only the proposed version alerts."""
        return _beyond(self.new, self.old)

    @cached_property
    def gone(self) -> tuple[str, ...]:
        """Where only the version in force alerts."""
        return _beyond(self.old, self.new)

    @property
    def same(self) -> tuple[str, ...]:
        """Where both alert."""
        return tuple(name for name in _alerts(self.new) if name not in set(self.appeared))

    @property
    def sentence(self) -> str:
        """What the proposed version would have said, and what the version in force does."""
        if self.new is None:
            return f"it is not promised any more; {_did(self.old)}" if self.old else NOTHING
        return "; ".join(filter(None, [_would(self.new), self._compared(), _lacks(self.new)]))

    @property
    def evidence(self) -> str:
        """What the stored partitions say of the change from one to the other."""
        if self.old is None or self.new is None:
            return self.sentence
        both = min(self.old.evaluated, self.new.evaluated)
        said = self._alike(both) if both else f"no partition has the states to judge both by{self._why()}"
        return "; ".join(filter(None, [said, self._trial_text()]))

    def _why(self) -> str:
        reasons = [why for told in (self.new, self.old) if told for why in told.not_evaluated]
        return f" ({reasons[0]})" if reasons else ""

    def _alike(self, both: int) -> str:
        """On how many both came out alike, and which alone alerts on the others."""
        unit = self.new.unit if self.new else ""
        if not self.appeared and not self.gone:
            return f"on all {both} {unit} both came out alike"
        sides = (("the proposed one", self.appeared), ("the one in force", self.gone))
        more = "; ".join(f"{word} alone alerts on {len(names)}: {name_list(names)}" for word, names in sides if names)
        return f"on {both - len(self.appeared) - len(self.gone)} of {both} {unit} both came out alike; {more}"

    def _trial_text(self) -> str:
        if self.trial is None:
            return UNASKED if self.can_try_patterns else ""
        if not self.trial.partitions:
            return "no values are stored to try both patterns on"
        found = self.trial
        said = (
            f"tried on stored values of {found.partitions} partitions, {found.covered:.1%} of the rows that have one:"
        )
        if not found.differing:
            return f"{said} both accept the same"
        alone = f"{found.refused} rows only by the pattern in force, {found.accepted} only by the proposed one"
        return f"{said} they differ on {len(found.differing)} ({name_list(found.differing)}): {alone}"

    def _compared(self) -> str:
        """What of that is otherwise than by the version in force; '' for a check that it does not have."""
        if self.old is None:
            return ""
        if not self.appeared and not self.gone:
            return "as the version in force does" if self.new and self.new.alerts else ""
        more = [f"{len(self.appeared)} of them new: {name_list(self.appeared)}"] if self.appeared else []
        fewer = [f"{len(self.gone)} that the version in force alerts on are gone: {name_list(self.gone)}"]
        return "; ".join([*more, *(fewer if self.gone else [])])


@dataclass(frozen=True, kw_only=True)
class Replay:
    """A version judged on the stored states of one object's dataset.

    `partitions`: how many were judged of the `stored` ones, days whose states were merged counting each; `days`: on
    how many days they are, None where not each is of one. `old` and `new`: the versions' numbers; `old` None: there is
    none in force."""

    object: str
    old: str | None
    new: str
    lines: tuple[ReplayedCheck, ...]
    partitions: int
    stored: int
    days: int | None = None

    @cached_property
    def alerts(self) -> tuple[str, ...]:
        """Where any check of the proposed version alerts, each once, in the order of the first check that does."""
        return _each_once(_alerts(line.new) for line in self.lines)

    @cached_property
    def alerts_in_force(self) -> tuple[str, ...]:
        """Where any check of the version in force alerts."""
        return _each_once(_alerts(line.old) for line in self.lines)

    @property
    def unjudged(self) -> tuple[ReplayedCheck, ...]:
        """The proposed checks that could be judged on nothing that is stored."""
        return tuple(line for line in self.lines if line.new and line.new.lacking and not line.new.evaluated)

    @property
    def sentence(self) -> str:
        """The replay in one sentence, the days named."""
        if not self.partitions:
            return f"no states of {self.object} are stored: there is nothing to judge version {self.new} on"
        told = f"version {self.new} {self._alerted(self.alerts)}"
        before = f"; version {self.old} {self._alerted(self.alerts_in_force)}" if self.old else ""
        lack = f"; {len(self.unjudged)} of its checks need the data once" if self.unjudged else ""
        part = f"; judged are the first {self.partitions} of {self.stored}" if self.partitions < self.stored else ""
        return told + before + lack + part

    def _alerted(self, names: Sequence[str]) -> str:
        of = f"{self.partitions} partitions" if self.days is None else f"{self.days} days"
        if not names:
            return f"would not have alerted on any of {of}"
        several = len(set(map(short, names)))
        return f"would have alerted on {several} of {of}: {name_list(names)}"


def short(name: str) -> str:
    """The date in the name of a partition, where there is exactly one; else the name."""
    return date_of_name(name) or name or "the whole table"


def name_list(names: Sequence[str]) -> str:
    """The first of the names as people say them, and how many there are beyond."""
    shown = list(dict.fromkeys(map(short, names)))
    more = f" and {len(shown) - NAMED} more" if len(shown) > NAMED else ""
    return ", ".join(shown[:NAMED]) + more


def _beyond(one: CheckOutcome | None, other: CheckOutcome | None) -> tuple[str, ...]:
    known = set(_alerts(other))
    return tuple(name for name in _alerts(one) if name not in known)


def _alerts(told: CheckOutcome | None) -> tuple[str, ...]:
    return told.alerts if told else ()


def _each_once(given: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for names in given for name in names))


def _would(told: CheckOutcome) -> str:
    if not told.evaluated:
        return "" if told.lacking else NOTHING
    if not told.alerts:
        return f"would not have alerted on any of {told.evaluated} {told.unit}"
    return f"would have alerted on {len(told.alerts)} of {told.evaluated} {told.unit}: {name_list(told.alerts)}"


def _did(told: CheckOutcome) -> str:
    return f"it alerts on {len(told.alerts)} of {told.evaluated} {told.unit}"


def _lacks(told: CheckOutcome) -> str:
    reasons = [f"{len(names)} could not be judged: {why}" for why, names in list(told.not_evaluated.items())[:NAMED]]
    return "; ".join(reasons)
