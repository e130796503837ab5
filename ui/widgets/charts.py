"""Build charts as Vega-Lite specifications: a metric over partitions with its limits.

They are written as plain data: building them with Altair validates each against its schema, 50 ms per chart."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from treaty.ui import texts as ui_texts
from treaty.ui.texts import charts as texts

BLUE = "#0072B2"
VERMILLION = "#D55E00"
INK = "#1B2733"
SOFT = "#5B6B7B"
# Replacements on dark pages for the colours that charts are written in.
ON_DARK = {
    BLUE: "#56B4E9", VERMILLION: "#F0884A", INK: "#E4EAF0", SOFT: "#A9B7C4",
    "#A34700": "#F7AD80", "#7A5400": "#F1CB6C", "#00634E": "#7ED9BF",
}  # fmt: skip
# Under these names a string is a colour; elsewhere it may be a data value.
COLOURED = frozenset({"color", "colour", "labelColor", "titleColor", "gridColor"})
Spec = dict[str, Any]
# SVG keeps the marks in the page, where screen readers and tests can reach them.
RENDERER = {"embedOptions": {"renderer": "svg", "actions": False}}

# Labels of a vertical axis by the unit of its metric.
AXIS_OF: Mapping[str, Spec] = {"share": {"labelExpr": "format(datum.value * 100, '.4~r') + ' %'"}}


@dataclass(frozen=True)
class ChartBand:
    """Lower and upper limit; None means no limit on that side. `strict`: the limits themselves are outside."""

    lower: float | None = None
    upper: float | None = None
    strict: bool = False

    def admits(self, value: float) -> bool:
        """Return True if the value is within the limits."""
        if self.strict and value in (self.lower, self.upper):
            return False
        return (self.lower is None or value >= self.lower) and (self.upper is None or value <= self.upper)

    def words(self, unit: str = "") -> str:
        """Describe the limits; "" if there are none."""
        return ui_texts.limits(self.lower, self.upper, unit, strict=self.strict)

    @property
    def edges(self) -> tuple[float, ...]:
        """Return the limits that are set, without duplicates."""
        return tuple(dict.fromkeys(edge for edge in (self.lower, self.upper) if edge is not None))


@dataclass(frozen=True)
class ChartPoint:
    """The value of a metric for one partition or at one time. `unit`: unit of the value, "" if unknown."""

    label: str
    value: float
    unit: str = ""


def points(history: Sequence[Sequence[Any]]) -> tuple[ChartPoint, ...]:
    """Return the points with finite values; other (label, value) pairs cannot be drawn."""
    pairs = ((ui_texts.partition_label(str(name)), number(value)) for name, value in history)
    return tuple(ChartPoint(label, value) for label, value in pairs if value is not None)


def number(value: Any) -> float | None:
    """Return the value as a finite number; None for anything else."""
    try:
        result = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return result if math.isfinite(result) else None


def describe_chart(series: Sequence[ChartPoint], band: ChartBand, *, metric: str) -> str:
    """Describe the chart in one sentence, for screen readers."""
    if not series:
        return texts.no_values(metric)
    values = [point.value for point in series]
    outside = sum(not band.admits(value) for value in values)
    unit = series[-1].unit
    allowed = band.words(unit)
    return "; ".join(
        part
        for part in (
            texts.over(metric, len(values)),
            ui_texts.span(min(values), max(values), unit),
            texts.allowed(allowed) if allowed else texts.NO_LIMIT,
            texts.how_many_outside(outside) if allowed else "",
        )
        if part
    )


def sparkline(series: Sequence[ChartPoint], band: ChartBand, *, marked: Collection[str] = ()) -> Spec:
    """Build a small chart without an axis below: band, line and values outside the band.

    `marked`: labels of the points that are highlighted."""
    bare = {"labels": False, "ticks": False, "domain": False, "grid": False, "title": None}
    few = {"tickCount": 3, "grid": False, "domain": False, "ticks": False, "title": None, "format": "~s"}
    return framed(_layers(series, band, x=bare, y=few, marked=marked), height=96)


def history(series: Sequence[ChartPoint], band: ChartBand, *, metric: str, marked: str | None = None) -> Spec:
    """Build the chart of a metric's history with labeled axes and limits.

    `marked`: label of the point of this run, which is highlighted."""
    x = {"title": None, "labelAngle": -35, "labelOverlap": "greedy", "grid": False, "labelLimit": 140}
    unit = series[-1].unit if series else ""
    y = {"title": metric, "titleColor": SOFT, "domain": False, "ticks": False, **AXIS_OF.get(unit, {})}
    labels = [_edge_label(edge, word, below=edge != band.upper) for edge, word in _named_edges(band, unit)]
    run = () if marked is None else (marked,)
    return framed([*_layers(series, band, x=x, y=y, marked=run), *labels], height=280)


def distribution(edges: Sequence[float], counts: Sequence[int], *, metric: str) -> Spec:
    """Build a histogram: one bar per bin, from its edge to the next, as high as its count."""
    bins = [
        {"from": low, "to": high, "rows": count} for low, high, count in zip(edges, edges[1:], counts, strict=False)
    ]
    bare = {"grid": False, "domain": False, "ticks": False}
    x = {"field": "from", "type": "quantitative", "bin": {"binned": True}, "axis": {**bare, "title": metric}}
    y = {"field": "rows", "type": "quantitative", "axis": {**bare, "title": None, "tickCount": 3, "format": "~s"}}
    bars = {
        "data": {"values": bins},
        "mark": {"type": "bar", "color": BLUE},
        "encoding": {"x": x, "x2": {"field": "to"}, "y": y},
    }
    return framed([bars], height=96)


def on_dark(spec: Any) -> Any:
    """Return the chart, or a part of it, in the colors for dark pages."""
    if isinstance(spec, dict):
        return {name: _colour(part) if name in COLOURED else on_dark(part) for name, part in spec.items()}
    return [on_dark(part) for part in spec] if isinstance(spec, list) else spec


def _colour(part: Any) -> Any:
    return ON_DARK.get(part, part) if isinstance(part, str) else on_dark(part)


def domain(series: Sequence[ChartPoint], band: ChartBand) -> tuple[float, float]:
    """Return the range of the vertical axis: all values and limits with a margin, never empty."""
    values = [point.value for point in series] + list(band.edges)
    low, high = min(values, default=0.0), max(values, default=1.0)
    air = 0.08 * (high - low) or 0.05 * abs(high) or 0.5
    return low - air, high + air


def framed(layers: list[Spec], *, height: int) -> Spec:
    """Combine the layers into one chart of that height in pixels, in the common style."""
    return {
        "layer": layers,
        "height": height,
        "padding": {"left": 2, "top": 6, "right": 4, "bottom": 4},
        "background": "transparent",
        "config": {
            "view": {"stroke": None},
            "font": "Source Sans, sans-serif",
            # The chart has one text alternative, and its numbers are in a table: the marks need none.
            "mark": {"aria": False},
            "axis": {"labelColor": SOFT, "gridColor": SOFT, "gridOpacity": 0.2},
        },
        "usermeta": RENDERER,
    }


def _layers(series: Sequence[ChartPoint], band: ChartBand, *, x: Spec, y: Spec, marked: Collection[str]) -> list[Spec]:
    low, high = domain(series, band)
    line = {"type": "line", "color": INK, "strokeWidth": 1.5, "opacity": 0.65}
    base = {
        "data": {"values": [_row(point, band, marked) for point in series]},
        "encoding": {
            "x": {"field": "label", "type": "nominal", "sort": None, "axis": x, "scale": {"padding": 0.5}},
            "y": {
                "field": "value",
                "type": "quantitative",
                "axis": y,
                "scale": {"domain": [low, high], "nice": False, "zero": False},
            },
            "tooltip": [{"field": field, "type": "nominal", "title": title} for field, title in TOOLTIP],
        },
    }
    return [*_band(band, low, high), {**base, "mark": line}, *_marks(base)]


TOOLTIP = (("label", texts.TIP_PARTITION), ("shown", texts.TIP_VALUE), ("state", texts.TIP_STATE))


def _row(point: ChartPoint, band: ChartBand, marked: Collection[str]) -> Spec:
    return {
        "label": point.label,
        "value": point.value,
        "shown": ui_texts.value(point.value, point.unit),
        "state": texts.WITHIN if band.admits(point.value) else texts.OUTSIDE,
        "marked": point.label in marked,
    }


def _marks(base: Spec) -> list[Spec]:
    """Distinguish points outside by shape and size, not by color alone; a ring highlights points."""
    shown = (
        (f"datum.state == '{texts.WITHIN}'", {"color": BLUE, "filled": True, "size": 28}),
        (
            f"datum.state == '{texts.OUTSIDE}'",
            {"color": VERMILLION, "filled": True, "size": 80, "shape": "triangle-up"},
        ),
        ("datum.marked", {"color": INK, "filled": False, "size": 190, "strokeWidth": 1.8}),
    )
    return [
        {**base, "transform": [{"filter": only}], "mark": {"type": "point", "opacity": 1, **look}}
        for only, look in shown
    ]


def _band(band: ChartBand, low: float, high: float) -> list[Spec]:
    if not band.edges:
        return []
    lower = low if band.lower is None else band.lower
    upper = high if band.upper is None else band.upper
    area = {
        "data": {"values": [{"low": lower, "high": upper}]},
        "mark": {"type": "rect", "color": BLUE, "opacity": 0.1},
        "encoding": {"y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}},
    }
    return [area, *(_edge(edge) for edge in band.edges)]


def _edge(edge: float) -> Spec:
    return {
        "data": {"values": [{"edge": edge}]},
        "mark": {"type": "rule", "color": BLUE, "strokeDash": [5, 4], "strokeWidth": 1.2},
        "encoding": {"y": {"field": "edge", "type": "quantitative"}},
    }


def _named_edges(band: ChartBand, unit: str) -> list[tuple[float, str]]:
    if band.lower is not None and band.lower == band.upper:
        return [(band.lower, band.words(unit))]
    named = (
        (band.lower, replace(band, upper=None).words(unit)),
        (band.upper, replace(band, lower=None).words(unit)),
    )
    return [(edge, words) for edge, words in named if edge is not None]


def _edge_label(edge: float, word: str, *, below: bool) -> Spec:
    look = {"type": "text", "color": BLUE, "align": "right", "dx": -4, "dy": 9 if below else -7, "fontSize": 11}
    return {
        "data": {"values": [{"edge": edge, "word": word}]},
        "mark": look,
        "encoding": {
            "x": {"value": "width"},
            "y": {"field": "edge", "type": "quantitative"},
            "text": {"field": "word", "type": "nominal"},
        },
    }
