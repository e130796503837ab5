"""Report a replay: outcomes of the version in force and of the proposed one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from treaty.engine.core.number_format import percentage
from treaty.engine.core.partitions.months import date_of_name, members
from treaty.engine.evaluation.replay.pattern_trial import UNASKED, RegexTrialResult

NAMED = 5
NOTHING = "no stored states to evaluate it on"


@dataclass(frozen=True, kw_only=True)
class CheckOutcome:
    """Outcomes of a check of one version.

    - `evaluated`: number of units on which it was evaluated.
    - `alerts`: names of the failed ones, in order of arrival. Units are partitions for scope delta, otherwise
      arrivals, each with everything present by then; `unit` is their plural noun.
    - `empty`: number of units without anything to measure.
    - `not_evaluated`: units on which it cannot be evaluated, by reason."""

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
        """Return the number of units on which it cannot be evaluated; merged days count one each."""
        return sum(len(members(name)) for names in self.not_evaluated.values() for name in names)

    @property
    def whole(self) -> int:
        """Return the total number of units."""
        return self.evaluated + self.empty + self.lacking


@dataclass(frozen=True, kw_only=True)
class ReplayedCheck:
    """A check in the version in force (`old`) and in the proposed one (`new`); None means it is absent there.

    `trial`: result of trying both patterns on stored values, for an edited pattern. `can_try_patterns`: such a trial
    is possible once counts of values are requested."""

    check_id: str
    name: str
    old: CheckOutcome | None
    new: CheckOutcome | None
    trial: RegexTrialResult | None = None
    can_try_patterns: bool = False

    @cached_property
    def appeared(self) -> tuple[str, ...]:
        """Return the units on which only the proposed version alerts."""
        return _beyond(self.new, self.old)

    @cached_property
    def gone(self) -> tuple[str, ...]:
        """Return the units on which only the version in force alerts."""
        return _beyond(self.old, self.new)

    @property
    def same(self) -> tuple[str, ...]:
        """Return the units on which both versions alert."""
        return tuple(name for name in _alerts(self.new) if name not in set(self.appeared))

    @property
    def sentence(self) -> str:
        """Describe the alerts of the proposed version and their difference from the version in force."""
        if self.new is None:
            return f"the check was removed; {_did(self.old)}" if self.old else NOTHING
        return "; ".join(filter(None, [_would(self.new), self._compared(), _lacks(self.new)]))

    @property
    def evidence(self) -> str:
        """Describe what the stored partitions show about the change of this check."""
        if self.old is None or self.new is None:
            return self.sentence
        common = min(self.old.evaluated, self.new.evaluated)
        text = self._alike(common) if common else f"no partition has states for both versions{self._why()}"
        return "; ".join(filter(None, [text, self._trial_text()]))

    def _why(self) -> str:
        reasons = [why for outcome in (self.new, self.old) if outcome for why in outcome.not_evaluated]
        return f" ({reasons[0]})" if reasons else ""

    def _alike(self, both: int) -> str:
        """Describe on how many units both versions agree, and which one alerts on the others."""
        unit = self.new.unit if self.new else ""
        if not self.appeared and not self.gone:
            return f"both versions agree on all {both} {unit}"
        sides = (("the proposed version", self.appeared), ("the version in force", self.gone))
        details = "; ".join(f"only {word} alerts on {len(names)}: {name_list(names)}" for word, names in sides if names)
        return f"both versions agree on {both - len(self.appeared) - len(self.gone)} of {both} {unit}; {details}"

    def _trial_text(self) -> str:
        if self.trial is None:
            return UNASKED if self.can_try_patterns else ""
        if not self.trial.partitions:
            return "no stored values to try both patterns on"
        trial = self.trial
        rows = f"{percentage(trial.covered)} of the rows with a value"
        prefix = f"tried on stored values of {trial.partitions} partitions, {rows}:"
        if not trial.differing:
            return f"{prefix} no difference"
        alone = f"{trial.refused:,} rows match only the pattern in force, {trial.accepted:,} only the proposed one"
        return f"{prefix} different results on {len(trial.differing)} ({name_list(trial.differing)}): {alone}"

    def _compared(self) -> str:
        """Describe the difference from the version in force; '' for a new check."""
        if self.old is None:
            return ""
        if not self.appeared and not self.gone:
            return "same as the version in force" if self.new and self.new.alerts else ""
        more = [f"{len(self.appeared)} of them new: {name_list(self.appeared)}"] if self.appeared else []
        fewer = [f"{len(self.gone)} alerts of the version in force no longer occur: {name_list(self.gone)}"]
        return "; ".join([*more, *(fewer if self.gone else [])])


@dataclass(frozen=True, kw_only=True)
class Replay:
    """A version evaluated on the stored states of one object's dataset.

    `partitions`: number of evaluated partitions among the `stored` ones; merged days count one each. `days`: number
    of distinct days; None unless every partition belongs to one day. `old`, `new`: version numbers; `old` is None if
    no version is in force."""

    object: str
    old: str | None
    new: str
    lines: tuple[ReplayedCheck, ...]
    partitions: int
    stored: int
    days: int | None = None

    @cached_property
    def alerts(self) -> tuple[str, ...]:
        """Return the units on which any check of the proposed version alerts, without duplicates."""
        return _each_once(_alerts(line.new) for line in self.lines)

    @cached_property
    def alerts_in_force(self) -> tuple[str, ...]:
        """Return the units on which any check of the version in force alerts, without duplicates."""
        return _each_once(_alerts(line.old) for line in self.lines)

    @property
    def unjudged(self) -> tuple[ReplayedCheck, ...]:
        """Return the proposed checks that could not be evaluated on any stored state."""
        return tuple(line for line in self.lines if line.new and line.new.lacking and not line.new.evaluated)

    @property
    def sentence(self) -> str:
        """Summarize the replay in one sentence that names the days."""
        if not self.partitions:
            return f"no states of {self.object} are stored: version {self.new} cannot be evaluated"
        summary = f"version {self.new} {self._alerted(self.alerts)}"
        before = f"; version {self.old} {self._alerted(self.alerts_in_force)}" if self.old else ""
        lack = f"; {len(self.unjudged)} of its checks need a new scan of the data" if self.unjudged else ""
        part = f"; evaluated: the first {self.partitions} of {self.stored}" if self.partitions < self.stored else ""
        return summary + before + lack + part

    def _alerted(self, names: Sequence[str]) -> str:
        total = f"{self.partitions} partitions" if self.days is None else f"{self.days} days"
        if not names:
            return f"would not have alerted on any of {total}"
        count = len(set(map(short, names)))
        return f"would have alerted on {count} of {total}: {name_list(names)}"


def short(name: str) -> str:
    """Return the date in a partition's name if there is exactly one, else the name."""
    return date_of_name(name) or name or "the whole table"


