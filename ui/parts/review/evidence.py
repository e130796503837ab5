"""Read the evidence of a suggestion from its draft; missing values count as zero or empty."""

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
    """The data that a suggestion is based on, and how it was tested.

    `history`: pairs of a partition and its metric, as recorded. `replay`: sentences about its replay on stored
    states. `holds`: lower bound of the probability that it passes on a new partition. `catches`: probability of
    detecting one of the common `issues`. `counter_examples`: masks of values that violate it. `owners`: accepted and
    decided suggestions of its kind. `by_rows`: the partitions are parts of one table, split by a hash of its rows.
    `likely`: probability, by names alone, that values are meant to be unique; `likely_by`: the model that predicted
    it. `confirmed`: the values were counted. `tested`: partitions that alarmed in the backtest; None means there was
    no backtest. `lake`: number of columns that a pattern was learned from, and the share of the values whose shape
    some of them have; None without one. `stated`: catalog, table and date of each catalog that states it."""

    rows: int = 0
    partitions: int = 0
    passing: int = 0
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
    likely_by: str = ""
    confirmed: bool = True
    tested: tuple[str, ...] | None = None
    lake: tuple[int, float] | None = None
    stated: tuple[tuple[str, str, str], ...] = ()

    @property
    def is_about_values(self) -> bool:
        """Return whether partitions can satisfy it; descriptions of catalogs have none."""
        return bool(self.partitions) or not self.stated

    @property
    def tested_labels(self) -> tuple[str, ...]:
        """Return the labels of the points that alarmed in the backtest."""
        return tuple(ui_texts.partition_label(each) for each in self.tested or ())

    @cached_property
    def series(self) -> tuple[ChartPoint, ...]:
        """Return the points of the numeric history; computed only for cards that are drawn."""
        return charts.points(self.history)

    @property
    def worth(self) -> tuple[str, ...]:
        """Return sentences on catalogs, false alarms, detected issues, counterexamples and past decisions.

        Contains names of catalogs and issues, and masks of values, as recorded."""
        parts = (self._cost, self._back, self._named, self._learned, self._caught, self._broken, self._liked)
        return (*(texts.stated_by(*each) for each in self.stated), *filter(None, parts))

    @property
    def _cost(self) -> str:
        if not self.confirmed:
            return texts.NOT_COUNTED
        if self.holds is None or not self.judged_on or self.tested is not None:
            return ""
        most, of = ui_texts.percent(1 - self.holds), texts.PARTS_OF_TABLE if self.by_rows else texts.NEW_PARTITIONS
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
        return texts.unique_by_name(self.likely, self.likely_by)

    @property
    def _learned(self) -> str:
        return texts.of_lake(*self.lake) if self.lake else ""

    @property
    def _caught(self) -> str:
        if self.catches is None:
            return ""
        names = ui_texts.join_list([issue.replace("_", " ") for issue in self.issues])
        return texts.catches(self.catches) + (f": {names}" if names else "")

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
        """Describe the evidence in words. Contains no foreign text."""
        if not self.is_about_values:
            return texts.NOT_ABOUT_VALUES
        passes = texts.held_on(self.passing, self.partitions, by_rows=self.by_rows)
        split = texts.judged_apart(self.learned_on, self.judged_on) if self.judged_on else texts.TOO_FEW
        return f"{passes} · {split} · {texts.rows(self.rows)}".capitalize()


def read(suggestion: SuggestionOut) -> EvidenceBasis:
    """Return the evidence of the suggestion."""
    recorded = _mapping(suggestion.content.get("evidence"))
    lower, upper = (*(recorded.get("limits") or ()), None, None)[:2]
    history = [pair for pair in recorded.get("history") or () if isinstance(pair, list | tuple) and len(pair) == 2]
    return EvidenceBasis(
        rows=_count(recorded.get("rows")),
        partitions=_count(recorded.get("partitions")),
        passing=_count(recorded.get("held")),
        learned_on=_count(recorded.get("learned_on")),
        judged_on=_count(recorded.get("judged_on")),
        failed_on=tuple(str(name) for name in recorded.get("failed_on") or ()),
        history=tuple(history),
        band=ChartBand(charts.number(lower), charts.number(upper)),
        values=_values(_mapping(recorded.get("details"))),
        replay=tuple(map(str, recorded.get("replay") or ())),
        holds=charts.number(recorded.get("holds")),
        catches=charts.number(recorded.get("catches")),
        issues=tuple(map(str, recorded.get("issues") or ())),
        counter_examples=tuple(map(str, recorded.get("counter_examples") or ())),
        owners=_owners(_mapping(recorded.get("owners"))),
        by_rows=recorded.get("split_by") == "rows",
        likely=charts.number(recorded.get("likely")),
        likely_by=str(recorded.get("likely_by") or ""),
        confirmed=recorded.get("confirmed") is not False,
        tested=tuple(map(str, recorded["back_test"])) if isinstance(recorded.get("back_test"), list) else None,
        stated=_stated(recorded.get("stated")),
        lake=_lake(_mapping(_mapping(_mapping(recorded.get("details")).get("pattern")).get("lake"))),
    )


def held_everywhere(suggestion: SuggestionOut) -> bool:
    """Return True if it held on every partition, and there was at least one."""
    basis = read(suggestion)
    return 0 < basis.partitions == basis.passing


def _values(details: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
    """Return the known values with their counts, most frequent first."""
    pairs = zip(details.get("values") or (), details.get("counts") or (), strict=False)
    return tuple(sorted(((str(value), _count(count)) for value, count in pairs), key=lambda pair: (-pair[1], pair[0])))


def _owners(decisions: Mapping[str, Any]) -> tuple[int, int] | None:
    return (_count(decisions.get("accepted")), _count(decisions.get("decided"))) if decisions else None


def _lake(recorded: Mapping[str, Any]) -> tuple[int, float] | None:
    share = charts.number(recorded.get("familiar_share"))
    return None if share is None else (_count(recorded.get("columns")), share)


def _stated(recorded: Any) -> tuple[tuple[str, str, str], ...]:
    origins = [each for each in map(_mapping, recorded if isinstance(recorded, list) else ()) if each]
    return tuple((str(each.get("catalog")), str(each.get("table")), str(each.get("since"))) for each in origins)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: Any) -> int:
    return value if isinstance(value, int) else 0
