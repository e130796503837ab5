"""Charts as values: a metric over partitions with its limits, small beside a suggestion and large in a report."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from ui import words

BLUE = "#0072B2"
VERMILLION = "#D55E00"
INK = "#1B2733"
SOFT = "#5B6B7B"
# SVG keeps the marks in the page, where screen readers and tests find them.
RENDERER = {"embedOptions": {"renderer": "svg", "actions": False}}


@dataclass(frozen=True)
class Band:
    """What is admitted; None means open to that side."""

    lower: float | None = None
    upper: float | None = None

    def admits(self, value: float) -> bool:
        """Whether the value lies within; the limits belong to it."""
        return (self.lower is None or value >= self.lower) and (self.upper is None or value <= self.upper)

    @property
    def edges(self) -> tuple[float, ...]:
        """The limits that there are, once each."""
        return tuple(dict.fromkeys(edge for edge in (self.lower, self.upper) if edge is not None))


@dataclass(frozen=True)
class Point:
    """A metric of one partition, or at one time."""

    label: str
    value: float


def points(history: Sequence[Sequence[Any]]) -> tuple[Point, ...]:
    """The finite numbers of (label, value) pairs; the others cannot be drawn and are left out."""
    pairs = ((str(label), number(value)) for label, value in history)
    return tuple(Point(label, value) for label, value in pairs if value is not None)


def number(value: Any) -> float | None:
    """The value as a finite number; None for anything else."""
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def described(series: Sequence[Point], band: Band, *, metric: str) -> str:
    """The chart in one sentence, for those who cannot see it."""
    if not series:
        return f"{metric}: no values yet"
    values = [point.value for point in series]
    outside = sum(not band.admits(value) for value in values)
    allowed = words.limits(band.lower, band.upper)
    return "; ".join(
        part
        for part in (
            f"{metric} over {words.several(len(values), 'partition')}",
            f"from {words.value(min(values))} to {words.value(max(values))}",
            f"allowed: {allowed}" if allowed else "no limit",
            f"{words.count(outside)} outside" if allowed else "",
        )
        if part
    )


def sparkline(series: Sequence[Point], band: Band) -> alt.LayerChart:
    """A small history without axis labels: the band that is allowed, the line, and what lies outside."""
    bare = alt.Axis(labels=False, ticks=False, domain=False, grid=False, title=None)
    few = alt.Axis(tickCount=3, grid=False, domain=False, ticks=False, title=None, labelColor=SOFT, format="~s")
    return _framed(alt.layer(*_layers(series, band, x=bare, y=few, marked=None)), height=96)


def history(series: Sequence[Point], band: Band, *, metric: str, marked: str | None = None) -> alt.LayerChart:
    """A metric's history with labelled axes and limits; the point of this run (`marked`) stands out."""
    x = alt.Axis(title=None, labelAngle=-35, labelOverlap="greedy", labelColor=SOFT, grid=False, labelLimit=140)
    y = alt.Axis(title=metric, titleColor=SOFT, labelColor=SOFT, grid=True, gridOpacity=0.4, domain=False, ticks=False)
    labels = [_edge_label(edge, word, below=edge != band.upper) for edge, word in _named_edges(band)]
    return _framed(alt.layer(*_layers(series, band, x=x, y=y, marked=marked), *labels), height=280)


def _framed(chart: alt.LayerChart, *, height: int) -> alt.LayerChart:
    room = {"left": 2, "top": 6, "right": 4, "bottom": 4}
    whole = chart.properties(height=height, padding=room, usermeta=RENDERER)
    return whole.configure_view(stroke=None).configure(font="Source Sans, sans-serif")


def _layers(series: Sequence[Point], band: Band, *, x: alt.Axis, y: alt.Axis, marked: str | None) -> list[alt.Chart]:
    shown = domain(series, band)
    base = alt.Chart(alt.Data(values=_rows(series, band, marked))).encode(
        x=alt.X("label:N", sort=None, axis=x, scale=alt.Scale(padding=0.5)),
        y=alt.Y("value:Q", axis=y, scale=alt.Scale(domain=list(shown), nice=False, zero=False)),
        tooltip=[
            alt.Tooltip("label:N", title="partition"),
            alt.Tooltip("shown:N", title="value"),
            alt.Tooltip("state:N"),
        ],
    )
    return [*_band(band, shown), base.mark_line(color=INK, strokeWidth=1.5, opacity=0.65), *_marks(base)]


def _rows(series: Sequence[Point], band: Band, marked: str | None) -> list[dict[str, Any]]:
    return [
        {
            "label": point.label,
            "value": point.value,
            "shown": words.value(point.value),
            "state": "within" if band.admits(point.value) else "outside",
            "marked": point.label == marked,
        }
        for point in series
    ]


def domain(series: Sequence[Point], band: Band) -> tuple[float, float]:
    """The range of the vertical axis: all values and limits with a little air, and never empty."""
    seen = [point.value for point in series] + list(band.edges)
    low, high = min(seen, default=0.0), max(seen, default=1.0)
    air = 0.08 * (high - low) or 0.05 * abs(high) or 0.5
    return low - air, high + air


def _band(band: Band, axis: tuple[float, float]) -> list[alt.Chart]:
    if not band.edges:
        return []
    low = axis[0] if band.lower is None else band.lower
    high = axis[1] if band.upper is None else band.upper
    area = alt.Chart(alt.Data(values=[{"low": low, "high": high}])).mark_rect(color=BLUE, opacity=0.10)
    return [area.encode(y="low:Q", y2="high:Q"), *(_edge(edge) for edge in band.edges)]


def _edge(edge: float) -> alt.Chart:
    line = alt.Chart(alt.Data(values=[{"edge": edge}])).mark_rule(color=BLUE, strokeDash=[5, 4], strokeWidth=1.2)
    return line.encode(y="edge:Q")


def _marks(base: alt.Chart) -> list[alt.Chart]:
    outside = alt.datum.state == "outside"
    return [
        base.transform_filter(alt.datum.state == "within").mark_point(color=BLUE, filled=True, size=28, opacity=1),
        base.transform_filter(outside).mark_point(
            color=VERMILLION, filled=True, size=80, shape="triangle-up", opacity=1
        ),
        base.transform_filter(alt.datum.marked).mark_point(
            color=INK, filled=False, size=190, strokeWidth=1.8, opacity=1
        ),
    ]


def _named_edges(band: Band) -> list[tuple[float, str]]:
    if band.lower is not None and band.lower == band.upper:
        return [(band.lower, f"exactly {words.value(band.lower)}")]
    named = [(band.lower, f"at least {words.value(band.lower)}"), (band.upper, f"at most {words.value(band.upper)}")]
    return [(edge, word) for edge, word in named if edge is not None]


def _edge_label(edge: float, word: str, *, below: bool) -> alt.Chart:
    text = alt.Chart(alt.Data(values=[{"edge": edge, "word": word}]))
    return text.mark_text(color=BLUE, align="right", dx=-4, dy=9 if below else -7, fontSize=11).encode(
        x=alt.value("width"), y="edge:Q", text="word:N"
    )
