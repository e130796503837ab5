"""Fold a lineage graph that is too large to draw: near nodes stay, the rest become groups."""

from collections.abc import Iterable, Mapping, Sequence

from treaty.registry.schemas import EdgeOut, GraphOut, NodeOut
from treaty.ui.texts import lineage as texts

UP, CENTER, DOWN = -1, 0, 1
SIDES = {UP: texts.FURTHER_UP, CENTER: texts.NO_NEIGHBOURS, DOWN: texts.FURTHER_DOWN}
DATASET = "DATASET"
Step = tuple[int, int]


def collapsed(graph: GraphOut, center: str, *, most: int) -> tuple[list[NodeOut], Mapping[str, Sequence[NodeOut]]]:
    """Return at most `most` nodes, nearest first, and the members of each group.

    `center`: id of the central node, which comes first. The members are by the group's id; there are no groups if all
    nodes fit."""
    ways = steps(graph, center)
    ordered = sorted(graph.graph, key=lambda node: (_near(ways.get(node.id)), node.type != DATASET, node.id))
    if len(ordered) <= most:
        return ordered, {}
    room = most - len(SIDES)
    groups: dict[str, list[NodeOut]] = {}
    for node in ordered[room:]:
        side, _ = ways.get(node.id, (CENTER, 0))
        groups.setdefault(f"group:{SIDES[side]}", []).append(node)
    return [*ordered[:room], *(_group(name, nodes) for name, nodes in groups.items())], groups


def steps(graph: GraphOut, center: str) -> dict[str, Step]:
    """Return the side and distance of each node from the central one, by id.

    Nodes that are neither upstream nor downstream are missing."""
    pairs = {(edge.origin, edge.destination) for node in graph.graph for edge in (*node.in_edges, *node.out_edges)}
    down = _reached(center, pairs)
    up = _reached(center, ((target, origin) for origin, target in pairs))
    return {**{name: (UP, away) for name, away in up.items()}, **{name: (DOWN, away) for name, away in down.items()}}


def _reached(start: str, pairs: Iterable[tuple[str, str]]) -> dict[str, int]:
    after: dict[str, list[str]] = {}
    for origin, target in pairs:
        after.setdefault(origin, []).append(target)
    distances, ahead = {start: 0}, [start]
    for name in ahead:
        fresh = [each for each in after.get(name, ()) if each not in distances]
        distances |= dict.fromkeys(fresh, distances[name] + 1)
        ahead.extend(dict.fromkeys(fresh))
    return distances


def _near(step: Step | None) -> tuple[bool, int]:
    return step is None, step[1] if step else 0


def _group(name: str, nodes: Sequence[NodeOut]) -> NodeOut:
    """Create a node for the group with the contracts and edges of all its members."""
    contracts = [each for node in nodes for each in node.data.get("contracts") or ()]
    label = texts.group_of(len(nodes), name.removeprefix("group:"))
    into: tuple[EdgeOut, ...] = tuple(edge for node in nodes for edge in node.in_edges)
    out: tuple[EdgeOut, ...] = tuple(edge for node in nodes for edge in node.out_edges)
    return NodeOut(id=name, type="DATASET", data={"name": label, "contracts": contracts}, in_edges=into, out_edges=out)
