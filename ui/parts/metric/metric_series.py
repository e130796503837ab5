"""Combine the measurements of a metric with expected values, bounds and outcomes."""

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
    """One measurement of a metric.

    `value`: None means a gap, explained by `reason`. `band`: its bounds, open if there are none. `learned`: a
    detector computed the band, and the `expected` value. `fit`: name of the learned limits. `outcome`: outcome of
    the check, "" if it was not evaluated. `feedback`: kind of the feedback on it, "" for none. `unit`: unit of the
    value."""

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
    feedback: str = ""
    unit: str = ""

    @property
    def is_anomaly(self) -> bool:
        """Return True if the check failed on it."""
        return self.outcome == BAD


Key = tuple[UUID, str | None]


def course(
    measured: Sequence[MetricHistoryItemOut],
    items: Sequence[CheckHistoryItemOut],
    limits: ChartBand,
    *,
    timezone: str,
    marks: Sequence[FeedbackOut] = (),
    unit: str = "",
) -> tuple[ObservedPoint, ...]:
    """Return the points by time of data: the last measurement per partition or, without partitions, per run.

    `limits`: those of the contract, used where no band was stored. `marks`: feedback, newest first. `unit`:
    unit of the values."""
    verdicts = {(each.run_id, each.partition or None): each for each in items}
    newest: dict[object, MetricHistoryItemOut] = {each.partition or each.run_id: each for each in measured}
    ordered = sorted(newest.values(), key=lambda each: (each.data_at, each.partition or "", each.measured_at))
    feedback = {each.partition or each.run_id: each.kind.value for each in reversed(marks)}
    points = (_metric_point(each, verdicts, limits, timezone) for each in ordered)
    return tuple(replace(each, feedback=feedback.get(each.partition or each.run_id, ""), unit=unit) for each in points)


def _metric_point(
    of: MetricHistoryItemOut, verdicts: Mapping[Key, CheckHistoryItemOut], limits: ChartBand, timezone: str
) -> ObservedPoint:
    verdict = verdicts.get((of.run_id, of.partition or None))
    bounds = (verdict.band if verdict else None) or {}
    return ObservedPoint(
        label=ui_texts.partition_label(of.partition or "") or ui_texts.moment(of.data_at, timezone=timezone),
        time=of.data_at,
        value=number(of.value),
        run_id=of.run_id,
        reason=of.reason or (verdict.reason if verdict else "") or "",
        band=ChartBand(number(bounds.get("lower")), number(bounds.get("upper"))) if bounds else limits,
        expected=number(bounds.get("expected")),
        learned=bool(bounds),
        outcome=str(verdict.outcome) if verdict else "",
        partition=of.partition or None,
        fit=str(bounds.get("fit") or ""),
    )


def series_sentence(points: Sequence[ObservedPoint], *, metric: str) -> str:
    """Describe the series in one sentence, for screen readers. Contains the metric's name unescaped."""
    values = [each.value for each in points if each.value is not None]
    if not values:
        return texts.no_values(metric)
    unit = points[-1].unit
    gaps, bad = len(points) - len(values), sum(each.is_anomaly for each in points)
    parts = (
        texts.times(metric, len(values)),
        ui_texts.span(min(values), max(values), unit),
        texts.last_is(values[-1], unit),
        texts.anomalies(bad) if bad else texts.NO_ANOMALY,
        texts.gaps(gaps) if gaps else "",
    )
    return "; ".join(part for part in parts if part)


def learning(items: Sequence[CheckHistoryItemOut]) -> str:
    """Return the last reason why the detector is still learning; "" if it is not."""
    last = items[-1] if items else None
    reason = (last.reason or "") if last else ""
    return reason if reason.startswith(LEARNED) else ""


def rows(points: Sequence[ObservedPoint]) -> list[dict[str, Any]]:
    """Return the series as table rows, newest first, each with the URL of its report."""
    return [
        {
            texts.OF: each.label,
            ui_texts.VALUE: ui_texts.value(each.value, each.unit),
            ui_texts.EXPECTED: ui_texts.value(each.expected, each.unit) if each.expected is not None else "",
            ui_texts.ADMITTED: each.band.words(each.unit),
            ui_texts.OUTCOME: ui_texts.glyph(ui_texts.OUTCOMES[each.outcome])
            if each.outcome in ui_texts.OUTCOMES
            else "",
            ui_texts.WHY: each.reason,
            ui_texts.FIT: each.fit,
            texts.FEEDBACK_LABEL: ui_texts.FEEDBACK[each.feedback].word if each.feedback in ui_texts.FEEDBACK else "",
            texts.REPORT: f"/run?id={each.run_id}",
        }
        for each in reversed(points)
    ]
