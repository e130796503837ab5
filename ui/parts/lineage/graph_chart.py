"""Draw the lineage graph from left to right with Vega-Lite, and as a table.

Graphviz would need WebAssembly, which the pages' content policy forbids."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any
from urllib.parse import urlencode

from treaty.registry.schemas import GraphOut, NodeOut
from treaty.ui import texts as ui_texts
from treaty.ui.parts.lineage.graph_folding import DATASET, collapsed
from treaty.ui.texts import StatusLabel
from treaty.ui.texts import lineage as texts
from treaty.ui.widgets.charts import BLUE, INK, RENDERER, SOFT, Spec

MOST = 60
LONGEST = 32
ROW_HEIGHT = 64
COLOURS = {"blue": BLUE, "red": "#A34700", "orange": "#7A5400", "gray": SOFT, "green": "#00634E"}
# The worst first.
BAD = ("failed", "not_evaluated", "uncertain", "warned")
ORDER = [*(ui_texts.VERDICTS[each] for each in BAD), ui_texts.NEVER, ui_texts.VERDICTS["passed"]]
Edge = tuple[str, str]


@dataclass(frozen=True)
class ShownNode:
    """A node as it is displayed.

    `is_focus`: the graph is centered on it. `members`: the nodes that a group stands for; empty for a single node."""

    node: NodeOut
    is_focus: bool = False
    members: Sequence[NodeOut] = ()

    @property
    def name(self) -> str:
        """Return the name within its namespace, in one line."""
        return ui_texts.CONTROL.sub(" ", str(self.node.data.get("name", self.node.id)))

    @property
    def kind(self) -> str:
        """Return the display name of its type."""
        if self.members:
            return texts.GROUP
        return texts.DATASET if self.node.type == DATASET else texts.JOB

    @property
    def contracts(self) -> Sequence[Mapping[str, Any]]:
        """Return the contracts of the dataset with their last verdicts; () for a job."""
        return self.node.data.get("contracts") or ()

    @property
    def mark(self) -> StatusLabel | None:
        """Return the label of the worst verdict; None without a contract and for jobs."""
        labels = [ui_texts.VERDICTS.get(str(each.get("verdict")), ui_texts.NEVER) for each in self.contracts]
        return min(labels, key=ORDER.index) if labels else None


def nodes(graph: GraphOut, center: str) -> list[ShownNode]:
    """Return the nodes of the picture: the central one, the nearest, and groups of the rest."""
    nearest, groups = collapsed(graph, center, most=MOST)
    return [ShownNode(each, each.id == center, groups.get(each.id, ())) for each in nearest]


def every(graph: GraphOut, center: str) -> list[ShownNode]:
    """Return all nodes of the graph without groups, nearest first."""
    ordered, _ = collapsed(graph, center, most=len(graph.graph))
    return [ShownNode(each, each.id == center) for each in ordered]


def edges(shown: Sequence[ShownNode]) -> list[Edge]:
    """Return the edges between displayed nodes; a member's edges belong to its group."""
    there = {each.node.id for each in shown}
    home = {node.id: each.node.id for each in shown for node in each.members}
    links = chain.from_iterable((*each.node.in_edges, *each.node.out_edges) for each in shown)
    pairs = {(home.get(each.origin, each.origin), home.get(each.destination, each.destination)) for each in links}
    return sorted((origin, target) for origin, target in pairs if origin != target and there >= {origin, target})


def places(names: Iterable[str], between: Sequence[Edge]) -> dict[str, tuple[int, float]]:
    """Return the position of each node as (column, row).

    A node is to the right of all nodes before it, except in cycles; the rows of a column are centered around 0."""
    columns = _columns(sorted(names), between)
    positions: dict[str, tuple[int, float]] = {}
    for column in set(columns.values()):
        inside = [name for name, at in columns.items() if at == column]
        positions |= {name: (column, row - (len(inside) - 1) / 2) for row, name in enumerate(inside)}
    return positions


def picture(shown: Sequence[ShownNode]) -> Spec:
    """Draw the graph: circles for jobs, squares for datasets, arrows in the direction of the data."""
    between = edges(shown)
    positions = places((each.node.id for each in shown), between)
    tallest = max((sum(other[0] == one[0] for other in positions.values()) for one in positions.values()), default=1)
    layers = [_arrows(between, positions), *_marks([_point(each, positions[each.node.id]) for each in shown])]
    return {
        "layer": layers,
        "height": max(2, tallest) * ROW_HEIGHT,
        "padding": {"left": 70, "top": 10, "right": 70, "bottom": 10},
        "background": "transparent",
        "config": {"view": {"stroke": None}, "font": "Source Sans, sans-serif"},
        "usermeta": RENDERER,
    }