def name_list(names: Sequence[str]) -> str:
    """Join the first names in short form and the number of further ones."""
    shown = list(dict.fromkeys(map(short, names)))
    more = f" and {len(shown) - NAMED} more" if len(shown) > NAMED else ""
    return ", ".join(shown[:NAMED]) + more


def _beyond(one: CheckOutcome | None, other: CheckOutcome | None) -> tuple[str, ...]:
    alerts = set(_alerts(other))
    return tuple(name for name in _alerts(one) if name not in alerts)


def _alerts(outcome: CheckOutcome | None) -> tuple[str, ...]:
    return outcome.alerts if outcome else ()


def _each_once(keys: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for names in keys for name in names))


def _would(outcome: CheckOutcome) -> str:
    if not outcome.evaluated:
        return "" if outcome.lacking else NOTHING
    if not outcome.alerts:
        return f"would not have alerted on any of {outcome.evaluated} {outcome.unit}"
    counts = f"{len(outcome.alerts)} of {outcome.evaluated} {outcome.unit}"
    return f"would have alerted on {counts}: {name_list(outcome.alerts)}"


def _did(outcome: CheckOutcome) -> str:
    return f"it alerts on {len(outcome.alerts)} of {outcome.evaluated} {outcome.unit}"


def _lacks(outcome: CheckOutcome) -> str:
    reasons = [
        f"{len(names)} could not be evaluated: {why}" for why, names in list(outcome.not_evaluated.items())[:NAMED]
    ]
    return "; ".join(reasons)
