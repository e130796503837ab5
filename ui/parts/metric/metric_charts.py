"""Build charts of a metric over time and of two distributions, as Vega-Lite specifications."""

from collections.abc import Sequence
from typing import Any

from treaty.registry.schemas import PreviewPointOut
from treaty.registry.schemas.fits_and_feedback import Edges
from treaty.ui import texts as ui_texts
from treaty.ui.parts.metric.metric_series import ObservedPoint
from treaty.ui.texts import metric as texts
from treaty.ui.widgets.charts import AXIS_OF, BLUE, INK, SOFT, VERMILLION, ChartBand, Spec, framed

HEIGHT = 320
# The first partition is blue, the second vermillion and dashed: not distinguished by colour alone.
LINE_STYLES = ((BLUE, [1, 0]), (VERMILLION, [6, 3]))


def course(points: Sequence[ObservedPoint], limits: ChartBand, *, metric: str) -> Spec:
    """Build the chart of the values with bands, expected values, limits, anomalies and gaps.

    `limits`: those of the contract. Anomalies are triangles, gaps are crosses at the bottom."""
    low, high = extent(points, limits)
    scale = {"domain": [low, high], "nice": False, "zero": False}
    unit = points[-1].unit if points else ""
    axis = {"title": metric, "titleColor": SOFT, "domain": False, "ticks": False, **AXIS_OF.get(unit, {})}
    base: Spec = {
        "data": {"values": [_row(each, low, high) for each in points]},
        "encoding": {
            "x": {"field": "label", "type": "nominal", "sort": None, "axis": X_AXIS, "scale": {"padding": 0.5}},
            "y": {"field": "value", "type": "quantitative", "axis": axis, "scale": scale},
            "tooltip": [{"field": name, "type": "nominal", "title": title} for name, title in TOOLTIP],
        },
    }
    return framed([*_admitted(base), *_limits(limits), *_values(base)], height=HEIGHT)


X_AXIS = {"title": None, "labelAngle": -35, "labelOverlap": "greedy", "grid": False, "labelLimit": 140}
TOOLTIP = (
    ("label", texts.TIP_OF),
    ("shown", texts.TIP_VALUE),
    ("foreseen", texts.TIP_EXPECTED),
    ("allowed", texts.TIP_ADMITTED),
    ("why", texts.TIP_NOTE),
)


def extent(points: Sequence[ObservedPoint], limits: ChartBand) -> tuple[float, float]:
    """Return the range of the vertical axis: values, bands and limits with a margin."""
    values = [each.value for each in points if each.value is not None] + list(limits.edges)
    values += [edge for each in points if each.learned for edge in each.band.edges]
    return aired(values)


def aired(numbers: Sequence[float]) -> tuple[float, float]:
    """Return the range of these numbers with a margin, never empty."""
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    air = 0.08 * (high - low) or 0.05 * abs(high) or 0.5
    return low - air, high + air


def _row(point: ObservedPoint, low: float, high: float) -> Spec:
    band = point.band
    return {
        "label": point.label,
        "value": point.value,
        "at": low if point.value is None else point.value,
        "state": "gap" if point.value is None else "anomaly" if point.is_anomaly else "within",
        "lower": (low if band.lower is None else band.lower) if point.learned else None,
        "upper": (high if band.upper is None else band.upper) if point.learned else None,
        "expected": point.expected,
        "shown": ui_texts.value(point.value, point.unit),
        "foreseen": ui_texts.value(point.expected, point.unit),
        "allowed": band.words(point.unit) or ui_texts.NOTHING,
        "why": point.reason or ui_texts.NOTHING,
    }


def _admitted(base: Spec) -> list[Spec]:
    x, y = base["encoding"]["x"], base["encoding"]["y"]
    band = {"x": x, "y": {**y, "field": "lower"}, "y2": {"field": "upper"}}
    learned = {"transform": [{"filter": "isValid(datum.lower)"}]}
    foreseen = {"transform": [{"filter": "isValid(datum.expected)"}]}
    line = {"type": "line", "color": BLUE, "strokeDash": [3, 3], "strokeWidth": 1.2, "opacity": 0.8}
    return [
        {"data": base["data"], **learned, "mark": {"type": "area", "color": BLUE, "opacity": 0.14}, "encoding": band},
        {"data": base["data"], **foreseen, "mark": line, "encoding": {"x": x, "y": {**y, "field": "expected"}}},
    ]


def _limits(limits: ChartBand) -> list[Spec]:
    look = {"type": "rule", "color": INK, "strokeDash": [6, 4], "strokeWidth": 1.2, "opacity": 0.7}
    return [
        {
            "data": {"values": [{"edge": edge}]},
            "mark": look,
            "encoding": {"y": {"field": "edge", "type": "quantitative"}},
        }
        for edge in limits.edges
    ]


def _values(base: Spec) -> list[Spec]:
    line = {"type": "line", "color": INK, "strokeWidth": 1.5, "opacity": 0.65, "invalid": "break-paths-show-domains"}
    marks: tuple[tuple[str, Spec], ...] = (
        ("within", {"color": BLUE, "filled": True, "size": 28}),
        ("anomaly", {"color": VERMILLION, "filled": True, "size": 80, "shape": "triangle-up"}),
        ("gap", {"color": SOFT, "filled": False, "size": 60, "shape": "cross"}),
    )
    at = {**base["encoding"], "y": {**base["encoding"]["y"], "field": "at"}}
    points = [
        {
            "data": base["data"],
            "transform": [{"filter": f"datum.state == '{state}'"}],
            "mark": {"type": "point", "opacity": 1, **look},
            "encoding": at,
        }
        for state, look in marks
    ]
    return [{**base, "mark": line}, *points]