def rows(shown: Sequence[ShownNode]) -> list[dict[str, str]]:
    """Return the nodes as table rows with verdict, neighbors, and a link to each."""
    names, between = {each.node.id: each.name for each in shown}, edges(shown)
    return [
        {
            ui_texts.NAME: each.name,
            texts.NODE_IS: each.kind,
            texts.VERDICT: ui_texts.glyph(each.mark) if each.mark else "",
            ui_texts.CONTRACTS: ", ".join(str(contract.get("contract")) for contract in each.contracts),
            texts.COMES_FROM: ", ".join(names[origin] for origin, target in between if target == each.node.id),
            texts.GOES_TO: ", ".join(names[target] for origin, target in between if origin == each.node.id),
            ui_texts.NAMESPACE: str(each.node.data.get("namespace", "")),
            ui_texts.OPEN: f"/lineage?{urlencode({'node': each.node.id})}",
        }
        for each in shown
    ]


def _columns(names: Sequence[str], between: Sequence[Edge]) -> dict[str, int]:
    before: dict[str, set[str]] = {name: set() for name in names}
    for origin, target in between:
        before[target].add(origin)
    columns: dict[str, int] = {}
    while left := [name for name in names if name not in columns]:
        # If every remaining node follows another remaining one, they form a cycle, which is cut at its first node.
        free = [name for name in left if before[name] <= columns.keys()] or left[:1]
        columns |= {
            name: 1 + max((columns[each] for each in before[name] if each in columns), default=-1) for name in free
        }
    return columns


def _point(shown: ShownNode, place: tuple[int, float]) -> Spec:
    name, mark = shown.name, shown.mark
    return {
        "x": place[0],
        "y": place[1],
        "name": name,
        "short": name if len(name) <= LONGEST else f"…{name[1 - LONGEST :]}",
        "kind": shown.kind,
        "verdict": ui_texts.glyph(mark) if mark else "",
        "colour": COLOURS[mark.colour] if mark else SOFT,
        "asked": shown.is_focus,
    }


def _arrows(between: Sequence[Edge], stand: Mapping[str, tuple[int, float]]) -> Spec:
    ends = [(*stand[origin], *stand[target]) for origin, target in between]
    line = {"type": "rule", "color": SOFT, "opacity": 0.6}
    return {
        "data": {"values": [dict(zip(("x", "y", "x2", "y2"), each, strict=True)) for each in ends]},
        "layer": [
            {"mark": line, "encoding": {"x2": {"field": "x2"}, "y2": {"field": "y2"}}},
            {
                "transform": [
                    {"calculate": "datum.x + 0.85 * (datum.x2 - datum.x)", "as": "x"},
                    {"calculate": "datum.y + 0.85 * (datum.y2 - datum.y)", "as": "y"},
                ],
                "mark": {"type": "point", "shape": "triangle-right", "filled": True, "color": SOFT, "size": 50},
            },
        ],
        "encoding": _axes(),
    }  # fmt: skip


def _marks(points: Sequence[Spec]) -> list[Spec]:
    base: Spec = {"data": {"values": list(points)}}
    titles = {"kind": texts.NODE_IS, "name": ui_texts.NAME, "verdict": texts.VERDICT}
    tooltip = [{"field": field, "type": "nominal", "title": title} for field, title in titles.items()]
    shape = {
        "field": "kind",
        "type": "nominal",
        "scale": {"domain": [texts.DATASET, texts.JOB, texts.GROUP], "range": ["square", "circle", "diamond"]},
    }
    colour = {"field": "colour", "type": "nominal", "scale": None}
    node = {"type": "point", "filled": True, "size": 160, "opacity": 1}
    ring = {"type": "point", "filled": False, "size": 420, "color": INK, "strokeWidth": 1.6, "opacity": 1}
    return [
        {**base, "transform": [{"filter": "datum.asked"}], "mark": ring, "encoding": _axes()},
        {**base, "mark": node, "encoding": {
            **_axes(), "shape": {**shape, "legend": None}, "color": colour, "tooltip": tooltip}},
        _label(base, "short", INK, 20),
        _label(base, "verdict", None, 34),
    ]  # fmt: skip


def _label(base: Spec, field: str, colour: str | None, below: int) -> Spec:
    look: Spec = {"type": "text", "fontSize": 11, "dy": below, **({"color": colour} if colour else {})}
    by_verdict = {} if colour else {"color": {"field": "colour", "type": "nominal", "scale": None}}
    return {**base, "mark": look, "encoding": {**_axes(), "text": {"field": field, "type": "nominal"}, **by_verdict}}


def _axes() -> Spec:
    """Return both axes, which are hidden; the first row is at the top."""
    scale = {"nice": False, "zero": False, "padding": 30}
    shared = {"type": "quantitative", "axis": None}
    return {
        "x": {"field": "x", **shared, "scale": scale},
        "y": {"field": "y", **shared, "scale": {**scale, "reverse": True}},
    }
