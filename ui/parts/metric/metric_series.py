"""A metric over time: what was measured, what was expected and admitted each time, and how it was judged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from treaty.registry.schemas import CheckHistoryItemOut, FeedbackOut, MetricHistoryItemOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import metric as texts
from treaty.ui.widgets.charts import ChartBand, number

GOOD, BAD, LEARNED = "passed", "failed", "learning"


@dataclass(frozen=True, kw_only=True)
class ObservedPoint:
    """A metric as it was measured once. `value` None: a gap, for the `reason`. `band`: what was admitted of it, open
    where nothing was said. `learned`: a detector told the band from the past, and what it `expected`; `fit` names
    limits that were learned beforehand. `outcome`: of the check, "" where it was not judged. `said`: what somebody said
    of its data."""

    label: str
    time: datetime
    value: float | None
    run_id: UUID
    reason: str = ""
    band: ChartBand = field(default_factory=ChartBand)
    expected: float | None = None
    learned: bool = False
    outcome: str = ""
    partition: str | None = None
    fit: str = ""
    said: str = ""

    @property
    def is_anomaly(self) -> bool:
        """Whether the check failed on it."""
        return self.outcome == BAD


Key = tuple[UUID, str | None]


def course(
    measured: Sequence[MetricHistoryItemOut],
    judged: Sequence[CheckHistoryItemOut],
    limits: ChartBand,
    *,
    timezone: str,
    marks: Sequence[FeedbackOut] = (),
) -> tuple[ObservedPoint, ...]:
    """The metric by the time of its data: of a partition what was measured last, of a whole table every run's.

    `limits` are those of the contract, which hold where no band was told; `marks`, newest first, what was said."""
    verdicts = {(each.run_id, each.partition or None): each for each in judged}
    newest: dict[object, MetricHistoryItemOut] = {each.partition or each.run_id: each for each in measured}
    ordered = sorted(newest.values(), key=lambda each: (each.data_at, each.partition or "", each.measured_at))
    said = {each.partition or each.run_id: each.kind.value for each in reversed(marks)}
    seen = (_metric_point(each, verdicts, limits, timezone) for each in ordered)
    return tuple(replace(each, said=said.get(each.partition or each.run_id, "")) for each in seen)


def _metric_point(
    of: MetricHistoryItemOut, verdicts: Mapping[Key, CheckHistoryItemOut], limits: ChartBand, timezone: str
) -> ObservedPoint:
    verdict = verdicts.get((of.run_id, of.partition or None))
    told = (verdict.band if verdict else None) or {}
    return ObservedPoint(
        label=of.partition or ui_texts.moment(of.data_at, timezone=timezone),
        time=of.data_at,
        value=number(of.value),
        run_id=of.run_id,
        reason=of.reason or (verdict.reason if verdict else "") or "",
        band=ChartBand(number(told.get("lower")), number(told.get("upper"))) if told else limits,
        expected=number(told.get("expected")),
        learned=bool(told),
        outcome=str(verdict.outcome) if verdict else "",
        partition=of.partition or None,
        fit=str(told.get("fit") or ""),
    )


def series_sentence(seen: Sequence[ObservedPoint], *, metric: str) -> str:
    """The course in one sentence, for those who cannot see the chart. Holds the metric's name as it was given."""
    values = [each.value for each in seen if each.value is not None]
    if not values:
        return texts.no_values(metric)
    gaps, bad = len(seen) - len(values), sum(each.is_anomaly for each in seen)
    parts = (
        texts.times(metric, len(values)),
        ui_texts.span(min(values), max(values)),
        texts.last_is(values[-1]),
        texts.anomalies(bad) if bad else texts.NO_ANOMALY,
        texts.gaps(gaps) if gaps else "",
    )
    return "; ".join(part for part in parts if part)


def learning(judged: Sequence[CheckHistoryItemOut]) -> str:
    """Why the check's detector says nothing yet, as it was told last; "" where it does, or where there is none."""
    last = judged[-1] if judged else None
    reason = (last.reason or "") if last else ""
    return reason if reason.startswith(LEARNED) else ""


def rows(seen: Sequence[ObservedPoint]) -> list[dict[str, Any]]:
    """The same as a table, the newest first, each with the address of its run's report."""
    return [
        {
            texts.OF: each.label,
            ui_texts.VALUE: ui_texts.value(each.value),
            ui_texts.EXPECTED: ui_texts.value(each.expected) if each.expected is not None else "",
            ui_texts.ADMITTED: ui_texts.limits(each.band.lower, each.band.upper),
            ui_texts.OUTCOME: ui_texts.glyph(ui_texts.OUTCOMES[each.outcome])
            if each.outcome in ui_texts.OUTCOMES
            else "",
            ui_texts.WHY: each.reason,
            ui_texts.FIT: each.fit,
            texts.FEEDBACK_LABEL: ui_texts.FEEDBACK[each.said].word if each.said in ui_texts.FEEDBACK else "",
            texts.REPORT: f"/run?id={each.run_id}",
        }
        for each in reversed(seen)
    ]