def shares(counts: Sequence[int]) -> list[float]:
    """Return the counts as shares of their sum; all 0 if the sum is 0."""
    total = sum(counts)
    return [count / total if total else 0.0 for count in counts]


def distribution_chart(bins: Sequence[tuple[str, Sequence[float], Sequence[int]]], *, metric: str) -> Spec:
    """Build overlaid step charts of (name, edges, counts), as shares of each partition's rows."""
    return framed([_steps(*each, look, metric) for each, look in zip(bins, LINE_STYLES, strict=False)], height=220)


def _steps(name: str, edges: Sequence[float], counts: Sequence[int], look: tuple[str, list[int]], metric: str) -> Spec:
    colour, dash = look
    heights = [*shares(counts), 0.0]
    values = [{"at": edge, "share": share, "of": name} for edge, share in zip(edges, heights, strict=False)]
    x: dict[str, Any] = {
        "field": "at",
        "type": "quantitative",
        "axis": {"title": metric, "grid": False, "domain": False},
    }
    y = {
        "field": "share",
        "type": "quantitative",
        "axis": {"title": texts.SHARE_OF_ROWS, "format": ".0%", "domain": False},
    }
    area = {"type": "area", "interpolate": "step-after", "line": {"color": colour, "strokeDash": dash}}
    tooltip = [
        {"field": "of", "type": "nominal", "title": ui_texts.PARTITION},
        {"field": "share", "type": "quantitative", "format": ".1%", "title": texts.TIP_SHARE},
    ]
    return {
        "data": {"values": values},
        "mark": {**area, "color": colour, "fillOpacity": 0.15},
        "encoding": {"x": x, "y": y, "tooltip": tooltip},
    }


def foreseen(points: Sequence[PreviewPointOut], labels: Sequence[str], *, metric: str) -> Spec:
    """Build the chart of current bounds (dashed) and bounds after feedback (shaded).

    Points that would be excluded from training are crosses. The last point is in the future and has bounds only."""
    edges = [edge for each in points for band in each.bands for edge in band or () if edge is not None]
    values = [*edges, *(each.value for each in points if each.value is not None)]
    low, high = aired(values)
    scale = {"domain": [low, high], "nice": False, "zero": False}
    axis = {"title": metric, "titleColor": SOFT, "domain": False, "ticks": False}
    tooltip = [{"field": name, "type": "nominal", "title": title} for name, title in FORESEEN]
    base: Spec = {
        "data": {"values": [_foreseen(each, label, low, high) for each, label in zip(points, labels, strict=True)]},
        "encoding": {
            "x": {"field": "label", "type": "nominal", "sort": None, "axis": X_AXIS, "scale": {"padding": 0.5}},
            "y": {"field": "value", "type": "quantitative", "axis": axis, "scale": scale},
            "tooltip": tooltip,
        },
    }
    return framed([_shaded(base), *_dashed(base), *_values(base)], height=HEIGHT)


FORESEEN = (
    ("label", texts.TIP_OF),
    ("shown", texts.TIP_VALUE),
    ("now", texts.TIP_ADMITTED),
    ("then", texts.TIP_WOULD_BE),
    ("why", texts.TIP_NOTE),
)


def _foreseen(point: PreviewPointOut, label: str, low: float, high: float) -> Spec:
    now, then = (_edges(band, low, high) for band in point.bands)
    admits = ChartBand(*(point.bands[1] or (None, None)))
    outside = point.value is not None and not admits.admits(point.value)
    return {
        "label": label,
        "value": point.value,
        "at": point.value,
        "state": "gap" if not point.is_training[1] else "anomaly" if outside else "within",
        "least": now[0], "most": now[1], "lower": then[0], "upper": then[1],
        "shown": ui_texts.value(point.value),
        "now": ui_texts.limits(*(point.bands[0] or (None, None))) or ui_texts.NOTHING,
        "then": ui_texts.limits(*(point.bands[1] or (None, None))) or ui_texts.NOTHING,
        "why": ui_texts.NOTHING if point.is_training[1] else texts.LEFT_OUT,
    }  # fmt: skip


def _edges(band: Edges | None, low: float, high: float) -> Edges:
    if band is None:
        return None, None
    return low if band[0] is None else band[0], high if band[1] is None else band[1]


def _shaded(base: Spec) -> Spec:
    """Draw the bounds after feedback."""
    x, y = base["encoding"]["x"], base["encoding"]["y"]
    band = {"x": x, "y": {**y, "field": "lower"}, "y2": {"field": "upper"}}
    filters = {"transform": [{"filter": "isValid(datum.lower)"}]}
    return {
        "data": base["data"], **filters, "mark": {"type": "area", "color": BLUE, "opacity": 0.16}, "encoding": band
    }  # fmt: skip


def _dashed(base: Spec) -> list[Spec]:
    """Draw the current bounds."""
    x, y = base["encoding"]["x"], base["encoding"]["y"]
    look = {"type": "line", "color": INK, "strokeDash": [5, 4], "strokeWidth": 1.2, "opacity": 0.7}
    return [
        {
            "data": base["data"],
            "transform": [{"filter": f"isValid(datum.{edge})"}],
            "mark": look,
            "encoding": {"x": x, "y": {**y, "field": edge}},
        }
        for edge in ("least", "most")
    ]
