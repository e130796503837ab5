"""The evidence of a suggestion, read from what the draft recorded; what is missing counts as nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from treaty.registry.schemas import SuggestionOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import evidence as texts
from treaty.ui.widgets import charts
from treaty.ui.widgets.charts import ChartBand, ChartPoint


@dataclass(frozen=True, kw_only=True)
class EvidenceBasis:
    """On how much a suggestion was learned and judged. `history`: pairs of a partition and its metric, as recorded.
    `replay`: what it would have said of all that is stored. `holds`: the least chance to hold on a new partition;
    `catches`: the chance to tell one of the common `issues`; `counter_examples`: masks of values that break it;
    `owners`: how many of its kind were accepted, of how many decided. `by_rows`: the partitions are parts of one table,
    split by a hash of its rows. `likely`: the chance, by names alone, that values are meant to be unique. `confirmed`:
    they were counted. `tested`: of partitions that were judged each by what came before it, those that alarmed; None:
    that was not tried."""

    rows: int = 0
    partitions: int = 0
    held: int = 0
    learned_on: int = 0
    judged_on: int = 0
    failed_on: tuple[str, ...] = ()
    history: tuple[Sequence[Any], ...] = ()
    band: ChartBand = field(default_factory=ChartBand)
    values: tuple[tuple[str, int], ...] = ()
    replay: tuple[str, ...] = ()
    holds: float | None = None
    catches: float | None = None
    issues: tuple[str, ...] = ()
    counter_examples: tuple[str, ...] = ()
    owners: tuple[int, int] | None = None
    by_rows: bool = False
    likely: float | None = None
    confirmed: bool = True
    tested: tuple[str, ...] | None = None

    @cached_property
    def series(self) -> tuple[ChartPoint, ...]:
        """The metric over the partitions, where it was a number. Only those on cards are drawn."""
        return charts.points(self.history)

    @property
    def worth(self) -> tuple[str, ...]:
        """What it would cost to be wrong, what it would catch, what breaks it already, what owners made of its kind.

        Holds names of issues and masks of values, as they were recorded."""
        return tuple(filter(None, (self._cost, self._back, self._named, self._caught, self._broken, self._liked)))

    @property
    def _cost(self) -> str:
        if not self.confirmed:
            return texts.NOT_COUNTED
        if self.holds is None or not self.judged_on or self.tested is not None:
            return ""
        most, of = f"{1 - self.holds:.0%}", texts.PARTS_OF_TABLE if self.by_rows else texts.NEW_PARTITIONS
        return texts.alarms_for_nothing(most, of)

    @property
    def _back(self) -> str:
        if self.tested is None:
            return ""
        alarmed = f"{len(self.tested):,}" if self.tested else texts.NONE
        named = f": {ui_texts.join_list(list(self.tested[:5]))}" if self.tested else ""
        return texts.back_test(alarmed, self.judged_on, named)

    @property
    def _named(self) -> str:
        if self.likely is None:
            return ""
        return texts.unique_by_name(self.likely)

    @property
    def _caught(self) -> str:
        if self.catches is None:
            return ""
        told = ui_texts.join_list([issue.replace("_", " ") for issue in self.issues])
        return texts.catches(self.catches) + (f": {told}" if told else "")

    @property
    def _broken(self) -> str:
        return texts.counter_examples(list(self.counter_examples)) if self.counter_examples else ""

    @property
    def _liked(self) -> str:
        if self.owners is None:
            return ""
        accepted, decided = self.owners
        return texts.owners(accepted, decided)

    @property
    def sentence(self) -> str:
        """The evidence in words. Holds no foreign text."""
        held = texts.held_on(self.held, self.partitions, by_rows=self.by_rows)
        split = texts.judged_apart(self.learned_on, self.judged_on) if self.judged_on else texts.TOO_FEW
        return f"{held} · {split} · {texts.rows(self.rows)}".capitalize()


def read(suggestion: SuggestionOut) -> EvidenceBasis:
    """The evidence of that suggestion."""
    found = _mapping(suggestion.content.get("evidence"))
    lower, upper = (*(found.get("limits") or ()), None, None)[:2]
    history = [pair for pair in found.get("history") or () if isinstance(pair, list | tuple) and len(pair) == 2]
    return EvidenceBasis(
        rows=_count(found.get("rows")),
        partitions=_count(found.get("partitions")),
        held=_count(found.get("held")),
        learned_on=_count(found.get("learned_on")),
        judged_on=_count(found.get("judged_on")),
        failed_on=tuple(str(name) for name in found.get("failed_on") or ()),
        history=tuple(history),
        band=ChartBand(charts.number(lower), charts.number(upper)),
        values=_values(_mapping(found.get("details"))),
        replay=tuple(map(str, found.get("replay") or ())),
        holds=charts.number(found.get("holds")),
        catches=charts.number(found.get("catches")),
        issues=tuple(map(str, found.get("issues") or ())),
        counter_examples=tuple(map(str, found.get("counter_examples") or ())),
        owners=_owners(_mapping(found.get("owners"))),
        by_rows=found.get("split_by") == "rows",
        likely=charts.number(found.get("likely")),
        confirmed=found.get("confirmed") is not False,
        tested=tuple(map(str, found["back_test"])) if isinstance(found.get("back_test"), list) else None,
    )


def held_everywhere(suggestion: SuggestionOut) -> bool:
    """Whether it held on every partition that was looked at, and there was one."""
    found = read(suggestion)
    return 0 < found.partitions == found.held


def _values(details: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
    """The known values with their counts, the most frequent first."""
    pairs = zip(details.get("values") or (), details.get("counts") or (), strict=False)
    return tuple(sorted(((str(value), _count(count)) for value, count in pairs), key=lambda pair: (-pair[1], pair[0])))


def _owners(found: Mapping[str, Any]) -> tuple[int, int] | None:
    return (_count(found.get("accepted")), _count(found.get("decided"))) if found else None


def _mapping(found: Any) -> Mapping[str, Any]:
    return found if isinstance(found, dict) else {}


def _count(found: Any) -> int:
    return found if isinstance(found, int) else 0
